// What golden files cannot show: spans, encodings, line ends, module names.
#include <gtest/gtest.h>

#include "frontends/python/python.h"
#include "tests/frontend_python/support.h"

namespace deadgrad::python {

using Lines = std::vector<std::uint32_t>;

static std::string_view text_of(std::string_view source, ir::Span span) {
  return source.substr(span.begin, span.end - span.begin);
}

static std::vector<std::string_view> texts(std::string_view source, ir::Op op) {
  const ir::Module module = checked(source);
  std::vector<std::string_view> found;
  for (const ir::Event& event : module.events) {
    if (event.op == op) found.push_back(text_of(source, event.span));
  }
  return found;
}

TEST(PythonFrontend, SpansCoverWhatTheySay) {
  using Texts = std::vector<std::string_view>;
  EXPECT_EQ(texts("x = f(1)(\n2)\n", ir::Op::Call), (Texts{"f(1)", "f(1)(\n2)"}));
  EXPECT_EQ(texts("a.b . c\n", ir::Op::LoadAttribute), (Texts{"a.b", "a.b . c"}));
  EXPECT_EQ(texts("for x in y:\n  z # c\n  # d\nelse: w\n", ir::Op::Loop), (Texts{"for x in y:\n  z"}));
  EXPECT_EQ(texts("with a as b, c:\n  d\n\n", ir::Op::Scope), (Texts{"with a as b, c:\n  d", "with a as b, c:\n  d"}));
  EXPECT_EQ(texts("x, y = 1, 2\n", ir::Op::Store), (Texts{"x", "y"}));
}

TEST(PythonFrontend, FunctionSpansHoldDecoratorsHeaderAndBody) {
  const std::string_view source =
      "class C(B):\n  @d\n  async def f(\n      a=1) -> int:  # c\n    x\n    return a\n  # end\n";
  const ir::Module module = checked(source);
  ASSERT_EQ(module.functions.size(), 3u);
  const ir::Function& f = module.functions[2];
  EXPECT_EQ(text_of(source, f.span), "@d\n  async def f(\n      a=1) -> int:  # c\n    x\n    return a");
  EXPECT_EQ(text_of(source, f.header), "async def f(\n      a=1) -> int:");
  EXPECT_EQ(text_of(source, f.body), "x\n    return a");
  EXPECT_EQ(text_of(source, module.classes[0].header), "class C(B):");
}

TEST(PythonFrontend, LineEndsMakeNoDifference) {
  for (const Case& source : cases(".py")) {
    SCOPED_TRACE(source.name);
    std::string crlf, cr;
    for (char c : source.text) {
      if (c == '\n') crlf += '\r';
      crlf += c;
      cr += c == '\n' ? '\r' : c;
    }
    EXPECT_EQ(printed(crlf), printed(source.text));
    EXPECT_EQ(printed(cr), printed(source.text));
    EXPECT_EQ(printed("\xEF\xBB\xBF" + source.text), printed(source.text));
    EXPECT_EQ(checked(crlf).line_starts.size(), checked(source.text).line_starts.size());
  }
}

// Runs of comment lines are joined for the parser alone.
TEST(PythonFrontend, CommentLinesMayStandInStrings) {
  using Texts = std::vector<std::string_view>;
  EXPECT_EQ(texts("x = '''\n# a\n \n  # b {\n'''\n# c\n# d\ny = 1\n", ir::Op::Const),
            (Texts{"'''\n# a\n \n  # b {\n'''", "1"}));
  EXPECT_EQ(texts("x = '''\n# a\n# b''' + f(1)\n# c\n# d\ny = 2\n", ir::Op::Const),
            (Texts{"'''\n# a\n# b'''", "1", "2"}));
  EXPECT_EQ(texts("x = '''\n# a\n# b'''; z = '''\n# c\n# d'''\n", ir::Op::Const),
            (Texts{"'''\n# a\n# b'''", "'''\n# c\n# d'''"}));
  EXPECT_EQ(texts("x = f'''\n# a\n# {b}\n# {\n# '''\n# c\ny}'''\n", ir::Op::Load), (Texts{"b", "y"}));
  EXPECT_EQ(texts("x = 'a \\\n# b \\\n# c'\ny = 2\n", ir::Op::Const), (Texts{"'a \\\n# b \\\n# c'", "2"}));
  EXPECT_TRUE(checked("x = '''\n# a\n# b'''\n").strings.find("\n# a\n# b").valid());
}

TEST(PythonFrontend, CommentLinesEndNoBlock) {
  const std::string_view source = "if a:\n  b\n    # c\n# d\n\n  # e\n  f\n  # g\n# h\n  # i\nj\n";
  EXPECT_EQ(texts(source, ir::Op::Branch), (std::vector<std::string_view>{source.substr(0, source.find("\n  # g"))}));
}

TEST(PythonFrontend, LinesStartWherePythonSays) {
  EXPECT_EQ(checked("").line_starts, (Lines{0}));
  EXPECT_EQ(checked("a\nb\r\nc\rd").line_starts, (Lines{0, 2, 5, 7}));
}

TEST(PythonFrontend, SpansCountABom) {
  const std::string_view source = "\xEF\xBB\xBFx = f()\n";
  const ir::Module module = checked(source);
  EXPECT_EQ(text_of(source, module.events[1].span), "f()");
}

TEST(PythonFrontend, OtherEncodingsKeepTheirLines) {
  const std::string source = "# -*- coding: latin-1 -*-\nname = 'caf\xE9'\ny = model(x)\n";
  const ir::Module module = checked(source);
  EXPECT_TRUE(module.notices.empty());
  EXPECT_TRUE(module.strings.find("caf?").valid());
  EXPECT_TRUE(module.strings.find("model").valid());
}

TEST(PythonFrontend, NulBytesAndSyntaxErrorsAreNoticed) {
  EXPECT_EQ(checked(std::string_view("a = 1\0\nb = 2\n", 14)).notices.size(), 1u);
  EXPECT_FALSE(checked("x = = 1\n").notices.empty());
  EXPECT_TRUE(checked("x = 1\n").notices.empty());
}

TEST(PythonFrontend, TestFrameworksAreTold) {
  EXPECT_TRUE(checked("import pytest\n").imports_test_framework);
  EXPECT_TRUE(checked("from unittest.mock import patch\n").imports_test_framework);
  EXPECT_TRUE(checked("from torch.testing import _internal\n").imports_test_framework);
  EXPECT_FALSE(checked("import pytestify, torch.testing\n").imports_test_framework);
}

TEST(PythonFrontend, RelativeImportsKnowTheirPackage) {
  const auto imported = [](std::string name, bool is_package, std::string_view text) {
    const ir::Module module = lower({"x.py", std::move(name), is_package, text});
    return std::string(module.text(module.events[0].name));
  };
  EXPECT_EQ(imported("a.b.c", false, "from . import x"), "a.b");
  EXPECT_EQ(imported("a.b", true, "from .d import x"), "a.b.d");
  EXPECT_EQ(imported("a.b", true, "from ..d import x"), "a.d");
  EXPECT_EQ(imported("a", false, "from .d import x"), "d");
  EXPECT_EQ(imported("a", false, "from ... import x"), "...");
}

TEST(PythonFrontend, ModuleNamesComeFromPaths) {
  const auto name = [](std::string_view path) {
    const ModuleName found = module_name_for(path);
    return found.name + (found.is_package ? " package" : "");
  };
  EXPECT_EQ(name("a/b/c.py"), "a.b.c");
  EXPECT_EQ(name("a/b/__init__.py"), "a.b package");
  EXPECT_EQ(name("__init__.py"), " package");
  EXPECT_EQ(name("./a.py"), "a");
  EXPECT_EQ(name("my.dir/no_ending"), "my.dir.no_ending");
}

}  // namespace deadgrad::python
