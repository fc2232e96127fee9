#include "analyzer/model/api_model.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include "analyzer/base/strings.h"
#include "analyzer/model/rows.h"

namespace deadgrad::model {

// A name cut at its last separator, `.` or `::`. Without a separator `parent` is empty.
struct Split {
  std::string_view parent, last;
  // The name up to and with the separator: globs are kept under it, so that "torch.*" and "torch::*" stay apart.
  std::string_view stem() const { return {parent.data(), static_cast<std::size_t>(last.data() - parent.data())}; }
};
static Split split_last(std::string_view symbol) {
  for (std::size_t i = symbol.size(); i-- > 0;) {
    if (symbol[i] == '.') return {symbol.substr(0, i), symbol.substr(i + 1)};
    if (symbol[i] == ':' && i > 0 && symbol[i - 1] == ':') return {symbol.substr(0, i - 1), symbol.substr(i + 1)};
  }
  return {{}, symbol};
}

static std::string_view first_component(std::string_view symbol) {
  return symbol.substr(0, symbol.find_first_of(".:"));
}

static bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
static bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
static char to_lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

static constexpr int kNone = -1;

// "prefix.before*after": matches direct children of `prefix` only. "prefix.*" is kept apart (it matches any depth).
struct Pattern {
  std::string before, after;
  int row = kNone;
  // A pattern that fixes the start of the name decides before one that does not ("TF*" before "*Model"), then the
  // longer.
  std::pair<bool, std::size_t> rank() const { return {!before.empty(), before.size() + after.size()}; }
  bool matches(std::string_view last) const {
    return last.size() >= before.size() + after.size() && last.starts_with(before) && last.ends_with(after);
  }
};

// What is known of one spelled name, or of one stem ("torch.", for its globs). Rows are indexes into the tables'
// deques, so a replaced row keeps its address.
struct Node {
  int row = kNone;   // the name itself
  int deep = kNone;  // stem + "*"
  std::vector<Pattern> patterns;
};

struct Alias {
  std::vector<std::string> components;  // of the pattern without the last `*`
  std::string of;                       // without the last `*`
};

using Gated = std::vector<int>;

// Names of one kind of row, by exact spelling and by glob.
struct Index {
  StringTable names;
  std::vector<Node> nodes;

  Node& at(std::string_view name) {
    StrId id = names.intern(name);
    if (id.index >= nodes.size()) nodes.resize(id.index + 1);
    return nodes[id.index];
  }
  const Node* find(std::string_view name) const {
    StrId id = names.find(name);
    return id.valid() ? &nodes[id.index] : nullptr;
  }
  // The place where the row of `symbol`, exact or glob, is kept.
  int& slot(std::string_view symbol) {
    Split split = split_last(symbol);
    std::string_view last = split.last;
    std::size_t star = split.parent.empty() ? std::string_view::npos : last.find('*');
    if (star == std::string_view::npos) return at(symbol).row;
    if (last == "*") return at(split.stem()).deep;
    std::vector<Pattern>& patterns = at(split.stem()).patterns;
    std::string before(last.substr(0, star)), after(last.substr(star + 1));
    for (Pattern& pattern : patterns) {
      if (pattern.before == before && pattern.after == after) return pattern.row;
    }
    Pattern added{std::move(before), std::move(after)};
    auto place = std::find_if(patterns.begin(), patterns.end(),
                              [&](const Pattern& pattern) { return pattern.rank() < added.rank(); });
    return patterns.insert(place, std::move(added))->row;
  }
  // Walks up the dots: the longest glob for which `accepts(row)` holds, or kNone.
  template <class Accepts>
  int find_glob(std::string_view symbol, Accepts accepts) const {
    Split split = split_last(symbol);
    if (split.parent.empty()) return kNone;
    if (const Node* node = find(split.stem())) {
      for (const Pattern& pattern : node->patterns) {
        if (pattern.matches(split.last) && accepts(pattern.row)) return pattern.row;
      }
    }
    for (; !split.parent.empty(); split = split_last(split.parent)) {
      const Node* node = find(split.stem());
      if (node && node->deep != kNone && accepts(node->deep)) return node->deep;
    }
    return kNone;
  }
};

struct ApiModel::Tables {
  StringTable known_roots;  // first components of all symbols: most names of a project are told apart here

