// Fix requests to edited C++ text.
#include <gtest/gtest.h>

#include <string>

#include "frontends/cpp/fix_edits.h"
#include "tests/fix/edited_text.h"

namespace deadgrad::cpp {

// The text after a fix at the first place that reads `at`; "by hand" where there is none.
static std::string fixed(FixKind kind, std::string_view source, std::string_view at, FixRequest fix = {}) {
  fix.kind = kind;
  fix.where.span = span_of(source, at);
  const TextEdits edits = fix_edits(fix, source);
  return edits.empty() ? "by hand" : edited(source, edits);
}

static std::string declared(std::string_view source, std::string_view header) {
  return fixed(FixKind::GuardFunction, source, header);
}
static std::string wrapped(std::string_view source, std::string_view at, FixRequest fix = {}) {
  fix.guard = FixGuard::NoGrad;
  return fixed(FixKind::GuardRegion, source, at, fix);
}

TEST(CppFixEdits, TheGuardIsTheFirstStatement) {
  EXPECT_EQ(declared("int f() {\n  return m();\n}\n", "int f() "),
            "int f() {\n  c10::InferenceMode guard;\n  return m();\n}\n");
  EXPECT_EQ(declared("int f()\r\n{  // }\r\n\treturn m();\r\n}\r\n", "int f()\r\n"),
            "int f()\r\n{  // }\r\n\tc10::InferenceMode guard;\r\n\treturn m();\r\n}\r\n");
  EXPECT_EQ(declared("int f() { return m(); }", "int f() "), "int f() { c10::InferenceMode guard; return m(); }");
  EXPECT_EQ(declared("int f() try {\n  return m();\n} catch (...) {\n}\n", "int f() "),
            "int f() try {\n  c10::InferenceMode guard;\n  return m();\n} catch (...) {\n}\n");
  EXPECT_EQ(declared("A(int x) : a{x}, b(x) {\n  m();\n}\n", "A(int x) : a{x}, b(x) "),
            "A(int x) : a{x}, b(x) {\n  c10::InferenceMode guard;\n  m();\n}\n");
  EXPECT_EQ(declared("int f() { /* a\n b */ return m();\n}", "int f() "),
            "int f() { c10::InferenceMode guard; /* a\n b */ return m();\n}");
}

TEST(CppFixEdits, ItHasANameOfItsOwn) {
  EXPECT_EQ(declared("int f() {\n  int guard = 0;\n}\n", "int f() "),
            "int f() {\n  c10::InferenceMode inference;\n  int guard = 0;\n}\n");
  EXPECT_EQ(declared("int f(int guard, int inference) {\n  m();\n}\n", "int f(int guard, int inference) "),
            "int f(int guard, int inference) {\n  c10::InferenceMode inference_guard;\n  m();\n}\n");
}

TEST(CppFixEdits, BodiesOfMacrosAreLeftToPeople) {
  EXPECT_EQ(declared("int f() BODY\n", "int f() "), "by hand");
  EXPECT_EQ(declared("int f() {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n    m();\n  }\n}\n", "int f() "),
            "by hand");
  EXPECT_EQ(declared("task f() {\n  co_return m();\n}\n", "task f() "), "by hand");
}

TEST(CppFixEdits, ItHoldsToTheEndOfTheBlockWhereNothingTrains) {
  EXPECT_EQ(wrapped("void f() {\n  a();\n  auto y = m(x);\n  use(y);\n}\n", "m(x)"),
            "void f() {\n  a();\n  torch::NoGradGuard guard;\n  auto y = m(x);\n  use(y);\n}\n");
  const std::string_view trains = "void f() {\n  y = m(x);\n  n(y).backward();\n}\n";
  EXPECT_EQ(wrapped(trains, "m(x)", {.keep_out = {span_of(trains, "n(y).backward()")}}),
            "void f() {\n  {\n    torch::NoGradGuard guard;\n    y = m(x);\n  }\n  n(y).backward();\n}\n");
  const std::string_view declares = "void f() {\n  auto y = m(x);\n  n(y).backward();\n}\n";
  EXPECT_EQ(wrapped(declares, "m(x)", {.keep_out = {span_of(declares, "n(y).backward()")}}), "by hand");
  EXPECT_EQ(wrapped(declares, "m(x)", {.keep_out = {span_of(declares, "m(x)")}}), "by hand");
}

TEST(CppFixEdits, NoJumpPassesIt) {
  EXPECT_EQ(wrapped("switch (a) {\n  case 1:\n    y = m(x);\n    break;\n  case 2:\n    n();\n}\n", "m(x)"),
            "switch (a) {\n  case 1:\n    {\n      torch::NoGradGuard guard;\n      y = m(x);\n    }\n    break;\n  "
            "case 2:\n    "
            "n();\n}\n");
  EXPECT_EQ(wrapped("void f() {\n  goto end;\n  y = m(x);\nend:\n  n();\n}\n", "m(x)"),
            "void f() {\n  goto end;\n  {\n    torch::NoGradGuard guard;\n    y = m(x);\n  }\nend:\n  n();\n}\n");
}

TEST(CppFixEdits, StatementsWithoutBracesGetSome) {
  EXPECT_EQ(wrapped("void f() {\n  for (;;)\n    y = m(x);\n  n();\n}\n", "m(x)"),
            "void f() {\n  for (;;)\n    {\n      torch::NoGradGuard guard;\n      y = m(x);\n    }\n  n();\n}\n");
  EXPECT_EQ(wrapped("void f() {\n  if (a) y = m(x); else n();\n}\n", "m(x)"),
            "void f() {\n  if (a) { torch::NoGradGuard guard; y = m(x); } else n();\n}\n");
  EXPECT_EQ(wrapped("void f() {\n  run([&] {\n    return m(x);\n  });\n  n();\n}\n", "m(x)"),
            "void f() {\n  run([&] {\n    torch::NoGradGuard guard;\n    return m(x);\n  });\n  n();\n}\n");
}

TEST(CppFixEdits, UnnamedGuardsAreNamed) {
  const auto named = [](std::string_view source, std::string_view at) {
    return fixed(FixKind::NameGuard, source, at, {.until = static_cast<std::uint32_t>(source.size())});
  };
  EXPECT_EQ(named("void f() {\n  at::NoGradGuard();\n  m(x);\n}\n", "at::NoGradGuard()"),
            "void f() {\n  at::NoGradGuard guard;\n  m(x);\n}\n");
  EXPECT_EQ(named("void f() {\n  Guard(true);\n  m(x);\n}\n", "Guard(true)"),
            "void f() {\n  Guard guard(true);\n  m(x);\n}\n");
  EXPECT_EQ(named("void f() {\n  make<G>();\n  m(x);\n}\n", "make<G>()"),
            "void f() {\n  auto guard = make<G>();\n  m(x);\n}\n");
  EXPECT_EQ(named("void f() {\n  (void)at::NoGradGuard{};\n  m(x);\n}\n", "at::NoGradGuard{}"), "by hand");
  EXPECT_EQ(fixed(FixKind::DefineGuard, "void f() {\n  at::NoGradGuard g();\n  m(x);\n}\n", "at::NoGradGuard g()",
                  {.until = 40}),
            "void f() {\n  at::NoGradGuard g;\n  m(x);\n}\n");
}

TEST(CppFixEdits, ValuesAreDetached) {
  const auto detached = [](std::string_view source, std::string_view at) {
    return fixed(FixKind::DetachValue, source, at);
  };
  EXPECT_EQ(detached("void f() {\n  total += loss;\n}\n", "loss"), "void f() {\n  total += loss.detach();\n}\n");
  EXPECT_EQ(detached("void f() {\n  a.push_back(m->forward(x)[0]);\n}\n", "m->forward(x)[0]"),
            "void f() {\n  a.push_back(m->forward(x)[0].detach());\n}\n");
  EXPECT_EQ(detached("void f() {\n  total += a * b;\n}\n", "a * b"), "void f() {\n  total += (a * b).detach();\n}\n");
  EXPECT_EQ(detached("void f() {\n  a.push_back({b, c});\n}\n", "{b, c}"), "by hand");
}

TEST(CppFixEdits, GuardsAreRemoved) {
  const auto removed = [](std::string_view source, std::string_view at) {
    return fixed(FixKind::RemoveGuard, source, at);
  };
  EXPECT_EQ(removed("void f() {\n  at::AutoGradMode on(true);\n  m(x);\n}\n", "on(true)"), "void f() {\n  m(x);\n}\n");
  EXPECT_EQ(removed("void f() {\n  at::AutoGradMode on(true);  // why\n  m(x);\n}\n", "on(true)"),
            "void f() {\n  // why\n  m(x);\n}\n");
  EXPECT_EQ(removed("void f() { at::NoGradGuard g; m(x); }\n", "g;"), "void f() { m(x); }\n");
  EXPECT_EQ(removed("void f() {\n  at::NoGradGuard g;\n  use(g);\n}\n", "g;"), "by hand");
  EXPECT_EQ(removed("void f() {\n  TimedScope g;\n  m(x);\n}\n", "g;"), "by hand");
  EXPECT_EQ(removed("void f() {\n  at::GradMode::set_enabled(true);\n  m(x);\n}\n", "at::GradMode::set_enabled(true)"),
            "void f() {\n  m(x);\n}\n");
}

}  // namespace deadgrad::cpp
