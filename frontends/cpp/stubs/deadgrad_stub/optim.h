// Optimizers and schedulers.
#pragma once
#pragma GCC system_header

#include "nn_layers.h"

namespace torch {
namespace optim {

class OptimizerOptions {
 public:
  OptimizerOptions();
  OptimizerOptions(const OptimizerOptions&);
  OptimizerOptions& operator=(const OptimizerOptions&);
  virtual ~OptimizerOptions();
  virtual std::unique_ptr<OptimizerOptions> clone() const;
  virtual double get_lr() const;
  virtual void set_lr(const double);
  virtual void serialize(serialize::InputArchive&);
  virtual void serialize(serialize::OutputArchive&) const;
};
template <class Derived>
class OptimizerCloneableOptions : public OptimizerOptions {};
class OptimizerParamState {
 public:
  OptimizerParamState();
  OptimizerParamState(const OptimizerParamState&);
  OptimizerParamState& operator=(const OptimizerParamState&);
  virtual ~OptimizerParamState();
  virtual std::unique_ptr<OptimizerParamState> clone() const;
};
template <class Derived>
class OptimizerCloneableParamState : public OptimizerParamState {};

class OptimizerParamGroup {
 public:
  OptimizerParamGroup(std::vector<at::Tensor>);
  OptimizerParamGroup(std::vector<at::Tensor>, std::unique_ptr<OptimizerOptions>);
  bool has_options() const;
  OptimizerOptions& options();
  const OptimizerOptions& options() const;
  void set_options(std::unique_ptr<OptimizerOptions>);
  std::vector<at::Tensor>& params();
  const std::vector<at::Tensor>& params() const;
};

class Optimizer {
 public:
  using LossClosure = std::function<at::Tensor()>;
  explicit Optimizer(Any, std::unique_ptr<OptimizerOptions>);
  Optimizer(const Optimizer&) = delete;
  Optimizer(Optimizer&&);
  virtual ~Optimizer();
  virtual at::Tensor step(LossClosure closure = nullptr) = 0;
  void add_param_group(const OptimizerParamGroup&);
  void add_parameters(const std::vector<at::Tensor>&);
  void zero_grad(bool set_to_none = true);
  const std::vector<at::Tensor>& parameters() const noexcept;
  std::vector<at::Tensor>& parameters() noexcept;
  std::size_t size() const noexcept;
  OptimizerOptions& defaults() noexcept;
  const OptimizerOptions& defaults() const noexcept;
  std::vector<OptimizerParamGroup>& param_groups() noexcept;
  const std::vector<OptimizerParamGroup>& param_groups() const noexcept;
  std::unordered_map<void*, std::unique_ptr<OptimizerParamState>>& state() noexcept;
  virtual void save(serialize::OutputArchive&) const;
  virtual void load(serialize::InputArchive&);

 protected:
  std::vector<OptimizerParamGroup> param_groups_;
  std::unordered_map<void*, std::unique_ptr<OptimizerParamState>> state_;
  std::unique_ptr<OptimizerOptions> defaults_;
};
serialize::OutputArchive& operator<<(serialize::OutputArchive&, const Optimizer&);
serialize::InputArchive& operator>>(serialize::InputArchive&, Optimizer&);

#define DEADGRAD_STUB_SETTING(Options, type, name) \
  Options& name(type new_##name);                  \
  type& name();                                    \
  const type& name() const;
#define DEADGRAD_STUB_BETAS std::tuple<double, double>
#define DEADGRAD_STUB_OPTIMIZER(name)                                                \
  class name##Options : public OptimizerOptions {                                    \
   public:                                                                           \
    name##Options(double learning_rate = 0.001);                                     \
    DEADGRAD_STUB_SETTING(name##Options, double, lr)                                 \
    DEADGRAD_STUB_SETTING(name##Options, double, weight_decay)                       \
    DEADGRAD_STUB_SETTING(name##Options, double, momentum)                           \
    DEADGRAD_STUB_SETTING(name##Options, double, dampening)                          \
    DEADGRAD_STUB_SETTING(name##Options, double, alpha)                              \
    DEADGRAD_STUB_SETTING(name##Options, double, eps)                                \
    DEADGRAD_STUB_SETTING(name##Options, double, lr_decay)                           \
    DEADGRAD_STUB_SETTING(name##Options, double, initial_accumulator_value)          \
    DEADGRAD_STUB_SETTING(name##Options, double, tolerance_grad)                     \
    DEADGRAD_STUB_SETTING(name##Options, double, tolerance_change)                   \
    DEADGRAD_STUB_SETTING(name##Options, std::int64_t, max_iter)                     \
    DEADGRAD_STUB_SETTING(name##Options, c10::optional<std::int64_t>, max_eval)      \
    DEADGRAD_STUB_SETTING(name##Options, std::int64_t, history_size)                 \
    DEADGRAD_STUB_SETTING(name##Options, c10::optional<std::string>, line_search_fn) \
    DEADGRAD_STUB_SETTING(name##Options, bool, nesterov)                             \
    DEADGRAD_STUB_SETTING(name##Options, bool, centered)                             \
    DEADGRAD_STUB_SETTING(name##Options, bool, amsgrad)                              \
    name##Options& betas(DEADGRAD_STUB_BETAS new_betas);                             \
    DEADGRAD_STUB_BETAS& betas();                                                    \
    const DEADGRAD_STUB_BETAS& betas() const;                                        \
  };                                                                                 \
  class name##ParamState : public OptimizerParamState {                              \
   public:                                                                           \
    std::int64_t step() const;                                                       \
    const at::Tensor& exp_avg() const;                                               \
    const at::Tensor& exp_avg_sq() const;                                            \
    const at::Tensor& momentum_buffer() const;                                       \
  };                                                                                 \
  class name : public Optimizer {                                                    \
   public:                                                                           \
    explicit name(std::vector<at::Tensor>, name##Options = {});                      \
    explicit name(std::vector<OptimizerParamGroup>, name##Options = {});             \
    at::Tensor step(LossClosure closure = nullptr) override;                         \
  };
DEADGRAD_STUB_OPTIMIZER(Adam)
DEADGRAD_STUB_OPTIMIZER(AdamW)
DEADGRAD_STUB_OPTIMIZER(Adagrad)
DEADGRAD_STUB_OPTIMIZER(RMSprop)
DEADGRAD_STUB_OPTIMIZER(SGD)
DEADGRAD_STUB_OPTIMIZER(LBFGS)
#undef DEADGRAD_STUB_OPTIMIZER
#undef DEADGRAD_STUB_BETAS
#undef DEADGRAD_STUB_SETTING

class LRScheduler {
 public:
  explicit LRScheduler(Optimizer&);
  LRScheduler(const LRScheduler&);
  virtual ~LRScheduler();
  void step();

 protected:
  virtual std::vector<double> get_lrs() = 0;
  std::vector<double> get_current_lrs() const;
  unsigned step_count_;
};
class StepLR : public LRScheduler {
 public:
  StepLR(Optimizer&, unsigned step_size, double gamma = 0.1);
  std::vector<double> get_lrs() override;
};
class ReduceLROnPlateauScheduler {
 public:
  enum SchedulerMode { min, max };
  enum ThresholdMode { rel, abs };
  ReduceLROnPlateauScheduler(Optimizer&, DEADGRAD_STUB_8);
  virtual void step(float metric);
};

}  // namespace optim
}  // namespace torch
