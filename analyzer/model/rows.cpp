#include "analyzer/model/rows.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <array>
#include <span>
#include <unordered_set>
#include <utility>

#include "analyzer/base/nearest.h"

namespace deadgrad::model {
namespace {

template <class Enum>
using Words = std::span<const std::pair<std::string_view, Enum>>;

constexpr std::pair<std::string_view, Guard> kGuards[] = {{"off", Guard::Off},
                                                          {"on", Guard::On},
                                                          {"argument", Guard::Argument},
                                                          {"inverse_argument", Guard::InverseArgument}};
constexpr std::pair<std::string_view, GuardKind> kGuardKinds[] = {{"no_grad", GuardKind::NoGrad},
                                                                  {"inference", GuardKind::Inference},
                                                                  {"enable_grad", GuardKind::EnableGrad},
                                                                  {"set_grad", GuardKind::SetGrad},
                                                                  {"dispatch", GuardKind::Dispatch}};
constexpr std::pair<std::string_view, bool GuardForms::*> kForms[] = {{"scope", &GuardForms::scope},
                                                                      {"decorator", &GuardForms::decorator},
                                                                      {"bare_decorator", &GuardForms::bare_decorator},
                                                                      {"call", &GuardForms::call}};
constexpr std::pair<std::string_view, Shape> kShapes[] = {
    {"unknown", Shape::Unknown},   {"module", Shape::Module},       {"tensor", Shape::Tensor},
    {"plain", Shape::Plain},       {"optimizer", Shape::Optimizer}, {"loader", Shape::Loader},
    {"argument", Shape::Argument}, {"receiver", Shape::Receiver},   {"container", Shape::Container},
    {"elements", Shape::Elements}, {"element", Shape::Element},     {"class", Shape::Class},
    {"object", Shape::Object}};
constexpr std::pair<std::string_view, Graph> kGraphs[] = {
    {"unknown", Graph::Unknown}, {"keep", Graph::Keep}, {"cut", Graph::Cut}};
constexpr std::pair<std::string_view, Parameters> kParameters[] = {
    {"grad", Parameters::Grad}, {"mixed", Parameters::Mixed}, {"frozen", Parameters::Frozen}};
constexpr std::pair<std::string_view, Backward> kBackwards[] = {
    {"receiver", Backward::Receiver}, {"argument", Backward::Argument}, {"all_arguments", Backward::AllArguments}};
constexpr std::pair<std::string_view, Forward> kForwards[] = {
    {"runs", Forward::Runs}, {"guarded", Forward::Guarded}, {"calls_argument", Forward::CallsArgument}};
constexpr std::pair<std::string_view, InPlace> kInPlaces[] = {{"accumulates", InPlace::Accumulates},
                                                              {"replaces", InPlace::Replaces}};
constexpr std::pair<std::string_view, Freeze> kFreezes[] = {
    {"freezes", Freeze::Freezes}, {"unfreezes", Freeze::Unfreezes}, {"by_argument", Freeze::ByArgument}};
constexpr std::pair<std::string_view, Entry> kEntries[] = {
    {"handler", Entry::Handler}, {"script", Entry::Script}, {"test", Entry::Test}, {"guarded", Entry::Guarded}};
constexpr std::pair<std::string_view, HookMode> kHookModes[] = {{"caller", HookMode::Caller},
                                                                {"train", HookMode::Train},
                                                                {"guarded", HookMode::Guarded},
                                                                {"unguarded", HookMode::Unguarded}};
constexpr std::pair<std::string_view, Proof> kProofs[] = {{"source", Proof::Source},
                                                          {"measured", Proof::Measured},
                                                          {"documentation", Proof::Documentation},
                                                          {"issue", Proof::Issue},
                                                          {"guess", Proof::Guess}};

// Reads values of one text and keeps the first mistake; after a mistake further reads do no harm.
class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  std::optional<Error> error;
  std::string where;  // "[[effect]]": the table being read
  // Symbols already seen in this text: a row may replace another text's row, never one of its own text.
  std::unordered_set<std::string> seen;

