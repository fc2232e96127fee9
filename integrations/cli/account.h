// Parts of `deadgrad probe account`, as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "integrations/cli/commands.h"

namespace deadgrad::cli {

// `budget`: bytes, or negative for none; then nothing is said of what fits.
nlohmann::ordered_json fits(std::int64_t bytes, std::int64_t budget);
// A part of the account: its figures, their total, and whether that fits.
nlohmann::ordered_json with_total(nlohmann::ordered_json part, std::int64_t total, std::int64_t budget);
// Of all figures that are in both.
nlohmann::ordered_json comparison(const nlohmann::ordered_json& predicted, const nlohmann::ordered_json& measured);

// `module`: what probe/python/deadgrad_module.py says of it.
nlohmann::ordered_json account_of_module(const nlohmann::ordered_json& module, const ProbeAccountArguments& arguments,
                                         std::int64_t budget);

}  // namespace deadgrad::cli
