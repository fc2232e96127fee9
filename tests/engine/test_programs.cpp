// Each *.dgir of this folder against the expectations in its comments.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "analyzer/ir/text.h"
#include "tests/engine/check.h"

namespace deadgrad::engine {

class Programs : public testing::TestWithParam<std::string> {};

static std::string read(const std::string& program) {
  std::ifstream file(std::string(DEADGRAD_ENGINE_PROGRAMS) + "/" + program + ".dgir");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_P(Programs, MeetTheirExpectations) {
  check(GetParam() + ".dgir", read(GetParam()));
}

static std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(DEADGRAD_ENGINE_PROGRAMS)) {
    if (entry.path().extension() == ".dgir") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

// In one program with all the others, each is found to have the same faults in the same places.
TEST(Engine, ProgramsDoNotDisturbEachOther) {
  std::vector<ir::Module> together;
  std::vector<std::string> alone, found;
  auto note = [](const std::vector<Finding>& findings, std::vector<std::string>& places) {
    for (const Finding& finding : findings) {
      places.push_back(finding.where.path + ":" + std::to_string(finding.where.span.begin) + " " + finding.rule);
    }
  };
  for (const std::string& program : programs()) {
    auto modules = ir::parse_program(read(program));
    ASSERT_TRUE(modules) << modules.error().message;
    for (ir::Module& module : *modules) {
      module.path = program + "/" + module.path;
      module.name = program + "." + module.name;
      together.push_back(module);
    }
    note(analyze_all(std::move(*modules)).findings, alone);
  }
  note(analyze_all(std::move(together)).findings, found);
  std::ranges::sort(alone);
  std::ranges::sort(found);
  EXPECT_EQ(found, alone);
}

INSTANTIATE_TEST_SUITE_P(Engine, Programs, testing::ValuesIn(programs()), [](const auto& info) { return info.param; });

}  // namespace deadgrad::engine
