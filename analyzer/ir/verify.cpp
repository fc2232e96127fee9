#include "analyzer/ir/verify.h"

#include <algorithm>
#include <utility>

#include "analyzer/ir/op_table.h"

namespace deadgrad::ir {

static constexpr std::size_t kMostProblems = 100;

namespace {

// Collects problems; every check first makes sure that what it reads exists.
class Verifier {
 public:
  explicit Verifier(const Module& module) : module_(module) {}

  std::vector<Problem> run() {
    check_enumerators();
    if (!problems_.empty()) return std::move(problems_);  // the op table may only be asked about enumerators
    check_module();
    check_ranges();
    if (!problems_.empty()) return std::move(problems_);  // what follows indexes by the ranges
    for (std::uint32_t i = 0; i < module_.functions.size(); ++i) check_function(FunctionId{i});
    check_classes();
    return std::move(problems_);
  }

 private:
  void report(std::string text, FunctionId function = {}, EventId event = {}) {
    if (problems_.size() < kMostProblems) problems_.push_back(Problem{std::move(text), event, function});
  }
  bool string_exists(StrId id) const { return !id.valid() || id.index < module_.strings.size(); }
  bool function_exists(FunctionId id) const { return id.index < module_.functions.size(); }
  bool class_exists(ClassId id) const { return id.index < module_.classes.size(); }

  void check_enumerators() {
    for (std::uint32_t i = 0; i < module_.events.size(); ++i) {
      if (module_.events[i].op > Op::Unknown) report("has no such operation", {}, EventId{i});
    }
    for (std::uint32_t i = 0; i < module_.functions.size(); ++i) {
      if (module_.functions[i].kind > FunctionKind::Lambda) report("has no such kind", FunctionId{i});
    }
    for (const Parameter& parameter : module_.parameters) {
      if (parameter.kind > ParamKind::VarKeywords) report("a parameter has no such kind");
    }
    if (module_.language > Language::Cpp) report("the module has no such language");
  }

  void check_module() {
    if (module_.functions.empty() || module_.functions[0].kind != FunctionKind::ModuleBody) {
      report("functions[0] is not the module body");
    }
    if (!std::ranges::is_sorted(module_.line_starts, std::ranges::less_equal{})) {
      report("line starts do not increase");
    }
    for (const Notice& notice : module_.notices) {
      if (notice.span.begin > notice.span.end) report("a notice's span ends before it begins");
    }
  }

  // Each item of an array belongs to exactly one function.
  template <class RangeOf>
  void check_partition(std::size_t size, const char* what, RangeOf range_of) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
    std::uint64_t covered = 0;
    for (std::uint32_t i = 0; i < module_.functions.size(); ++i) {
      auto [first, count] = range_of(module_.functions[i]);
      if (first > size || count > size - first) {
        report(std::string("its ") + what + " lie outside of the module", FunctionId{i});
        return;
      }
      covered += count;
      if (count > 0) ranges.emplace_back(first, count);
    }
    std::ranges::sort(ranges);
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      if (ranges[i - 1].first + ranges[i - 1].second > ranges[i].first) {
        report(std::string("two functions share ") + what);
        return;
      }
    }
    if (covered != size) report(std::string("some ") + what + " belong to no function");
  }

  void check_ranges() {
    check_partition(module_.events.size(), "events",
                    [](const Function& f) { return std::pair(f.first_event.index, f.event_count); });
    check_partition(module_.parameters.size(), "parameters",
                    [](const Function& f) { return std::pair(f.first_parameter, f.parameter_count); });
    std::uint64_t operands = 0;
    for (std::uint32_t i = 0; i < module_.events.size(); ++i) {
      const Event& event = module_.events[i];
      const std::size_t size = module_.operands.size();
      if (event.first_operand > size || event.operand_count > size - event.first_operand) {
        report("its operands lie outside of the module", {}, EventId{i});
      }
      operands += event.operand_count;
    }
    // Shared lists would let a small hostile file stand for quadratic work.
    if (operands > module_.operands.size()) report("two events share operands");
  }