  std::deque<Effect> effects;
  Index effect_index;
  std::unordered_map<std::uint64_t, int> members;  // (class name id, member name id) in effect_index.names
  StringTable any_names;                           // "name" of the rows "?.name"
  std::vector<Gated> any_rows;
  std::map<GuardKind, TorchVersion> first_with;

  std::deque<ClassRow> class_rows;
  std::deque<ClassFacts> classes;  // class_rows with inheritance applied, same indexes
  Index class_index;

  std::deque<HookFacts> hooks;
  std::unordered_map<std::string, std::vector<int>> hooks_of_base;

  StringTable alias_names;
  std::vector<std::string> alias_targets;
  StringTable alias_roots;
  std::vector<std::vector<Alias>> patterns_of_root;  // most components first

  StringTable data_only, torch_roots, model_names, odds_names;
  std::vector<double> odds;

  void add_effect(Effect&& effect);
  void add_any(Effect&& effect);
  void add_class(ClassRow&& row);
  void add_hook(HookFacts&& hook);
  void add_alias(AliasRow&& alias);
  void add_name(const NameRow& name);
  void resolve_classes();
  ClassFacts resolve(const ClassRow& row) const;

  int class_row(std::string_view symbol) const;
  int class_glob(std::string_view symbol) const;
  std::string canonical(std::string_view symbol) const;
  const Effect* own_member(std::string_view class_symbol, std::string_view name) const;
  const Effect* exact_effect(std::string_view symbol) const;
  template <class Visit>
  void visit_ancestors(std::string_view symbol, Visit visit) const;
};

static std::uint64_t member_key(StrId owner, StrId name) {
  return (static_cast<std::uint64_t>(owner.index) << 32) | name.index;
}

void ApiModel::Tables::add_any(Effect&& effect) {
  StrId id = any_names.intern(std::string_view(effect.symbol).substr(2));
  if (id.index >= any_rows.size()) any_rows.resize(id.index + 1);
  Gated& rows = any_rows[id.index];
  for (int row : rows) {
    if (effects[row].only_if_imported == effect.only_if_imported) {
      effects[row] = std::move(effect);
      return;
    }
  }
  bool gated = !effect.only_if_imported.empty();
  effects.push_back(std::move(effect));
  rows.insert(gated ? rows.begin() : rows.end(), static_cast<int>(effects.size()) - 1);
}

void ApiModel::Tables::add_effect(Effect&& effect) {
  if (effect.symbol.starts_with("?.")) return add_any(std::move(effect));
  known_roots.intern(first_component(effect.symbol));
  if (effect.since != TorchVersion()) {
    const auto [first, is_new] = first_with.emplace(effect.guard_kind, effect.since);
    if (!is_new) first->second = std::min(first->second, effect.since);
  }
  int& slot = effect_index.slot(effect.symbol);
  if (slot != kNone) {
    effects[slot] = std::move(effect);
    return;
  }
  int row = slot = static_cast<int>(effects.size());
  effects.push_back(std::move(effect));
  auto [parent, last] = split_last(effects.back().symbol);
  if (parent.empty() || last.find('*') != std::string_view::npos) return;
  effect_index.at(parent);
  effect_index.at(last);
  members[member_key(effect_index.names.find(parent), effect_index.names.find(last))] = row;
}

void ApiModel::Tables::add_class(ClassRow&& row) {
  known_roots.intern(first_component(row.symbol));
  int& slot = class_index.slot(row.symbol);
  if (slot != kNone) {
    class_rows[slot] = std::move(row);
    return;
  }
  slot = static_cast<int>(class_rows.size());
  class_rows.push_back(std::move(row));
  classes.emplace_back();
}

void ApiModel::Tables::add_hook(HookFacts&& hook) {
  std::vector<int>& rows = hooks_of_base[hook.base];
  rows.insert(rows.begin(), static_cast<int>(hooks.size()));
  hooks.push_back(std::move(hook));
}

void ApiModel::Tables::add_alias(AliasRow&& alias) {
  known_roots.intern(first_component(alias.symbol));
  if (!alias.symbol.ends_with('*')) {
    StrId id = alias_names.intern(alias.symbol);
    if (id.index >= alias_targets.size()) alias_targets.resize(id.index + 1);
    alias_targets[id.index] = std::move(alias.of);
    return;
  }
  Alias pattern;
  pattern.of = alias.of.substr(0, alias.of.size() - 1);
  std::string_view rest = split_last(alias.symbol).parent;
  while (!rest.empty()) {
    auto [parent, last] = split_last(rest);
    pattern.components.emplace(pattern.components.begin(), last);
    rest = parent;
  }
  StrId id = alias_roots.intern(pattern.components.front());
  if (id.index >= patterns_of_root.size()) patterns_of_root.resize(id.index + 1);
  std::vector<Alias>& patterns = patterns_of_root[id.index];
  auto place = std::find_if(patterns.begin(), patterns.end(),
                            [&](const Alias& other) { return other.components.size() <= pattern.components.size(); });
  if (place != patterns.end() && place->components == pattern.components) {
    *place = std::move(pattern);
  } else {
    patterns.insert(place, std::move(pattern));
  }
}

void ApiModel::Tables::add_name(const NameRow& name) {
  StrId id = odds_names.intern(name.name);
  if (id.index >= odds.size()) odds.resize(id.index + 1);
  odds[id.index] = name.odds;
}

// ---- aliases

// What follows the components of the pattern in `symbol`, or nothing. An inner `*` matches one component that starts in
// lower case: a module, not a class.
static std::string_view rest_after(std::string_view symbol, const std::vector<std::string>& components) {
  for (const std::string& wanted : components) {
    std::string_view component = first_component(symbol);
    bool fits =
        wanted == "*" ? !component.empty() && (is_lower(component[0]) || component[0] == '_') : component == wanted;
    if (!fits || component.size() == symbol.size()) return {};
    symbol.remove_prefix(component.size());
    symbol.remove_prefix(symbol.starts_with("::") ? 2 : 1);
  }
  return symbol;
}

// The other name of `symbol`, or "" when it has none.
static std::string alias_step(const StringTable& names, const std::vector<std::string>& targets,
                              const std::vector<Alias>* patterns, std::string_view symbol) {
  if (StrId id = names.find(symbol); id.valid()) return targets[id.index];
  if (!patterns) return {};
  for (const Alias& alias : *patterns) {
    if (std::string_view rest = rest_after(symbol, alias.components); !rest.empty()) {
      return alias.of + std::string(rest);
    }
  }
  return {};
}

// The name that the data use for `symbol`, or "" when it is used as it is. Aliases of aliases are followed a few times,
// so that a cycle in the data ends.
std::string ApiModel::Tables::canonical(std::string_view symbol) const {
  std::string result;
  for (int step = 0; step < 4; ++step) {
    StrId root = alias_roots.find(first_component(symbol));
    std::string next =
        alias_step(alias_names, alias_targets, root.valid() ? &patterns_of_root[root.index] : nullptr, symbol);
    // A member of an aliased class: "torch.FloatTensor.item".
    if (next.empty()) {
      auto [parent, last] = split_last(symbol);
      if (StrId id = alias_names.find(parent); id.valid() && !parent.empty()) {
        next = alias_targets[id.index] + std::string(symbol.substr(parent.size()));
      }
    }
    if (next.empty() || next == symbol) break;
    result = std::move(next);
    symbol = result;
  }
  return result;
}

// ---- classes

int ApiModel::Tables::class_glob(std::string_view symbol) const {
  std::string_view last = split_last(symbol).last;
  return class_index.find_glob(
      symbol, [&](int row) { return !class_rows[row].capitalised || (!last.empty() && is_upper(last[0])); });
}

// The row for `symbol`: exact, by alias, by glob. A row that says "not a class" counts as none.
int ApiModel::Tables::class_row(std::string_view symbol) const {
  if (!known_roots.find(first_component(symbol)).valid()) return kNone;
  int row = kNone;
  if (const Node* node = class_index.find(symbol)) row = node->row;
  if (row == kNone) {
    std::string other = canonical(symbol);
    if (!other.empty()) {
      if (const Node* node = class_index.find(other)) row = node->row;
      if (row == kNone) row = class_glob(other);
    } else {
      row = class_glob(symbol);
    }
  }
  return row != kNone && class_rows[row].not_a_class ? kNone : row;
}

// Calls visit(name, row or kNone) for `symbol` and its ancestors, nearest first, until visit returns true.
template <class Visit>
void ApiModel::Tables::visit_ancestors(std::string_view symbol, Visit visit) const {
  std::vector<std::string_view> queue{symbol};
  std::vector<int> rows;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    int row = class_row(queue[i]);
    std::string_view name = queue[i];
    // The spelling of the data, so that members are found under an alias too.
    if (row != kNone && class_rows[row].symbol.find('*') == std::string::npos) name = class_rows[row].symbol;
    if (visit(name, row)) return;
    if (row == kNone || std::find(rows.begin(), rows.end(), row) != rows.end()) continue;
    rows.push_back(row);
    for (const std::string& base : class_rows[row].bases) {
      if (std::find(queue.begin(), queue.end(), base) == queue.end()) queue.push_back(base);
    }
  }
}