  void fail(const toml::source_region& at, const std::string& message) {
    if (!error) error = Error{file_ + ":" + std::to_string(at.begin.line) + ": " + message};
  }
  void fail(const toml::node& node, const std::string& message) { fail(node.source(), message); }

  void text(const toml::node& node, std::string& out) {
    if (const auto* value = node.as_string()) {
      out = value->get();
    } else {
      wrong_type(node, "a string");
    }
  }
  void texts(const toml::node& node, std::vector<std::string>& out) {
    const toml::array* array = node.as_array();
    if (!array) return wrong_type(node, "an array of strings");
    for (const toml::node& element : *array) text(element, out.emplace_back());
  }
  void text_or_texts(const toml::node& node, std::vector<std::string>& out) {
    node.is_string() ? text(node, out.emplace_back()) : texts(node, out);
  }
  void flag(const toml::node& node, bool& out) {
    if (const auto* value = node.as_boolean()) {
      out = value->get();
    } else {
      wrong_type(node, "true or false");
    }
  }
  void number(const toml::node& node, double& out) {
    if (auto value = node.value<double>()) {
      out = *value;
    } else {
      wrong_type(node, "a number");
    }
  }
  void version(const toml::node& node, TorchVersion& out) {
    const auto* value = node.as_string();
    const auto parsed = value ? parse_torch_version(value->get()) : std::nullopt;
    parsed ? void(out = *parsed) : wrong_type(node, "a release such as \"1.9\"");
  }
  template <class Enum, std::size_t N>
  void word(const toml::node& node, const std::pair<std::string_view, Enum> (&words)[N], Enum& out) {
    std::string written;
    text(node, written);
    if (error) return;
    for (const auto& [name, value] : words) {
      if (name == written) {
        out = value;
        return;
      }
    }
    std::array<std::string_view, N> names;
    for (std::size_t i = 0; i < N; ++i) names[i] = words[i].first;
    fail(node, "unknown word '" + written + "' for '" + key_ + "' in " + where + did_you_mean(written, names));
  }

  template <class Row>
  struct Field {
    std::string_view key;
    void (*read)(Reader&, const toml::node&, Row&);
  };
  template <class Row, std::size_t N>
  void fields(const toml::table& table, const Field<Row> (&known)[N], Row& row) {
    for (const auto& [key, node] : table) {
      if (error) return;
      key_ = std::string(key.str());
      const Field<Row>* found = nullptr;
      for (const Field<Row>& field : known) {
        if (field.key == key.str()) found = &field;
      }
      if (!found) {
        std::array<std::string_view, N> names;
        for (std::size_t i = 0; i < N; ++i) names[i] = known[i].key;
        return fail(key.source(), "unknown key '" + key_ + "' in " + where + did_you_mean(key.str(), names));
      }
      found->read(*this, node, row);
    }
  }
  void wrong_type(const toml::node& node, const std::string& wanted) {
    fail(node, "'" + key_ + "' in " + where + " must be " + wanted);
  }
  void missing(const toml::table& table, const std::string& key, const std::string& because = "") {
    fail(table, where + " needs '" + key + "'" + because);
  }