  void check_span(Span span, const char* what, FunctionId function, EventId event = {}) {
    if (span.begin > span.end) report(std::string("its ") + what + " ends before it begins", function, event);
  }

  void check_function(FunctionId id) {
    const Function& function = module_.functions[id.index];
    if (!string_exists(function.name) || !string_exists(function.qualified)) report("its name does not exist", id);
    for (const StrId symbol : {function.symbol, function.owner_symbol})
      if (!string_exists(symbol)) report("its symbol does not exist", id);
    if (id.index == 0) {
      if (function.parent.valid()) report("the module body has a parent", id);
    } else {
      if (function.kind == FunctionKind::ModuleBody) report("a second module body", id);
      if (function.parent.index >= id.index) report("its parent is not an earlier function", id);
    }
    if (function.owner.valid() && !class_exists(function.owner)) report("its owner does not exist", id);
    if (function.kind == FunctionKind::ModuleBody && string_exists(function.qualified) &&
        !module_.text(function.qualified).empty()) {
      report("the module body has a qualified name", id);
    }
    if (function.parameter_count > 0 &&
        (function.kind == FunctionKind::ModuleBody || function.kind == FunctionKind::ClassBody)) {
      report("a module or class body has parameters", id);
    }
    for (const Parameter& parameter : module_.parameters_of(function)) {
      if (!string_exists(parameter.name)) report("a parameter's name does not exist", id);
      check_span(parameter.span, "parameter's span", id);
    }
    check_span(function.span, "span", id);
    check_span(function.header, "header", id);
    check_span(function.body, "body", id);
    check_events(id, function);
  }

  void check_events(FunctionId id, const Function& function) {
    const std::uint32_t first = function.first_event.index;
    std::vector<std::uint32_t> open;  // events of the brackets around the current one
    std::vector<Op> last_child;       // of each of them: the latest Arm, Handler or Finally, or its own op if none yet
    std::uint32_t loops = 0;
    for (std::uint32_t i = first; i < first + function.event_count; ++i) {
      const Event& event = module_.events[i];
      const OpInfo& info = op_info(event.op);
      check_fields(id, EventId{i}, info);
      check_operands(id, first, EventId{i}, info);
      check_target(id, function, EventId{i}, info);

      if (event.op == Op::End) {
        if (open.empty()) {
          report("closes nothing", id, EventId{i});
          return;
        }
        const Event& opening = module_.events[open.back()];
        if (event.target != open.back() || opening.target != i) {
          report("it and the bracket it closes do not name each other", id, EventId{i});
        }
        if (opening.op == Op::Loop) --loops;
        if (opening.op == Op::Try && last_child.back() == Op::Try) report("holds no arm", id, EventId{open.back()});
        open.pop_back();
        last_child.pop_back();
        continue;
      }
      if (open.empty()) {
        if (event.op == Op::Arm || event.op == Op::Handler || event.op == Op::Finally) {
          report("stands outside of a branch or try", id, EventId{i});
        }
      } else {
        check_nesting(id, EventId{i}, module_.events[open.back()].op, last_child.back());
      }
      if ((event.op == Op::Break || event.op == Op::Continue) && loops == 0) {
        report("stands outside of a loop", id, EventId{i});
      }
      if (info.is_bracket()) {
        open.push_back(i);
        last_child.push_back(event.op);
        if (event.op == Op::Loop) ++loops;
      }
    }
    for (std::uint32_t bracket : open) report("is never closed", id, EventId{bracket});
  }