// Fills what a row leaves out from its nearest ancestor that says it.
ClassFacts ApiModel::Tables::resolve(const ClassRow& own) const {
  std::optional<Shape> shape = own.shape;
  std::optional<Parameters> parameters = own.parameters;
  std::optional<bool> has_parameters = own.has_parameters;
  for (const std::string& base : own.bases) {
    visit_ancestors(base, [&](std::string_view, int row) {
      if (row == kNone) return false;
      if (!shape) shape = class_rows[row].shape;
      if (!parameters) parameters = class_rows[row].parameters;
      if (!has_parameters) has_parameters = class_rows[row].has_parameters;
      return shape && parameters && has_parameters;
    });
  }
  return {.symbol = own.symbol,
          .bases = own.bases,
          .shape = shape.value_or(Shape::Unknown),
          .parameters = parameters.value_or(Parameters::Grad),
          .is_deployed = own.is_deployed,
          .may_be_frozen = own.may_be_frozen,
          .is_bare = own.is_bare,
          .has_parameters = has_parameters.value_or(true),
          .proof = own.proof};
}

void ApiModel::Tables::resolve_classes() {
  for (std::size_t row = 0; row < class_rows.size(); ++row) classes[row] = resolve(class_rows[row]);
}

// ---- effects

const Effect* ApiModel::Tables::exact_effect(std::string_view symbol) const {
  const Node* node = effect_index.find(symbol);
  return node && node->row != kNone ? &effects[node->row] : nullptr;
}

