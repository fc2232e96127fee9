// One construct per file: cases/x.cpp must lower to cases/x.dgir. DEADGRAD_BLESS=1 rewrites the latter. A first line
// `// flags: …` gives the unit's flags. A case whose name starts with `broken_` has errors for the compiler, no other.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <unistd.h>

#include <gtest/gtest.h>

#include "analyzer/ir/text.h"
#include "analyzer/ir/verify.h"
#include "frontends/cpp/cpp.h"

namespace deadgrad::cpp {

namespace fs = std::filesystem;

struct Case {
  std::string name, text;
};

static std::vector<Case> cases(std::string_view ending) {
  std::vector<Case> found;
  for (const auto& entry : fs::directory_iterator(DEADGRAD_CASES)) {
    if (entry.path().extension() != ending) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    found.push_back({entry.path().stem().string(), text.str()});
  }
  std::ranges::sort(found, {}, &Case::name);
  return found;
}

static Unit unit_of(const Case& source) {
  Unit unit;
  unit.path = std::string(DEADGRAD_CASES) + "/" + source.name + ".cpp";
  unit.directory = DEADGRAD_CASES;
  unit.arguments = {"-std=c++20"};
  unit.from_database = true;  // nothing is guessed, and no other standard is tried
  constexpr std::string_view mark = "// flags: ";
  if (source.text.starts_with(mark)) {
    std::istringstream flags(source.text.substr(mark.size(), source.text.find('\n') - mark.size()));
    for (std::string word; flags >> word;) unit.arguments.push_back(word);
  }
  return unit;
}

static LoweredUnit lowered(const Case& source) {
  const std::string folder = std::string(DEADGRAD_CASES) + "/";
  const NameFile name_file = [&](std::string_view path) {
    return path.starts_with(folder) ? std::string(path.substr(folder.size())) : std::string();
  };
  const Unit unit = unit_of(source);
  // One precompiled header for each set of flags, made once per run of this program.
  static std::map<std::uint64_t, std::string> headers;
  auto [header, added] = headers.emplace(precompiled_header_key(unit), "");
  if (added) {
    header->second = testing::TempDir() + "deadgrad-cases-" + std::to_string(header->first) + ".pch";
    if (!fs::exists(header->second)) {
      const std::string unfinished = header->second + "." + std::to_string(getpid()) + ".tmp";
      Reads reads;
      EXPECT_TRUE(make_precompiled_header(unit, unfinished, reads));
      fs::rename(unfinished, header->second);
    }
  }
  return lower(unit, name_file, [&](const Unit&) { return header->second; });
}

// The modules without spans, and what must hold for every one: the verifier is content and spans lie within the file.
static std::string checked(const Case& source, bool spans) {
  const LoweredUnit unit = lowered(source);
  EXPECT_FALSE(unit.modules.empty());
  EXPECT_EQ(unit.errors > 0, source.name.starts_with("broken_"))
      << (unit.errors > 0 ? unit.first_errors[0] : "no error");
  EXPECT_EQ(unit.unusable_header, "");
  std::string text;
  for (const ir::Module& module : unit.modules) {
    EXPECT_EQ(ir::verify(module), std::vector<std::string>{});
    const std::uint32_t size =
        static_cast<std::uint32_t>(fs::file_size(std::string(DEADGRAD_CASES) + "/" + module.path));
    for (const ir::Event& event : module.events)
      EXPECT_TRUE(event.span.begin <= event.span.end && event.span.end <= size)
          << module.path << " " << event.span.begin;
    if (!text.empty()) text += '\n';
    text += ir::print(module, {.spans = spans});
  }
  return text;
}

TEST(CppFrontend, LowersEveryCaseAsWritten) {
  std::map<std::string, std::string> expected;
  for (const Case& golden : cases(".dgir")) expected[golden.name] = golden.text;
  const bool bless = std::getenv("DEADGRAD_BLESS") != nullptr;
  for (const Case& source : cases(".cpp")) {
    SCOPED_TRACE(source.name);
    const std::string text = checked(source, source.name.starts_with("span_"));
    if (bless)
      std::ofstream(std::string(DEADGRAD_CASES) + "/" + source.name + ".dgir", std::ios::binary) << text;
    else
      EXPECT_EQ(text, expected[source.name]);
  }
}

TEST(CppFrontend, PrintsAndParsesBack) {
  for (const Case& source : cases(".cpp")) {
    SCOPED_TRACE(source.name);
    for (const ir::Module& module : lowered(source).modules) {
      const std::string text = ir::print(module);
      const auto parsed = ir::parse(text);
      ASSERT_TRUE(parsed) << parsed.error().message;
      EXPECT_EQ(ir::print(*parsed), text);
    }
  }
}

}  // namespace deadgrad::cpp