 private:
  std::string file_;
  std::string key_;
};

template <class Row>
using Field = Reader::Field<Row>;

// What each table may say about itself; `names` are the symbols that the row speaks of.
struct Head {
  std::vector<std::string> symbols;
  std::vector<std::string> prefixes;
  std::string source, note;
};

template <class Body>
struct Row {
  Head head;
  Body body;
};

void read_argument(Reader& reader, const toml::node& node, ArgumentRef& out) {
  if (const auto* position = node.as_integer()) {
    out.position = static_cast<int>(position->get());
  } else if (const auto* keyword = node.as_string()) {
    out.keyword = keyword->get();
  } else if (const toml::table* table = node.as_table()) {
    static constexpr Field<ArgumentRef> kFields[] = {
        {"position",
         [](Reader& r, const toml::node& n, ArgumentRef& a) {
           const auto* value = n.as_integer();
           value ? void(a.position = static_cast<int>(value->get())) : r.wrong_type(n, "an integer");
         }},
        {"keyword", [](Reader& r, const toml::node& n, ArgumentRef& a) { r.text(n, a.keyword); }},
    };
    reader.fields(*table, kFields, out);
  } else {
    reader.wrong_type(node, "a position, a keyword, or { position = 0, keyword = \"mode\" }");
  }
}

void read_result(Reader& reader, const toml::node& node, ResultFacts& out) {
  static constexpr Field<ResultFacts> kFields[] = {
      {"shape", [](Reader& r, const toml::node& n, ResultFacts& f) { r.word(n, kShapes, f.shape); }},
      {"graph", [](Reader& r, const toml::node& n, ResultFacts& f) { r.word(n, kGraphs, f.graph); }},
      {"parameters", [](Reader& r, const toml::node& n, ResultFacts& f) { r.word(n, kParameters, f.parameters); }},
      {"same_as", [](Reader& r, const toml::node& n, ResultFacts& f) { read_argument(r, n, f.same_as); }},
      {"class", [](Reader& r, const toml::node& n, ResultFacts& f) { r.text(n, f.class_symbol); }},
      {"of_receiver_class", [](Reader& r, const toml::node& n, ResultFacts& f) { r.flag(n, f.of_receiver_class); }},
  };
  const toml::table* table = node.as_table();
  if (!table) return reader.wrong_type(node, "a table { shape = …, graph = … }");
  reader.fields(*table, kFields, out);
  if (out.shape == Shape::Argument && !out.same_as.valid())
    reader.missing(*table, "same_as", " for shape \"argument\"");
}

void read_results(Reader& reader, const toml::node& node, std::vector<ResultFacts>& out) {
  const toml::array* array = node.as_array();
  if (!array) return reader.wrong_type(node, "an array of tables, one per position");
  for (const toml::node& element : *array) read_result(reader, element, out.emplace_back());
}

void read_forms(Reader& reader, const toml::node& node, GuardForms& out) {
  const toml::array* array = node.as_array();
  if (!array) return reader.wrong_type(node, "an array of forms");
  for (const toml::node& element : *array) {
    bool GuardForms::* form = nullptr;
    reader.word(element, kForms, form);
    if (form) out.*form = true;
  }
}

using EffectRow = Row<Effect>;
constexpr Field<EffectRow> kEffectFields[] = {
    {"symbol", [](Reader& r, const toml::node& n, EffectRow& e) { r.text(n, e.head.symbols.emplace_back()); }},
    {"symbols", [](Reader& r, const toml::node& n, EffectRow& e) { r.texts(n, e.head.symbols); }},
    {"prefix", [](Reader& r, const toml::node& n, EffectRow& e) { r.text_or_texts(n, e.head.prefixes); }},
    {"only_if_imported", [](Reader& r, const toml::node& n, EffectRow& e) { r.texts(n, e.body.only_if_imported); }},
    {"guard", [](Reader& r, const toml::node& n, EffectRow& e) { r.word(n, kGuards, e.body.guard); }},
    {"guard_kind", [](Reader& r, const toml::node& n, EffectRow& e) { r.word(n, kGuardKinds, e.body.guard_kind); }},
    {"forms", [](Reader& r, const toml::node& n, EffectRow& e) { read_forms(r, n, e.body.forms); }},
    {"guard_argument",
     [](Reader& r, const toml::node& n, EffectRow& e) { read_argument(r, n, e.body.guard_argument); }},
    {"guard_default", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.guard_default); }},
    {"since", [](Reader& r, const toml::node& n, EffectRow& e) { r.version(n, e.body.since); }},
    {"bare_decorator_since",
     [](Reader& r, const toml::node& n, EffectRow& e) { r.version(n, e.body.bare_decorator_since); }},
    {"undone_when_dropped",
     [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.undone_when_dropped); }},
    {"context_manager", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.context_manager); }},
    {"result", [](Reader& r, const toml::node& n, EffectRow& e) { read_result(r, n, e.body.results.emplace_back()); }},
    {"results", [](Reader& r, const toml::node& n, EffectRow& e) { read_results(r, n, e.body.results); }},
    {"cut_by", [](Reader& r, const toml::node& n, EffectRow& e) { r.texts(n, e.body.cut_by); }},
    {"raises_if_attached", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.raises_if_attached); }},
    {"backward", [](Reader& r, const toml::node& n, EffectRow& e) { r.word(n, kBackwards, e.body.backward); }},
    {"backward_argument",
     [](Reader& r, const toml::node& n, EffectRow& e) { read_argument(r, n, e.body.backward_argument); }},
    {"retains_graph_argument",
     [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.retains_graph_argument); }},
    {"optimizer_step", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.optimizer_step); }},
    {"zero_grad", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.zero_grad); }},
    {"forward", [](Reader& r, const toml::node& n, EffectRow& e) { r.word(n, kForwards, e.body.forward); }},
    {"callee", [](Reader& r, const toml::node& n, EffectRow& e) { read_argument(r, n, e.body.callee); }},
    {"freeze", [](Reader& r, const toml::node& n, EffectRow& e) { r.word(n, kFreezes, e.body.freeze); }},
    {"freeze_argument",
     [](Reader& r, const toml::node& n, EffectRow& e) { read_argument(r, n, e.body.freeze_argument); }},
    {"iterates_parameters",
     [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.iterates_parameters); }},
    {"in_place", [](Reader& r, const toml::node& n, EffectRow& e) { r.word(n, kInPlaces, e.body.in_place); }},
    {"stores_argument", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.stores_argument); }},
    {"spawns", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.spawns); }},
    {"spawn_inherits", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.spawn_inherits); }},
    {"calls_callee", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.calls_callee); }},
    {"entry", [](Reader& r, const toml::node& n, EffectRow& e) { r.word(n, kEntries, e.body.entry); }},
    {"module_evidence", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.module_evidence); }},
    {"eval_mode", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.eval_mode); }},
    {"loads_weights", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.loads_weights); }},
    {"identity_wrapper", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.identity_wrapper); }},
    {"partial", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.partial); }},
    {"attribute", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.attribute); }},
    {"makes_super", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.makes_super); }},
    {"reads_attribute", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.reads_attribute); }},
    {"imports_module", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.imports_module); }},
    {"dead_flag", [](Reader& r, const toml::node& n, EffectRow& e) { r.text(n, e.body.dead_flag); }},
    {"enters_context", [](Reader& r, const toml::node& n, EffectRow& e) { r.flag(n, e.body.enters_context); }},
    {"proof", [](Reader& r, const toml::node& n, EffectRow& e) { r.word(n, kProofs, e.body.proof); }},
    {"source", [](Reader& r, const toml::node& n, EffectRow& e) { r.text(n, e.head.source); }},
    {"note", [](Reader& r, const toml::node& n, EffectRow& e) { r.text(n, e.head.note); }},
};

