// torch::data: datasets, samplers and loaders. The type of a batch follows from the dataset and its transform, because
// an error in the range of a loop would lose the loop's body.
#pragma once
#pragma GCC system_header

#include "data_transforms.h"

namespace torch {
namespace data {

namespace samplers {
template <class BatchRequest = std::vector<std::size_t>>
class Sampler {
 public:
  using BatchRequestType = BatchRequest;
  Sampler();
  Sampler(const Sampler&);
  virtual ~Sampler();
  virtual void reset(optional<std::size_t> new_size) = 0;
  virtual optional<BatchRequest> next(std::size_t batch_size) = 0;
  virtual void save(serialize::OutputArchive&) const = 0;
  virtual void load(serialize::InputArchive&) = 0;
};
#define DEADGRAD_STUB_SAMPLER_METHODS(Request)          \
  void reset(optional<std::size_t> = nullopt) override; \
  optional<Request> next(std::size_t) override;         \
  void save(serialize::OutputArchive&) const override;  \
  void load(serialize::InputArchive&) override;         \
  std::size_t index() const noexcept;
class RandomSampler : public Sampler<> {
 public:
  explicit RandomSampler(std::int64_t size, Dtype = at::ScalarType::Long);
  DEADGRAD_STUB_SAMPLER_METHODS(std::vector<std::size_t>)
};
class SequentialSampler : public Sampler<> {
 public:
  explicit SequentialSampler(std::size_t size);
  DEADGRAD_STUB_SAMPLER_METHODS(std::vector<std::size_t>)
};
template <class BatchRequest = std::vector<std::size_t>>
class DistributedSampler : public Sampler<BatchRequest> {
 public:
  DistributedSampler(std::size_t size, std::size_t replicas = 1, std::size_t rank = 0, bool allow_duplicates = true);
  void set_epoch(std::size_t);
  std::size_t epoch() const;
  std::size_t size_;
};
class DistributedRandomSampler : public DistributedSampler<> {
 public:
  using DistributedSampler<>::DistributedSampler;
  DEADGRAD_STUB_SAMPLER_METHODS(std::vector<std::size_t>)
};
class DistributedSequentialSampler : public DistributedSampler<> {
 public:
  using DistributedSampler<>::DistributedSampler;
  DEADGRAD_STUB_SAMPLER_METHODS(std::vector<std::size_t>)
};
class CustomBatchRequest {
 public:
  virtual std::size_t size() const = 0;
};
struct BatchSize : CustomBatchRequest {
  explicit BatchSize(std::size_t);
  std::size_t size() const noexcept override;
  operator std::size_t() const noexcept;
};
class StreamSampler : public Sampler<BatchSize> {
 public:
  explicit StreamSampler(std::size_t epoch_size);
  DEADGRAD_STUB_SAMPLER_METHODS(BatchSize)
};
template <class Wrapped>
class ThreadSafeSampler : public Sampler<typename Wrapped::BatchRequestType> {};
#undef DEADGRAD_STUB_SAMPLER_METHODS
}  // namespace samplers

namespace datasets {

template <class Source, class Transform>
class MapDataset;

template <class Self, class Batch = std::vector<Example<>>, class BatchRequest = at::ArrayRef<std::size_t>>
class BatchDataset {
 public:
  using SelfType = Self;
  using BatchType = Batch;
  using BatchRequestType = BatchRequest;
  static constexpr bool is_stateful = false;
  BatchDataset();
  BatchDataset(const BatchDataset&);
  BatchDataset& operator=(const BatchDataset&);
  virtual ~BatchDataset();
  virtual Batch get_batch(BatchRequest request) = 0;
  virtual optional<std::size_t> size() const = 0;
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform);
};

template <class Self, class SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>> {
 public:
  using ExampleType = SingleExample;
  virtual ExampleType get(std::size_t index) = 0;
  std::vector<SingleExample> get_batch(at::ArrayRef<std::size_t> indices) override;
};

template <class Self, class Batch = std::vector<Example<>>>
using StreamDataset = BatchDataset<Self, Batch, std::size_t>;

template <class Self, class Batch = std::vector<Example<>>, class BatchRequest = std::size_t>
class StatefulDataset : public BatchDataset<Self, optional<Batch>, BatchRequest> {
 public:
  static constexpr bool is_stateful = true;
  virtual void reset() = 0;
  virtual void save(serialize::OutputArchive&) const = 0;
  virtual void load(serialize::InputArchive&) = 0;
};

template <class Batch, class Transform>
struct MappedBatch {
  using type = typename Transform::OutputBatchType;
};
template <class Batch, class Transform>
struct MappedBatch<optional<Batch>, Transform> {
  using type = optional<typename Transform::OutputBatchType>;
};
template <class Source, class AppliedTransform>
class MapDataset : public BatchDataset<MapDataset<Source, AppliedTransform>,
                                       typename MappedBatch<typename Source::BatchType, AppliedTransform>::type,
                                       typename Source::BatchRequestType> {
 public:
  using DatasetType = Source;
  using TransformType = AppliedTransform;
  using BatchRequestType = typename Source::BatchRequestType;
  using OutputBatchType = typename AppliedTransform::OutputBatchType;
  static constexpr bool is_stateful = Source::is_stateful;
  MapDataset(Source, AppliedTransform);
  typename MappedBatch<typename Source::BatchType, AppliedTransform>::type get_batch(BatchRequestType) override;
  optional<std::size_t> size() const noexcept override;
  void reset();
  const Source& dataset() const noexcept;
  const AppliedTransform& transform() const noexcept;
};
template <class Source, class Transform>
MapDataset<Source, Transform> map(Source, Transform);

template <class Underlying>
class SharedBatchDataset : public BatchDataset<SharedBatchDataset<Underlying>, typename Underlying::BatchType,
                                               typename Underlying::BatchRequestType> {
 public:
  SharedBatchDataset(std::shared_ptr<Underlying>);
  typename Underlying::BatchType get_batch(typename Underlying::BatchRequestType) override;
  optional<std::size_t> size() const override;
  Underlying& operator*();
  Underlying* operator->();
  void reset();
};
template <class Underlying, class... Arguments>
SharedBatchDataset<Underlying> make_shared_dataset(Arguments&&...);

class MNIST : public Dataset<MNIST> {
 public:
  enum class Mode { kTrain, kTest };
  explicit MNIST(const std::string& root, Mode mode = Mode::kTrain);
  Example<> get(std::size_t index) override;
  optional<std::size_t> size() const override;
  bool is_train() const noexcept;
  const at::Tensor& images() const;
  const at::Tensor& targets() const;
};

struct TensorDataset : Dataset<TensorDataset, TensorExample> {
  explicit TensorDataset(const std::vector<at::Tensor>&);
  explicit TensorDataset(at::Tensor);
  TensorExample get(std::size_t index) override;
  optional<std::size_t> size() const override;
  at::Tensor tensor;
};

template <class ExampleType, class Chunk = std::vector<ExampleType>>
class ChunkDataReader {
 public:
  using ChunkType = Chunk;
  using BatchType = Chunk;
  ChunkDataReader();
  ChunkDataReader(const ChunkDataReader&);
  virtual ~ChunkDataReader();
  virtual Chunk read_chunk(std::size_t) = 0;
  virtual std::size_t chunk_count() = 0;
  virtual void reset() = 0;
};
struct ChunkDatasetOptions {
  ChunkDatasetOptions(std::size_t preloader_count, std::size_t batch_size, DEADGRAD_STUB_2);
};
template <class Reader, class ChunkSampler = samplers::RandomSampler, class ExampleSampler = samplers::RandomSampler>
class ChunkDataset
    : public StatefulDataset<ChunkDataset<Reader, ChunkSampler, ExampleSampler>, typename Reader::BatchType> {
 public:
  ChunkDataset(Reader, DEADGRAD_STUB_4);
  optional<typename Reader::BatchType> get_batch(std::size_t) override;
  void reset() override;
  optional<std::size_t> size() const override;
  void save(serialize::OutputArchive&) const override;
  void load(serialize::InputArchive&) override;
};

}  // namespace datasets

struct DataLoaderOptions {
  DataLoaderOptions();
  DataLoaderOptions(std::size_t batch_size);
#define DEADGRAD_STUB_SETTING(name, type)   \
  DataLoaderOptions& name(type new_##name); \
  type& name();                             \
  const type& name() const;
  DEADGRAD_STUB_SETTING(batch_size, std::size_t)
  DEADGRAD_STUB_SETTING(workers, std::size_t)
  DEADGRAD_STUB_SETTING(max_jobs, optional<std::size_t>)
  DEADGRAD_STUB_SETTING(timeout, optional<std::chrono::milliseconds>)
  DEADGRAD_STUB_SETTING(enforce_ordering, bool)
  DEADGRAD_STUB_SETTING(drop_last, bool)
#undef DEADGRAD_STUB_SETTING
};

template <class Batch>
class Iterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = Batch;
  using pointer = Batch*;
  using reference = Batch&;
  using iterator_category = std::input_iterator_tag;
  Iterator& operator++();
  Batch& operator*();
  Batch* operator->();
  bool operator==(const Iterator&) const;
  bool operator!=(const Iterator&) const;
};

template <class LoadedDataset, class Batch, class BatchRequest>
class DataLoaderBase {
 public:
  using BatchType = Batch;
  using BatchRequestType = BatchRequest;
  DataLoaderBase();
  DataLoaderBase(const DataLoaderBase&);
  virtual ~DataLoaderBase();
  Iterator<Batch> begin();
  Iterator<Batch> end();
  void join();
  const DataLoaderOptions& options() const noexcept;
};
template <class LoadedDataset, class LoadedSampler>
class StatelessDataLoader : public DataLoaderBase<LoadedDataset, typename LoadedDataset::BatchType,
                                                  typename LoadedSampler::BatchRequestType> {
 public:
  StatelessDataLoader(LoadedDataset, LoadedSampler, DataLoaderOptions);
};
template <class LoadedDataset>
class StatefulDataLoader : public DataLoaderBase<LoadedDataset, typename LoadedDataset::BatchType::value_type,
                                                 typename LoadedDataset::BatchRequestType> {
 public:
  StatefulDataLoader(LoadedDataset, DataLoaderOptions);
};

template <class LoadedDataset, class LoadedSampler, class = typename LoadedSampler::BatchRequestType>
std::unique_ptr<StatelessDataLoader<LoadedDataset, LoadedSampler>> make_data_loader(LoadedDataset, LoadedSampler,
                                                                                    DataLoaderOptions = {});
template <class LoadedSampler = samplers::RandomSampler, class LoadedDataset,
          class = typename std::enable_if<!LoadedDataset::is_stateful>::type>
std::unique_ptr<StatelessDataLoader<LoadedDataset, LoadedSampler>> make_data_loader(LoadedDataset,
                                                                                    DataLoaderOptions = {});
template <class LoadedDataset, class = typename std::enable_if<LoadedDataset::is_stateful>::type, class = void>
std::unique_ptr<StatefulDataLoader<LoadedDataset>> make_data_loader(LoadedDataset, DataLoaderOptions = {});

}  // namespace data
}  // namespace torch
