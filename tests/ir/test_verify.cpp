#include "analyzer/ir/verify.h"

#include <functional>

#include <gtest/gtest.h>

#include "analyzer/ir/text.h"
#include "tests/ir/random_module.h"

namespace deadgrad::ir {

static constexpr const char* kSound = R"(
module "m.py" name m python
notice "odd"
func <module>
  %0 = import torch
  %1 = class @C ()
  store C %1
  %3 = function @f ()
end
class C
end
func f(x)
  %0 = param x
  %1 = load x
  loop for
    break
  end
  branch %1
    arm
    end
    arm
    end
  end
  try
    arm
    end
    %15 = handler %1
    end
    finally
    end
  end
  %20 = call %1 (%0)
  %21 = star %0
  %22 = list (%21)
  %23 = dict (%0, %1)
  store x %22
  return %22
end
)";

// Events of f, by their number within it.
enum : std::uint32_t {
  kParam,
  kLoad,
  kLoop,
  kBreak,
  kLoopEnd,
  kBranch,
  kArm,
  kArmEnd,
  kArm2,
  kArm2End,
  kBranchEnd,
  kTry,
  kTryArm,
  kTryArmEnd,
  kHandler,
  kHandlerEnd,
  kFinally,
  kFinallyEnd,
  kTryEnd,
  kCall,
  kStar,
  kList,
  kDict,
  kStore,
  kReturn
};

struct Broken {
  const char* expected;  // a part of the problem's text
  std::function<void(Module&)> damage;
};

static Event& at(Module& m, std::uint32_t number) {
  return m.events[m.functions[2].first_event.index + number];
}
static EventId id_of(const Module& m, std::uint32_t number) {
  return EventId{m.functions[2].first_event.index + number};
}
static EventId& operand(Module& m, std::uint32_t number, std::uint32_t i) {
  return m.operands[at(m, number).first_operand + i];
}

