// torch::nn::Module and the holders of modules: what decides whether a call is a forward pass.
#pragma once
#pragma GCC system_header

#include "serialize.h"

namespace torch {

namespace detail {
struct ModuleHolderIndicator {};
}  // namespace detail

namespace nn {

class Module;
template <class Contained>
class ModuleHolder;

class Module : public std::enable_shared_from_this<Module> {
 public:
  using ModuleApplyFunction = std::function<void(Module&)>;
  using ConstModuleApplyFunction = std::function<void(const Module&)>;
  using NamedModuleApplyFunction = std::function<void(const std::string&, Module&)>;
  using ModulePointerApplyFunction = std::function<void(const std::shared_ptr<Module>&)>;

  Module();
  explicit Module(std::string name);
  Module(const Module&);
  Module(Module&&);
  Module& operator=(const Module&);
  Module& operator=(Module&&);
  virtual ~Module();

  const std::string& name() const noexcept;
  virtual std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const;
  template <class Function>
  void apply(const Function&, const std::string& name_prefix = std::string());
  template <class Function>
  void apply(const Function&, const std::string& name_prefix = std::string()) const;
  std::vector<at::Tensor> parameters(bool recurse = true) const;
  OrderedDict<std::string, at::Tensor> named_parameters(bool recurse = true) const;
  std::vector<at::Tensor> buffers(bool recurse = true) const;
  OrderedDict<std::string, at::Tensor> named_buffers(bool recurse = true) const;
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_modules(const std::string& name_prefix = std::string(),
                                                                  bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const;
  virtual void train(bool on = true);
  void eval();
  virtual bool is_training() const noexcept;
  virtual void to(Device device, Dtype dtype, bool non_blocking = false);
  virtual void to(Dtype dtype, bool non_blocking = false);
  virtual void to(Device device, bool non_blocking = false);
  virtual void zero_grad(bool set_to_none = true);
  virtual void save(serialize::OutputArchive&) const;
  virtual void load(serialize::InputArchive&);
  virtual void pretty_print(std::ostream&) const;
  virtual bool is_serializable() const;
  template <class Target>
  typename Target::ContainedType* as() noexcept;
  template <class Target>
  const typename Target::ContainedType* as() const noexcept;
  template <class Target,
            class = typename std::enable_if<!std::is_base_of<detail::ModuleHolderIndicator, Target>::value>::type>
  Target* as() noexcept;
  template <class Target,
            class = typename std::enable_if<!std::is_base_of<detail::ModuleHolderIndicator, Target>::value>::type>
  const Target* as() const noexcept;

  at::Tensor& register_parameter(std::string name, at::Tensor, bool requires_grad = true);
  at::Tensor& register_buffer(std::string name, at::Tensor);
  template <class Registered>
  std::shared_ptr<Registered> register_module(std::string name, std::shared_ptr<Registered>);
  template <class Registered>
  std::shared_ptr<Registered> register_module(std::string name, ModuleHolder<Registered>);
  template <class Registered>
  std::shared_ptr<Registered> replace_module(const std::string& name, std::shared_ptr<Registered>);
  template <class Registered>
  std::shared_ptr<Registered> replace_module(const std::string& name, ModuleHolder<Registered>);
  void unregister_module(const std::string& name);

 protected:
  virtual bool _forward_has_default_args();
  virtual unsigned _forward_num_required_args();
  OrderedDict<std::string, at::Tensor> parameters_;
  OrderedDict<std::string, at::Tensor> buffers_;
  OrderedDict<std::string, std::shared_ptr<Module>> children_;
};
std::ostream& operator<<(std::ostream&, const Module&);
serialize::OutputArchive& operator<<(serialize::OutputArchive&, const std::shared_ptr<Module>&);
serialize::InputArchive& operator>>(serialize::InputArchive&, const std::shared_ptr<Module>&);

template <class Derived>
class Cloneable : public Module {
 public:
  using Module::Module;
  virtual void reset() = 0;
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
};

template <class Contained>
class ModuleHolder : public detail::ModuleHolderIndicator {
 public:
  using ContainedType = Contained;
  ModuleHolder();
  ModuleHolder(std::nullptr_t);
  template <class First, class... Rest,
            class = typename std::enable_if<
                !(sizeof...(Rest) == 0 &&
                  (std::is_base_of<detail::ModuleHolderIndicator, typename std::decay<First>::type>::value ||
                   std::is_convertible<First, std::shared_ptr<Contained>>::value))>::type>
  explicit ModuleHolder(First&&, Rest&&...);
  ModuleHolder(std::shared_ptr<Contained>);
  explicit operator bool() const noexcept;
  Contained* operator->();
  const Contained* operator->() const;
  Contained& operator*();
  const Contained& operator*() const;
  const std::shared_ptr<Contained>& ptr() const;
  Contained* get();
  const Contained* get() const;
  template <class Receiver = Contained, class... Arguments>
  auto operator()(Arguments&&... arguments)
      -> decltype(std::declval<Receiver&>().forward(std::forward<Arguments>(arguments)...));
  template <class Index, class Receiver = Contained>
  auto operator[](Index&& index) -> decltype(std::declval<Receiver&>()[std::forward<Index>(index)]);
  bool is_empty() const noexcept;

 protected:
  std::shared_ptr<Contained> impl_;
};
template <class Contained>
std::ostream& operator<<(std::ostream&, const ModuleHolder<Contained>&);
template <class Contained>
serialize::OutputArchive& operator<<(serialize::OutputArchive&, const ModuleHolder<Contained>&);
template <class Contained>
serialize::InputArchive& operator>>(serialize::InputArchive&, ModuleHolder<Contained>&);

template <class Held>
class AnyValue;
namespace any_detail {
struct Result {
  template <class Target>
  Target& get() const;
  template <class Target>
  Target* try_get() const;
};
}  // namespace any_detail

class AnyModule {
 public:
  AnyModule();
  template <class Held, class = ::deadgrad_stub::IfOther<Held, AnyModule>>
  AnyModule(Held&&);
  AnyModule clone(Any = {}) const;
  template <class Held>
  AnyModule& operator=(std::shared_ptr<Held>);
  template <class... Arguments>
  any_detail::Result any_forward(Arguments&&...);
  template <class Returned = at::Tensor, class... Arguments>
  Returned forward(Arguments&&...);
  template <class Held>
  Held& get();
  template <class Held>
  const Held& get() const;
  std::shared_ptr<Module> ptr() const;
  template <class Held>
  std::shared_ptr<Held> ptr() const;
  bool is_empty() const noexcept;
};

class NamedAnyModule {
 public:
  template <class Held>
  NamedAnyModule(std::string name, Held&&);
  const std::string& name() const noexcept;
  AnyModule& module() noexcept;
  const AnyModule& module() const noexcept;
};

}  // namespace nn
}  // namespace torch

#define FORWARD_HAS_DEFAULT_ARGS(...)                  \
  bool _forward_has_default_args() override {          \
    return true;                                       \
  }                                                    \
  unsigned int _forward_num_required_args() override { \
    return 0;                                          \
  }

#define TORCH_MODULE_IMPL(Name, ImplType)                                \
  class Name : public torch::nn::ModuleHolder<ImplType> {                \
   public:                                                               \
    using torch::nn::ModuleHolder<ImplType>::ModuleHolder;               \
    using Impl __attribute__((unused)) = ImplType;                       \
    Name() = default;                                                    \
    Name(std::nullptr_t) : torch::nn::ModuleHolder<ImplType>(nullptr) {} \
  }
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)
