#include "analyzer/ir/text.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "analyzer/ir/verify.h"
#include "tests/ir/random_module.h"

namespace deadgrad::ir {

// Parses hand-written text and expects what print() makes of it, without spans.
static void check(std::string_view text, std::string_view expected) {
  Result<Module> module = parse(text);
  ASSERT_TRUE(module) << module.error().message << "\n" << text;
  EXPECT_EQ(print(*module, {.spans = false}), expected);
  const std::string full = print(*module);
  Result<Module> again = parse(full);
  ASSERT_TRUE(again) << again.error().message << "\n" << full;
  EXPECT_EQ(print(*again), full);
}

static void check_error(std::string_view text, std::string_view expected) {
  Result<Module> module = parse(text);
  ASSERT_FALSE(module) << text;
  EXPECT_EQ(module.error().message, expected) << text;
}

TEST(Text, PrintsWhatItParses) {
  check(R"(module "src/pkg/__init__.py"
func <module>
  %torch = import torch
  store torch %torch
  %f = function @sample (@torch.no_grad(), steps=10)
  store sample %f
end
func sample(model, x, *, steps=?)
  loop for
    %t = iterate range(steps)
    store x model(x, t=%t)
  end
  return x
end
)",
        R"(module "src/pkg/__init__.py" name src.pkg python package

func <module>
  %0 = import torch
  store global torch %0
  %2 = load global torch
  %3 = load %2.no_grad
  %4 = call %3 ()
  %5 = decorator %4
  %6 = const int 10
  %7 = keyword steps %6
  %8 = function @sample (%5, %7)
  store global sample %8
end

func sample(model, x, *, steps=?)
  %0 = param model
  %1 = param x
  %2 = param steps
  loop for
    %4 = load global range
    %5 = load local steps
    %6 = call %4 (%5)
    %7 = iterate %6
    %8 = load local model
    %9 = load local x
    %10 = keyword t %7
    %11 = call %8 (%9, %10)
    store local x %11
  end
  %14 = load local x
  return %14
end
)");
}

TEST(Text, ResolvesFunctionsInAnyOrder) {
  check(R"(module "m.py"
func C.f.<locals>.g()
end
func C.f(self)
  %g = function @C.f.<locals>.g
end
class C
  %f = function @C.f
end
func <module>
  %c = class @C ()
end
)",
        R"(module "m.py" name m python

func <module>
  %0 = class @C ()
end

class C
  %0 = function @C.f ()
end

func C.f(self)
  %0 = param self
  %1 = function @C.f.<locals>.g ()
end

func C.f.<locals>.g()
end
)");
}

TEST(Text, TellsFunctionsOfOneNameByNumber) {
  check("func <module>\n %0 = function @1\n %1 = function @2\nend\nfunc f()\nend\nfunc f(x) no-params\nend\n",
        "module \"test.py\" name test python\n\nfunc <module>\n  %0 = function @1 ()\n  %1 = function @2 ()\nend\n\n"
        "func f()\nend\n\nfunc f(x) no-params\nend\n");
}

TEST(Text, PlacesOfEveryKind) {
  check(R"(func f(a)
  store b a
  store captured c b
  load b
  load z
  delete b
  load a.x.y
  store a.x 1
  store a[b][0] "s"
  store a.list[0].last none
  delete a.x
  %c = load captured c
  load %c."odd name"
  load %c[a.b]
  load local "global"
end
)",
        R"(module "test.py" name test python

func <module>
end

func f(a)
  %0 = param a
  %1 = load local a
  store local b %1
  %3 = load local b
  store captured c %3
  %5 = load local b
  %6 = load global z
  delete local b
  %8 = load local a
  %9 = load %8.x
  %10 = load %9.y
  %11 = load local a
  %12 = const int 1
  store %11.x %12
  %14 = load local a
  %15 = load local b
  %16 = load %14[%15]
  %17 = const int 0
  %18 = const string s
  store %16[%17] %18
  %20 = load local a
  %21 = load %20.list
  %22 = const int 0
  %23 = load %21[%22]
  %24 = const none
  store %23.last %24
  %26 = load local a
  delete %26.x
  %28 = load captured c
  %29 = load %28."odd name"
  %30 = load local a
  %31 = load %30.b
  %32 = load %28[%31]
  %33 = load local "global"
end
)");
}

