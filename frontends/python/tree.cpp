#include "frontends/python/tree.h"

#include "frontends/python/utf8.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

extern "C" const TSLanguage* tree_sitter_python(void);

namespace deadgrad::python {

NodeId Tree::child(NodeId id, Field field) const {
  for (NodeId child : children(id)) {
    if (nodes_[child.index].field == field) return child;
  }
  return {};
}

NodeId Tree::first_child(NodeId id, Kind kind) const {
  for (NodeId child : children(id)) {
    if (nodes_[child.index].kind == kind) return child;
  }
  return {};
}

NodeId Tree::only_child(NodeId id) const {
  for (NodeId child : children(id)) {
    if (!is_token(child)) return child;
  }
  return {};
}

// What the grammar's symbol and field numbers mean to us.
struct Vocabulary {
  std::vector<Kind> kinds;
  std::vector<Field> fields;

  static const Vocabulary& get() {
    static const Vocabulary vocabulary;
    return vocabulary;
  }

 private:
  Vocabulary() {
    const TSLanguage* language = tree_sitter_python();
    kinds.resize(ts_language_symbol_count(language));
    for (TSSymbol symbol = 0; symbol < kinds.size(); ++symbol) kinds[symbol] = kind_of(language, symbol);
    fields.assign(ts_language_field_count(language) + 1, Field::None);
    static constexpr std::array<std::string_view, 31> kNames = {"alias",
                                                                "alternative",
                                                                "argument",
                                                                "arguments",
                                                                "attribute",
                                                                "body",
                                                                "cause",
                                                                "code",
                                                                "condition",
                                                                "consequence",
                                                                "definition",
                                                                "expression",
                                                                "format_specifier",
                                                                "function",
                                                                "guard",
                                                                "key",
                                                                "left",
                                                                "module_name",
                                                                "name",
                                                                "object",
                                                                "operator",
                                                                "operators",
                                                                "parameters",
                                                                "return_type",
                                                                "right",
                                                                "subject",
                                                                "subscript",
                                                                "superclasses",
                                                                "type",
                                                                "type_parameters",
                                                                "value"};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const TSFieldId field = ts_language_field_id_for_name(language, kNames[i].data(), kNames[i].size());
      if (field != 0) fields[field] = static_cast<Field>(i + 1);
    }
  }

  static Kind kind_of(const TSLanguage* language, TSSymbol symbol) {
    struct Entry {
      std::string_view text;
      Kind kind;
    };
    static constexpr Entry kNodes[] = {
#define DEADGRAD_NODE(name, text) {text, Kind::name},
#define DEADGRAD_TOKEN(name, text)
#include "frontends/python/kinds.def"
#undef DEADGRAD_NODE
#undef DEADGRAD_TOKEN
    };
    static constexpr Entry kTokens[] = {
#define DEADGRAD_NODE(name, text)
#define DEADGRAD_TOKEN(name, text) {text, Kind::name},
#include "frontends/python/kinds.def"
#undef DEADGRAD_NODE
#undef DEADGRAD_TOKEN
    };
    const std::string_view name = ts_language_symbol_name(language, symbol);
    if (ts_language_symbol_type(language, symbol) == TSSymbolTypeRegular) {
      for (const Entry& entry : kNodes) {
        if (entry.text == name) return entry.kind;
      }
      const bool dropped = name == "comment" || name == "line_continuation" || name == "string_content" ||
                           name == "escape_sequence" || name == "type_conversion";
      return dropped ? Kind::Dropped : Kind::Other;
    }
    for (const Entry& entry : kTokens) {
      if (entry.text == name) return entry.kind;
    }
    return Kind::Dropped;
  }
};

