// Layout: 16 bytes ("DGIR", version, number of operations, zeros), then a FlexBuffer: a map of blobs, each one column
// (one field of one array of the module), little-endian without padding.
#include "analyzer/ir/binary.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include <flatbuffers/flexbuffers.h>

#include "analyzer/ir/verify.h"

namespace deadgrad::ir {

static constexpr std::size_t kHeaderSize = 16;

static std::array<std::uint8_t, kHeaderSize> header_bytes() {
  // The number of operations stands for their numbering: a new Op moves those behind it.
  return {'D', 'G', 'I', 'R', kBinaryVersion & 0xff, kBinaryVersion >> 8, kOpCount & 0xff, kOpCount >> 8};
}

// ---- the columns, told once for writing and reading

// Calls visit(key, array, width in bytes, get, set) for each numeric column; `get` returns a number, `set` takes one.
// Arrays are resized by their first column.
template <class ModuleType, class Visit>
static void visit_columns(ModuleType& m, Visit visit) {
#define DEADGRAD_COLUMN(key, array, width, field)                                                   \
  visit(                                                                                            \
      key, m.array, width, [](const auto& item) { return static_cast<std::uint32_t>(item field); }, \
      [](auto& item, std::uint32_t number) {                                                        \
        item field = static_cast<std::remove_cvref_t<decltype(item field)>>(number);                \
      })

  DEADGRAD_COLUMN("event.op", events, 1, .op);
  DEADGRAD_COLUMN("event.flags", events, 1, .flags);
  DEADGRAD_COLUMN("event.operand_count", events, 2, .operand_count);
  DEADGRAD_COLUMN("event.first_operand", events, 4, .first_operand);
  DEADGRAD_COLUMN("event.name", events, 4, .name.index);
  DEADGRAD_COLUMN("event.target", events, 4, .target);
  DEADGRAD_COLUMN("event.begin", events, 4, .span.begin);
  DEADGRAD_COLUMN("event.end", events, 4, .span.end);
  DEADGRAD_COLUMN("operands", operands, 4, .index);

  DEADGRAD_COLUMN("function.name", functions, 4, .name.index);
  DEADGRAD_COLUMN("function.qualified", functions, 4, .qualified.index);
  DEADGRAD_COLUMN("function.symbol", functions, 4, .symbol.index);
  DEADGRAD_COLUMN("function.owner_symbol", functions, 4, .owner_symbol.index);
  DEADGRAD_COLUMN("function.parent", functions, 4, .parent.index);
  DEADGRAD_COLUMN("function.owner", functions, 4, .owner.index);
  DEADGRAD_COLUMN("function.kind", functions, 1, .kind);
  DEADGRAD_COLUMN("function.is_async", functions, 1, .is_async);
  DEADGRAD_COLUMN("function.is_generator", functions, 1, .is_generator);
  DEADGRAD_COLUMN("function.is_static", functions, 1, .is_static);
  DEADGRAD_COLUMN("function.is_class_method", functions, 1, .is_class_method);
  DEADGRAD_COLUMN("function.is_property", functions, 1, .is_property);
  DEADGRAD_COLUMN("function.is_constructor", functions, 1, .is_constructor);
  DEADGRAD_COLUMN("function.is_pattern", functions, 1, .is_pattern);
  DEADGRAD_COLUMN("function.first_parameter", functions, 4, .first_parameter);
  DEADGRAD_COLUMN("function.parameter_count", functions, 4, .parameter_count);
  DEADGRAD_COLUMN("function.first_event", functions, 4, .first_event.index);
  DEADGRAD_COLUMN("function.event_count", functions, 4, .event_count);
  DEADGRAD_COLUMN("function.span.begin", functions, 4, .span.begin);
  DEADGRAD_COLUMN("function.span.end", functions, 4, .span.end);
  DEADGRAD_COLUMN("function.header.begin", functions, 4, .header.begin);
  DEADGRAD_COLUMN("function.header.end", functions, 4, .header.end);
  DEADGRAD_COLUMN("function.body.begin", functions, 4, .body.begin);
  DEADGRAD_COLUMN("function.body.end", functions, 4, .body.end);

  DEADGRAD_COLUMN("class.name", classes, 4, .name.index);
  DEADGRAD_COLUMN("class.qualified", classes, 4, .qualified.index);
  DEADGRAD_COLUMN("class.body", classes, 4, .body.index);
  DEADGRAD_COLUMN("class.scope", classes, 4, .scope.index);
  DEADGRAD_COLUMN("class.made_by", classes, 4, .made_by.index);
  DEADGRAD_COLUMN("class.span.begin", classes, 4, .span.begin);
  DEADGRAD_COLUMN("class.span.end", classes, 4, .span.end);
  DEADGRAD_COLUMN("class.header.begin", classes, 4, .header.begin);
  DEADGRAD_COLUMN("class.header.end", classes, 4, .header.end);

  DEADGRAD_COLUMN("parameter.name", parameters, 4, .name.index);
  DEADGRAD_COLUMN("parameter.kind", parameters, 1, .kind);
  DEADGRAD_COLUMN("parameter.has_default", parameters, 1, .has_default);
  DEADGRAD_COLUMN("parameter.begin", parameters, 4, .span.begin);
  DEADGRAD_COLUMN("parameter.end", parameters, 4, .span.end);

  DEADGRAD_COLUMN("line_starts", line_starts, 4, );
  DEADGRAD_COLUMN("notice.begin", notices, 4, .span.begin);
  DEADGRAD_COLUMN("notice.end", notices, 4, .span.end);
#undef DEADGRAD_COLUMN
}

static void put(std::vector<std::uint8_t>& bytes, std::uint32_t number, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) bytes.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
}