using ClassRowRow = Row<ClassRow>;
constexpr Field<ClassRowRow> kClassFields[] = {
    {"symbol", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.text(n, c.head.symbols.emplace_back()); }},
    {"symbols", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.texts(n, c.head.symbols); }},
    {"prefix", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.text_or_texts(n, c.head.prefixes); }},
    {"bases", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.texts(n, c.body.bases); }},
    {"shape", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.word(n, kShapes, c.body.shape.emplace()); }},
    {"parameters",
     [](Reader& r, const toml::node& n, ClassRowRow& c) { r.word(n, kParameters, c.body.parameters.emplace()); }},
    {"deployed", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.flag(n, c.body.is_deployed); }},
    {"may_be_frozen", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.flag(n, c.body.may_be_frozen); }},
    {"bare", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.flag(n, c.body.is_bare); }},
    {"has_parameters",
     [](Reader& r, const toml::node& n, ClassRowRow& c) { r.flag(n, c.body.has_parameters.emplace()); }},
    {"capitalised", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.flag(n, c.body.capitalised); }},
    {"not_a_class", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.flag(n, c.body.not_a_class); }},
    {"proof", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.word(n, kProofs, c.body.proof); }},
    {"source", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.text(n, c.head.source); }},
    {"note", [](Reader& r, const toml::node& n, ClassRowRow& c) { r.text(n, c.head.note); }},
};

