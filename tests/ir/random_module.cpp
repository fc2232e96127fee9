#include "tests/ir/random_module.h"

#include <string>
#include <vector>

#include "analyzer/ir/builder.h"
#include "analyzer/ir/op_table.h"

namespace deadgrad::ir {

namespace {

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed), builder_(module_) {}

  Module run() {
    module_.path = random_.chance(50) ? "src/pkg/mod.py" : "odd \"path\"\n.cpp";
    module_.name = random_.chance(50) ? "src.pkg.mod" : "package";
    module_.language = random_.chance(50) ? Language::Python : Language::Cpp;
    module_.is_package = random_.chance(30);
    module_.imports_test_framework = random_.chance(30);
    for (std::uint32_t at = 0; random_.chance(90); at += 1 + random_.below(90)) module_.line_starts.push_back(at);
    while (random_.chance(30)) module_.notices.push_back(Notice{span(), std::string(awkward_name())});
    builder_.open_function(FunctionKind::ModuleBody, random_.chance(80) ? "<module>" : "odd", "");
    events(0);
    builder_.finish();
    return std::move(module_);
  }

 private:
  std::string_view awkward_name() {
    static constexpr std::string_view kNames[] = {
        "x",     "model",    "<lambda>",   "local", "global", "none",     "",        " ",   "%",     "\"",
        "a.b",   "ns::f",    "operator()", "3",     "-1",     "*",        "==",      "end", "named", "<module>",
        "naïve", "\xff\xfe", "tab\there",  ";",     "@",      "in-place", "discard", "x[0]"};
    return kNames[random_.below(std::size(kNames))];
  }
  std::string_view plain_name() {
    static constexpr std::string_view kNames[] = {"x", "f", "g", "Model", "forward", "loss"};
    return kNames[random_.below(std::size(kNames))];
  }
  StrId name() { return builder_.intern(random_.chance(70) ? plain_name() : awkward_name()); }
  Span span() {
    const std::uint32_t begin = random_.below(1000);
    return Span{begin, begin + random_.below(50)};
  }

  // Arguments of one call draw no more than one random number among them: compilers evaluate them in different orders.
  EventId emit(Op op, std::vector<EventId> operands, StrId name = {}, std::uint8_t flags = 0,
               std::uint32_t target = ~0u) {
    return builder_.emit(op, operands, span(), name, flags, target);
  }

  // A value of the current function that is no wrapper; one is made if there is none.
  EventId value() {
    std::vector<EventId>& values = values_.back();
    if (values.empty() || random_.chance(20)) {
      const auto kind = static_cast<std::uint8_t>(random_.below(8));
      values.push_back(emit(Op::Const, {}, random_.chance(80) ? name() : StrId{}, kind));
    }
    return values[random_.below(static_cast<std::uint32_t>(values.size()))];
  }

  EventId wrapped(Op wrapper) {
    const EventId inner = value();
    return emit(wrapper, {inner}, wrapper == Op::Keyword ? name() : StrId{});
  }

  // One operand for `user` at `position`: now and then a wrapper, where one may stand.
  EventId operand(Op user, std::size_t position) {
    static constexpr Op kWrappers[] = {Op::Keyword, Op::Star, Op::DoubleStar, Op::Decorator};
    const Op wrapper = kWrappers[random_.below(4)];
    const bool fits = accepts_wrapper(user, wrapper, position) && user != Op::MakeDict;
    return fits && random_.chance(30) ? wrapped(wrapper) : value();
  }

  std::uint8_t flags(const OpInfo& info) {
    std::uint8_t flags = 0;
    for (const FlagWord& word : info.flags) {
      if (random_.chance(40)) flags = static_cast<std::uint8_t>((flags & ~word.mask) | word.value);
    }
    if (info.word == "load" || info.word == "store" || info.word == "delete") {
      if (!info.flags.empty()) flags = static_cast<std::uint8_t>(1 + random_.below(3));
    }
    if (info.op == Op::Loop && (flags & flag::kLoopMask) == 0) flags |= flag::While;
    if (info.has_value && random_.chance(20)) flags |= flag::Discarded;
    return flags;
  }

  void leaf() {
    const Op op = static_cast<Op>(random_.below(kOpCount));
    const OpInfo& info = op_info(op);
    if (info.target == TargetKind::Partner || is_wrapper(op)) return;
    if (info.target == TargetKind::Parameter && parameter_counts_.back() == 0) return;
    if ((op == Op::Break || op == Op::Continue) && loops_.back() == 0) return;
    if (op == Op::MakeFunction) return make_function();
    if (op == Op::MakeClass) return make_class();

    std::uint32_t target = ~0u;
    if (info.target == TargetKind::Parameter) target = random_.below(parameter_counts_.back());
    if (info.target == TargetKind::Element) target = random_.below(5);
    std::vector<EventId> operands;
    std::uint32_t count = info.min_operands;
    while (count < info.max_operands && random_.chance(50)) ++count;
    if (op == Op::MakeDict) count -= count % 2;
    for (std::uint32_t i = 0; i < count; ++i) operands.push_back(operand(op, i));
    if (op == Op::MakeDict && random_.chance(30)) operands.push_back(wrapped(Op::DoubleStar));
    StrId given;
    if (info.has_name || random_.chance(2)) given = name();
    const EventId event = emit(op, operands, given, flags(info), target);
    if (info.has_value) values_.back().push_back(event);
  }

