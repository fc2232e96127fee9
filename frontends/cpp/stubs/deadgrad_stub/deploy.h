// Ahead-of-time compiled models (no autograd in them), the native runtime, and distributed communication.
#pragma once
#pragma GCC system_header

#include "ivalue.h"

namespace torch {
namespace inductor {

class AOTIModelContainerRunner {
 public:
  AOTIModelContainerRunner();
  AOTIModelContainerRunner(const AOTIModelContainerRunner&) = delete;
  virtual ~AOTIModelContainerRunner();
  std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs, void* stream_handle = nullptr);
  std::vector<at::Tensor> run(std::vector<at::Tensor>&& inputs, void* stream_handle = nullptr);
  std::vector<at::Tensor> boxed_run(std::vector<at::Tensor>&& inputs, void* stream_handle = nullptr);
  std::vector<std::string> get_call_spec();
  std::unordered_map<std::string, std::string> getConstantNamesToOriginalFQNs() const;
  std::unordered_map<std::string, std::int32_t> getConstantNamesToDtypes() const;
  void update_constant_buffer(Any, bool, bool, bool = false);
  void update_inactive_constant_buffer(Any);
  void run_const_fold(bool, Any = {});
  void swap_constant_buffer();
  void free_inactive_constant_buffer();
};
#define DEADGRAD_STUB_RUNNER(name)                                                          \
  class name : public AOTIModelContainerRunner {                                            \
   public:                                                                                  \
    explicit name(const std::string& library, DEADGRAD_STUB_4);                             \
    template <class Stream>                                                                 \
    std::vector<at::Tensor> run_with_cuda_stream(const std::vector<at::Tensor>&, Stream&&); \
  };
DEADGRAD_STUB_RUNNER(AOTIModelContainerRunnerCpu)
DEADGRAD_STUB_RUNNER(AOTIModelContainerRunnerCuda)
DEADGRAD_STUB_RUNNER(AOTIModelContainerRunnerXpu)
DEADGRAD_STUB_RUNNER(AOTIModelContainerRunnerMps)
#undef DEADGRAD_STUB_RUNNER

class AOTIModelPackageLoader {
 public:
  AOTIModelPackageLoader(const std::string& package, const std::string& name = "model", bool single_threaded = false,
                         DEADGRAD_STUB_3);
  AOTIModelContainerRunner* get_runner();
  std::unordered_map<std::string, std::string> get_metadata();
  static std::unordered_map<std::string, std::string> load_metadata_from_package(const std::string&,
                                                                                 const std::string&);
  std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs, void* stream_handle = nullptr);
  std::vector<at::Tensor> boxed_run(std::vector<at::Tensor>&& inputs, void* stream_handle = nullptr);
  std::vector<std::string> get_call_spec();
  void load_constants(Any, bool, bool, bool = false);
  std::vector<std::string> get_constant_fqns();
  void update_constant_buffer(Any, bool, bool, bool = false);
};

}  // namespace inductor

namespace nativert {
class ModelRunner {
 public:
  ModelRunner(DEADGRAD_STUB_8);
  c10::IValue run(const std::vector<c10::IValue>& args, Any = {});
  std::vector<c10::IValue> runWithFlatInputsAndOutputs(std::vector<c10::IValue> inputs);
};
using ModelRunnerHandle = ModelRunner;
}  // namespace nativert

}  // namespace torch