using HookRow = Row<HookFacts>;
constexpr Field<HookRow> kHookFields[] = {
    {"base", [](Reader& r, const toml::node& n, HookRow& h) { r.text(n, h.head.symbols.emplace_back()); }},
    {"bases", [](Reader& r, const toml::node& n, HookRow& h) { r.texts(n, h.head.symbols); }},
    {"methods", [](Reader& r, const toml::node& n, HookRow& h) { r.texts(n, h.body.methods); }},
    {"mode", [](Reader& r, const toml::node& n, HookRow& h) { r.word(n, kHookModes, h.body.mode); }},
    {"proof", [](Reader& r, const toml::node& n, HookRow& h) { r.word(n, kProofs, h.body.proof); }},
    {"source", [](Reader& r, const toml::node& n, HookRow& h) { r.text(n, h.head.source); }},
    {"note", [](Reader& r, const toml::node& n, HookRow& h) { r.text(n, h.head.note); }},
};

using AliasRowRow = Row<AliasRow>;
constexpr Field<AliasRowRow> kAliasFields[] = {
    {"symbol", [](Reader& r, const toml::node& n, AliasRowRow& a) { r.text(n, a.head.symbols.emplace_back()); }},
    {"symbols", [](Reader& r, const toml::node& n, AliasRowRow& a) { r.texts(n, a.head.symbols); }},
    {"prefix", [](Reader& r, const toml::node& n, AliasRowRow& a) { r.text_or_texts(n, a.head.prefixes); }},
    {"of", [](Reader& r, const toml::node& n, AliasRowRow& a) { r.text(n, a.body.of); }},
    {"proof",
     [](Reader& r, const toml::node& n, AliasRowRow&) {
       Proof p;
       r.word(n, kProofs, p);
     }},
    {"source", [](Reader& r, const toml::node& n, AliasRowRow& a) { r.text(n, a.head.source); }},
    {"note", [](Reader& r, const toml::node& n, AliasRowRow& a) { r.text(n, a.head.note); }},
};

using RootRowRow = Row<RootRow>;
constexpr Field<RootRowRow> kRootFields[] = {
    {"name", [](Reader& r, const toml::node& n, RootRowRow& a) { r.text(n, a.head.symbols.emplace_back()); }},
    {"names", [](Reader& r, const toml::node& n, RootRowRow& a) { r.texts(n, a.head.symbols); }},
    {"data_only", [](Reader& r, const toml::node& n, RootRowRow& a) { r.flag(n, a.body.data_only); }},
    {"torch", [](Reader& r, const toml::node& n, RootRowRow& a) { r.flag(n, a.body.torch); }},
    {"proof",
     [](Reader& r, const toml::node& n, RootRowRow&) {
       Proof p;
       r.word(n, kProofs, p);
     }},
    {"source", [](Reader& r, const toml::node& n, RootRowRow& a) { r.text(n, a.head.source); }},
    {"note", [](Reader& r, const toml::node& n, RootRowRow& a) { r.text(n, a.head.note); }},
};