// Blocks and what ends with a block: tree-sitter puts the comments after the last statement inside.
static bool ends_with_last_child(Kind kind) {
  switch (kind) {
    case Kind::Block:
    case Kind::CaseClause:
    case Kind::ClassDefinition:
    case Kind::DecoratedDefinition:
    case Kind::ElifClause:
    case Kind::ElseClause:
    case Kind::ExceptClause:
    case Kind::FinallyClause:
    case Kind::ForStatement:
    case Kind::FunctionDefinition:
    case Kind::IfStatement:
    case Kind::MatchStatement:
    case Kind::TryStatement:
    case Kind::WhileStatement:
    case Kind::WithStatement:
      return true;
    default:
      return false;
  }
}

static bool comma_matters_in(Kind kind) {
  return kind == Kind::ExpressionStatement || kind == Kind::Subscript || kind == Kind::MatchStatement ||
         kind == Kind::CaseClause || kind == Kind::ForInClause;
}

// Walks tree-sitter's tree once. A struct rather than a function because Tree's nodes are private to all others.
struct TreeBuilder {
  std::string_view text;
  ir::Module& module;
  bool text_is_utf8;
  bool has_errors;
  const Vocabulary& vocabulary = Vocabulary::get();
  std::vector<Node> nodes = {};
  std::vector<std::uint32_t> open = {};  // the path from the root to the node being filled
  std::vector<StrId> operators = std::vector<StrId>(vocabulary.kinds.size());
  int error_notices = 0;

  void walk(TSTreeCursor& cursor) {
    while (true) {
      if (push(cursor) && ts_tree_cursor_goto_first_child(&cursor)) {
        open.push_back(static_cast<std::uint32_t>(nodes.size() - 1));
        continue;
      }
      while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
        if (!ts_tree_cursor_goto_parent(&cursor)) return;
        close();
      }
    }
  }

  void close() {
    Node& node = nodes[open.back()];
    open.pop_back();
    node.next = static_cast<std::uint32_t>(nodes.size());
    if (node.kind == Kind::TypeAliasStatement) read_as_assignment(node);
    if (!ends_with_last_child(node.kind)) return;
    std::uint32_t end = node.begin;
    // The last child is not linked from its parent; every child's end was final when it was closed.
    for (std::uint32_t child = static_cast<std::uint32_t>(&node - nodes.data()) + 1; child < node.next;
         child = nodes[child].next) {
      end = nodes[child].end;
    }
    if (end > node.begin) node.end = end;
  }

  // The grammar reads `type(self).cache = x` as a type alias named `(self).cache`.
  void read_as_assignment(Node& statement) {
    const std::uint32_t first = static_cast<std::uint32_t>(&statement - nodes.data()) + 1;
    std::uint32_t at = first;
    while (at < statement.next &&
           (nodes[at].kind == Kind::Type || nodes[at].kind == Kind::Attribute || nodes[at].kind == Kind::Subscript)) {
      ++at;
    }
    const bool is_place = at > first + 1 && at < statement.next;
    if (!is_place || (nodes[at].kind != Kind::ParenthesizedExpression && nodes[at].kind != Kind::Tuple)) return;
    statement.kind = Kind::Assignment;
    nodes[at].kind = Kind::TypeCall;
    for (std::uint32_t part = first; part <= at; ++part) nodes[part].begin = statement.begin;
  }

  // Adds the current node unless it carries no meaning, and says whether it may have children.
  bool push(TSTreeCursor& cursor) {
    const TSNode from = ts_tree_cursor_current_node(&cursor);
    const TSSymbol symbol = ts_node_symbol(from);
    Node node;
    node.begin = ts_node_start_byte(from);
    node.end = ts_node_end_byte(from);
    node.kind = symbol < vocabulary.kinds.size() ? vocabulary.kinds[symbol] : Kind::Error;
    if (has_errors) note_error(from, node);
    if (node.kind == Kind::Dropped && !is_operator_parent()) return false;
    node.field = vocabulary.fields[ts_tree_cursor_current_field_id(&cursor)];
    if (node.field == Field::Operator || node.field == Field::Operators) {
      node.kind = Kind::Operator;
      node.name = operator_name(symbol, from);
    }
    if (node.kind == Kind::Dropped) return false;
    if (node.kind == Kind::TokenComma && (open.empty() || !comma_matters_in(nodes[open.back()].kind))) return false;
    if (node.kind == Kind::Identifier) node.name = intern(text.substr(node.begin, node.end - node.begin));
    node.next = static_cast<std::uint32_t>(nodes.size() + 1);
    nodes.push_back(node);
    return node.kind < Kind::TokenAsync || node.kind == Kind::Error || node.kind == Kind::Other;
  }

  void note_error(TSNode from, Node& node) {
    if (node.kind == Kind::Error) {
      notice(node, "syntax error");
    } else if (node.begin == node.end && ts_node_is_missing(from)) {
      notice(node, ts_node_is_named(from) ? "syntax error: something is missing here"
                                          : "syntax error: a token is missing here");
      if (ts_node_is_named(from)) node.kind = Kind::Missing;
    }
  }

  // Comparisons and operators are the only places where a token without a kind of its own is kept.
  bool is_operator_parent() const {
    if (open.empty()) return false;
    const Kind kind = nodes[open.back()].kind;
    return kind == Kind::BinaryOperator || kind == Kind::ComparisonOperator || kind == Kind::BooleanOperator ||
           kind == Kind::UnaryOperator || kind == Kind::AugmentedAssignment;
  }

  StrId operator_name(TSSymbol symbol, TSNode node) {
    if (symbol >= operators.size()) return module.strings.intern("?");
    if (!operators[symbol].valid()) operators[symbol] = module.strings.intern(ts_node_type(node));
    return operators[symbol];
  }

  StrId intern(std::string_view name) {
    if (text_is_utf8) return module.strings.intern(name);
    std::string storage;
    return module.strings.intern(valid_utf8(name, storage));
  }

  void notice(const Node& node, const char* what) {
    if (++error_notices <= 20) module.notices.push_back({{node.begin, node.end}, what});
  }

  Tree finish(std::string_view original, std::optional<std::string> copy) {
    Tree tree;
    if (nodes.empty()) nodes.push_back(Node{Kind::Module, Field::None, 0, 0, 1, {}});
    tree.nodes_ = std::move(nodes);
    tree.original_ = original;
    tree.copy_ = std::move(copy);
    tree.is_utf8_ = text_is_utf8;
    return tree;
  }
};