const Effect* ApiModel::Tables::own_member(std::string_view class_symbol, std::string_view name) const {
  StrId owner = effect_index.names.find(class_symbol);
  if (!owner.valid()) return nullptr;
  StrId member = effect_index.names.find(name);
  if (!member.valid()) return nullptr;
  auto found = members.find(member_key(owner, member));
  return found == members.end() ? nullptr : &effects[found->second];
}

// ---- the public questions

ApiModel::ApiModel() : tables_(std::make_unique<Tables>()) {}
ApiModel::~ApiModel() = default;
ApiModel::ApiModel(ApiModel&&) noexcept = default;
ApiModel& ApiModel::operator=(ApiModel&&) noexcept = default;

Result<int> ApiModel::load(std::string_view name, std::string_view toml) {
  Result<Rows> read = read_rows(name, toml);
  if (!read) return read.error();
  Rows& rows = read.value();
  std::size_t count = rows.effects.size() + rows.classes.size() + rows.hooks.size() + rows.aliases.size() +
                      rows.roots.size() + rows.names.size() + rows.model_names.size();
  for (Effect& effect : rows.effects) tables_->add_effect(std::move(effect));
  for (ClassRow& row : rows.classes) tables_->add_class(std::move(row));
  for (HookFacts& hook : rows.hooks) tables_->add_hook(std::move(hook));
  for (AliasRow& alias : rows.aliases) tables_->add_alias(std::move(alias));
  for (const NameRow& row : rows.names) tables_->add_name(row);
  for (const RootRow& root : rows.roots) {
    if (root.data_only) tables_->data_only.intern(root.name);
    if (root.torch) tables_->torch_roots.intern(root.name);
  }
  for (const std::string& model : rows.model_names) tables_->model_names.intern(model);
  tables_->resolve_classes();
  return static_cast<int>(count);
}

const Effect* ApiModel::find(std::string_view symbol) const {
  const Tables& tables = *tables_;
  if (symbol.empty()) return nullptr;
  if (symbol.starts_with("?.")) {
    std::vector<const Effect*> rows = find_any(symbol.substr(2));
    return rows.empty() ? nullptr : rows.back();
  }
  if (const Effect* effect = tables.exact_effect(symbol)) return effect;
  if (symbol.find_first_of(".:") == std::string_view::npos) return tables.own_member("builtins", symbol);
  if (!tables.known_roots.find(first_component(symbol)).valid()) return nullptr;
  std::string other = tables.canonical(symbol);
  if (!other.empty()) {
    symbol = other;
    if (const Effect* effect = tables.exact_effect(symbol)) return effect;
  }
  auto [parent, last] = split_last(symbol);
  if (tables.class_row(parent) != kNone) {
    if (const Effect* effect = find_member(parent, last)) return effect;
  }
  // What making an instance does is said by the class; a glob of functions around it ("torch.*") says nothing of it.
  if (tables.class_row(symbol) != kNone) return nullptr;
  int glob = tables.effect_index.find_glob(symbol, [](int) { return true; });
  return glob == kNone ? nullptr : &tables.effects[glob];
}

