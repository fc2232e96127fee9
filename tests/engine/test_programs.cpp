// Each *.dgir of this folder against the expectations in its comments.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/engine/check.h"

namespace deadgrad::engine {

class Programs : public testing::TestWithParam<std::string> {};

TEST_P(Programs, MeetTheirExpectations) {
  std::ifstream file(std::string(DEADGRAD_ENGINE_PROGRAMS) + "/" + GetParam() + ".dgir");
  std::stringstream text;
  text << file.rdbuf();
  check(GetParam() + ".dgir", text.str());
}

static std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(DEADGRAD_ENGINE_PROGRAMS)) {
    if (entry.path().extension() == ".dgir") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Engine, Programs, testing::ValuesIn(programs()), [](const auto& info) { return info.param; });

}  // namespace deadgrad::engine
