#include "frontends/cpp/fix_text.h"

#include <gtest/gtest.h>

namespace deadgrad::cpp {

// Asks for `kind` at the first mention of `at` in `source`.
static std::string worded(FixKind kind, std::string_view source, std::string_view at,
                          FixGuard guard = FixGuard::NoGrad) {
  FixRequest fix;
  fix.kind = kind;
  fix.guard = guard;
  fix.function = "Engine::run";
  const auto begin = static_cast<std::uint32_t>(source.find(at));
  fix.where.span = {begin, begin + static_cast<std::uint32_t>(at.size())};
  return fix_text(fix, source);
}

TEST(CppFixText, GuardFunction) {
  const auto function = [](std::string_view source, std::string_view at) {
    return worded(FixKind::GuardFunction, source, at, FixGuard::InferenceMode);
  };
  EXPECT_EQ(function("int Engine::run() {}\n", "int Engine::run()"),
            "make `c10::InferenceMode guard;` the first statement of `Engine::run`");
  EXPECT_EQ(function("\nauto run = [&] { f(); };\n", "[&]"),
            "make `c10::InferenceMode guard;` the first statement of the lambda on line 2");
  EXPECT_EQ(function("", ""), "make `c10::InferenceMode guard;` the first statement of `Engine::run`");
}

TEST(CppFixText, GuardRegion) {
  const std::string_view source = "x = net(y);\nz = net(x);\n";
  EXPECT_EQ(worded(FixKind::GuardRegion, source, source.substr(0, source.size() - 1)),
            "put lines 1-2 of `Engine::run` into a block that starts with `torch::NoGradGuard guard;`");
  EXPECT_EQ(worded(FixKind::GuardRegion, "", ""),
            "put these statements of `Engine::run` into a block that starts with `torch::NoGradGuard guard;`");
}

TEST(CppFixText, NameGuard) {
  const auto name = [](std::string_view source) { return worded(FixKind::NameGuard, source, source); };
  const std::string lead = "give the guard a name, so that it lives to the end of its block: ";
  EXPECT_EQ(name("torch::NoGradGuard()"), lead + "`torch::NoGradGuard guard;`");
  EXPECT_EQ(name("Guard{}"), lead + "`Guard guard;`");
  EXPECT_EQ(name("at::AutoGradMode(false)"), lead + "`at::AutoGradMode guard(false);`");
  EXPECT_EQ(name("c10::InferenceMode{on}"), lead + "`c10::InferenceMode guard{on};`");
  EXPECT_EQ(name("std::make_unique<torch::NoGradGuard>()"), lead + "`torch::NoGradGuard guard;`");
  EXPECT_EQ(name("new torch::NoGradGuard()"), lead + "`torch::NoGradGuard guard;`");
  EXPECT_EQ(name(""), lead + "`torch::NoGradGuard guard;`");
}

TEST(CppFixText, OtherKinds) {
  EXPECT_EQ(worded(FixKind::DefineGuard, "at::NoGradGuard no_grad()", "at::NoGradGuard no_grad()"),
            "remove the parentheses, so that it defines an object: `at::NoGradGuard no_grad;`");
  EXPECT_EQ(worded(FixKind::DefineGuard, "", ""),
            "remove the parentheses, so that it defines an object: `torch::NoGradGuard guard;`");
  EXPECT_EQ(worded(FixKind::MoveGuard, "", ""),
            "move the guard into `Engine::run`, as its first statement: `torch::NoGradGuard guard;`");
  EXPECT_EQ(worded(FixKind::DetachValue, "keep(y);", "y"), "add `.detach()` to `y`");
  EXPECT_EQ(worded(FixKind::RemoveGuard, "at::AutoGradMode on(true)", "at::AutoGradMode on(true)"),
            "remove `at::AutoGradMode on(true)`");
  EXPECT_EQ(worded(FixKind::RemoveGuard, "", ""), "remove this guard in `Engine::run`");
}

}  // namespace deadgrad::cpp