struct NamesRow {
  std::vector<NameRow> odds;
  std::vector<std::string> models;
};
using NamesRowRow = Row<NamesRow>;
void read_odds(Reader& reader, const toml::node& node, NamesRowRow& row) {
  const toml::table* table = node.as_table();
  if (!table) return reader.wrong_type(node, "a table { name = log2 odds }");
  for (const auto& [key, value] : *table) {
    NameRow& name = row.body.odds.emplace_back();
    name.name = std::string(key.str());
    reader.number(value, name.odds);
  }
}
constexpr Field<NamesRowRow> kNamesFields[] = {
    {"odds", read_odds},
    {"models", [](Reader& r, const toml::node& n, NamesRowRow& a) { r.texts(n, a.body.models); }},
    {"proof",
     [](Reader& r, const toml::node& n, NamesRowRow&) {
       Proof p;
       r.word(n, kProofs, p);
     }},
    {"source", [](Reader& r, const toml::node& n, NamesRowRow& a) { r.text(n, a.head.source); }},
    {"note", [](Reader& r, const toml::node& n, NamesRowRow& a) { r.text(n, a.head.note); }},
};

// Every prefix in front of every symbol; a symbol twice in one text is a mistake.
std::vector<std::string> spelled(Reader& reader, const toml::table& table, const Head& head, const std::string& key,
                                 const std::string& gate = "") {
  if (head.symbols.empty()) reader.missing(table, key);
  std::vector<std::string> prefixes = head.prefixes.empty() ? std::vector<std::string>{""} : head.prefixes;
  std::vector<std::string> all;
  for (const std::string& prefix : prefixes) {
    for (const std::string& symbol : head.symbols) {
      std::string name = prefix + symbol;
      if (name.empty()) reader.fail(table, "empty symbol in " + reader.where);
      if (!reader.seen.insert(reader.where + name + gate).second) {
        reader.fail(table, "'" + name + "' stands in " + reader.where + " twice");
      }
      all.push_back(std::move(name));
    }
  }
  return all;
}

void check_effect(Reader& reader, const toml::table& table, const Effect& effect) {
  const GuardForms& forms = effect.forms;
  bool has_form = forms.scope || forms.decorator || forms.bare_decorator || forms.call;
  bool by_argument = effect.guard == Guard::Argument || effect.guard == Guard::InverseArgument;
  if (effect.guard != Guard::None && !has_form) reader.missing(table, "forms", " beside 'guard'");
  if (effect.guard != Guard::None && effect.guard_kind == GuardKind::None) {
    reader.missing(table, "guard_kind", " beside 'guard'");
  }
  if (by_argument && !effect.guard_argument.valid()) reader.missing(table, "guard_argument", " for this 'guard'");
  if (effect.backward == Backward::Argument && !effect.backward_argument.valid()) {
    reader.missing(table, "backward_argument", " for backward = \"argument\"");
  }
  bool uses_callee =
      effect.forward == Forward::CallsArgument || effect.spawns || effect.calls_callee || effect.enters_context;
  if (uses_callee && !effect.callee.valid()) reader.missing(table, "callee", " to name the function it runs");
  if (effect.freeze == Freeze::ByArgument && !effect.freeze_argument.valid()) {
    reader.missing(table, "freeze_argument", " for freeze = \"by_argument\"");
  }
  if (table.contains("result") && table.contains("results")) {
    reader.fail(table, "'result' and 'results' in one " + reader.where);
  }
}

void read_effect(Reader& reader, const toml::table& table, Rows& rows) {
  EffectRow row;
  row.body.proof = Proof::Documentation;
  reader.fields(table, kEffectFields, row);
  check_effect(reader, table, row.body);
  std::string gate;
  for (const std::string& root : row.body.only_if_imported) gate += " " + root;
  for (std::string& symbol : spelled(reader, table, row.head, "symbol", gate)) {
    rows.effects.push_back(row.body);
    rows.effects.back().symbol = std::move(symbol);
  }
}