static std::uint32_t get(const std::uint8_t* at, std::size_t width) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < width; ++i) number |= static_cast<std::uint32_t>(at[i]) << (8 * i);
  return number;
}

// ---- writing

// Texts as two columns: "<key>.sizes" and "<key>.bytes".
template <class TextAt>
static void write_texts(flexbuffers::Builder& out, const std::string& key, std::size_t count, TextAt text_at) {
  std::vector<std::uint8_t> sizes;
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view text = text_at(i);
    put(sizes, static_cast<std::uint32_t>(text.size()), 4);
    bytes += text;
  }
  out.Key((key + ".sizes").c_str());
  out.Blob(sizes);
  out.Key((key + ".bytes").c_str());
  out.Blob(bytes.data(), bytes.size());
}

std::vector<std::uint8_t> to_binary(const Module& module) {
  flexbuffers::Builder out;
  const std::size_t map = out.StartMap();
  const std::vector<std::uint8_t> facts{static_cast<std::uint8_t>(module.language), module.is_package,
                                        module.imports_test_framework};
  out.Key("module.facts");
  out.Blob(facts);
  const std::string_view header_texts[] = {module.path, module.name, module.unit};
  write_texts(out, "module", 3, [&](std::size_t i) { return header_texts[i]; });
  write_texts(out, "strings", module.strings.size(),
              [&](std::size_t i) { return module.text(StrId{static_cast<std::uint32_t>(i)}); });
  write_texts(out, "notices", module.notices.size(),
              [&](std::size_t i) { return std::string_view(module.notices[i].text); });
  std::vector<std::uint8_t> column;
  visit_columns(module, [&](const char* key, const auto& array, std::size_t width, auto get_field, auto) {
    column.clear();
    column.reserve(array.size() * width);
    for (const auto& item : array) put(column, get_field(item), width);
    out.Key(key);
    out.Blob(column);
  });
  out.EndMap(map);
  out.Finish();

  const std::array<std::uint8_t, kHeaderSize> header = header_bytes();
  std::vector<std::uint8_t> bytes(kHeaderSize + out.GetSize());
  std::ranges::copy(header, bytes.begin());
  std::ranges::copy(out.GetBuffer(), bytes.begin() + kHeaderSize);
  return bytes;
}

// ---- reading

// A key that is absent, or of another type, reads as an empty blob.
static std::span<const std::uint8_t> blob(const flexbuffers::Map& map, const std::string& key) {
  const flexbuffers::Reference value = map[key];
  if (!value.IsBlob()) return {};
  const flexbuffers::Blob found = value.AsBlob();
  return {found.data(), found.size()};
}

