// Modules that hold modules or parameters.
#pragma once
#pragma GCC system_header

#include "nn_layers.h"

namespace torch {
namespace nn {

class FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  using Function = std::function<at::Tensor(at::Tensor)>;
  template <class Callable, class... Bound, class = ::deadgrad_stub::IfOther<Callable, FunctionalImpl>>
  explicit FunctionalImpl(Callable&&, Bound&&...) {
    ::deadgrad_stub::no_body();
  }
  void reset() override;
  at::Tensor forward(at::Tensor input);
  at::Tensor operator()(at::Tensor input);
  bool is_serializable() const override;
};
TORCH_MODULE(Functional);

class SequentialImpl : public Cloneable<SequentialImpl> {
 public:
  using Iterator = AnyModule*;
  using ConstIterator = const AnyModule*;
  SequentialImpl();
  explicit SequentialImpl(OrderedDict<std::string, AnyModule>&&);
  explicit SequentialImpl(std::initializer_list<NamedAnyModule>);
  template <class First, class... Rest, class = ::deadgrad_stub::IfOther<First, SequentialImpl>>
  explicit SequentialImpl(First&&, Rest&&...) {
    ::deadgrad_stub::no_body();
  }
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  void reset() override;
  template <class Returned = at::Tensor, class... Inputs>
  Returned forward(Inputs&&...) {
    ::deadgrad_stub::no_body();
  }
  template <class Added>
  void push_back(Added&&) {
    ::deadgrad_stub::no_body();
  }
  template <class Added>
  void push_back(std::string name, Added&&) {
    ::deadgrad_stub::no_body();
  }
  template <class Container>
  void extend(const Container&) {
    ::deadgrad_stub::no_body();
  }
  AnyModule* begin();
  AnyModule* end();
  const AnyModule* begin() const;
  const AnyModule* end() const;
  template <class Held>
  Held& at(std::size_t) {
    ::deadgrad_stub::no_body();
  }
  template <class Held>
  const Held& at(std::size_t) const {
    ::deadgrad_stub::no_body();
  }
  std::shared_ptr<Module> ptr(std::size_t) const;
  template <class Held>
  std::shared_ptr<Held> ptr(std::size_t) const {
    ::deadgrad_stub::no_body();
  }
  std::shared_ptr<Module> operator[](std::size_t) const;
  std::size_t size() const noexcept;
  bool is_empty() const noexcept;
};
class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  using Impl = SequentialImpl;
  Sequential();
  Sequential(std::nullptr_t);
  Sequential(std::initializer_list<NamedAnyModule>);
};

#define DEADGRAD_STUB_MODULE_SEQUENCE           \
  std::shared_ptr<Module>* begin();             \
  std::shared_ptr<Module>* end();               \
  const std::shared_ptr<Module>* begin() const; \
  const std::shared_ptr<Module>* end() const;   \
  std::size_t size() const noexcept;            \
  bool is_empty() const noexcept;               \
  void reset() override;
class ModuleListImpl : public Cloneable<ModuleListImpl> {
 public:
  using Iterator = std::shared_ptr<Module>*;
  using ConstIterator = const std::shared_ptr<Module>*;
  ModuleListImpl();
  template <class First, class... Rest, class = ::deadgrad_stub::IfOther<First, ModuleListImpl>>
  explicit ModuleListImpl(First&&, Rest&&...) {
    ::deadgrad_stub::no_body();
  }
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  DEADGRAD_STUB_MODULE_SEQUENCE
  template <class Added>
  void push_back(Added&&) {
    ::deadgrad_stub::no_body();
  }
  template <class Container>
  void extend(const Container&) {
    ::deadgrad_stub::no_body();
  }
  template <class Added>
  void insert(std::size_t, Added&&) {
    ::deadgrad_stub::no_body();
  }
  template <class Held>
  Held& at(std::size_t) {
    ::deadgrad_stub::no_body();
  }
  template <class Held>
  const Held& at(std::size_t) const {
    ::deadgrad_stub::no_body();
  }
  std::shared_ptr<Module> ptr(std::size_t) const;
  template <class Held>
  std::shared_ptr<Held> ptr(std::size_t) const {
    ::deadgrad_stub::no_body();
  }
  std::shared_ptr<Module> operator[](std::size_t) const;
};
TORCH_MODULE(ModuleList);

class ModuleDictImpl : public Cloneable<ModuleDictImpl> {
 public:
  using Item = OrderedDict<std::string, std::shared_ptr<Module>>::Item;
  ModuleDictImpl();
  template <class First, class = ::deadgrad_stub::IfOther<First, ModuleDictImpl>>
  explicit ModuleDictImpl(First&&) {
    ::deadgrad_stub::no_body();
  }
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> items() const;
  std::vector<std::string> keys() const;
  std::vector<std::shared_ptr<Module>> values() const;
  Item* begin();
  Item* end();
  const Item* begin() const;
  const Item* end() const;
  std::size_t size() const noexcept;
  bool empty() const noexcept;
  bool contains(const std::string&) const noexcept;
  void clear();
  void reset() override;
  void insert(Any, Any = {});
  void update(Any);
  std::shared_ptr<Module> pop(const std::string&);
  std::shared_ptr<Module> operator[](const std::string&) const;
  template <class Held>
  Held& at(const std::string&) {
    ::deadgrad_stub::no_body();
  }
  std::shared_ptr<Module> ptr(const std::string&) const;
  template <class Held>
  std::shared_ptr<Held> ptr(const std::string&) const {
    ::deadgrad_stub::no_body();
  }
};
TORCH_MODULE(ModuleDict);

class ParameterListImpl : public Cloneable<ParameterListImpl> {
 public:
  using Item = OrderedDict<std::string, at::Tensor>::Item;
  ParameterListImpl();
  template <class First, class... Rest, class = ::deadgrad_stub::IfOther<First, ParameterListImpl>>
  explicit ParameterListImpl(First&&, Rest&&...) {
    ::deadgrad_stub::no_body();
  }
  void reset() override;
  void append(Any);
  template <class Container>
  void extend(const Container&) {
    ::deadgrad_stub::no_body();
  }
  at::Tensor& at(std::size_t);
  at::Tensor& operator[](std::size_t);
  Item* begin();
  Item* end();
  std::size_t size() const noexcept;
  bool is_empty() const noexcept;
};
TORCH_MODULE(ParameterList);

class ParameterDictImpl : public Cloneable<ParameterDictImpl> {
 public:
  using Item = OrderedDict<std::string, at::Tensor>::Item;
  ParameterDictImpl();
  template <class First, class = ::deadgrad_stub::IfOther<First, ParameterDictImpl>>
  explicit ParameterDictImpl(First&&) {
    ::deadgrad_stub::no_body();
  }
  void reset() override;
  at::Tensor& insert(std::string, at::Tensor);
  at::Tensor pop(const std::string&);
  std::vector<std::string> keys() const;
  std::vector<at::Tensor> values() const;
  at::Tensor& get(const std::string&);
  at::Tensor& operator[](const std::string&);
  bool contains(const std::string&) const noexcept;
  Item* begin();
  Item* end();
  std::size_t size() const noexcept;
  bool empty() const noexcept;
};
TORCH_MODULE(ParameterDict);
#undef DEADGRAD_STUB_MODULE_SEQUENCE

}  // namespace nn
}  // namespace torch