TEST(Text, OperandsOfEveryKind) {
  check(R"(func f(a, /, b, *args, c, **kw)
  %r = discard call a.forward (1, -2.5, "x y", true, key=b, *args, **kw, other(g(c)[0]).detach())
  %d = dict ("k", %r, **kw)
  %s = symbol torch::nn::Linear
  %u = unknown "weird thing" (a, *b)
  %m = binary "@" a b
  %n = binary in-place - a 3
  raise ValueError("no")
end
)",
        R"(module "test.py" name test python

func <module>
end

func f(a, b, *args, c, **kw)
  %0 = param a
  %1 = param b
  %2 = param args
  %3 = param c
  %4 = param kw
  %5 = load local a
  %6 = load %5.forward
  %7 = const int 1
  %8 = const float -2.5
  %9 = const string "x y"
  %10 = const true
  %11 = load local b
  %12 = keyword key %11
  %13 = load local args
  %14 = star %13
  %15 = load local kw
  %16 = double-star %15
  %17 = load global other
  %18 = load global g
  %19 = load local c
  %20 = call %18 (%19)
  %21 = const int 0
  %22 = load %20[%21]
  %23 = call %17 (%22)
  %24 = load %23.detach
  %25 = call %24 ()
  %26 = discard call %6 (%7, %8, %9, %10, %12, %14, %16, %25)
  %27 = const string k
  %28 = load local kw
  %29 = double-star %28
  %30 = dict (%27, %26, %29)
  %31 = symbol torch::nn::Linear
  %32 = load local a
  %33 = load local b
  %34 = star %33
  %35 = unknown "weird thing" (%32, %34)
  %36 = load local a
  %37 = load local b
  %38 = binary "@" %36 %37
  %39 = load local a
  %40 = const int 3
  %41 = binary in-place - %39 %40
  %42 = load global ValueError
  %43 = const string no
  %44 = call %42 (%43)
  raise %44
end
)");
}

TEST(Text, SpansLeftOutAreTheLinesOfTheText) {
  const std::string_view text = "func f(x)\n  loop for\n    %0 = const 1\n  end\n  %1 = const 2 [7..9]\nend\n";
  Result<Module> module = parse(text);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->line_starts, (std::vector<std::uint32_t>{0, 10, 21, 38, 44, 66}));
  const Function& f = module->functions[1];
  EXPECT_EQ(f.span, (Span{0, 69}));
  EXPECT_EQ(f.header, (Span{0, 9}));
  EXPECT_EQ(f.body, (Span{10, 66}));
  auto span = [&](std::uint32_t number) { return module->events[f.first_event.index + number].span; };
  EXPECT_EQ(span(1), (Span{10, 43}));  // the loop, to its end
  EXPECT_EQ(span(2), (Span{21, 37}));
  EXPECT_EQ(span(3), (Span{43, 43}));
  EXPECT_EQ(span(4), (Span{7, 9}));
}

TEST(Text, SeveralModules) {
  const std::string_view text = "; two\nmodule \"a.py\"\nfunc f()\nend\nmodule \"b/c.cpp\"\nfunc f()\nend\n";
  Result<std::vector<Module>> modules = parse_program(text);
  ASSERT_TRUE(modules) << modules.error().message;
  ASSERT_EQ(modules->size(), 2u);
  EXPECT_EQ((*modules)[1].name, "b.c");
  EXPECT_EQ((*modules)[1].language, Language::Cpp);
  EXPECT_EQ((*modules)[1].functions[1].span.begin, 50u);  // offsets count from the start of the whole text
  check_error(text, "line 1: this text holds several modules");
  EXPECT_EQ(parse_program("func f()\nend\n").error().message, "line 1: a `module` line must come first");
}