// NUL bytes read as spaces and lone CRs as line feeds, as long as the original so that offsets stay.
static std::optional<std::string> normalised(std::string_view text, ir::Module& module) {
  std::optional<std::string> copy;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char* found = static_cast<const char*>(std::memchr(text.data() + i, '\r', text.size() - i));
    if (!found) break;
    i = static_cast<std::size_t>(found - text.data());
    if (i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (!copy) copy.emplace(text);
    (*copy)[i] = '\n';
  }
  if (const auto at = text.find('\0'); at != std::string_view::npos) {
    if (!copy) copy.emplace(text);
    std::ranges::replace(*copy, '\0', ' ');
    const auto offset = static_cast<std::uint32_t>(at);
    module.notices.push_back({{offset, offset + 1}, "the file holds NUL bytes; they are read as spaces"});
  }
  return copy;
}

// The text for the parser alone: as long as the original, with every run of comment lines joined to one comment. The
// grammar's scanner reads ahead to the run's end from each comment in it, which would take quadratic time. Strings that
// hold such lines still end where they did.
static std::optional<std::string> with_joined_comments(std::string_view text) {
  std::optional<std::string> copy;
  std::size_t run_end = std::string_view::npos;  // the end of the last comment line if only blank lines have followed
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    const std::size_t first = std::min(text.find_first_not_of(" \t\f\r", line), end);
    const bool is_comment = first < end && text[first] == '#';
    if (is_comment && run_end != std::string_view::npos) {
      if (!copy) copy.emplace(text);
      std::replace(copy->data() + run_end, copy->data() + line, '\n', ' ');
    }
    if (is_comment)
      run_end = end;
    else if (first < end)
      run_end = std::string_view::npos;
    line = end + 1;
  }
  return copy;
}

