#include "frontends/cpp/virtual_files.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "frontends/cpp/embedded_headers.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

namespace deadgrad::cpp {

using llvm::IntrusiveRefCntPtr;
using llvm::StringRef;
namespace vfs = llvm::vfs;

// No disk has this folder, and no path outside it is ours.
static constexpr std::string_view kRoot = "/deadgrad-stubs";
static constexpr std::string_view kIncludeRoot = "/deadgrad-stubs/include";
static constexpr std::string_view kResourceDir = "/deadgrad-stubs/clang";
static constexpr std::string_view kBuiltinRoot = "/deadgrad-stubs/clang/include";
static constexpr std::string_view kTorchUmbrella = "/deadgrad-stubs/real_torch.h";

// What users include, as far as this LibTorch has it.
static constexpr std::string_view kTorchUmbrellaText =
    "#pragma once\n"
    "#if __has_include(<ATen/ATen.h>)\n#include <ATen/ATen.h>\n#endif\n"
    "#if __has_include(<torch/torch.h>)\n#include <torch/torch.h>\n#endif\n"
    "#if __has_include(<torch/script.h>)\n#include <torch/script.h>\n#endif\n";

// What a header that we did not write includes instead; the first match decides.
struct Forward {
  std::string_view prefix;
  std::string_view text;
};
static constexpr Forward kForwards[] = {
    {"torch/python.h", "#pragma once\n#include \"/deadgrad-stubs/include/torch/extension.h\"\n"},
    {"torch/csrc/utils/", "#pragma once\n#include \"/deadgrad-stubs/include/torch/extension.h\"\n"},
    {"torch/", "#pragma once\n#include \"/deadgrad-stubs/include/torch/_deadgrad_stub.h\"\n"},
    {"torch_tensorrt/", "#pragma once\n#include \"/deadgrad-stubs/include/torch/_deadgrad_stub.h\"\n"},
    {"ATen/", "#pragma once\n#include \"/deadgrad-stubs/include/torch/_deadgrad_stub.h\"\n"},
    {"c10/", "#pragma once\n#include \"/deadgrad-stubs/include/torch/_deadgrad_stub.h\"\n"},
    {"caffe2/", "#pragma once\n#include \"/deadgrad-stubs/include/torch/_deadgrad_stub.h\"\n"},
    {"torchvision/", "#pragma once\n#include \"/deadgrad-stubs/include/torchvision/_deadgrad_stub.h\"\n"},
    {"pybind11/", "#pragma once\n#include \"/deadgrad-stubs/include/deadgrad_stub/python.h\"\n"},
};

namespace {

struct Entry {
  vfs::Status status;
  std::string_view text;
};

class OpenHeader final : public vfs::File {
 public:
  explicit OpenHeader(Entry entry) : entry_(std::move(entry)) {}
  llvm::ErrorOr<vfs::Status> status() override { return entry_.status; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, std::int64_t, bool,
                                                               bool) override {
    llvm::SmallString<256> buffer_name;
    return llvm::MemoryBuffer::getMemBuffer(entry_.text, name.toStringRef(buffer_name));
  }
  std::error_code close() override { return {}; }

 private:
  Entry entry_;
};

// Nobody lists a folder while parsing C++, so the folders can be entered but not listed.
class StubFileSystem final : public vfs::ProxyFileSystem {
 public:
  StubFileSystem(IntrusiveRefCntPtr<vfs::FileSystem> base, bool torch_stubs)
      : ProxyFileSystem(std::move(base)), torch_stubs_(torch_stubs) {}

  llvm::ErrorOr<vfs::Status> status(const llvm::Twine& path) override {
    llvm::SmallString<256> normal;
    if (!is_ours(path, normal)) return ProxyFileSystem::status(path);
    std::optional<Entry> entry = find(normal);
    if (!entry) return std::make_error_code(std::errc::no_such_file_or_directory);
    return vfs::Status::copyWithNewName(entry->status, path);
  }

#if LLVM_VERSION_MAJOR >= 19  // before that, exists() asks status()
  bool exists(const llvm::Twine& path) override {
    llvm::SmallString<256> normal;
    return is_ours(path, normal) ? find(normal).has_value() : ProxyFileSystem::exists(path);
  }
#endif

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine& path) override {
    llvm::SmallString<256> normal;
    if (!is_ours(path, normal)) return ProxyFileSystem::openFileForRead(path);
    std::optional<Entry> entry = find(normal);
    if (!entry) return std::make_error_code(std::errc::no_such_file_or_directory);
    if (entry->status.isDirectory()) return std::make_error_code(std::errc::is_a_directory);
    entry->status = vfs::Status::copyWithNewName(entry->status, path);
    return std::make_unique<OpenHeader>(*std::move(entry));
  }

