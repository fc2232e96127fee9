#include "frontends/python/fix_text.h"

#include <gtest/gtest.h>

namespace deadgrad::python {

// Asks for `kind` at the first mention of `at` in `source`.
static std::string worded(FixKind kind, std::string_view source, std::string_view at,
                          FixGuard guard = FixGuard::NoGrad) {
  FixRequest fix;
  fix.kind = kind;
  fix.guard = guard;
  fix.function = "denoise";
  const auto begin = static_cast<std::uint32_t>(source.find(at));
  fix.where.span = {begin, begin + static_cast<std::uint32_t>(at.size())};
  return fix_text(fix, source);
}

TEST(PythonFixText, GuardFunction) {
  const auto function = [](std::string_view source, std::string_view at) {
    return worded(FixKind::GuardFunction, source, at, FixGuard::InferenceMode);
  };
  EXPECT_EQ(function("import torch\ndef denoise(x):\n  pass\n", "def denoise(x):"),
            "add `@torch.inference_mode()` above `def denoise`");
  EXPECT_EQ(function("import torch as th\ndef denoise(x): pass\n", "def denoise(x):"),
            "add `@th.inference_mode()` above `def denoise`");
  EXPECT_EQ(function("import torch.nn as nn\ndef denoise(x): pass\n", "def denoise(x):"),
            "add `@torch.inference_mode()` above `def denoise` and `import torch`");
  EXPECT_EQ(function("import torch\nasync def denoise(x): pass\n", "async def denoise(x):"),
            "put the body of `async def denoise` under `with torch.inference_mode():`");
  EXPECT_EQ(function("", ""), "add `@torch.inference_mode()` above `def denoise`");
}

TEST(PythonFixText, GuardRegion) {
  const std::string_view source = "import torch.nn\n\nx = model(y)\r\nz = model(x)\n";
  EXPECT_EQ(worded(FixKind::GuardRegion, source, "x = model(y)"),
            "wrap line 3 of `denoise` in `with torch.no_grad():`");
  EXPECT_EQ(worded(FixKind::GuardRegion, source, "x = model(y)\r\nz = model(x)\n"),
            "wrap lines 3-4 of `denoise` in `with torch.no_grad():`");
}

TEST(PythonFixText, OtherKinds) {
  const std::string_view source = "import torch\nlosses.append(loss)\ntorch.no_grad()\n";
  EXPECT_EQ(worded(FixKind::DetachValue, source, "loss"), "add `.detach()` to `loss`");
  EXPECT_EQ(worded(FixKind::DetachValue, source, "losses.append(loss)\nt"),
            "add `.detach()` to the value on lines 2-3");
  EXPECT_EQ(worded(FixKind::NameGuard, source, "torch.no_grad()"),
            "write `with torch.no_grad():` and indent the statements that it should cover");
  EXPECT_EQ(worded(FixKind::EnterGuard, source, "torch.no_grad()"),
            "call and enter the guard: `with torch.no_grad():` in `denoise`");
  EXPECT_EQ(worded(FixKind::MoveGuard, source, "torch.no_grad()"),
            "move the guard to where the forward runs: `with torch.no_grad():` in `denoise`");
  EXPECT_EQ(worded(FixKind::RemoveGuard, source, "torch.no_grad()"), "remove `torch.no_grad()`");
}

}  // namespace deadgrad::python
