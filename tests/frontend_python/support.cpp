#include "tests/frontend_python/support.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "analyzer/ir/text.h"
#include "analyzer/ir/verify.h"
#include "frontends/python/python.h"
#include "frontends/python/utf8.h"

namespace deadgrad::python {

ir::Module checked(std::string_view text) {
  ir::Module module = lower({"pkg/mod.py", "pkg.mod", false, text});
  EXPECT_EQ(ir::verify(module), std::vector<std::string>{});
  const auto is_inside = [&](ir::Span span) { return span.begin <= span.end && span.end <= text.size(); };
  for (const ir::Event& event : module.events) {
    if (!is_inside(event.span)) ADD_FAILURE() << event.span.begin << ".." << event.span.end << " of " << text.size();
  }
  for (const ir::Function& function : module.functions) {
    EXPECT_TRUE(is_inside(function.span) && is_inside(function.header) && is_inside(function.body));
  }
  for (const ir::Notice& notice : module.notices) EXPECT_TRUE(is_inside(notice.span));
  for (std::uint32_t i = 0; i < module.strings.size(); ++i) {
    const std::string_view string = module.strings[StrId{i}];
    if (!is_valid_utf8(string)) ADD_FAILURE() << "not UTF-8: " << string;
  }
  return module;
}

std::string printed(std::string_view text) {
  return ir::print(checked(text), {.spans = false});
}

std::vector<Case> cases(std::string_view ending) {
  std::vector<Case> found;
  for (const auto& entry : std::filesystem::directory_iterator(DEADGRAD_CASES)) {
    if (entry.path().extension() != ending) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    found.push_back({entry.path().stem().string(), text.str()});
  }
  std::ranges::sort(found, {}, &Case::name);
  return found;
}

}  // namespace deadgrad::python