static const Broken kBroken[] = {
    {"no such operation", [](Module& m) { at(m, kLoad).op = static_cast<Op>(200); }},
    {"no such kind", [](Module& m) { m.functions[1].kind = static_cast<FunctionKind>(9); }},
    {"no such kind", [](Module& m) { m.parameters[0].kind = static_cast<ParamKind>(9); }},
    {"no such language", [](Module& m) { m.language = static_cast<Language>(7); }},
    {"functions[0] is not the module body", [](Module& m) { m.functions.clear(); }},
    {"functions[0] is not the module body", [](Module& m) { m.functions[0].kind = FunctionKind::Function; }},
    {"line starts do not increase", [](Module& m) { m.line_starts = {0, 5, 5}; }},
    {"notice's span", [](Module& m) { m.notices[0].span = {5, 4}; }},
    {"events lie outside", [](Module& m) { m.functions[2].event_count = 1000; }},
    {"events lie outside", [](Module& m) { m.functions[1].first_event = {}; }},
    {"share events", [](Module& m) { m.functions[0].first_event = EventId{0}; }},
    {"events belong to no function", [](Module& m) { m.functions[2].event_count -= 1; }},
    {"parameters lie outside", [](Module& m) { m.functions[2].parameter_count = ~0u; }},
    {"operands lie outside", [](Module& m) { at(m, kCall).first_operand = ~0u; }},
    {"share operands",
     [](Module& m) {
       m.operands.pop_back();
       at(m, kReturn).first_operand = 0;
     }},
    {"name does not exist", [](Module& m) { at(m, kLoad).name = StrId{5000}; }},
    {"name does not exist", [](Module& m) { m.functions[2].name = StrId{5000}; }},
    {"parameter's name does not exist", [](Module& m) { m.parameters[0].name = StrId{5000}; }},
    {"class 0 has a name that does not exist", [](Module& m) { m.classes[0].qualified = StrId{5000}; }},
    {"span ends before it begins", [](Module& m) { at(m, kLoad).span = {9, 8}; }},
    {"body ends before it begins", [](Module& m) { m.functions[2].body = {9, 8}; }},
    {"the module body has a parent", [](Module& m) { m.functions[0].parent = FunctionId{0}; }},
    {"a second module body", [](Module& m) { m.functions[2].kind = FunctionKind::ModuleBody; }},
    {"not an earlier function", [](Module& m) { m.functions[2].parent = FunctionId{2}; }},
    {"not an earlier function", [](Module& m) { m.functions[2].parent = {}; }},
    {"owner does not exist", [](Module& m) { m.functions[2].owner = ClassId{1}; }},
    {"a class body without a class", [](Module& m) { m.functions[2].kind = FunctionKind::ClassBody; }},
    {"body has parameters", [](Module& m) { m.functions[2].kind = FunctionKind::ClassBody; }},
    {"has no class body", [](Module& m) { m.classes[0].body = FunctionId{2}; }},
    {"has no class body", [](Module& m) { m.classes[0].body = {}; }},
    {"shares its body", [](Module& m) { m.classes.push_back(m.classes[0]); }},
    {"different names", [](Module& m) { m.classes[0].name = m.strings.intern("other"); }},
    {"has no scope", [](Module& m) { m.classes[0].scope = {}; }},
    {"not made by the event", [](Module& m) { m.classes[0].made_by = EventId{0}; }},
    {"not made by the event", [](Module& m) { m.classes[0].made_by = EventId{4000}; }},
    {"its class does not name it", [](Module& m) { m.classes[0].made_by = {}; }},
    {"has no name", [](Module& m) { at(m, kLoad).name = {}; }},
    {"an end has a name", [](Module& m) { at(m, kLoopEnd).name = at(m, kLoad).name; }},
    {"flag that means nothing", [](Module& m) { at(m, kCall).flags = 1; }},
    {"flag that means nothing", [](Module& m) { at(m, kStore).flags |= flag::Discarded; }},
    {"where its name lives", [](Module& m) { at(m, kLoad).flags = 0; }},
    {"does not say its kind", [](Module& m) { at(m, kLoop).flags = 0; }},
    {"has 0 operands", [](Module& m) { at(m, kStore).operand_count = 0; }},
    {"has 1 operands", [](Module& m) { at(m, kLoad).operand_count = 1, at(m, kReturn).operand_count = 0; }},
    {"not defined before it", [](Module& m) { operand(m, kCall, 0) = id_of(m, kCall); }},
    {"not defined before it", [](Module& m) { operand(m, kCall, 0) = id_of(m, kReturn); }},
    {"not defined before it", [](Module& m) { operand(m, kCall, 0) = {}; }},
    {"not defined before it", [](Module& m) { operand(m, kCall, 1) = m.functions[0].first_event; }},
    {"has no value", [](Module& m) { operand(m, kCall, 1) = id_of(m, kLoop); }},
    {"cannot be a star", [](Module& m) { operand(m, kReturn, 0) = id_of(m, kStar); }},
    {"cannot be a star", [](Module& m) { operand(m, kDict, 0) = id_of(m, kStar); }},
    {"cannot be a keyword", [](Module& m) { at(m, kStar).op = Op::Keyword, at(m, kStar).name = StrId{0}; }},
    {"a key has no value", [](Module& m) { at(m, kDict).operand_count = 1; }},
    {"neither a decorator nor a default",
     [](Module& m) {
       at(m, kDict).op = Op::MakeFunction;
       at(m, kDict).target = 2;
     }},
    {"has a target", [](Module& m) { at(m, kCall).target = 0; }},
    {"its parameter does not exist", [](Module& m) { at(m, kParam).target = 1; }},
    {"its function does not exist", [](Module& m) { m.events[m.functions[0].first_event.index + 3].target = 3; }},
    {"not a function", [](Module& m) { m.events[m.functions[0].first_event.index + 3].target = 1; }},
    {"its class does not exist", [](Module& m) { m.events[m.functions[0].first_event.index + 1].target = 1; }},
    {"has no element number", [](Module& m) { at(m, kStar).op = Op::Unpack; }},
    {"closes nothing", [](Module& m) { at(m, kLoop) = at(m, kLoad); }},
    {"is never closed", [](Module& m) { at(m, kBranchEnd) = at(m, kLoad); }},
    {"do not name each other", [](Module& m) { at(m, kLoopEnd).target = 0; }},
    {"do not name each other", [](Module& m) { at(m, kLoop).target += 1; }},
    {"outside of a loop", [](Module& m) { at(m, kLoop).op = Op::Scope; }},
    {"outside of a branch or try", [](Module& m) { at(m, kLoop).op = Op::Arm; }},
    {"in none of its arms", [](Module& m) { at(m, kArm).op = Op::Loop; }},
    {"in none of its arms", [](Module& m) { at(m, kArm).op = Op::Handler; }},
    {"in none of its parts", [](Module& m) { at(m, kTryArm).op = Op::Loop; }},
    {"out of order", [](Module& m) { at(m, kFinally).op = Op::Arm; }},
    {"out of order", [](Module& m) { at(m, kTryArm).op = Op::Finally; }},
    {"holds no arm", [](Module& m) { at(m, kTryArm).op = at(m, kHandler).op = at(m, kFinally).op = Op::Loop; }},
};

