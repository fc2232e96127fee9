// A text after its edits.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/findings/finding.h"

namespace deadgrad {

// `edits` are in order and do not overlap.
inline std::string edited(std::string_view text, const TextEdits& edits) {
  std::string result;
  std::size_t copied = 0;
  for (const TextEdit& edit : edits) {
    result += text.substr(copied, edit.span.begin - copied);
    result += edit.text;
    copied = edit.span.end;
  }
  return result += text.substr(copied);
}

}  // namespace deadgrad
