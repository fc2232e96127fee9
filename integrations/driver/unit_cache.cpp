#include "integrations/driver/unit_cache.h"

#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/ir/binary.h"
#include "integrations/driver/packed.h"
#include "integrations/driver/source_identity.h"

namespace deadgrad::driver {

// What the compiler asked the driver about a unit.
struct UnitCache::Asked {
  std::map<std::string, std::string> names;        // of files, by path
  std::map<std::uint64_t, std::uint64_t> origins;  // of precompiled headers, by key
};

UnitCache::UnitCache(CacheFolder& folder, cpp::Disk& disk, HeaderCache& headers, const cpp::NameFile& name_file,
                     bool keeps)
    : folder_(folder),
      disk_(disk),
      headers_(headers),
      name_file_(name_file),
      keeps_(keeps && folder.lasts()),
      identity_(std::string(source_identity()) + cpp::compiler_identity()) {}

static void pack_texts(Packer& packer, const std::vector<std::string>& texts) {
  packer.number(texts.size());
  for (const std::string& text : texts) packer.text(text);
}

static std::vector<std::string> unpack_texts(Unpacker& unpacker) {
  std::vector<std::string> texts(unpacker.count());
  for (std::string& text : texts) text = unpacker.text();
  return texts;
}

static std::string file_name(std::string_view key) {
  return std::to_string(cpp::hash_of(key)) + ".unit";
}

std::string UnitCache::key_of(const cpp::Unit& unit) {
  // All fields, so that a new one cannot be forgotten; those that are not packed say nothing to the compiler.
  const auto& [path, directory, arguments, is_header, is_cuda, from_database, real_torch, context,
               without_torch_include, covers, torch_definitions, notes, texts] = unit;
  Packer key;
  key.text(identity_);
  for (const char* variable : {"CPATH", "CPLUS_INCLUDE_PATH"}) {
    const char* value = std::getenv(variable);
    key.text(value == nullptr ? "" : value);
  }
  key.text(path);
  key.text(name_file_(path));
  key.number(disk_.ask(path, cpp::Question::Bytes));
  key.text(directory);
  pack_texts(key, arguments);
  pack_texts(key, torch_definitions);
  key.number(texts.size());
  for (const auto& [edited, text] : texts) {
    key.text(edited);
    key.text(text);
  }
  for (bool flag : {from_database, real_torch, without_torch_include}) key.number(flag);
  return key.bytes();
}

std::optional<cpp::LoweredUnit> UnitCache::find(const cpp::Unit& unit) {
  if (!keeps_) return std::nullopt;
  const std::string key = key_of(unit);
  const std::optional<std::string> bytes = folder_.read(file_name(key));
  return bytes ? unpack(*bytes, key) : std::nullopt;
}

cpp::LoweredUnit UnitCache::lower(const cpp::Unit& unit) {
  Asked asked;
  const auto name_file = [&](std::string_view path) { return asked.names[std::string(path)] = name_file_(path); };
  const auto header_for = [&](const cpp::Unit& attempt) {
    KeptHeader header = headers_.get(attempt);
    if (!header.path.empty()) asked.origins[header.key] = header.origin;
    return header.path;
  };
  cpp::LoweredUnit lowered = cpp::lower(unit, name_file, header_for);
  const bool is_complete = !lowered.modules.empty() || !lowered.given_up.empty();
  if (keeps_ && is_complete && !lowered.crashed && lowered.unusable_header.empty()) keep(key_of(unit), asked, lowered);
  return lowered;
}

void UnitCache::keep(const std::string& key, const Asked& asked, const cpp::LoweredUnit& lowered) {
  Packer packer;
  packer.text(key);
  packer.number(asked.names.size());
  for (const auto& [path, name] : asked.names) {
    packer.text(path);
    packer.text(name);
  }
  packer.number(asked.origins.size());
  for (const auto& [header, origin] : asked.origins) {
    packer.number(header);
    packer.number(origin);
  }
  pack_reads(packer, lowered.reads);
  packer.number(lowered.errors);
  pack_texts(packer, lowered.first_errors);
  packer.number(lowered.missing_headers);
  packer.number(lowered.torch_symbols);
  packer.text(lowered.given_up);
  packer.number(lowered.modules.size());
  for (const ir::Module& module : lowered.modules) {
    const std::vector<std::uint8_t> bytes = ir::to_binary(module);
    packer.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  folder_.write(file_name(key), packer.bytes());
}

std::optional<cpp::LoweredUnit> UnitCache::unpack(std::string_view packed, std::string_view key) {
  Unpacker in(packed);
  if (in.text() != key) return std::nullopt;
  for (std::size_t left = in.count(); left > 0; --left) {
    const std::string_view path = in.text(), name = in.text();
    if (name_file_(path) != name) return std::nullopt;
  }
  for (std::size_t left = in.count(); left > 0; --left) {
    const std::uint64_t header = in.number(), origin = in.number();
    if (headers_.origin(header) != origin) return std::nullopt;
  }
  if (const cpp::Reads reads = unpack_reads(in); !in.is_sound() || !disk_.still_answers(reads)) return std::nullopt;
  cpp::LoweredUnit lowered;
  lowered.errors = static_cast<unsigned>(in.number());
  lowered.first_errors = unpack_texts(in);
  lowered.missing_headers = in.number() != 0;
  lowered.torch_symbols = static_cast<unsigned>(in.number());
  lowered.given_up = in.text();
  for (std::size_t left = in.count(); left > 0; --left) {
    const std::string_view bytes = in.text();
    Result<ir::Module> module = ir::from_binary({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    if (!module) return std::nullopt;
    lowered.modules.push_back(std::move(*module));
  }
  if (!in.is_at_end()) return std::nullopt;
  return lowered;
}

}  // namespace deadgrad::driver
