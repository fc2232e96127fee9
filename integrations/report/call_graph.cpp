#include "integrations/report/call_graph.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "analyzer/engine/view.h"
#include "integrations/report/source_text.h"

namespace deadgrad::report {

using engine::Atom;
using engine::AtomKind;
using engine::CallSite;
using engine::View;
using ir::Op;

static constexpr std::string_view kBuiltins = "builtins.";

class CallGraphMaker {
 public:
  explicit CallGraphMaker(const engine::Inference& inference) : inference_(inference), program_(inference.program()) {
    name_functions();
  }

  CallGraph run() {
    for (std::uint32_t f = 0; f < names_.size(); ++f) {
      if (names_[f].empty()) continue;
      caller_ = FuncId{f};
      if (program_.function(caller_).kind != ir::FunctionKind::ClassBody) graph_[names_[f]];
      note_call_sites();
      note_protocols();
    }
    return std::move(graph_);
  }

 private:
  // Parents come before their functions.
  void name_functions() {
    names_.resize(program_.functions.size());
    std::unordered_map<std::uint32_t, int> lambdas;  // by parent
    for (std::uint32_t f = 0; f < names_.size(); ++f) {
      const FunctionInfo& info = program_.functions[FuncId{f}];
      const ir::Module& module = program_.module(info.module);
      const ir::Function& function = program_.function(FuncId{f});
      if (function.kind == ir::FunctionKind::ModuleBody) {
        names_[f] = module.name;
        continue;
      }
      std::string own(module.text(function.name));
      if (function.kind == ir::FunctionKind::Lambda)
        own = "<lambda" + std::to_string(++lambdas[info.parent.index]) + ">";
      const std::string& around = names_[info.parent.index];
      names_[f] = around.empty() ? own : around + "." + own;
    }
  }

  void add(const std::string& callee) {
    graph_[names_[caller_.index]].insert(callee);
    graph_[callee];
  }

  void add_all(const std::vector<FuncId>& callees) {
    for (FuncId callee : callees) add(names_[callee.index]);
  }

  std::span<const Atom> atoms_of(engine::ValueNo value) const {
    return inference_.atoms(inference_.expand(inference_.value_of(caller_, value), caller_));
  }

  void note_call_sites() {
    const View view = view_of(inference_, caller_);
    for (const CallSite& site : inference_.facts(caller_).calls) {
      // Code that is not in view may call what it is given; that it does is known of some of it.
      const bool calls_back = std::ranges::any_of(
          site.effects, [](const engine::EffectUse& use) { return use.effect->calls_callee || use.effect->spawns; });
      for (const engine::CallTarget& target : site.targets) {
        if (target.kind != engine::TargetKind::Callback || calls_back) add(names_[target.function.index]);
      }
      const ir::Event& event = view.at(site.event);
      if (event.op == Op::Call) note_library_calls(view.operand(event, 0));
    }
  }

  void note_library_calls(engine::ValueNo callee) {
    for (Atom atom : atoms_of(callee)) {
      if (atom.kind() == AtomKind::Class) {
        note_library_constructor(atom.type());
      } else if (std::string name = library_name(atom); !name.empty()) {
        add(name);
      }
    }
  }

  // The project's constructors are targets of the call.
  void note_library_constructor(TypeId type) {
    if (!inference_.constructors(type).empty()) return;
    for (NameId base : inference_.api_bases(type)) {
      if (!program_.text(base).starts_with(kBuiltins)) add(std::string(program_.text(base)) + ".__init__");
    }
  }

  // Calls that no Call event stands for: decorators, `raise Class`, a loop over an object, `with`.
  void note_protocols() {
    const View view = view_of(inference_, caller_);
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      const ir::Event& event = view.at(i);
      switch (event.op) {
        case Op::Decorator:
        case Op::Raise:
          if (event.operand_count > 0) note_implicit_call(view.operand(event, 0));
          break;
        case Op::Iterate:
          for (Atom atom : atoms_of(view.operand(event, 0)))
            if (atom.kind() == AtomKind::Instance) add_all(inference_.iterators(atom));
          break;
        case Op::Scope:
          note_method_call(view.operand(event, 0), "__enter__");
          note_method_call(view.operand(event, 0), "__exit__");
          break;
        default:
          break;
      }
    }
  }

  void note_implicit_call(engine::ValueNo callee) {
    for (Atom atom : atoms_of(callee)) {
      switch (atom.kind()) {
        case AtomKind::Function:
        case AtomKind::Bound:
          add(names_[atom.a()]);
          break;
        case AtomKind::Class:
          add_all(inference_.constructors(atom.type()));
          break;
        case AtomKind::Api:
          if (!program_.text(atom.name()).starts_with(kBuiltins)) add(std::string(program_.text(atom.name())));
          break;
        default:
          break;
      }
    }
  }

  void note_method_call(engine::ValueNo object, std::string_view name) {
    const NameId method = program_.names.find(name);
    for (Atom atom : atoms_of(object)) {
      if (atom.kind() == AtomKind::Instance && method.valid())
        add_all(inference_.methods(atom.type(), method, atom.b() != 0));
    }
  }

  // What `atom` is called in the library that defines it; empty if that is unknown.
  std::string library_name(Atom atom) const {
    if (atom.kind() == AtomKind::Api) {
      const std::string_view symbol = program_.text(atom.name());
      if (symbol.starts_with(kBuiltins)) return "<builtin>." + std::string(symbol.substr(kBuiltins.size()));
      return std::string(symbol);
    }
    if (atom.kind() != AtomKind::ApiMethod) return "";
    const std::string owner = library_type(inference_.table().numbered(atom.b()));
    return owner.empty() ? "" : owner + "." + std::string(program_.text(atom.name()));
  }

  std::string library_type(Atom atom) const {
    switch (atom.kind()) {
      case AtomKind::Object:
        return std::string(program_.text(atom.name()));
      case AtomKind::ApiMethod:
        return library_name(atom);
      case AtomKind::Instance:
      case AtomKind::Class: {
        const auto& bases = inference_.api_bases(atom.type());
        return bases.empty() ? "" : std::string(program_.text(bases[0]));
      }
      case AtomKind::Text:
        return "<**PyStr**>";
      case AtomKind::Container:
        return literal_type(atom);
      default:
        return "";
    }
  }

  std::string literal_type(Atom container) const {
    const auto [maker, event] = program_.locate(container.a());
    switch (view_of(inference_, maker).at(event).op) {
      case Op::MakeDict:
        return "<**PyDict**>";
      case Op::MakeList:
        return "<**PyList**>";
      case Op::MakeTuple:
        return "<**PyTuple**>";
      case Op::MakeSet:
        return "<**PySet**>";
      default:
        return "";
    }
  }

  const engine::Inference& inference_;
  const Program& program_;
  std::vector<std::string> names_;  // by function; empty: the body of the package that names start from
  CallGraph graph_;
  FuncId caller_;
};

CallGraph call_graph(const engine::Inference& inference) {
  return CallGraphMaker(inference).run();
}

std::string render_pycg(const CallGraph& graph) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [caller, callees] : graph) {
    nlohmann::json& list = json[valid_utf8(caller)] = nlohmann::json::array();
    for (const std::string& callee : callees) list.push_back(valid_utf8(callee));
  }
  return json.dump(2) + "\n";
}

}  // namespace deadgrad::report
