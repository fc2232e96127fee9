// Programs of odd sizes and shapes: nothing crashes, what is known of the result holds, and the work grows with the
// size.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include <gtest/gtest.h>

#include "analyzer/ir/builder.h"
#include "analyzer/ir/verify.h"
#include "tests/engine/check.h"

namespace deadgrad::engine {

namespace {

// Writes one module; every event has a span of its own.
class Maker {
 public:
  explicit Maker(std::string path = "big.cpp") : builder_(module_) {
    module_.path = std::move(path);
    module_.name = module_.path.substr(0, module_.path.rfind('.'));
    module_.language = module_.path.ends_with(".cpp") ? ir::Language::Cpp : ir::Language::Python;
    module_.line_starts.push_back(0);
    builder_.open_function(ir::FunctionKind::ModuleBody, "<module>", "");
  }

  ir::EventId emit(ir::Op op, std::initializer_list<ir::EventId> operands, std::string_view name = {},
                   std::uint8_t flags = 0, std::uint32_t target = ~0u) {
    return builder_.emit(op, operands, span(), name.empty() ? StrId{} : builder_.intern(name), flags, target);
  }
  ir::EventId symbol(std::string_view name) { return emit(ir::Op::Symbol, {}, name); }
  ir::EventId number(int value) { return emit(ir::Op::Const, {}, std::to_string(value), ir::flag::Int); }
  ir::EventId boolean(bool value) {
    return emit(ir::Op::Const, {}, value ? "true" : "false", value ? ir::flag::True : ir::flag::False);
  }
  ir::EventId load(std::string_view name) { return emit(ir::Op::Load, {}, name, ir::flag::Local); }
  ir::EventId global(std::string_view name) { return emit(ir::Op::Load, {}, name, ir::flag::Global); }
  void store(std::string_view name, ir::EventId value) { emit(ir::Op::Store, {value}, name, ir::flag::Local); }
  void store_global(std::string_view name, ir::EventId value) { emit(ir::Op::Store, {value}, name, ir::flag::Global); }
  ir::EventId attribute(ir::EventId object, std::string_view name) {
    return emit(ir::Op::LoadAttribute, {object}, name);
  }
  ir::EventId call(std::initializer_list<ir::EventId> operands) { return emit(ir::Op::Call, operands); }
  void drop(std::initializer_list<ir::EventId> operands) { emit(ir::Op::Call, operands, {}, ir::flag::Discarded); }
  void print(ir::EventId value) { drop({symbol("std::printf"), call({attribute(value, "item")})}); }

  ir::EventId open(ir::Op op, std::initializer_list<ir::EventId> operands = {}, std::uint8_t flags = 0) {
    return builder_.open(op, operands, span(), flags);
  }
  void close(ir::EventId bracket) { builder_.close(bracket, span().end); }
  void guarded(const std::function<void()>& body) {
    const ir::EventId scope = open(ir::Op::Scope, {call({symbol("c10::NoGradGuard")})}, ir::flag::Raii);
    body();
    close(scope);
  }
  void branch(ir::EventId condition, const std::function<void()>& yes, const std::function<void()>& no) {
    const ir::EventId all = open(ir::Op::Branch, {condition});
    for (const auto* body : {&yes, &no}) {
      const ir::EventId arm = open(ir::Op::Arm);
      (*body)();
      close(arm);
    }
    close(all);
  }

