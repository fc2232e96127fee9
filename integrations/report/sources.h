// The line tables of the files that a result names, made when first asked for. Renderers hold one while they work.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "integrations/driver/check.h"
#include "integrations/report/source_text.h"

namespace deadgrad::report {

class Sources {
 public:
  // `result` must outlive this.
  explicit Sources(const driver::CheckResult& result) : result_(result) {}

  // Null for a file that was not read.
  const SourceText* find(const std::string& path) {
    auto found = cache_.find(path);
    if (found == cache_.end()) {
      const std::string* text = result_.text_of(path);
      if (text == nullptr) return nullptr;
      found = cache_.emplace(path, SourceText(*text)).first;
    }
    return &found->second;
  }

  // Empty for a file that was not read.
  std::string_view text_of(const std::string& path) const {
    const std::string* text = result_.text_of(path);
    return text == nullptr ? std::string_view() : std::string_view(*text);
  }

  // "path:line:column", safe to print.
  std::string place(const Location& where) {
    std::string text = printable(where.path);
    if (const SourceText* source = find(where.path)) {
      Position at = source->range(where.span, Columns::Characters).begin;
      text += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
    }
    return text;
  }

 private:
  const driver::CheckResult& result_;
  std::map<std::string, SourceText> cache_;
};

}  // namespace deadgrad::report