static bool read_texts(const flexbuffers::Map& map, const std::string& key, std::vector<std::string_view>& texts) {
  const std::span<const std::uint8_t> sizes = blob(map, key + ".sizes");
  std::span<const std::uint8_t> bytes = blob(map, key + ".bytes");
  if (sizes.size() % 4 != 0) return false;
  texts.clear();
  for (std::size_t i = 0; i < sizes.size(); i += 4) {
    const std::uint32_t size = get(sizes.data() + i, 4);
    if (size > bytes.size()) return false;
    texts.emplace_back(reinterpret_cast<const char*>(bytes.data()), size);
    bytes = bytes.subspan(size);
  }
  return bytes.empty();
}

static bool read_columns(const flexbuffers::Map& map, Module& module) {
  bool sound = true;
  const void* array_being_read = nullptr;
  visit_columns(module, [&](const char* key, auto& array, std::size_t width, auto, auto set_field) {
    const std::span<const std::uint8_t> column = blob(map, key);
    if (!sound || column.size() % width != 0) {
      sound = false;
      return;
    }
    // Notices have their size from their texts already.
    if (array_being_read != &array && static_cast<const void*>(&array) != &module.notices) {
      array.resize(column.size() / width);
    }
    array_being_read = &array;
    if (array.size() != column.size() / width) {
      sound = false;
      return;
    }
    const std::uint8_t* at = column.data();
    for (auto& item : array) {
      set_field(item, get(at, width));
      at += width;
    }
  });
  return sound;
}

Result<Module> from_binary(std::span<const std::uint8_t> bytes) {
  const std::array<std::uint8_t, kHeaderSize> header = header_bytes();
  if (bytes.size() < kHeaderSize || !std::equal(header.begin(), header.begin() + 4, bytes.begin())) {
    return Error{"not a binary deadgrad module"};
  }
  if (!std::equal(header.begin(), header.end(), bytes.begin())) {
    return Error{"a binary module of another version of deadgrad"};
  }
  const std::span<const std::uint8_t> payload = bytes.subspan(kHeaderSize);
  if (payload.size() >= (1u << 30)) return Error{"a binary module is too large"};
  // The copy is aligned as FlexBuffers wants it, and the zero behind its end stops the library's strcmp on a damaged
  // key, which its verifier lets through.
  std::vector<std::uint8_t> copy(payload.begin(), payload.end());
  copy.push_back(0);
  std::vector<std::uint8_t> seen;
  if (!flexbuffers::VerifyBuffer(copy.data(), payload.size(), &seen)) return Error{"a binary module is damaged"};
  const flexbuffers::Reference root = flexbuffers::GetRoot(copy.data(), payload.size());
  if (!root.IsMap()) return Error{"a binary module is damaged: no map"};
  const flexbuffers::Map map = root.AsMap();

  Module module;
  const std::span<const std::uint8_t> facts = blob(map, "module.facts");
  if (facts.size() != 3) return Error{"a binary module is damaged: its facts"};
  module.language = static_cast<Language>(facts[0]);
  module.is_package = facts[1] != 0;
  module.imports_test_framework = facts[2] != 0;
  std::vector<std::string_view> texts;
  if (!read_texts(map, "module", texts) || texts.size() != 3) return Error{"a binary module is damaged: its name"};
  module.path = texts[0];
  module.unit = texts[2];
  module.name = texts[1];
  if (!read_texts(map, "strings", texts)) return Error{"a binary module is damaged: its strings"};
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    if (module.strings.intern(texts[i]).index != i) return Error{"a binary module is damaged: a string stands twice"};
  }
  if (!read_texts(map, "notices", texts)) return Error{"a binary module is damaged: its notices"};
  for (std::string_view text : texts) module.notices.push_back(Notice{{}, std::string(text)});
  if (!read_columns(map, module)) return Error{"a binary module is damaged: its columns"};
  if (const std::vector<std::string> problems = verify(module); !problems.empty()) {
    return Error{"a binary module is damaged: " + problems.front()};
  }
  return module;
}

}  // namespace deadgrad::ir
