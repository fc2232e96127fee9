// The objects that change the grad mode, and the switches that need no object. Their canonical names are the ones the
// analysis knows; every other spelling is an alias. Here destructors matter: a class has one because the real class
// does its work there.
#pragma once
#pragma GCC system_header

#include "any.h"

namespace c10 {

struct InferenceMode {
  explicit InferenceMode(bool enabled = true);
  ~InferenceMode();
  static bool is_enabled();
};

struct GradMode {
  static bool is_enabled();
  static void set_enabled(bool enabled);
};

struct AutoGradMode {
  explicit AutoGradMode(bool enabled);
  ~AutoGradMode();
  bool prev_mode;
};

struct NoGradGuard : AutoGradMode {
  NoGradGuard();
};

struct AutoFwGradMode {
  explicit AutoFwGradMode(bool enabled);
  ~AutoFwGradMode();
};

struct AutogradState {
  static AutogradState& get_tls_state();
  static void set_tls_state(AutogradState);
  bool get_grad_mode() const;
  void set_grad_mode(bool enabled);
  bool get_inference_mode() const;
  void set_inference_mode(bool enabled);
};

namespace impl {
struct ExcludeDispatchKeyGuard {
  explicit ExcludeDispatchKeyGuard(::deadgrad_stub::Any);
  ~ExcludeDispatchKeyGuard();
};
struct IncludeDispatchKeyGuard {
  explicit IncludeDispatchKeyGuard(::deadgrad_stub::Any);
  ~IncludeDispatchKeyGuard();
};
}  // namespace impl

}  // namespace c10

namespace at {

using c10::AutoFwGradMode;
using c10::AutoGradMode;
using c10::GradMode;
using c10::InferenceMode;
using c10::NoGradGuard;

struct AutoDispatchBelowAutograd {
  AutoDispatchBelowAutograd();
  ~AutoDispatchBelowAutograd();
};

struct AutoDispatchBelowADInplaceOrView {
  AutoDispatchBelowADInplaceOrView();
  ~AutoDispatchBelowADInplaceOrView();
};

struct AutoDispatchSkipFunctionalize {
  AutoDispatchSkipFunctionalize();
  ~AutoDispatchSkipFunctionalize();
};

struct AutoNonVariableTypeMode {
  explicit AutoNonVariableTypeMode(bool enabled = true);
  ~AutoNonVariableTypeMode();
};

// Carries the grad mode of one thread to another.
class ThreadLocalState {
 public:
  ThreadLocalState();
  explicit ThreadLocalState(bool keep_grad_mode);
  void set_grad_mode(bool enabled);
  static void setThreadLocalState(const ThreadLocalState&);
};

class ThreadLocalStateGuard {
 public:
  explicit ThreadLocalStateGuard(const ThreadLocalState&);
  ~ThreadLocalStateGuard();
};

template <class Callback>
Callback wrapPropagateTLSState(Callback callback);

}  // namespace at

namespace torch {

using at::AutoDispatchBelowADInplaceOrView;
using at::AutoDispatchBelowAutograd;
using at::AutoNonVariableTypeMode;
using c10::AutoGradMode;
using c10::GradMode;
using c10::InferenceMode;
using c10::NoGradGuard;

}  // namespace torch
