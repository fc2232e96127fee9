// No text may crash, hang or exhaust the frontend, and what it makes of any text satisfies the verifier.
#include <gtest/gtest.h>

#include <thread>

#include "analyzer/ir/text.h"
#include "frontends/python/python.h"
#include "tests/frontend_python/support.h"

namespace deadgrad::python {

static std::string repeat(std::string_view piece, int count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

static bool has_notice(const ir::Module& module, std::string_view part) {
  for (const ir::Notice& notice : module.notices) {
    if (notice.text.find(part) != std::string::npos) return true;
  }
  return false;
}

static std::size_t count(const ir::Module& module, ir::Op op) {
  std::size_t found = 0;
  for (const ir::Event& event : module.events) found += event.op == op;
  return found;
}

TEST(PythonHostile, ChainsAreFollowedToTheirEnd) {
  constexpr int kMany = 100'000;
  EXPECT_EQ(count(checked("x = " + repeat("(", 200'000) + "f()" + repeat(")", 200'000)), ir::Op::Call), 1u);
  EXPECT_EQ(count(checked("x = a" + repeat(".b()", kMany)), ir::Op::Call), std::size_t{kMany});
  EXPECT_EQ(count(checked("x = 1" + repeat("+1", kMany)), ir::Op::Binary), std::size_t{kMany});
  EXPECT_EQ(count(checked("x = 1" + repeat("**1", kMany)), ir::Op::Binary), std::size_t{kMany});
  EXPECT_EQ(count(checked("x = " + repeat("-", kMany) + "1"), ir::Op::Unary), std::size_t{kMany});
  EXPECT_EQ(count(checked("x = " + repeat("not ", kMany) + "1"), ir::Op::Unary), std::size_t{kMany});
  EXPECT_EQ(count(checked("x = " + repeat("a if b else ", kMany) + "1"), ir::Op::Select), std::size_t{kMany});
  EXPECT_EQ(count(checked("x = a" + repeat(" and a", 50'000)), ir::Op::Bool), 1u);
  EXPECT_EQ(count(checked("x = a" + repeat("[0]", kMany)), ir::Op::LoadItem), std::size_t{kMany});
  EXPECT_EQ(count(checked(repeat("a=", kMany) + "1"), ir::Op::Store), std::size_t{kMany});
  EXPECT_EQ(count(checked("if a: b\n" + repeat("elif a: b\n", kMany)), ir::Op::Branch), std::size_t{kMany + 1});
  EXPECT_EQ(count(checked("with " + repeat("a,", kMany) + "a: pass\n"), ir::Op::Scope), std::size_t{kMany + 1});
  EXPECT_EQ(count(checked("x = " + repeat("'a' ", kMany)), ir::Op::Const), 1u);
}

TEST(PythonHostile, DeepNestingBecomesUnknown) {
  constexpr int kDeep = 100'000;
  const std::string deep[] = {
      "x = " + repeat("[", kDeep) + repeat("]", kDeep),
      "x = " + repeat("f(", kDeep) + "y" + repeat(")", kDeep),
      "x = " + repeat("a[", kDeep) + "y" + repeat("]", kDeep),
      "x = " + repeat("lambda: ", kDeep) + "y",
      repeat("(", kDeep) + "a" + repeat(",)", kDeep) + " = x",
      "def f(x: " + repeat("list[", kDeep) + "y" + repeat("]", kDeep) + "): pass",
      "del " + repeat("(", kDeep) + "a" + repeat(")", kDeep),
  };
  for (const std::string& text : deep) {
    SCOPED_TRACE(text.substr(0, 12));
    EXPECT_TRUE(has_notice(checked(text), "nested too deep"));
  }
  for (std::string_view line : {"if a:\n", "def f():\n", "class C:\n", "for a in b:\n", "with a:\n", "while a:\n"}) {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += repeat(" ", i) + std::string(line);
    SCOPED_TRACE(line);
    EXPECT_TRUE(has_notice(checked(text + repeat(" ", 1000) + "pass\n"), "nested too deep"));
  }
}

TEST(PythonHostile, RealNestingIsFollowed) {
  EXPECT_TRUE(checked("x = " + repeat("[", 200) + repeat("]", 200)).notices.empty());
  std::string text;
  for (int i = 0; i < 100; ++i) text += repeat(" ", i) + "if a:\n";
  EXPECT_TRUE(checked(text + repeat(" ", 100) + "pass\n").notices.empty());
}

TEST(PythonHostile, QuadraticTextsAreGivenUp) {
  EXPECT_TRUE(has_notice(checked(repeat("\\\n", 200'000) + "x\n"), "too many steps"));
  EXPECT_TRUE(has_notice(checked(repeat("def f(\n", 200'000)), "too many steps"));
  EXPECT_TRUE(has_notice(checked("x = 1\n" + repeat("#\n\\\n", 50'000) + "y\n"), "too many steps"));
}

// The grammar's scanner reads ahead to the end of the run from each of its lines.
TEST(PythonHostile, LongRunsOfCommentsAreRead) {
  const std::string lines = repeat("  # a line of a comment, about as long as the lines of comments are\n\n", 20'000);
  for (const std::string& text :
       {"x = 1\n" + lines + "f()\n", "if x:\n  a\n" + lines + "  f()\n", "x = [\n" + lines + "f()]\n", lines + "f()\n",
        "f()\n" + lines, "x = '''\n" + lines + "'''\nf()\n"}) {
    SCOPED_TRACE(text.substr(0, 12));
    const ir::Module module = checked(text);
    EXPECT_TRUE(module.notices.empty());
    EXPECT_EQ(count(module, ir::Op::Call), 1u);
  }
}

TEST(PythonHostile, UnclosedPiecesInBulk) {
  for (std::string_view piece : {"(",
                                 "[",
                                 "{",
                                 "\"",
                                 "'''",
                                 "f\"{",
                                 "@",
                                 ":",
                                 "=",
                                 "*",
                                 "class C(\n",
                                 "if (\n",
                                 "try:\n",
                                 "x = (\n",
                                 "lambda ",
                                 "\\",
                                 "match x:\n case [",
                                 "async ",
                                 "\xFF",
                                 "\xE9",
                                 "`",
                                 "import a.",
                                 "from . ",
                                 "elif x:\n",
                                 "except ",
                                 "return ",
                                 "\t"}) {
    SCOPED_TRACE(piece);
    checked(repeat(piece, 20'000));
  }
}

TEST(PythonHostile, EveryPrefixOfEveryCase) {
  for (const Case& source : cases(".py")) {
    SCOPED_TRACE(source.name);
    for (std::size_t length = 0; length < source.text.size(); ++length) checked(source.text.substr(0, length));
  }
}

// Bytes changed, removed and repeated, and pieces of other cases put in between.
TEST(PythonHostile, MutatedCases) {
  static constexpr std::string_view kBytes = "()[]{}:,.=*@#\"'\\ \n\t\r\0xf0-|~`\xC3\xA9\xFF;!<";
  const std::vector<Case> sources = cases(".py");
  Random random(1);
  for (int round = 0; round < 6000; ++round) {
    std::string text = sources[random.below(sources.size())].text;
    for (std::size_t edits = 1 + random.below(6); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = random.below(text.size());
      switch (random.below(4)) {
        case 0:
          text[at] = kBytes[random.below(kBytes.size())];
          break;
        case 1:
          text.erase(at, 1 + random.below(8));
          break;
        case 2:
          text.insert(at, text.substr(at, random.below(40)));
          break;
        default: {
          const std::string& other = sources[random.below(sources.size())].text;
          text.insert(at, other.substr(random.below(other.size()), random.below(60)));
        }
      }
    }
    checked(text);
    if (::testing::Test::HasFailure()) FAIL() << text;
  }
}

TEST(PythonHostile, RandomBytes) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (std::size_t length = random.below(3000); length > 0; --length) text += static_cast<char>(random.below(256));
    checked(text);
  }
}

TEST(PythonHostile, ThreadsDoNotDisturbEachOther) {
  const std::vector<Case> sources = cases(".py");
  std::vector<std::string> alone;
  for (const Case& source : sources) alone.push_back(printed(source.text));
  std::vector<std::vector<std::string>> together(4);
  std::vector<std::thread> threads;
  for (std::vector<std::string>& mine : together) {
    threads.emplace_back([&mine, &sources] {
      for (const Case& source : sources) {
        mine.push_back(ir::print(lower({"pkg/mod.py", "pkg.mod", false, source.text}), {.spans = false}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<std::string>& mine : together) EXPECT_EQ(mine, alone);
}

}  // namespace deadgrad::python
