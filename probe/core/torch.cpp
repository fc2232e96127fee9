// The one translation unit of the core that knows LibTorch, 1.13 and later. What changed between versions is told apart
// by the types of the members that are overridden, not by version numbers.
#include "probe/core/torch.h"

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/version.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <unordered_map>

#include "probe/core/state.h"

namespace deadgrad::probe {

namespace autograd = torch::autograd;

std::int64_t owners_of(const void* storage) {
  auto* impl = static_cast<c10::StorageImpl*>(const_cast<void*>(storage));
  return static_cast<std::int64_t>(c10::raw::intrusive_ptr::use_count(impl));
}

// ---- CPU allocator
// -------------------------------------------------------------------------------------------------------

struct Blocks {
  std::mutex mutex;
  std::unordered_map<void*, std::size_t> bytes;
};
static constexpr int kShards = 64;
static Blocks* shards() {
  static auto* blocks = new Blocks[kShards];
  return blocks;
}
static Blocks& shard_of(void* block) {
  return shards()[(reinterpret_cast<std::uintptr_t>(block) >> 6) * 0x9e3779b97f4a7c15u >> 58];
}

static std::atomic<std::int64_t> live{0}, live_peak{0};
static c10::Allocator* inner = nullptr;

static void add_live(std::int64_t bytes) {
  const std::int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t peak = live_peak.load(std::memory_order_relaxed);
  while (now > peak && !live_peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

static void delete_tracked(void* block) {
  if (block == nullptr) return;
  std::int64_t bytes = 0;
  {
    Blocks& shard = shard_of(block);
    std::lock_guard lock(shard.mutex);
    auto found = shard.bytes.find(block);
    if (found != shard.bytes.end()) {
      bytes = static_cast<std::int64_t>(found->second);
      shard.bytes.erase(found);
    }
  }
  add_live(-bytes);
  inner->raw_deleter()(block);
}

static c10::DataPtr allocate_tracked(std::size_t size) {
  c10::DataPtr data = inner->allocate(size);
  void* block = data.get();
  if (block == nullptr || data.get_context() != block) return data;
  data.release_context();
  {
    Blocks& shard = shard_of(block);
    std::lock_guard lock(shard.mutex);
    shard.bytes[block] = size;
  }
  add_live(static_cast<std::int64_t>(size));
  state().count_allocation();
  return {block, block, &delete_tracked, c10::Device(c10::DeviceType::CPU)};
}

// allocate() is const in older versions; copy_data() is pure in newer ones, and not there in the oldest.
template <class Signature>
struct Tracking;
template <class Base>
struct Tracking<c10::DataPtr (Base::*)(std::size_t) const> : Base {
  c10::DataPtr allocate(std::size_t size) const override { return allocate_tracked(size); }
  c10::DeleterFnPtr raw_deleter() const override { return &delete_tracked; }
  void copy_data(void* to, const void* from, std::size_t size) const { std::memcpy(to, from, size); }
};
template <class Base>
struct Tracking<c10::DataPtr (Base::*)(std::size_t)> : Base {
  c10::DataPtr allocate(std::size_t size) override { return allocate_tracked(size); }
  c10::DeleterFnPtr raw_deleter() const override { return &delete_tracked; }
  void copy_data(void* to, const void* from, std::size_t size) const { std::memcpy(to, from, size); }
};

void install_allocator() {
  static auto* ours = new Tracking<decltype(&c10::Allocator::allocate)>();
  c10::Allocator* current = c10::GetAllocator(c10::DeviceType::CPU);
  if (current == ours || current->raw_deleter() == nullptr) return;
  if (inner == nullptr) inner = current;
  c10::SetAllocator(c10::DeviceType::CPU, ours, 255);
}

void remove_allocator() {
  if (inner != nullptr) c10::SetAllocator(c10::DeviceType::CPU, inner, 255);
}

CpuBytes cpu_bytes() {
  return {live.load(), live_peak.load()};
}
void reset_cpu_peak() {
  live_peak = live.load();
}

void lock_allocator() {
  for (int i = 0; i < kShards; ++i) shards()[i].mutex.lock();
}
void unlock_allocator() {
  for (int i = 0; i < kShards; ++i) shards()[i].mutex.unlock();
}

// ---- Saved tensors
// -------------------------------------------------------------------------------------------------------

// Holds one saved tensor, as SavedVariable itself does without hooks. `data_` is the only reference that it has to the
// storage, which makes "use count = number of hooks" mean that autograd alone keeps it.
class Hooks final : public autograd::SavedVariableHooks {
 public:
  void call_pack_hook(const at::Tensor& tensor) override {
    data_ = tensor.tensor_data();
    versions_ = autograd::impl::version_counter(tensor);
    version_ = versions_.current_version();
    try {
      note(tensor);
    } catch (...) {
      state().errors.fetch_add(1);
    }
  }

  at::Tensor call_unpack_hook() override {
    // LibTorch leaves this check out where there are hooks.
    TORCH_CHECK(versions_.current_version() == version_,
                "one of the variables needed for gradient computation has been modified by an inplace operation: it is "
                "at version ",
                versions_.current_version(), "; expected version ", version_, " instead.");
    read_ = true;
    if (storage_ != nullptr) state().ledger.read(storage_);
    return data_;
  }

  ~Hooks() override {
    if (storage_ != nullptr) state().ledger.released(storage_, read_, site_);
  }

 private:
  void note(const at::Tensor& tensor) {
    // Tensors that Python classes stand for have no bytes of their own: torch.compile traces with such.
    if (!data_.has_storage() || tensor.unsafeGetTensorImpl()->is_python_dispatch()) return;
    const at::TensorBase& base = tensor.is_view() ? tensor._base() : tensor;
    const bool parameter = base.is_leaf() && base.requires_grad();
    site_ = state().stacks_on ? state().stacks.here() : kNoSite;
    auto* storage = data_.storage().unsafeGetStorageImpl();
    state().ledger.saved(storage, static_cast<std::int64_t>(storage->nbytes()),
                         static_cast<int>(tensor.device().type()), parameter, site_);
    storage_ = storage;
  }

  at::Tensor data_;
  c10::VariableVersion versions_;
  std::uint32_t version_ = 0;
  const void* storage_ = nullptr;
  int site_ = kNoSite;
  bool read_ = false;
};

static autograd::Engine* previous = nullptr;
static std::atomic<bool> hooks_on{false};

// Newer versions have hooks at the creation of nodes.
template <class Base, class = void>
struct Creating : Base {};
template <class Base>
struct Creating<Base, std::void_t<decltype(std::declval<Base&>().get_node_creation_hooks())>> : Base {
  decltype(std::declval<Base&>().get_node_creation_hooks()) get_node_creation_hooks() override {
    return static_cast<Base*>(previous)->get_node_creation_hooks();
  }
};

// The nodes of a graph are owned by a shared_ptr, in newer versions by an intrusive_ptr.
template <class Signature>
struct Executing;
template <class Base, class Result, class Root>
struct Executing<Result (Base::*)(const std::shared_ptr<autograd::GraphTask>&, Root, autograd::InputBuffer&&)>
    : Creating<Base> {
  Result execute_with_graph_task(const std::shared_ptr<autograd::GraphTask>& task, Root root,
                                 autograd::InputBuffer&& buffer) override {
    return previous->execute_with_graph_task(task, std::move(root), std::move(buffer));
  }
};

class ProbeEngine final : public Executing<decltype(&autograd::Engine::execute_with_graph_task)> {
 public:
  autograd::variable_list execute(const autograd::edge_list& roots, const autograd::variable_list& inputs,
                                  bool keep_graph, bool create_graph, bool accumulate_grad,
                                  const autograd::edge_list& outputs) override {
    return previous->execute(roots, inputs, keep_graph, create_graph, accumulate_grad, outputs);
  }
  std::unique_ptr<autograd::AnomalyMetadata> make_anomaly_metadata() override {
    return previous->make_anomaly_metadata();
  }
  std::unique_ptr<autograd::SavedVariableHooks> get_default_saved_variable_hooks() override {
    auto theirs = previous->get_default_saved_variable_hooks();
    if (!hooks_on.load(std::memory_order_relaxed)) return theirs;
    if (theirs != nullptr) {
      state().ledger.user_hooked();
      return theirs;
    }
    return std::make_unique<Hooks>();
  }
};

static autograd::Engine& probe_engine() {
  static auto* engine = new ProbeEngine();
  return *engine;
}

void install_saved_hooks() {
  autograd::Engine* current = &autograd::Engine::get_default_engine();
  if (current != &probe_engine()) {
    previous = current;
    autograd::set_default_engine_stub(&probe_engine);
  }
  hooks_on = true;
}

void remove_saved_hooks() {
  hooks_on = false;
}

bool grad_is_on() {
  return c10::GradMode::is_enabled() && !c10::InferenceMode::is_enabled();
}

// ---- Operators
// -----------------------------------------------------------------------------------------------------------

static at::CallbackHandle op_callback = 0;

static std::unique_ptr<at::ObserverContext> op_starts(const at::RecordFunction&) {
  try {
    state().stacks.note_native(grad_is_on());
  } catch (...) {
    state().errors.fetch_add(1);
  }
  return nullptr;
}

void install_op_callback() {
  if (op_callback != 0) return;
  op_callback = at::addGlobalCallback(at::RecordFunctionCallback(op_starts).scopes({at::RecordScope::FUNCTION}));
}

void remove_op_callback() {
  if (op_callback != 0) at::removeCallback(op_callback);
  op_callback = 0;
}

// ---- Versions and devices
// ------------------------------------------------------------------------------------------------

const char* torch_version() {
  return TORCH_VERSION;
}

std::string device_name(int type) {
  return c10::DeviceTypeName(static_cast<c10::DeviceType>(type), true);
}

}  // namespace deadgrad::probe