  // `last` is updated to the op when it is a part of a branch or try.
  void check_nesting(FunctionId id, EventId at, Op around, Op& last) {
    const Op op = module_.events[at.index].op;
    const bool is_part = op == Op::Arm || op == Op::Handler || op == Op::Finally;
    if (around == Op::Branch) {
      if (op != Op::Arm) report("stands in a branch but in none of its arms", id, at);
    } else if (around == Op::Try) {
      const bool fits = (op == Op::Arm && last == Op::Try) ||
                        (op == Op::Handler && (last == Op::Arm || last == Op::Handler)) ||
                        (op == Op::Finally && (last == Op::Arm || last == Op::Handler));
      // The type that a handler catches is computed between the parts.
      const bool computes_type = last != Op::Try && last != Op::Finally && !op_info(op).is_bracket();
      if (!is_part && !computes_type) report("stands in a try but in none of its parts", id, at);
      if (is_part && !fits) report("is out of order: a try holds an arm, handlers, at most one finally", id, at);
    } else if (is_part) {
      report("stands outside of a branch or try", id, at);
    }
    if (is_part) last = op;
  }

  void check_fields(FunctionId id, EventId at, const OpInfo& info) {
    const Event& event = module_.events[at.index];
    check_span(event.span, "span", id, at);
    if (!string_exists(event.name)) report("its name does not exist", id, at);
    if (!event.name.valid() && info.has_name && event.op != Op::Const && event.op != Op::Unknown) {
      report("has no name", id, at);
    }
    if (event.name.valid() && event.op == Op::End) report("an end has a name", id, at);
    if ((event.flags & ~flag_mask(info)) != 0) report("has a flag that means nothing on it", id, at);
    const bool names_place = event.op == Op::Load || event.op == Op::Store || event.op == Op::Delete;
    if (names_place && (event.flags & flag::kPlaceMask) == 0) report("does not say where its name lives", id, at);
    if (event.op == Op::Loop && (event.flags & flag::kLoopMask) == 0) report("does not say its kind", id, at);
  }