 private:
  static bool is_ours(const llvm::Twine& path, llvm::SmallString<256>& normal);
  std::optional<Entry> find(StringRef path) const;

  bool torch_stubs_;
};

}  // namespace

// Whether the path lies below the root; `normal` then holds it without dots.
bool StubFileSystem::is_ours(const llvm::Twine& path, llvm::SmallString<256>& normal) {
  path.toVector(normal);
  if (!normal.starts_with(kRoot)) return false;
  llvm::sys::path::remove_dots(normal, true);
  StringRef rest = normal;
  return rest.consume_front(kRoot) && (rest.empty() || rest.front() == '/');
}

// The identity of a file follows from its path, so that two look-ups agree without a table.
static Entry entry_for(StringRef path, std::string_view text, llvm::sys::fs::file_type type) {
  constexpr std::uint64_t kDevice = 0xdead96ad;
  llvm::sys::fs::UniqueID id(kDevice, llvm::xxh3_64bits(path));
  return {vfs::Status(path, id, llvm::sys::TimePoint<>(), 0, 0, text.size(), type, llvm::sys::fs::all_read), text};
}

static std::optional<std::string_view> text_of(std::span<const EmbeddedHeader> headers, std::string_view path) {
  auto found = std::ranges::lower_bound(headers, path, {}, &EmbeddedHeader::path);
  if (found == headers.end() || found->path != path) return std::nullopt;
  return found->text;
}

static bool looks_like_header(StringRef path) {
  StringRef extension = llvm::sys::path::extension(path);
  return extension == ".h" || extension == ".hpp" || extension == ".cuh" || extension == ".inl";
}

static const Forward* forward_of(std::string_view path) {
  for (const Forward& forward : kForwards) {
    if (path.starts_with(forward.prefix)) return &forward;
  }
  return nullptr;
}

// `path` is below the include root.
static std::optional<Entry> find_stub(StringRef full_path, StringRef path) {
  using llvm::sys::fs::file_type;
  if (auto text = text_of(embedded_stubs(), path)) return entry_for(full_path, *text, file_type::regular_file);
  if (looks_like_header(path)) {
    const Forward* forward = forward_of(path);
    if (!forward) return std::nullopt;
    return entry_for(full_path, forward->text, file_type::regular_file);
  }
  std::string folder = path.str() + "/";
  if (!forward_of(folder) && folder != "deadgrad_stub/") return std::nullopt;
  return entry_for(full_path, {}, file_type::directory_file);
}

std::optional<Entry> StubFileSystem::find(StringRef path) const {
  using llvm::sys::fs::file_type;
  for (std::string_view folder : {kRoot, kResourceDir, kBuiltinRoot, torch_stubs_ ? kIncludeRoot : kRoot}) {
    if (path == StringRef(folder)) return entry_for(path, {}, file_type::directory_file);
  }
  if (path == StringRef(kTorchUmbrella)) return entry_for(path, kTorchUmbrellaText, file_type::regular_file);
  StringRef rest = path;
  if (rest.consume_front(kBuiltinRoot) && rest.consume_front("/")) {
    if (auto text = text_of(embedded_builtin_headers(), rest)) return entry_for(path, *text, file_type::regular_file);
    return std::nullopt;
  }
  rest = path;
  if (torch_stubs_ && rest.consume_front(kIncludeRoot) && rest.consume_front("/")) return find_stub(path, rest);
  return std::nullopt;
}

IntrusiveRefCntPtr<vfs::FileSystem> make_stub_file_system(IntrusiveRefCntPtr<vfs::FileSystem> base, bool torch_stubs) {
  return llvm::makeIntrusiveRefCnt<StubFileSystem>(std::move(base), torch_stubs);
}

std::string_view stub_include_root() {
  return kIncludeRoot;
}
std::string_view stub_resource_dir() {
  return kResourceDir;
}
std::string_view stub_umbrella() {
  return "/deadgrad-stubs/include/torch/_deadgrad_stub.h";
}
std::string_view torch_umbrella() {
  return kTorchUmbrella;
}

std::uint64_t stub_content_hash() {
  std::uint64_t hash = 0;
  auto add = [&](std::string_view text) { hash = hash * 0x9e3779b97f4a7c15 + llvm::xxh3_64bits(StringRef(text)); };
  add(kTorchUmbrellaText);
  for (const Forward& forward : kForwards) {
    add(forward.prefix);
    add(forward.text);
  }
  for (std::span<const EmbeddedHeader> headers : {embedded_stubs(), embedded_builtin_headers()}) {
    for (const EmbeddedHeader& header : headers) {
      add(header.path);
      add(header.text);
    }
  }
  return hash;
}

}  // namespace deadgrad::cpp