  // A function of the module, bound to its name.
  void function(std::string_view name, std::initializer_list<std::string_view> parameters,
                const std::function<void()>& body) {
    const ir::FunctionId id = open_function(ir::FunctionKind::Function, name, name, parameters);
    body();
    builder_.close_function();
    store_global(name, emit(ir::Op::MakeFunction, {}, {}, 0, id.index));
  }
  // A method, made in a class body that is open.
  void method(std::string_view cls, ir::ClassId owner, std::string_view name,
              std::initializer_list<std::string_view> parameters, const std::function<void()>& body) {
    const ir::FunctionId id =
        open_function(ir::FunctionKind::Function, name, std::string(cls) + "." + std::string(name), parameters);
    module_.functions[id.index].owner = owner;
    body();
    builder_.close_function();
    store(name, emit(ir::Op::MakeFunction, {}, {}, 0, id.index));
  }
  void make_class(std::string_view name, ir::EventId base, const std::function<void(ir::ClassId)>& body) {
    const ir::ClassId id{static_cast<std::uint32_t>(module_.classes.size())};
    module_.classes.emplace_back();
    const ir::FunctionId scope = builder_.current();
    const ir::FunctionId made = open_function(ir::FunctionKind::ClassBody, name, name, {});
    ir::Class& cls = module_.classes[id.index];
    cls.name = cls.qualified = module_.functions[made.index].name;
    cls.body = made;
    cls.scope = scope;
    body(id);
    builder_.close_function();
    store_global(name, emit(ir::Op::MakeClass, {base}, {}, 0, id.index));
  }

  std::vector<ir::Module> finish() {
    builder_.finish();
    const auto problems = ir::verify(module_);
    EXPECT_TRUE(problems.empty());
    std::vector<ir::Module> modules;
    modules.push_back(std::move(module_));
    return modules;
  }

 private:
  ir::Span span() {
    at_ += 2;
    return {at_, at_ + 1};
  }
  ir::FunctionId open_function(ir::FunctionKind kind, std::string_view name, std::string_view qualified,
                               std::initializer_list<std::string_view> parameters) {
    const ir::FunctionId id = builder_.open_function(kind, name, qualified);
    std::uint32_t number = 0;
    for (std::string_view parameter : parameters) {
      builder_.add_parameter({builder_.intern(parameter), ir::ParamKind::Positional, false, span()});
      store(parameter, emit(ir::Op::Param, {}, parameter, ir::flag::Local, number++));
    }
    return id;
  }

