// Files need not be UTF-8 (PEP 263), but the strings of a module are.
#pragma once

#include <string>
#include <string_view>

namespace deadgrad::python {

bool is_valid_utf8(std::string_view text);

// `text` if it is UTF-8, else a copy in `storage` in which every byte that is not reads "?".
std::string_view valid_utf8(std::string_view text, std::string& storage);

}  // namespace deadgrad::python