TEST(Text, ErrorsNameTheLine) {
  check_error("", "line 1: there is no module");
  check_error("module", "line 1: expected a name before the end of the line");
  check_error("module \"a.py\" rust", "line 1: unexpected `rust` in a module line");
  check_error("module \"a.py\"\nfunction f",
              "line 2: expected module, lines, notice, func, lambda or class before `function`");
  check_error("module \"a", "line 1: a string does not end on its line");
  check_error("module \"a\\q\"", "line 1: unknown escape in a string");
  check_error("func f()\n", "line 1: this function has no `end`");
  check_error(
      "func f()\nfunc g()\nend\n",
      "line 2: `func` stands inside of the one that starts in line 1, which has no `end`; an event that makes one "
      "is `function @name` or `class @name`");
  check_error("func f()\n\n  frobnicate\nend", "line 3: there is no operation `frobnicate`");
  check_error("func f()\n  return %x\nend", "line 2: `%x` is not defined above in this function");
  check_error("func f()\n  %x = const 1\n  %x = const 2\nend", "line 3: `%x` is defined twice");
  check_error("func f()\n  %x = store y 1\nend", "line 2: `store` has no value to name");
  check_error("func f()\n  discard return\nend", "line 2: `return` has no value to discard");
  check_error("func f()\n  return 1 2\nend", "line 2: `return` cannot have 2 operands");
  check_error("func f()\n  call f (1\nend", "line 2: expected `,` or `)` before the end of the line");
  check_error("func f()\n  call f (1) 2\nend", "line 2: unexpected `2`");
  check_error("func f()\n  load\nend", "line 2: `load` needs a place before the end of the line");
  check_error("func f()\n  store x\nend", "line 2: `store` needs a value before the end of the line");
  check_error("func f()\n  load local a.b\nend", "line 2: only a plain name is local, captured or global");
  check_error("func f()\n  param x\nend", "line 2: there is no such parameter");
  check_error("func f()\n  unpack x\nend", "line 2: expected a number before `x`");
  check_error("func f()\n  function @g\nend", "line 2: there is no function `g`");
  check_error("func f()\n  function g\nend", "line 2: `function` needs an `@name` before `g`");
  check_error("func f()\n  class @g\nend", "line 2: there is no class `g`");
  check_error("func g()\nend\nfunc g()\nend\nfunc f()\n  function @g\nend",
              "line 6: several functions are named `g`; write @ and a number, counted from 0 in this module");
  check_error("func a() parent b\nend\nfunc b() parent a\nend", "line 1: the parents of this function form a circle");
  check_error("func <module>\nend\nfunc <module>\nend", "line 3: a second module body");
  check_error("class C (x)\nend", "line 1: the bases of a class belong to its `class @…` event");
  check_error("func f()\n  break\nend", "line 2: `break` stands outside of a loop");
  check_error("func f()\n  arm\n  end\nend", "line 2: `arm` stands outside of a branch or try");
  check_error("func f(x)\n  branch x\n    return\n  end\nend",
              "line 3: `return` stands in a branch but in none of its arms");
  check_error("func f()\n  const 1 [9..3]\nend", "line 2: a span ends before it begins");
  check_error("func f()\n  binary % 1 2\nend", "line 2: `%` without a name; write the operator as \"%\"");
}

TEST(Text, DeepNestingIsAnErrorNotACrash) {
  std::string text = "func f(g)\n  return ";
  for (int i = 0; i < 100000; ++i) text += "g(";
  check_error(text, "line 2: operands are nested too deeply");
  text = "func f(g)\n";
  for (int i = 0; i < 100000; ++i) text += "loop\n";
  for (int i = 0; i < 100000; ++i) text += "end\n";
  EXPECT_TRUE(parse(text + "end\n"));
}

// Whatever the text: an error with a line, or a sound module.
TEST(Text, SurvivesRandomDamage) {
  Random random(3);
  std::size_t parsed = 0;
  for (std::uint32_t round = 0; round < 3000; ++round) {
    std::string text = print(random_module(round % 30), {.spans = random.chance(30)});
    static constexpr std::string_view kPieces = "()[]=,%\"@.;*/ \n\\0aend";
    for (std::uint32_t hits = 1 + random.below(3); hits > 0; --hits) {
      const std::uint32_t where = random.below(static_cast<std::uint32_t>(text.size()));
      const char piece = kPieces[random.below(static_cast<std::uint32_t>(kPieces.size()))];
      if (random.chance(30))
        text.erase(where, 1 + random.below(10));
      else if (random.chance(50))
        text.insert(where, 1, piece);
      else
        text[where] = piece;
      if (text.empty()) text = " ";
    }
    Result<Module> module = parse(text);
    if (!module) {
      ASSERT_TRUE(module.error().message.starts_with("line ")) << module.error().message;
      continue;
    }
    ++parsed;
    ASSERT_EQ(verify(*module), std::vector<std::string>());
    const std::string printed = print(*module);
    Result<Module> again = parse(printed);
    ASSERT_TRUE(again) << again.error().message << "\n" << printed;
    ASSERT_EQ(print(*again), printed);
  }
  EXPECT_GT(parsed, 100u);
}

TEST(Text, RandomModulesSurvive) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const Module module = random_module(seed);
    ASSERT_EQ(verify(module), std::vector<std::string>()) << "seed " << seed;
    const std::string text = print(module);
    Result<Module> again = parse(text);
    ASSERT_TRUE(again) << "seed " << seed << ": " << again.error().message << "\n" << text;
    ASSERT_EQ(print(*again), text) << "seed " << seed;
    // Even the layout is Builder's.
    ASSERT_EQ(again->operands, module.operands) << "seed " << seed;
    ASSERT_EQ(again->events.size(), module.events.size());
    for (std::size_t i = 0; i < module.events.size(); ++i) {
      ASSERT_EQ(again->events[i].op, module.events[i].op);
      ASSERT_EQ(again->events[i].flags, module.events[i].flags);
      ASSERT_EQ(again->events[i].target, module.events[i].target);
      ASSERT_EQ(again->text(again->events[i].name), module.text(module.events[i].name));
    }
  }
}

}  // namespace deadgrad::ir