  void check_operands(FunctionId id, std::uint32_t first, EventId at, const OpInfo& info) {
    const Event& event = module_.events[at.index];
    if (event.operand_count < info.min_operands || event.operand_count > info.max_operands) {
      report("has " + std::to_string(event.operand_count) + " operands", id, at);
      return;
    }
    std::span<const EventId> operands = module_.operands_of(event);
    bool sound = true;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::uint32_t operand = operands[i].index;
      auto which = [i] { return "operand " + std::to_string(i); };
      if (operand < first || operand >= at.index) {
        report(which() + " is not defined before it in its function", id, at);
        sound = false;
        continue;
      }
      const Op op = module_.events[operand].op;
      if (!op_info(op).has_value) {
        report(which() + " has no value", id, at);
      } else if (is_wrapper(op) && !accepts_wrapper(event.op, op, i)) {
        report(which() + " cannot be a " + std::string(op_info(op).word), id, at);
      }
    }
    if (!sound) return;
    if (event.op == Op::MakeDict) check_dict(id, at, operands);
    if (event.op == Op::MakeFunction) check_function_operands(id, at, operands);
  }

  // A first operand that is Unknown may be the folded start of a list too long for one event.
  bool is_folded_start(std::span<const EventId> operands) const {
    return !operands.empty() && module_.events[operands[0].index].op == Op::Unknown;
  }

  void check_dict(FunctionId id, EventId at, std::span<const EventId> operands) {
    if (is_folded_start(operands)) return;
    std::size_t singles = 0;
    for (EventId operand : operands) {
      if (module_.events[operand.index].op != Op::DoubleStar) {
        ++singles;
      } else if (singles % 2 != 0) {
        report("a double star parts a key from its value", id, at);
        return;
      }
    }
    if (singles % 2 != 0) report("a key has no value", id, at);
  }

  void check_function_operands(FunctionId id, EventId at, std::span<const EventId> operands) {
    for (std::size_t i = is_folded_start(operands) ? 1 : 0; i < operands.size(); ++i) {
      if (!is_wrapper(module_.events[operands[i].index].op)) {
        report("operand " + std::to_string(i) + " is neither a decorator nor a default", id, at);
      }
    }
  }

  void check_target(FunctionId id, const Function& function, EventId at, const OpInfo& info) {
    const Event& event = module_.events[at.index];
    switch (info.target) {
      case TargetKind::None:
        if (event.target != ~0u) report("has a target", id, at);
        break;
      case TargetKind::Partner:  // checked when the bracket is closed
        if (event.target >= module_.events.size()) report("its partner does not exist", id, at);
        break;
      case TargetKind::Parameter:
        if (event.target >= function.parameter_count) report("its parameter does not exist", id, at);
        break;
      case TargetKind::Function:
        if (!function_exists(FunctionId{event.target})) {
          report("its function does not exist", id, at);
        } else if (const FunctionKind kind = module_.functions[event.target].kind;
                   kind == FunctionKind::ModuleBody || kind == FunctionKind::ClassBody) {
          report("makes a body, not a function", id, at);
        }
        break;
      case TargetKind::Class:
        if (!class_exists(ClassId{event.target})) report("its class does not exist", id, at);
        break;
      case TargetKind::Element:
        if (event.target == ~0u) report("has no element number", id, at);
        break;
    }
  }

  void check_classes() {
    std::vector<bool> has_class(module_.functions.size());
    for (std::uint32_t i = 0; i < module_.classes.size(); ++i) {
      const Class& c = module_.classes[i];
      const std::string which = "class " + std::to_string(i) + " ";
      if (!string_exists(c.name) || !string_exists(c.qualified)) {
        report(which + "has a name that does not exist");
        continue;
      }
      if (!function_exists(c.body) || module_.functions[c.body.index].kind != FunctionKind::ClassBody) {
        report(which + "has no class body");
        continue;
      }
      const Function& body = module_.functions[c.body.index];
      if (has_class[c.body.index]) report(which + "shares its body", c.body);
      has_class[c.body.index] = true;
      if (string_exists(body.name) && string_exists(body.qualified) &&
          (module_.text(c.name) != module_.text(body.name) ||
           module_.text(c.qualified) != module_.text(body.qualified))) {
        report(which + "and its body have different names", c.body);
      }
      if (!function_exists(c.scope)) report(which + "has no scope", c.body);
      check_span(c.span, "class's span", c.body);
      check_span(c.header, "class's header", c.body);
      if (!c.made_by.valid()) continue;
      if (c.made_by.index >= module_.events.size() || module_.events[c.made_by.index].op != Op::MakeClass ||
          module_.events[c.made_by.index].target != i) {
        report(which + "is not made by the event that it names", c.body);
      }
    }
    for (std::uint32_t i = 0; i < module_.functions.size(); ++i) {
      if (module_.functions[i].kind == FunctionKind::ClassBody && !has_class[i]) {
        report("is a class body without a class", FunctionId{i});
      }
    }
    for (std::uint32_t i = 0; i < module_.events.size(); ++i) {
      const Event& event = module_.events[i];
      if (event.op == Op::MakeClass && class_exists(ClassId{event.target}) &&
          !module_.classes[event.target].made_by.valid()) {
        report("its class does not name it", {}, EventId{i});
      }
    }
  }

  const Module& module_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> find_problems(const Module& module) {
  return Verifier(module).run();
}

static std::string describe(const Module& module, const Problem& problem) {
  std::string place;
  if (problem.function.index < module.functions.size()) {
    const Function& function = module.functions[problem.function.index];
    place = "function " + std::to_string(problem.function.index);
    if (function.qualified.valid() && function.qualified.index < module.strings.size() &&
        !module.text(function.qualified).empty()) {
      place += " (" + std::string(module.text(function.qualified)) + ")";
    }
  }
  if (problem.event.index < module.events.size()) {
    std::uint32_t number = problem.event.index;
    if (problem.function.index < module.functions.size()) {
      number -= module.functions[problem.function.index].first_event.index;
    }
    place += std::string(place.empty() ? "" : ", ") + "event " + std::to_string(number);
    const Op op = module.events[problem.event.index].op;
    if (op <= Op::Unknown) place += " (" + std::string(op_info(op).word) + ")";
  }
  return place.empty() ? problem.text : place + ": " + problem.text;
}

std::vector<std::string> verify(const Module& module) {
  std::vector<std::string> texts;
  for (const Problem& problem : find_problems(module)) texts.push_back(describe(module, problem));
  return texts;
}

}  // namespace deadgrad::ir
