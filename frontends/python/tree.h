// The syntax tree as one flat array in pre-order, made from tree-sitter's tree in one cursor walk. Every later pass
// works on it: children and fields are found without tree-sitter's searches, and no walk needs recursion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ir/ir.h"

namespace deadgrad::python {

enum class Kind : std::uint8_t {
#define DEADGRAD_NODE(name, text) name,
#define DEADGRAD_TOKEN(name, text) name,
#include "frontends/python/kinds.def"
#undef DEADGRAD_NODE
#undef DEADGRAD_TOKEN
  Operator,  // a token in the grammar's field `operator` or `operators`; Node::name is its text
  Error,     // text that fits nowhere; holds the pieces that could be read
  TypeCall,  // `type(x)` where the grammar takes `type` for a keyword; the children are the arguments
  Missing,   // an empty place where the grammar wants a node
  Other,     // a named node that no pass knows
  Dropped,   // never in the array
};

enum class Field : std::uint8_t {
  None,
  Alias,
  Alternative,
  Argument,
  Arguments,
  Attribute,
  Body,
  Cause,
  Code,
  Condition,
  Consequence,
  Definition,
  Expression,
  FormatSpecifier,
  Function,
  Guard,
  Key,
  Left,
  ModuleName,
  Name,
  Object,
  Operator,
  Operators,
  Parameters,
  ReturnType,
  Right,
  Subject,
  Subscript,
  Superclasses,
  Type,
  TypeParameters,
  Value,
};

struct NodeTag;
using NodeId = Id<NodeTag>;

struct Node {
  Kind kind = Kind::Other;
  Field field = Field::None;         // the role in the parent
  std::uint32_t begin = 0, end = 0;  // bytes of the file; trailing comments are not part of blocks
  std::uint32_t next = 0;            // the first index after this subtree; children start at the own index + 1
  StrId name;                        // Identifier and Operator: the text
};

class Tree {
 public:
  // The children of one node, in source order.
  class Children {
   public:
    class Iterator {
     public:
      Iterator(const Tree& tree, std::uint32_t at) : tree_(&tree), at_(at) {}
      NodeId operator*() const { return NodeId{at_}; }
      Iterator& operator++() {
        at_ = tree_->nodes_[at_].next;
        return *this;
      }
      bool operator!=(const Iterator& other) const { return at_ != other.at_; }

     private:
      const Tree* tree_;
      std::uint32_t at_;
    };
    Children(const Tree& tree, std::uint32_t first, std::uint32_t end) : tree_(tree), first_(first), end_(end) {}
    Iterator begin() const { return {tree_, first_}; }
    Iterator end() const { return {tree_, end_}; }

   private:
    const Tree& tree_;
    std::uint32_t first_, end_;
  };

  const Node& operator[](NodeId id) const { return nodes_[id.index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  Children children(NodeId id) const { return {*this, id.index + 1, nodes_[id.index].next}; }
  // The first child with that role, or an invalid id.
  NodeId child(NodeId id, Field field) const;
  NodeId first_child(NodeId id, Kind kind) const;
  NodeId only_child(NodeId id) const;  // the first child that is no token
  bool has(NodeId id, Kind kind) const { return first_child(id, kind).valid(); }
  // The bytes of a node as the parser read them: NUL bytes are spaces and lone CRs line feeds.
  std::string_view text(NodeId id) const { return text(span(id)); }
  std::string_view text(ir::Span span) const { return text().substr(span.begin, span.end - span.begin); }
  std::string_view text() const { return copy_ ? std::string_view(*copy_) : original_; }
  bool is_utf8() const { return is_utf8_; }
  bool is_token(NodeId id) const {
    return nodes_[id.index].kind >= Kind::TokenAsync && nodes_[id.index].kind <= Kind::Operator;
  }
  ir::Span span(NodeId id) const { return {nodes_[id.index].begin, nodes_[id.index].end}; }

 private:
  friend struct TreeBuilder;
  std::vector<Node> nodes_;    // the root is first
  std::string_view original_;  // must outlive the tree
  std::optional<std::string> copy_;
  bool is_utf8_ = true;
};

// Interns every identifier into `module`; adds notices for what the parser cannot read and for a spent budget, after
// which the tree is an empty module. Never fails.
Tree parse(std::string_view text, ir::Module& module);

}  // namespace deadgrad::python
