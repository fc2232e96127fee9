// Modules at random: no crash, and the same findings twice and in whatever order the modules come.
#include <algorithm>

#include <gtest/gtest.h>

#include "analyzer/ir/text.h"
#include "tests/engine/check.h"
#include "tests/ir/random_module.h"

namespace deadgrad::engine {

// `count` random modules with paths of their own. Names of the API are put in place of some of theirs, so that guards,
// models, threads and backward turn up in odd places.
static std::vector<ir::Module> random_program(std::uint32_t seed, std::uint32_t count) {
  static constexpr std::string_view kNames[] = {"torch.no_grad",
                                                "torch.nn.Linear",
                                                "backward",
                                                "eval",
                                                "append",
                                                "detach",
                                                "c10::NoGradGuard",
                                                "std::thread",
                                                "torch::jit::load",
                                                "torch::nn::Linear",
                                                "torch",
                                                "contextlib.contextmanager",
                                                "__init__",
                                                "__enter__",
                                                "self",
                                                "requires_grad_",
                                                "parameters",
                                                "c10::GradMode::set_enabled",
                                                "torch.nn.Module",
                                                "torch::nn::Module",
                                                "super",
                                                "getattr",
                                                "functools.partial"};
  std::vector<ir::Module> modules;
  ir::Random random(seed * 7919 + 1);
  for (std::uint32_t m = 0; m < count; ++m) {
    ir::Module module = ir::random_module(seed * 16 + m);
    const bool cpp = module.language == ir::Language::Cpp;
    module.name = "m" + std::to_string(m);
    module.path = module.name + (cpp ? ".cpp" : ".py");
    for (ir::Event& event : module.events) {
      if (!event.name.valid() || !random.chance(40)) continue;
      event.name = module.strings.intern(kNames[random.below(static_cast<std::uint32_t>(std::size(kNames)))]);
    }
    modules.push_back(std::move(module));
  }
  return modules;
}

static std::vector<ir::Module> copy(const std::vector<ir::Module>& modules) {
  return modules;
}

static void check(std::uint32_t first_seed, std::uint32_t seeds, std::uint32_t modules) {
  std::size_t findings = 0;
  for (std::uint32_t seed = first_seed; seed < first_seed + seeds; ++seed) {
    const std::vector<ir::Module> program = random_program(seed, modules);
    const Outcome once = analyze_all(copy(program));
    findings += once.findings.size();
    EXPECT_EQ(describe(analyze_all(copy(program)).findings), describe(once.findings)) << "seed " << seed;
    std::vector<ir::Module> backwards = copy(program);
    std::ranges::reverse(backwards);
    const Outcome again = analyze_all(std::move(backwards));
    EXPECT_EQ(describe(again.findings), describe(once.findings)) << "seed " << seed;
    EXPECT_EQ(again.statistics.contexts, once.statistics.contexts) << "seed " << seed;
  }
  testing::Test::RecordProperty("findings", static_cast<int>(findings));
}

TEST(Random, OneModule) {
  check(0, 300, 1);
}
TEST(Random, ThreeModules) {
  check(1000, 100, 3);
}

TEST(Random, AnEmptyProgram) {
  EXPECT_TRUE(analyze_all({}).findings.empty());
}

TEST(Random, AnEmptyModule) {
  auto module = ir::parse("module \"empty.py\"\nfunc <module>\nend\n");
  ASSERT_TRUE(module) << module.error().message;
  std::vector<ir::Module> modules{*module};
  EXPECT_TRUE(analyze_all(std::move(modules)).findings.empty());
}

TEST(Random, AModuleWithOnlyANotice) {
  auto module = ir::parse("module \"broken.py\"\nnotice \"cannot be read\" [0..3]\n");
  ASSERT_TRUE(module) << module.error().message;
  std::vector<ir::Module> modules{*module};
  EXPECT_TRUE(analyze_all(std::move(modules)).findings.empty());
}

// Two copies of one file, as when a header is read by two units: one finding.
TEST(Random, TheSameModuleTwice) {
  auto module = ir::parse(
      "module \"net.h\" cpp\nfunc <module>\n  %f = function @run\n  store run %f\nend\nfunc run(x)\n  %l = symbol "
      "torch::jit::load\n"
      "  %n = call %l (\"m\")\n  %y = call %n.forward (1)\n  %i = call %y.toTensor ()\n  discard call %i.item "
      "()\nend\n");
  ASSERT_TRUE(module) << module.error().message;
  const std::string once = describe(analyze_all({*module}).findings);
  EXPECT_FALSE(once.empty());
  EXPECT_EQ(describe(analyze_all({*module, *module}).findings), once);
}

}  // namespace deadgrad::engine
