// Positions, fingerprints and the three renderers on results made by hand. DEADGRAD_BLESS=1 writes the golden files.
#include "integrations/report/report.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "integrations/report/fingerprint.h"
#include "integrations/report/source_text.h"

namespace deadgrad::report {

// "line:column-line:column" of the first occurrence of `needle`.
static std::string where(std::string_view text, std::string_view needle, Columns columns) {
  auto at = static_cast<std::uint32_t>(text.find(needle));
  Range range = SourceText(text).range({at, at + static_cast<std::uint32_t>(needle.size())}, columns);
  auto show = [](Position p) { return std::to_string(p.line) + ":" + std::to_string(p.column); };
  return show(range.begin) + "-" + show(range.end);
}

TEST(Positions, CountCharactersOrUtf16Units) {
  EXPECT_EQ(where("a\nbc = x\n", "x", Columns::Characters), "2:6-2:7");
  EXPECT_EQ(where("s = '\xf0\x9f\x98\x80'; x", "x", Columns::Characters), "1:10-1:11");
  EXPECT_EQ(where("s = '\xf0\x9f\x98\x80'; x", "x", Columns::Utf16), "1:11-1:12");
  EXPECT_EQ(where("\xe4\xb8\xad x", "x", Columns::Utf16), "1:3-1:4");
}

TEST(Positions, IgnoreAByteOrderMark) {
  EXPECT_EQ(where("\xef\xbb\xbfx\ny", "x", Columns::Characters), "1:1-1:2");
  EXPECT_EQ(SourceText("\xef\xbb\xbfx\ny").line(1), "x");
}

TEST(Positions, KnowEveryKindOfLineBreak) {
  EXPECT_EQ(where("a\r\nb\rc\nx", "x", Columns::Characters), "4:1-4:2");
  EXPECT_EQ(SourceText("a\r\nb").line(1), "a");
  EXPECT_EQ(SourceText("a\n").line_count(), 2u);
  EXPECT_EQ(SourceText("a\n").line(2), "");
}

TEST(Positions, TakeInvalidBytesAsCharacters) {
  EXPECT_EQ(where("\xff\xfe x", "x", Columns::Characters), "1:4-1:5");
  EXPECT_EQ(where("\xed\xa0\x80 x", "x", Columns::Characters), "1:5-1:6");  // a surrogate is not UTF-8
  EXPECT_EQ(where("\xe4\xb8", "\xb8", Columns::Characters), "1:2-1:3");
}

TEST(Positions, StayInsideTheText) {
  Range range = SourceText("ab").range({5, 9}, Columns::Characters);
  EXPECT_EQ(range.begin.column, 3u);
  EXPECT_EQ(range.end.column, 3u);
  EXPECT_EQ(SourceText("").range({0, 0}, Columns::Utf16).begin.line, 1u);
}

TEST(Positions, CutAtTheEndOfTheFirstLine) {
  Range range = SourceText("ab\r\ncd").first_line_range({1, 5}, Columns::Characters);
  EXPECT_EQ(range.end.line, 1u);
  EXPECT_EQ(range.end.column, 3u);
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[31mb\x07\x7f"), "a\\x1b[31mb\\x07\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b");        // C1
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");  // right-to-left override
  EXPECT_EQ(printable("\xff"), "\xef\xbf\xbd");
  EXPECT_EQ(printable("\xe4\xb8\xad"), "\xe4\xb8\xad");
}

// The values are those of GitHub's upload action for the same texts.
TEST(Fingerprints, AgreeWithGitHub) {
  using Hashes = std::vector<std::string>;
  EXPECT_EQ(line_hashes(""), (Hashes{"c129715d7a2bc9a3:1"}));
  EXPECT_EQ(line_hashes(" a\nb\n  \t\tc\n d"),
            (Hashes{"271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"}));
  Hashes crlf = {"e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1",
                 "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1"};
  EXPECT_EQ(line_hashes(" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n"), crlf);
  std::string repeated;
  for (int i = 0; i < 10; ++i) repeated += "Lorem ipsum dolor sit amet.\n";
  Hashes hashes = line_hashes(repeated);
  ASSERT_EQ(hashes.size(), 11u);
  EXPECT_EQ(hashes[5], "a7f2ff13bc495cf2:6");
  EXPECT_EQ(hashes[9], "cc97dc7b1d7d8f7b:1");
}

static Location locate(const driver::CheckResult& result, std::size_t file, std::string_view needle) {
  const driver::SourceFile& source = result.files[file];
  auto at = static_cast<std::uint32_t>(source.text.find(needle));
  return {source.path, {at, at + static_cast<std::uint32_t>(needle.size())}};
}

static driver::CheckResult sample_result() {
  driver::CheckResult result;
  result.files = {{"app/run me.py", "from sampler import sample\nprint(sample(model, x, 50))\n"},
                  {"sampler.py",
                   "def sample(model, x, steps):\r\n\tfor t in steps:\r\n\t\tx = model.denoise(x, t)  # "
                   "\x1b[31m\xf0\x9f\x98\x80\r\n"
                   "\t\tlog(model.denoise(x, 0))\r\n\treturn x\r\n"}};
  Finding finding;
  finding.rule = "DG102";
  finding.severity = Severity::Error;
  finding.message = "`model.denoise` is fed its own output with autograd on, so its graph grows with each step";
  finding.why = "only `print` reads the result";
  finding.where = locate(result, 1, "model.denoise(x, t)");
  finding.function = "sampler.sample";
  finding.callee = "model.denoise";
  finding.related = {{Role::Loop, locate(result, 1, "for t in steps:"), "loop starts here"},
                     {Role::Entry, locate(result, 0, "sample(model"), "called from here"},
                     {Role::Site, locate(result, 1, "model.denoise(x, 0)"), ""}};
  finding.path = {{locate(result, 0, "sample(model, x, 50)"), "module level calls `sample`"},
                  {finding.where, "`sample` runs the forward"}};
  finding.fix = FixRequest{.where = locate(result, 1, "def sample(model, x, steps):"), .function = "sample"};
  finding.probe_can_confirm = true;
  result.findings = {finding};
  result.notices = {{"big.py", "skipped: larger than 4 MB", {}}, {"sampler.py", "syntax error", ir::Span{4, 6}}};
  result.python_files = result.files.size();
  result.cpp_files = 2;
  return result;
}

static void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(GOLDEN_DIR) + "/" + name;
  if (std::getenv("DEADGRAD_BLESS") != nullptr) std::ofstream(path, std::ios::binary) << text;
  std::ostringstream golden;
  golden << std::ifstream(path, std::ios::binary).rdbuf();
  EXPECT_EQ(text, golden.str()) << "if the change is meant, run with DEADGRAD_BLESS=1 and read " << path;
}

TEST(Golden, Text) {
  expect_golden("report.txt", render_text(sample_result()));
}
TEST(Golden, Json) {
  expect_golden("report.json", render_json(sample_result()));
}
TEST(Golden, Sarif) {
  expect_golden("report.sarif", render_sarif(sample_result(), {}));
}

TEST(Text, IsPlainUnlessColorIsAskedFor) {
  EXPECT_EQ(render_text(sample_result()).find('\033'), std::string::npos);
  EXPECT_NE(render_text(sample_result(), {.color = true}).find("\033[1;31merror"), std::string::npos);
}

TEST(Text, CutsLongLinesAroundTheFinding) {
  driver::CheckResult result = sample_result();
  result.files[1].text = std::string(5000, 'a') + "(BAD)" + std::string(5000, 'b') + "\n";
  result.findings[0].where = locate(result, 1, "BAD");
  result.findings[0].related.clear();
  std::istringstream lines(render_text(result));
  std::string source, carets;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LT(line.size(), 200u);
    if (line.find("(BAD)") != std::string::npos) {
      source = line;
      std::getline(lines, carets);
    }
  }
  ASSERT_FALSE(source.empty());
  EXPECT_EQ(carets.find("^^^"), source.find("BAD"));
}

TEST(Text, SurvivesSpansOutsideTheFile) {
  driver::CheckResult result = sample_result();
  result.findings[0].where.span = {100000, 200000};
  result.findings[0].related[0].where.path = "gone.py";
  EXPECT_FALSE(render_text(result).empty());
  EXPECT_FALSE(render_json(result).empty());
  EXPECT_FALSE(render_sarif(result, {}).empty());
}

TEST(Sarif, ListsTheRulesThatRan) {
  auto log = nlohmann::json::parse(render_sarif(sample_result(), rules::all_rules()));
  const auto& rules = log["runs"][0]["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), rules::all_rules().size());
  const auto& result = log["runs"][0]["results"][0];
  EXPECT_EQ(rules[result["ruleIndex"].get<std::size_t>()]["id"], "DG102");
  for (const auto& rule : rules) {
    EXPECT_LE(rule["fullDescription"]["text"].get<std::string>().size(), 1024u);
    EXPECT_FALSE(rule["help"]["markdown"].get<std::string>().empty());
  }
  EXPECT_EQ(result["relatedLocations"][0]["properties"]["role"], "site");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["endLine"], 3);
}

}  // namespace deadgrad::report
