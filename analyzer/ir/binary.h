// The binary form of a Module, for the cache and for moving modules between machines. The same module gives the same
// bytes on every machine; bytes of another version or damaged bytes give an Error, and what loads is verified.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/ir/ir.h"

namespace deadgrad::ir {

// Raised whenever the columns below or the meaning of a field in ir.h change; a new Op needs no raise.
inline constexpr std::uint16_t kBinaryVersion = 2;

std::vector<std::uint8_t> to_binary(const Module& module);
Result<Module> from_binary(std::span<const std::uint8_t> bytes);

}  // namespace deadgrad::ir
