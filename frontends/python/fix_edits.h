// Turns the fixes that findings ask for into edits of a Python file. integrations/fix calls it.
#pragma once

#include <optional>
#include <string_view>

#include "analyzer/findings/finding.h"
#include "frontends/python/layout.h"
#include "frontends/python/torch_names.h"
#include "frontends/python/tree.h"

namespace deadgrad::python {

class FixEditor {
 public:
  // `source` is the text on disk; must outlive it.
  explicit FixEditor(std::string_view source);
  FixEditor(const FixEditor&) = delete;

  // What does the fix, all in this file; empty where nothing here can do it without harm. MoveGuard is none of them: it
  // is a RemoveGuard at its place and a GuardFunction at the other.
  TextEdits edits_for(const FixRequest& fix) const;

 private:
  // Consecutive statements of one block.
  struct Run {
    NodeId block;
    std::vector<NodeId> all;          // the block's statements
    std::size_t first = 0, last = 0;  // of the run
  };

  TextEdits guard_function(const FixRequest& fix) const;
  TextEdits guard_body(NodeId function, const FixRequest& fix) const;
  TextEdits guard_region(const FixRequest& fix) const;
  TextEdits detach_value(const FixRequest& fix) const;
  TextEdits call_guard(const FixRequest& fix) const;
  TextEdits enter_guard(const FixRequest& fix) const;
  bool is_torch_guard(NodeId expression) const;
  TextEdits remove_guard(const FixRequest& fix) const;
  TextEdits remove_item(NodeId with, NodeId clause, NodeId item) const;
  TextEdits remove_header(NodeId with) const;
  TextEdits remove_lines(ir::Span span) const;
  TextEdits remove_statement(NodeId statement) const;

  NodeId innermost_block(ir::Span span) const;
  std::optional<Run> run_around(ir::Span span) const;
  Run run_in(NodeId block) const;
  bool is_held_back(const Run& run, ir::Span span, const FixRequest& fix) const;
  bool suspends(NodeId statement) const;
  bool defers(NodeId node) const;
  // `header` without colon: "with torch.no_grad()".
  std::optional<TextEdits> wrap(const Run& run, const std::string& header) const;
  struct Opening {
    ir::Span gap;  // from the colon of a header to the block on its line
    std::string indent;
  };
  std::optional<Opening> opening_of(const Run& run) const;
  std::optional<std::string> indent_of(const Run& run) const;
  std::optional<TextEdit> break_between(NodeId left, NodeId right, const std::string& lines) const;
  bool shift_in(ir::Span lines, std::string_view indent, const std::string& step, TextEdits& edits) const;
  bool shift_out(ir::Span lines, std::string_view from, std::string_view to, TextEdits& edits) const;
  ir::Span without_comment(ir::Span removed) const;

  ir::Module module_;
  Tree tree_;
  bool is_sound_;                      // the parser understood all of it
  std::vector<std::uint32_t> starts_;  // of statements and clauses, sorted
  Layout layout_;
  TorchNames names_;
};

}  // namespace deadgrad::python
