// Examples, and the transforms that turn batches of them into other batches.
#pragma once
#pragma GCC system_header

#include "serialize.h"

namespace torch {
namespace data {

template <class Data = at::Tensor, class Target = at::Tensor>
struct Example {
  using DataType = Data;
  using TargetType = Target;
  Example() = default;
  Example(Data new_data, Target new_target);
  Data data;
  Target target;
};
namespace example {
using NoTarget = void;
}
template <class Data>
struct Example<Data, example::NoTarget> {
  using DataType = Data;
  using TargetType = example::NoTarget;
  Example() = default;
  Example(Data new_data);
  operator Data&();
  operator const Data&() const;
  Data data;
};
using TensorExample = Example<at::Tensor, example::NoTarget>;

namespace transforms {

template <class InputBatch, class OutputBatch>
class BatchTransform {
 public:
  using InputBatchType = InputBatch;
  using OutputBatchType = OutputBatch;
  BatchTransform();
  BatchTransform(const BatchTransform&);
  virtual ~BatchTransform();
  virtual OutputBatch apply_batch(InputBatch batch) = 0;
};
template <class Input, class Output>
class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>> {
 public:
  using InputType = Input;
  using OutputType = Output;
  virtual Output apply(Input input) = 0;
  std::vector<Output> apply_batch(std::vector<Input> batch) override;
};
template <class Input, class Output = Input>
class BatchLambda : public BatchTransform<Input, Output> {
 public:
  using FunctionType = std::function<Output(Input)>;
  explicit BatchLambda(FunctionType);
  Output apply_batch(Input) override;
};
template <class Input, class Output = Input>
class Lambda : public Transform<Input, Output> {
 public:
  using FunctionType = std::function<Output(Input)>;
  explicit Lambda(FunctionType);
  Output apply(Input) override;
};

template <class Single, class Batch = std::vector<Single>>
using Collation = BatchTransform<Batch, Single>;
template <class Single, class Batch = std::vector<Single>>
using Collate = BatchLambda<Batch, Single>;

template <class Stacked = Example<>>
struct Stack : Collation<Stacked> {
  Stacked apply_batch(std::vector<Stacked>) override;
};

template <class Target = at::Tensor>
class TensorTransform : public Transform<Example<at::Tensor, Target>, Example<at::Tensor, Target>> {
 public:
  using ExampleType = Example<at::Tensor, Target>;
  virtual at::Tensor operator()(at::Tensor input) = 0;
  ExampleType apply(ExampleType) override;
};
template <class Target = at::Tensor>
class TensorLambda : public TensorTransform<Target> {
 public:
  using FunctionType = std::function<at::Tensor(at::Tensor)>;
  explicit TensorLambda(FunctionType);
  at::Tensor operator()(at::Tensor) override;
};
template <class Target = at::Tensor>
struct Normalize : TensorTransform<Target> {
  Normalize(at::ArrayRef<double> mean, at::ArrayRef<double> deviation);
  at::Tensor operator()(at::Tensor) override;
  at::Tensor mean, stddev;
};

}  // namespace transforms
}  // namespace data
}  // namespace torch