TEST(Verify, AcceptsASoundModule) {
  Result<Module> module = parse(kSound);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(verify(*module), std::vector<std::string>());
}

TEST(Verify, NamesEachBrokenRule) {
  for (std::size_t i = 0; i < std::size(kBroken); ++i) {
    Module module = *parse(kSound);
    kBroken[i].damage(module);
    std::string all;
    for (const std::string& problem : verify(module)) all += problem + "\n";
    EXPECT_NE(all.find(kBroken[i].expected), std::string::npos)
        << "case " << i << ", expected: " << kBroken[i].expected << "\n"
        << all;
    print(module);  // must not read what does not exist
  }
}

TEST(Verify, SaysWhere) {
  Module module = *parse(kSound);
  operand(module, kCall, 1) = {};
  EXPECT_EQ(verify(module), std::vector<std::string>{
                                "function 2 (f), event 19 (call): operand 1 is not defined before it in its function"});
}

// Whatever the fields hold: no read out of bounds, and what passes survives the round trip.
TEST(Verify, IsSafeOnArbitraryFields) {
  Random random(7);
  std::size_t passed = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    Module m = random_module(seed % 50);
    auto number = [&] { return random.chance(50) ? random.below(40) : random.chance(50) ? ~0u : random.below(~0u); };
    for (std::uint32_t hits = 1 + random.below(3); hits > 0; --hits) {
      Event* event = m.events.empty() ? nullptr : &m.events[random.below(static_cast<std::uint32_t>(m.events.size()))];
      Function& function = m.functions[random.below(static_cast<std::uint32_t>(m.functions.size()))];
      switch (random.below(16)) {
        case 0:
          if (event) event->op = static_cast<Op>(random.below(256));
          break;
        case 1:
          if (event) event->op = static_cast<Op>(random.below(kOpCount));
          break;
        case 2:
          if (event) event->flags = static_cast<std::uint8_t>(random.below(256));
          break;
        case 3:
          if (event) event->operand_count = static_cast<std::uint16_t>(number());
          break;
        case 4:
          if (event) event->first_operand = number();
          break;
        case 5:
          if (event) event->name.index = number();
          break;
        case 6:
          if (event) event->target = number();
          break;
        case 7:
          if (event) event->span = Span{number(), number()};
          break;
        case 8:
          if (!m.operands.empty())
            m.operands[random.below(static_cast<std::uint32_t>(m.operands.size()))].index = number();
          break;
        case 9:
          function.kind = static_cast<FunctionKind>(random.below(6));
          break;
        case 10:
          function.parent.index = number();
          break;
        case 11:
          function.first_event.index = number();
          break;
        case 12:
          function.event_count = number();
          break;
        case 13:
          function.first_parameter = number();
          break;
        case 14:
          function.qualified.index = number();
          break;
        case 15:
          if (!m.classes.empty()) m.classes[0].body.index = number();
          break;
      }
    }
    const std::string text = print(m);
    if (!verify(m).empty()) continue;
    ++passed;
    Result<Module> again = parse(text);
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    ASSERT_EQ(print(*again), text);
  }
  EXPECT_GT(passed, 100u);  // else the damage is too coarse to test anything
}

}  // namespace deadgrad::ir