// Bytes that tree-sitter has asked for on this thread. Its hooks have no argument to carry a count in.
static thread_local std::int64_t allocated_bytes = 0;

static void count_allocations() {
  static const bool once = [] {
    ts_set_allocator(
        [](std::size_t size) {
          allocated_bytes += static_cast<std::int64_t>(size);
          return std::malloc(size);
        },
        [](std::size_t count, std::size_t size) {
          allocated_bytes += static_cast<std::int64_t>(count * size);
          return std::calloc(count, size);
        },
        [](void* old, std::size_t size) {
          allocated_bytes += static_cast<std::int64_t>(size);
          return std::realloc(old, size);
        },
        std::free);
    return true;
  }();
  static_cast<void>(once);
}

// Bounds the work of one parse by counts and not by time, so that the outcome does not depend on the machine.
// tree-sitter is linear on real code, but the following are quadratic: long runs of continued lines (the scanner reads
// ahead to their end from each of them) and long stretches without any structure (each token copies the list of those
// before it).
class Budget {
 public:
  explicit Budget(std::string_view text)
      : text_(text),
        steps_(10'000 + text.size() / 2),
        reads_(200'000 + 40 * (text.size() / kChunk)),
        most_bytes_(allocated_bytes + 100'000'000 + 1'000 * static_cast<std::int64_t>(text.size())) {}

  TSInput input() { return {this, read, TSInputEncodingUTF8, nullptr}; }
  TSParseOptions options() { return {this, step}; }
  bool is_spent() const { return reads_ < 0; }

 private:
  static constexpr std::size_t kChunk = 1024;

  // Called every 100 parse steps. Real files need at most a call per 50 bytes and, per byte, 90 of memory.
  static bool step(TSParseState* state) {
    auto& self = *static_cast<Budget*>(state->payload);
    return --self.steps_ < 0 || self.reads_ < 0 || allocated_bytes > self.most_bytes_;
  }

  static const char* read(void* payload, std::uint32_t offset, TSPoint, std::uint32_t* length) {
    auto& self = *static_cast<Budget*>(payload);
    if (offset >= self.text_.size() || --self.reads_ < 0) {
      *length = 0;
      return "";
    }
    *length = static_cast<std::uint32_t>(std::min(kChunk, self.text_.size() - offset));
    return self.text_.data() + offset;
  }

  std::string_view text_;
  std::int64_t steps_, reads_, most_bytes_;
};

Tree parse(std::string_view text, ir::Module& module) {
  struct Delete {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
    void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  };
  const bool is_utf8 = is_valid_utf8(text);
  std::optional<std::string> copy = normalised(text, module);
  std::string_view input = copy ? std::string_view(*copy) : text;
  const auto end = static_cast<std::uint32_t>(text.size());

  count_allocations();
  const std::unique_ptr<TSParser, Delete> parser(ts_parser_new());
  ts_parser_set_language(parser.get(), tree_sitter_python());
  const std::optional<std::string> joined = with_joined_comments(input);
  Budget budget(joined ? std::string_view(*joined) : input);
  std::unique_ptr<TSTree, Delete> parsed(
      ts_parser_parse_with_options(parser.get(), nullptr, budget.input(), budget.options()));
  if (budget.is_spent()) parsed.reset();  // it ended early
  if (!parsed) module.notices.push_back({{0, end}, "the file takes too many steps to parse and is not analysed"});

  const TSNode root = parsed ? ts_tree_root_node(parsed.get()) : TSNode{};
  TreeBuilder builder{
      .text = input, .module = module, .text_is_utf8 = is_utf8, .has_errors = parsed && ts_node_has_error(root)};
  if (parsed) {
    builder.nodes.reserve(text.size() / 6 + 16);
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    builder.walk(cursor);
    ts_tree_cursor_delete(&cursor);
  }
  if (builder.error_notices > 20) {
    module.notices.push_back(
        {{0, end}, std::to_string(builder.error_notices) + " syntax errors, of which 20 are listed"});
  }
  return builder.finish(text, std::move(copy));
}

}  // namespace deadgrad::python
