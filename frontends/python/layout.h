// Lines and indentation of a Python file: what an edit must respect. Offsets are bytes of the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/python/tree.h"

namespace deadgrad::python {

class Layout {
 public:
  // Both must outlive it; `original` is what is on disk, while the tree reads lone CRs as line feeds.
  Layout(const Tree& tree, std::string_view original);

  std::uint32_t line_begin(std::uint32_t offset) const;  // behind a byte order mark
  std::uint32_t line_end(std::uint32_t offset) const;    // before the line break
  std::uint32_t next_line(std::uint32_t offset) const;   // behind the line break
  // Is there nothing before it on its logical line?
  bool starts_line(std::uint32_t offset) const;
  // The blanks with which its line begins.
  std::string_view indent_at(std::uint32_t offset) const;
  bool is_blank_line(std::uint32_t offset) const;
  bool is_comment_line(std::uint32_t offset) const;
  // Is the offset inside a string, so that a line which begins there must stay as it is?
  bool in_string(std::uint32_t offset) const;
  // "\n", "\r\n" or "\r", as on the lines around.
  std::string newline_at(std::uint32_t offset) const;
  // By how much `block`, or where it tells nothing the file's first indented block, stands inside its header.
  std::string step_of(NodeId block) const;

 private:
  std::string step_inside(NodeId block, NodeId owner) const;

  const Tree& tree_;
  std::string_view text_, original_;
  std::uint32_t first_ = 0;  // the first byte behind a byte order mark
  std::vector<ir::Span> strings_;
  std::vector<NodeId> owners_;  // of each node: the one whose child it is
  std::string step_ = "    ";
};

}  // namespace deadgrad::python
