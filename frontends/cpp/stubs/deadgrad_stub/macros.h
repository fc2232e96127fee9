// The macros of c10 and ATen that user code relies on. A check evaluates its condition once, as the real ones do.
#pragma once
#pragma GCC system_header

#define C10_API
#define C10_EXPORT
#define C10_IMPORT
#define C10_HIDDEN
#define C10_CUDA_API
#define C10_UNUSED __attribute__((unused))
#define C10_NODISCARD
#define C10_ALWAYS_INLINE inline
#define C10_NOINLINE
#define C10_HOST_DEVICE
#define C10_HOST
#define C10_DEVICE
#define C10_LIKELY(condition) (static_cast<bool>(condition))
#define C10_UNLIKELY(condition) (static_cast<bool>(condition))
#define C10_STRINGIZE_IMPL(text) #text
#define C10_STRINGIZE(text) C10_STRINGIZE_IMPL(text)
#define C10_CONCATENATE_IMPL(left, right) left##right
#define C10_CONCATENATE(left, right) C10_CONCATENATE_IMPL(left, right)
#define C10_ANONYMOUS_VARIABLE(name) C10_CONCATENATE(name, __COUNTER__)
#define C10_DISABLE_COPY_AND_ASSIGN(name) \
  name(const name&) = delete;             \
  name& operator=(const name&) = delete
#define C10_THROW_ERROR(type, ...) throw ::c10::type(__VA_ARGS__)
#define C10_LOG_FIRST_N(...) ::std::cerr
#define TORCH_API
#define TORCH_CUDA_CPP_API
#define TORCH_CUDA_CU_API
#define TORCH_PYTHON_API
#define TORCH_XPU_API
#define CAFFE2_API
#define AT_CUDA_API

#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 5
#define TORCH_VERSION_PATCH 0
#define TORCH_VERSION "2.5.0"

#define DEADGRAD_STUB_CHECK(condition)                 \
  do {                                                 \
    if (!(condition)) ::deadgrad_stub::check_failed(); \
  } while (false)
namespace deadgrad_stub {
[[noreturn]] void check_failed();
}

#define TORCH_CHECK(condition, ...) DEADGRAD_STUB_CHECK(condition)
#define TORCH_CHECK_INDEX(condition, ...) DEADGRAD_STUB_CHECK(condition)
#define TORCH_CHECK_VALUE(condition, ...) DEADGRAD_STUB_CHECK(condition)
#define TORCH_CHECK_TYPE(condition, ...) DEADGRAD_STUB_CHECK(condition)
#define TORCH_CHECK_LINALG(condition, ...) DEADGRAD_STUB_CHECK(condition)
#define TORCH_CHECK_ARG(condition, ...) DEADGRAD_STUB_CHECK(condition)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) DEADGRAD_STUB_CHECK(condition)
#define TORCH_CHECK_WITH(type, condition, ...) DEADGRAD_STUB_CHECK(condition)
#define TORCH_INTERNAL_ASSERT(condition, ...) DEADGRAD_STUB_CHECK(condition)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(condition, ...) DEADGRAD_STUB_CHECK(condition)
#define TORCH_CHECK_EQ(left, right) DEADGRAD_STUB_CHECK((left) == (right))
#define TORCH_CHECK_NE(left, right) DEADGRAD_STUB_CHECK((left) != (right))
#define TORCH_CHECK_LT(left, right) DEADGRAD_STUB_CHECK((left) < (right))
#define TORCH_CHECK_LE(left, right) DEADGRAD_STUB_CHECK((left) <= (right))
#define TORCH_CHECK_GT(left, right) DEADGRAD_STUB_CHECK((left) > (right))
#define TORCH_CHECK_GE(left, right) DEADGRAD_STUB_CHECK((left) >= (right))
#define TORCH_CHECK_NOTNULL(pointer) (pointer)
#define AT_ASSERT(condition, ...) DEADGRAD_STUB_CHECK(condition)
#define AT_ASSERTM(condition, ...) DEADGRAD_STUB_CHECK(condition)
#define AT_CHECK(condition, ...) DEADGRAD_STUB_CHECK(condition)
#define AT_INDEX_ERROR(...) ::deadgrad_stub::check_failed()
#define AT_ERROR(...) ::deadgrad_stub::check_failed()
#define TORCH_WARN(...) static_cast<void>(0)
#define TORCH_WARN_ONCE(...) static_cast<void>(0)
#define TORCH_WARN_DEPRECATION(...) static_cast<void>(0)
#define AT_WARN(...) static_cast<void>(0)
#define C10_CUDA_CHECK(call) static_cast<void>(call)
#define C10_CUDA_CHECK_WARN(call) static_cast<void>(call)
#define C10_CUDA_IGNORE_ERROR(call) static_cast<void>(call)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() static_cast<void>(0)
#define AT_CUDA_CHECK(call) static_cast<void>(call)
#define TORCH_CUDABLAS_CHECK(call) static_cast<void>(call)
#define AT_CUDNN_CHECK(call) static_cast<void>(call)

// A fluent option: setter, reader and field.
#define TORCH_ARG(type, name)                            \
 public:                                                 \
  auto name(const type& new_##name) -> decltype(*this) { \
    this->name##_ = new_##name;                          \
    return *this;                                        \
  }                                                      \
  auto name(type&& new_##name) -> decltype(*this) {      \
    this->name##_ = std::move(new_##name);               \
    return *this;                                        \
  }                                                      \
  const type& name() const noexcept {                    \
    return this->name##_;                                \
  }                                                      \
  type& name() noexcept {                                \
    return this->name##_;                                \
  }                                                      \
                                                         \
 private:                                                \
  type name##_

// The body is read once, with one type instead of each.
#define DEADGRAD_STUB_DISPATCH(type, ...)    \
  [&] {                                      \
    using scalar_t [[maybe_unused]] = float; \
    static_cast<void>(type);                 \
    return __VA_ARGS__();                    \
  }()
#define AT_DISPATCH_FLOATING_TYPES(type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(s1, type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(s1, s2, type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND3(s1, s2, s3, type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES(type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_INDEX_TYPES(type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(s1, type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(s1, s2, type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND3(s1, s2, s3, type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(type, name, ...) DEADGRAD_STUB_DISPATCH(type, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(type, name, ...) static_cast<void>(type)