std::vector<const Effect*> ApiModel::find_any(std::string_view name) const {
  std::vector<const Effect*> result;
  StrId id = tables_->any_names.find(name);
  if (!id.valid()) return result;
  for (int row : tables_->any_rows[id.index]) result.push_back(&tables_->effects[row]);
  return result;
}

const Effect* ApiModel::find_member(std::string_view class_symbol, std::string_view name) const {
  const Effect* found = nullptr;
  tables_->visit_ancestors(class_symbol, [&](std::string_view owner, int row) {
    found = tables_->own_member(owner, name);
    // The members of a glob: "transformers.*Pipeline.preprocess".
    if (!found && row != kNone) found = tables_->own_member(tables_->class_rows[row].symbol, name);
    return found != nullptr;
  });
  return found;
}

TorchVersion ApiModel::first_with(GuardKind kind) const {
  const auto found = tables_->first_with.find(kind);
  return found == tables_->first_with.end() ? TorchVersion() : found->second;
}

const ClassFacts* ApiModel::find_class(std::string_view symbol) const {
  int row = tables_->class_row(symbol);
  return row == kNone ? nullptr : &tables_->classes[row];
}

std::vector<std::string_view> ApiModel::ancestors(std::string_view symbol) const {
  std::vector<std::string_view> result;
  tables_->visit_ancestors(symbol, [&](std::string_view name, int) {
    result.push_back(name);
    return false;
  });
  return result;
}

static bool names_method(const HookFacts& hook, std::string_view method) {
  for (std::string_view pattern : hook.methods) {
    if (pattern == method) return true;
    if (pattern.ends_with('*') && method.starts_with(pattern.substr(0, pattern.size() - 1))) return true;
  }
  return false;
}

const HookFacts* ApiModel::find_hook(std::string_view base_symbol, std::string_view method) const {
  const HookFacts* found = nullptr;
  tables_->visit_ancestors(base_symbol, [&](std::string_view base, int) {
    auto rows = tables_->hooks_of_base.find(std::string(base));
    if (rows == tables_->hooks_of_base.end()) return false;
    for (int row : rows->second) {
      if (!found && names_method(tables_->hooks[row], method)) found = &tables_->hooks[row];
    }
    return found != nullptr;
  });
  return found;
}

bool ApiModel::is_data_only(std::string_view root) const {
  return tables_->data_only.find(root).valid();
}
bool ApiModel::is_torch_root(std::string_view root) const {
  return tables_->torch_roots.find(root).valid();
}

// The lower-case words of a name: "EvalStep_2" gives "eval", "step".
static std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool open = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    bool letter = is_upper(c) || is_lower(c);
    bool starts = letter && (!open || (is_upper(c) && i > 0 && is_lower(name[i - 1])));
    if (starts) words.emplace_back();
    if (letter) words.back() += to_lower(c);
    open = letter;
  }
  return words;
}

double ApiModel::name_odds(std::string_view name) const {
  const Tables& tables = *tables_;
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), to_lower);
  if (StrId id = tables.odds_names.find(lower); id.valid()) return tables.odds[id.index];
  double sum = 0;
  for (const std::string& word : words_of(name)) {
    if (StrId id = tables.odds_names.find(word); id.valid()) sum += tables.odds[id.index];
  }
  return std::clamp(sum, -10.0, 10.0);
}

bool ApiModel::is_model_name(std::string_view name) const {
  while (name.starts_with('_')) name.remove_prefix(1);
  if (tables_->model_names.find(name).valid()) return true;
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  if (name.ends_with('_')) name.remove_suffix(1);
  std::size_t underscore = name.rfind('_');
  std::string_view last = underscore == std::string_view::npos ? name : name.substr(underscore + 1);
  return tables_->model_names.find(name).valid() || tables_->model_names.find(last).valid();
}

}  // namespace deadgrad::model