  ir::Module module_;
  ir::Builder builder_;
  std::uint32_t at_ = 0;
};

std::string numbered(std::string_view name, int number) {
  return std::string(name) + std::to_string(number);
}

using Program = std::vector<ir::Module> (*)(int size);

// Each of `size` functions calls two others, in cycles; one of them runs the model that all hand on.
std::vector<ir::Module> recursive(int size) {
  Maker make;
  for (int i = 0; i < size; ++i) {
    make.function(numbered("f", i), {"model", "x"}, [&] {
      if (i == size / 2) make.store("x", make.call({make.load("model"), make.load("x")}));
      make.store("x", make.call({make.global(numbered("f", (i + 1) % size)), make.load("model"), make.load("x")}));
      make.emit(ir::Op::Return, {make.call({make.global(numbered("f", static_cast<int>(i * 7L % size))),
                                            make.load("model"), make.load("x")})});
    });
  }
  make.function("start", {"x"}, [&] {
    make.print(
        make.call({make.global("f0"), make.call({make.symbol("torch::nn::Linear"), make.number(4)}), make.load("x")}));
  });
  return make.finish();
}

// f0 calls f1, …; the last one runs the model and all hand its result back.
std::vector<ir::Module> chain(int size) {
  Maker make;
  for (int i = 0; i < size; ++i) {
    make.function(numbered("f", i), {"model", "x"}, [&] {
      const ir::EventId callee = i + 1 == size ? make.load("model") : make.global(numbered("f", i + 1));
      const ir::EventId first = i + 1 == size ? make.load("x") : make.load("model");
      make.emit(ir::Op::Return,
                {i + 1 == size ? make.call({callee, first}) : make.call({callee, first, make.load("x")})});
    });
  }
  make.function("start", {"x"}, [&] {
    make.print(
        make.call({make.global("f0"), make.call({make.symbol("torch::nn::Linear"), make.number(4)}), make.load("x")}));
  });
  return make.finish();
}

// A chain whose last function switches grad off: each function's effect on the mode is its callee's.
std::vector<ir::Module> switch_chain(int size) {
  Maker make;
  for (int i = 0; i < size; ++i) {
    make.function(numbered("f", i), {}, [&] {
      if (i + 1 == size)
        make.drop({make.symbol("c10::GradMode::set_enabled"), make.boolean(false)});
      else
        make.drop({make.global(numbered("f", i + 1))});
    });
  }
  make.function("start", {"x"}, [&] {
    make.drop({make.global("f0")});
    make.print(make.call({make.call({make.symbol("torch::nn::Linear"), make.number(4)}), make.load("x")}));
  });
  return make.finish();
}

// C0 derives from a module, C1 from C0, …
std::vector<ir::Module> hierarchy(int size) {
  Maker make;
  for (int i = 0; i < size; ++i) {
    make.make_class(
        numbered("C", i), i == 0 ? make.symbol("torch::nn::Module") : make.global(numbered("C", i - 1)),
        [&](ir::ClassId id) {
          if (i != 0) return;
          make.method("C0", id, "__init__", {"self"}, [&] {
            make.emit(ir::Op::StoreAttribute,
                      {make.load("self"), make.call({make.symbol("torch::nn::Linear"), make.number(4)})}, "fc");
          });
          make.method("C0", id, "forward", {"self", "x"}, [&] {
            make.emit(ir::Op::Return, {make.call({make.attribute(make.load("self"), "fc"), make.load("x")})});
          });
        });
  }
  make.function("start", {"x"},
                [&] { make.print(make.call({make.call({make.global(numbered("C", size - 1))}), make.load("x")})); });
  return make.finish();
}

// One function of `size` branches in a loop, over two fifths as many locals, that hands a forward's result round among
// them.
std::vector<ir::Module> large_function(int size) {
  Maker make;
  const int locals = size * 2 / 5;
  make.function("large", {"x", "c"}, [&] {
    make.store("net", make.call({make.symbol("torch::nn::Linear"), make.number(4)}));
    for (int i = 0; i < locals; ++i) make.store(numbered("v", i), make.number(i));
    const ir::EventId loop = make.open(ir::Op::Loop, {}, ir::flag::While);
    make.store("v0", make.call({make.load("net"), make.load("x")}));
    for (int i = 0; i < size; ++i) {
      make.branch(
          make.load("c"), [&] { make.store(numbered("v", (i + 1) % locals), make.load(numbered("v", i % locals))); },
          [&] { make.store(numbered("v", i % locals), make.load(numbered("v", static_cast<int>(i * 7L % locals)))); });
    }
    make.close(loop);
    make.print(make.load("v0"));
  });
  return make.finish();
}

// `size` functions call one helper, each with a mode of its own: guarded, unguarded, with a flag that is known or not.
std::vector<ir::Module> one_helper(int size) {
  Maker make;
  make.function("helper", {"net", "x", "off"}, [&] {
    const ir::EventId scope =
        make.open(ir::Op::Scope, {make.call({make.symbol("c10::InferenceMode"), make.load("off")})}, ir::flag::Raii);
    make.print(make.call({make.load("net"), make.load("x")}));
    make.close(scope);
  });
  for (int i = 0; i < size; ++i) {
    make.function(numbered("caller", i), {"x", "flag"}, [&] {
      make.store("net", make.call({make.symbol("torch::nn::Linear"), make.number(i)}));
      const ir::EventId off = i % 3 == 0 ? make.boolean(true) : i % 3 == 1 ? make.boolean(false) : make.load("flag");
      auto call = [&] { make.drop({make.global("helper"), make.load("net"), make.load("x"), off}); };
      if (i % 2 == 0)
        make.guarded(call);
      else
        call();
    });
  }
  return make.finish();
}

// Loops and guard scopes in each other; the forward stands innermost and again behind them.
std::vector<ir::Module> nested(int size) {
  Maker make;
  make.function("deep", {"x"}, [&] {
    make.store("net", make.call({make.symbol("torch::nn::Linear"), make.number(4)}));
    std::vector<ir::EventId> open;
    for (int i = 0; i < size; ++i) {
      open.push_back(i % 2 == 0
                         ? make.open(ir::Op::Loop, {}, ir::flag::While)
                         : make.open(ir::Op::Scope, {make.call({make.symbol("c10::NoGradGuard")})}, ir::flag::Raii));
      make.store("x", make.load("x"));
    }
    make.print(make.call({make.load("net"), make.load("x")}));
    for (; !open.empty(); open.pop_back()) make.close(open.back());
    make.print(make.call({make.load("net"), make.load("x")}));
  });
  return make.finish();
}

// Branches in branches.
std::vector<ir::Module> nested_branches(int size) {
  Maker make;
  make.function("deep", {"x", "c"}, [&] {
    make.store("net", make.call({make.symbol("torch::nn::Linear"), make.number(4)}));
    std::vector<ir::EventId> open;
    for (int i = 0; i < size; ++i) {
      open.push_back(make.open(ir::Op::Branch, {make.load("c")}));
      open.push_back(make.open(ir::Op::Arm));
      make.store("x", make.number(i));
    }
    make.print(make.call({make.load("net"), make.load("x")}));
    for (; !open.empty(); open.pop_back()) {
      make.close(open.back());
      open.pop_back();
      const ir::EventId other = make.open(ir::Op::Arm);
      make.close(other);
      make.close(open.back());
    }
    make.print(make.load("x"));
  });
  return make.finish();
}

// A module class of `size` layers, all run by its forward.
std::vector<ir::Module> attributes(int size) {
  Maker make;
  make.make_class("Wide", make.symbol("torch::nn::Module"), [&](ir::ClassId id) {
    make.method("Wide", id, "__init__", {"self"}, [&] {
      for (int i = 0; i < size; ++i) {
        make.emit(ir::Op::StoreAttribute,
                  {make.load("self"), make.call({make.symbol("torch::nn::Linear"), make.number(4)})},
                  numbered("layer", i));
      }
    });
    make.method("Wide", id, "forward", {"self", "x"}, [&] {
      for (int i = 0; i < size; ++i)
        make.store("x", make.call({make.attribute(make.load("self"), numbered("layer", i)), make.load("x")}));
      make.emit(ir::Op::Return, {make.load("x")});
    });
  });
  make.function("start", {"x"}, [&] { make.print(make.call({make.call({make.global("Wide")}), make.load("x")})); });
  return make.finish();
}

// `size` functions with a guard of their own each.
std::vector<ir::Module> many_guards(int size) {
  Maker make;
  for (int i = 0; i < size; ++i) {
    make.function(numbered("f", i), {"x"}, [&] {
      make.store("net", make.call({make.symbol("torch::nn::Linear"), make.number(4)}));
      const ir::EventId scope =
          make.open(ir::Op::Scope, {make.call({make.symbol("c10::InferenceMode"), make.load("x")})}, ir::flag::Raii);
      make.print(make.call({make.load("net"), make.load("x")}));
      make.close(scope);
    });
  }
  return make.finish();
}

// One function with `size` forwards whose results all go into one vector.
std::vector<ir::Module> many_sites(int size) {
  Maker make;
  make.function("f", {"x"}, [&] {
    make.store("net", make.call({make.symbol("torch::nn::Linear"), make.number(4)}));
    make.store("all", make.call({make.symbol("std::vector")}));
    for (int i = 0; i < size; ++i) {
      make.drop({make.attribute(make.load("all"), "push_back"), make.call({make.load("net"), make.load("x")})});
    }
    make.print(make.call({make.symbol("torch::cat"), make.load("all")}));
  });
  return make.finish();
}

double cpu_seconds(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// The rules that report something in a program of the given size. Run twice: the same both times.
void check(Program program, int size, std::string expected) {
  const std::vector<Finding> findings = analyze_all(program(size)).findings;
  std::string rules;
  for (const Finding& finding : findings) {
    if (rules.find(finding.rule) == rules.npos) rules += (rules.empty() ? "" : " ") + finding.rule;
  }
  EXPECT_EQ(rules, expected) << describe(findings).substr(0, 2000);
  EXPECT_TRUE(describe(analyze_all(program(size)).findings) == describe(findings));
}

// Twice the program takes at most four times as long: judged where the smaller one takes a fifth of a second. With
// DEADGRAD_SHOW_TIMES=1 in the environment the times are printed, and the sizes known to take too long are run, too.
void check_growth(Program program, int size, std::string known_reason = "") {
  const bool show = std::getenv("DEADGRAD_SHOW_TIMES") != nullptr;
  if (!known_reason.empty() && !show) GTEST_SKIP() << "known to grow too fast: " << known_reason;
  std::vector<ir::Module> small = program(size), large = program(size * 2);
  const double once = cpu_seconds([&] { analyze_all(std::move(small)); });
  const double twice = cpu_seconds([&] { analyze_all(std::move(large)); });
  if (show) std::fprintf(stderr, "%d: %.3f s, %d: %.3f s, %.2f times\n", size, once, size * 2, twice, twice / once);
  if (once <= 0.2 || !known_reason.empty()) return;
  EXPECT_LE(twice / once, 4.0) << size << ": " << once << " s, " << size * 2 << ": " << twice << " s";
}

}  // namespace

TEST(Scale, MutualRecursion) {
  check(recursive, 20, "DG101");
}
TEST(Scale, MutualRecursionOfTenThousand) {
  check(recursive, 10'000, "");
}
TEST(Scale, ShortChain) {
  check(chain, 10, "DG101");
}
TEST(Scale, CallChain) {
  // Past the depth to which calls are followed: unknown, so quiet.
  check(chain, 10'000, "");
}
TEST(Scale, SwitchChain) {
  check(switch_chain, 50, "");
}
// Past the depth to which calls are followed a switch is unknown, so quiet.
TEST(Scale, SwitchChainOfTenThousand) {
  check(switch_chain, 10'000, "");
}
TEST(Scale, ClassHierarchy) {
  check(hierarchy, 1'000, "DG101");
}
TEST(Scale, LargeFunction) {
  check(large_function, 5'000, "DG101");
}
TEST(Scale, OneHelper) {
  check(one_helper, 2'000, "DG101");
}
TEST(Scale, Nested) {
  check(nested, 5'000, "DG303 DG101");
}
TEST(Scale, NestedBranches) {
  check(nested_branches, 5'000, "DG101");
}
TEST(Scale, Attributes) {
  check(attributes, 5'000, "DG101");
}
TEST(Scale, ManyGuards) {
  check(many_guards, 5'000, "");
}
TEST(Scale, ManySites) {
  check(many_sites, 1'000, "DG101");
}

TEST(Growth, MutualRecursion) {
  check_growth(recursive, 2'000);
}
TEST(Growth, CallChain) {
  check_growth(chain, 2'000);
}
TEST(Growth, SwitchChain) {
  check_growth(switch_chain, 2'000);
}
TEST(Growth, ClassHierarchy) {
  check_growth(hierarchy, 3'000, "Inference::rebuild_hierarchy looks for each ancestor in a list");
}
TEST(Growth, LargeFunction) {
  check_growth(large_function, 5'000, "Flow::run walks the function again for every loop variable reached");
}
TEST(Growth, OneHelper) {
  check_growth(one_helper, 10'000);
}
TEST(Growth, Nested) {
  check_growth(nested, 20'000);
}
TEST(Growth, NestedBranches) {
  check_growth(nested_branches, 20'000);
}
TEST(Growth, Attributes) {
  check_growth(attributes, 5'000, "Flow::fresh_positions traces each layer through all later ones");
}
TEST(Growth, ManyGuards) {
  check_growth(many_guards, 5'000);
}
TEST(Growth, ManySites) {
  check_growth(many_sites, 5'000, "Flow::keep and the walk from the container, once for each site");
}

}  // namespace deadgrad::engine