namespace c10d {

using ::deadgrad_stub::Any;

struct ReduceOp {
  enum RedOpType : std::uint8_t { SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, UNUSED };
  ReduceOp(RedOpType = SUM);
  static constexpr RedOpType dummy = SUM;
};
struct CollectiveOptions {
  ReduceOp reduceOp;
  int rootRank, rootTensor;
  std::chrono::milliseconds timeout;
  std::vector<std::int64_t> device_ids;
};
using AllreduceOptions = CollectiveOptions;
using BroadcastOptions = CollectiveOptions;
using ReduceOptions = CollectiveOptions;
using AllgatherOptions = CollectiveOptions;
using GatherOptions = CollectiveOptions;
using ScatterOptions = CollectiveOptions;
using ReduceScatterOptions = CollectiveOptions;
using AllToAllOptions = CollectiveOptions;
using BarrierOptions = CollectiveOptions;

class Work : public c10::intrusive_ptr_target {
 public:
  bool wait(Any = {});
  bool isCompleted();
  bool isSuccess() const;
  std::exception_ptr exception() const;
  std::vector<at::Tensor> result();
  void synchronize();
  c10::intrusive_ptr<c10::ivalue::Future> getFuture();
};
class Store : public c10::intrusive_ptr_target {
 public:
  void set(const std::string&, Any);
  std::vector<std::uint8_t> get(const std::string&);
  std::int64_t add(const std::string&, std::int64_t);
  bool check(const std::vector<std::string>&);
  void wait(const std::vector<std::string>&, Any = {});
  bool deleteKey(const std::string&);
  void setTimeout(const std::chrono::milliseconds&);
};
#define DEADGRAD_STUB_STORE(name)           \
  class name : public Store {               \
   public:                                  \
    name(DEADGRAD_STUB_4, DEADGRAD_STUB_4); \
  };
DEADGRAD_STUB_STORE(FileStore)
DEADGRAD_STUB_STORE(HashStore)
DEADGRAD_STUB_STORE(PrefixStore)
#undef DEADGRAD_STUB_STORE
struct TCPStoreOptions {
  std::uint16_t port;
  bool isServer, waitWorkers, multiTenant;
  c10::optional<std::size_t> numWorkers;
  std::chrono::milliseconds timeout;
};
class TCPStore : public Store {
 public:
  TCPStore(DEADGRAD_STUB_8);
};
class ProcessGroup : public c10::intrusive_ptr_target {
 public:
  int getRank() const;
  int getSize() const;
  std::string getBackendName() const;
#define DEADGRAD_STUB_COLLECTIVE(name) c10::intrusive_ptr<Work> name(DEADGRAD_STUB_4);
  DEADGRAD_STUB_COLLECTIVE(allreduce)
  DEADGRAD_STUB_COLLECTIVE(allreduce_coalesced)
  DEADGRAD_STUB_COLLECTIVE(broadcast)
  DEADGRAD_STUB_COLLECTIVE(reduce)
  DEADGRAD_STUB_COLLECTIVE(allgather)
  DEADGRAD_STUB_COLLECTIVE(_allgather_base)
  DEADGRAD_STUB_COLLECTIVE(gather)
  DEADGRAD_STUB_COLLECTIVE(scatter)
  DEADGRAD_STUB_COLLECTIVE(reduce_scatter)
  DEADGRAD_STUB_COLLECTIVE(_reduce_scatter_base)
  DEADGRAD_STUB_COLLECTIVE(alltoall)
  DEADGRAD_STUB_COLLECTIVE(alltoall_base)
  DEADGRAD_STUB_COLLECTIVE(send)
  DEADGRAD_STUB_COLLECTIVE(recv)
  DEADGRAD_STUB_COLLECTIVE(recvAnysource)
  DEADGRAD_STUB_COLLECTIVE(barrier)
#undef DEADGRAD_STUB_COLLECTIVE
};
using Backend = ProcessGroup;
#define DEADGRAD_STUB_GROUP(name)                                    \
  class name : public ProcessGroup {                                 \
   public:                                                           \
    struct Options : c10::intrusive_ptr_target {                     \
      static c10::intrusive_ptr<Options> create(DEADGRAD_STUB_2);    \
      std::chrono::milliseconds timeout;                             \
      int threads;                                                   \
      std::vector<::deadgrad_stub::Value> devices;                   \
      bool is_high_priority_stream;                                  \
    };                                                               \
    name(DEADGRAD_STUB_8);                                           \
    static c10::intrusive_ptr<name> createProcessGroupMPI(Any = {}); \
    static ::deadgrad_stub::Value createDefaultDevice();             \
    static ::deadgrad_stub::Value createDeviceForInterface(Any);     \
    static ::deadgrad_stub::Value createDeviceForHostname(Any);      \
    static void groupStart();                                        \
    static void groupEnd();                                          \
  };
DEADGRAD_STUB_GROUP(ProcessGroupNCCL)
DEADGRAD_STUB_GROUP(ProcessGroupGloo)
DEADGRAD_STUB_GROUP(ProcessGroupMPI)
DEADGRAD_STUB_GROUP(ProcessGroupUCC)
#undef DEADGRAD_STUB_GROUP
class Reducer {
 public:
  explicit Reducer(Any, DEADGRAD_STUB_8);
  void prepare_for_forward();
  void prepare_for_backward(Any);
};
c10::intrusive_ptr<ProcessGroup> resolve_process_group(const std::string&);

}  // namespace c10d