  void make_function() {
    if (depth_ > 3) return;
    static constexpr FunctionKind kKinds[] = {FunctionKind::Function, FunctionKind::Lambda};
    const FunctionId id = nested(kKinds[random_.below(2)]);
    std::vector<EventId> operands;
    while (random_.chance(40)) operands.push_back(wrapped(random_.chance(50) ? Op::Decorator : Op::Keyword));
    values_.back().push_back(emit(Op::MakeFunction, operands, {}, 0, id.index));
  }

  void make_class() {
    if (depth_ > 3) return;
    // The class's id is taken before or after those of the classes inside it.
    const bool early = random_.chance(50);
    ClassId id = early ? add_class() : ClassId{};
    const FunctionId body = nested(FunctionKind::ClassBody);
    if (!early) id = add_class();
    Class& c = module_.classes[id.index];
    Function& f = module_.functions[body.index];
    c.body = body;
    c.name = f.name;
    c.qualified = f.qualified;
    c.scope = random_.chance(95) ? builder_.current() : FunctionId{0};
    c.span = random_.chance(80) ? f.span : span();
    c.header = random_.chance(80) ? f.header : span();
    std::vector<EventId> operands;
    while (random_.chance(40)) operands.push_back(operand(Op::MakeClass, 0));
    values_.back().push_back(emit(Op::MakeClass, operands, {}, 0, id.index));
  }

  ClassId add_class() {
    module_.classes.emplace_back();
    return ClassId{static_cast<std::uint32_t>(module_.classes.size() - 1)};
  }

  FunctionId nested(FunctionKind kind) {
    const Function& outer = module_.functions[builder_.current().index];
    const std::string around(module_.text(outer.qualified));
    const std::string own(random_.chance(80) ? plain_name() : awkward_name());
    std::string qualified = own;
    if (outer.kind == FunctionKind::ClassBody) qualified = around + "." + own;
    if (outer.kind == FunctionKind::Function) qualified = around + ".<locals>." + own;
    const std::string name_given = random_.chance(90) ? own : std::string(awkward_name());
    const FunctionId id = builder_.open_function(kind, name_given, qualified);
    ++depth_;
    const std::uint32_t parameters = kind == FunctionKind::ClassBody ? 0 : random_.below(4);
    for (std::uint32_t i = 0; i < parameters; ++i) {
      builder_.add_parameter(Parameter{name(), static_cast<ParamKind>(random_.below(4)), random_.chance(30), span()});
    }
    events(parameters);
    Function& f = module_.functions[id.index];
    if (random_.chance(80) && outer_class_.valid()) f.owner = outer_class_;
    f.is_async = random_.chance(20);
    f.is_generator = random_.chance(20);
    f.is_static = random_.chance(20);
    f.is_class_method = random_.chance(20);
    f.is_property = random_.chance(20);
    f.is_constructor = random_.chance(20);
    f.span = span();
    f.header = span();
    f.body = span();
    builder_.close_function();
    --depth_;
    return id;
  }

  void events(std::uint32_t parameters) {
    const ClassId outer_class = outer_class_;
    if (!module_.classes.empty() && random_.chance(50)) {
      outer_class_ = ClassId{random_.below(static_cast<std::uint32_t>(module_.classes.size()))};
    }
    values_.emplace_back();
    loops_.push_back(0);
    parameter_counts_.push_back(parameters);
    if (random_.chance(70)) {
      for (std::uint32_t i = 0; i < parameters; ++i) {
        values_.back().push_back(emit(Op::Param, {}, name(), 0, i));
      }
    }
    block(0);
    parameter_counts_.pop_back();
    loops_.pop_back();
    values_.pop_back();
    outer_class_ = outer_class;
  }

  void block(int nesting) {
    for (std::uint32_t left = random_.below(8); left > 0; --left) {
      if (nesting > 4 || random_.chance(75)) {
        leaf();
      } else {
        bracket(nesting);
      }
    }
  }

  void part(Op op, int nesting) {
    EventId opened;
    if (op == Op::Handler && random_.chance(60)) {
      const EventId caught = value();
      opened = builder_.open(op, {caught}, span());
    } else {
      opened = builder_.open(op, {}, span());
    }
    block(nesting + 1);
    builder_.close(opened, 1000 + random_.below(1000));
  }

  void bracket(int nesting) {
    static constexpr Op kBrackets[] = {Op::Loop, Op::Branch, Op::Try, Op::Scope};
    const Op op = kBrackets[random_.below(4)];
    EventId opened;
    const std::uint8_t given = flags(op_info(op));
    if (op == Op::Branch || op == Op::Scope) {
      const EventId operand = value();
      opened = builder_.open(op, {operand}, span(), given);
    } else {
      opened = builder_.open(op, {}, span(), given);
    }
    if (op == Op::Loop) {
      ++loops_.back();
      block(nesting + 1);
      --loops_.back();
    } else if (op == Op::Scope) {
      values_.back().push_back(opened);
      block(nesting + 1);
    } else if (op == Op::Branch) {
      for (std::uint32_t arms = random_.below(4); arms > 0; --arms) part(Op::Arm, nesting);
    } else {
      part(Op::Arm, nesting);
      while (random_.chance(40)) part(Op::Handler, nesting);
      if (random_.chance(40)) part(Op::Finally, nesting);
    }
    builder_.close(opened, 1000 + random_.below(1000));
  }

  Random random_;
  Module module_;
  Builder builder_;
  int depth_ = 0;
  ClassId outer_class_;
  std::vector<std::vector<EventId>> values_;  // per open function
  std::vector<std::uint32_t> loops_, parameter_counts_;
};

}  // namespace

Module random_module(std::uint32_t seed) {
  return Generator(seed).run();
}

}  // namespace deadgrad::ir