void read_class(Reader& reader, const toml::table& table, Rows& rows) {
  ClassRowRow row;
  reader.fields(table, kClassFields, row);
  for (std::string& symbol : spelled(reader, table, row.head, "symbol")) {
    rows.classes.push_back(row.body);
    rows.classes.back().symbol = std::move(symbol);
  }
}

void read_hook(Reader& reader, const toml::table& table, Rows& rows) {
  HookRow row;
  row.body.proof = Proof::Documentation;
  reader.fields(table, kHookFields, row);
  if (row.body.methods.empty()) reader.missing(table, "methods");
  if (!table.contains("mode")) reader.missing(table, "mode");
  if (row.head.symbols.empty()) reader.missing(table, "base");
  for (std::string& base : row.head.symbols) {
    rows.hooks.push_back(row.body);
    rows.hooks.back().base = std::move(base);
  }
}

void read_alias(Reader& reader, const toml::table& table, Rows& rows) {
  AliasRowRow row;
  reader.fields(table, kAliasFields, row);
  if (row.body.of.empty()) reader.missing(table, "of");
  for (std::string& symbol : spelled(reader, table, row.head, "symbol")) {
    if (symbol.ends_with('*') != row.body.of.ends_with('*')) {
      reader.fail(table, "'" + symbol + "' and '" + row.body.of + "' must both end in '*' or neither");
    }
    rows.aliases.push_back({std::move(symbol), row.body.of});
  }
}

void read_root(Reader& reader, const toml::table& table, Rows& rows) {
  RootRowRow row;
  reader.fields(table, kRootFields, row);
  for (std::string& name : spelled(reader, table, row.head, "name")) {
    rows.roots.push_back(row.body);
    rows.roots.back().name = std::move(name);
  }
}

void read_names(Reader& reader, const toml::table& table, Rows& rows) {
  NamesRowRow row;
  reader.fields(table, kNamesFields, row);
  rows.names.insert(rows.names.end(), row.body.odds.begin(), row.body.odds.end());
  rows.model_names.insert(rows.model_names.end(), row.body.models.begin(), row.body.models.end());
}

struct Table {
  std::string_view name;
  void (*read)(Reader&, const toml::table&, Rows&);
};
constexpr Table kTables[] = {{"effect", read_effect}, {"class", read_class}, {"hook", read_hook},
                             {"alias", read_alias},   {"root", read_root},   {"names", read_names}};

void read_table(Reader& reader, const toml::key& key, const toml::node& node, Rows& rows) {
  const Table* found = nullptr;
  for (const Table& table : kTables) {
    if (table.name == key.str()) found = &table;
  }
  std::string name(key.str());
  if (!found) {
    std::array<std::string_view, std::size(kTables)> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kTables[i].name;
    return reader.fail(key.source(), "unknown table '" + name + "'" + did_you_mean(name, names));
  }
  reader.where = "[[" + name + "]]";
  const toml::array* array = node.as_array();
  if (!array) return reader.fail(key.source(), "'" + name + "' must be written [[" + name + "]]");
  for (const toml::node& element : *array) {
    const toml::table* table = element.as_table();
    if (!table) return reader.fail(element, "'" + name + "' must be written [[" + name + "]]");
    found->read(reader, *table, rows);
    if (reader.error) return;
  }
}

}  // namespace

Result<Rows> read_rows(std::string_view name, std::string_view text) {
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return Error{std::string(name) + ":" + std::to_string(error.source().begin.line) + ": " +
                 std::string(error.description())};
  }
  Rows rows;
  Reader reader{name};
  for (const auto& [key, node] : parsed.table()) {
    read_table(reader, key, node, rows);
    if (reader.error) return *reader.error;
  }
  return rows;
}

}  // namespace deadgrad::model
