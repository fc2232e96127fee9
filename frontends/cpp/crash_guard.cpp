#include "frontends/cpp/crash_guard.h"

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include <pthread.h>

#include "llvm/Support/CrashRecoveryContext.h"

namespace deadgrad::cpp {

static constexpr std::size_t kStackSize = 64u << 20;
// A frame of the compiler may be larger than the usual guard page: an overflow would step over it, into what another
// thread owns.
static constexpr std::size_t kGuardSize = 1u << 20;
static constexpr std::size_t kSignalStackSize = 64u << 10;

// The handler of a stack overflow needs a stack of its own, and LLVM's handlers do not ask for one.
static bool install_handlers() {
  llvm::CrashRecoveryContext::Enable();
  for (int number : {SIGSEGV, SIGBUS}) {
    struct sigaction action;
    if (sigaction(number, nullptr, &action) != 0) continue;
    action.sa_flags |= SA_ONSTACK;
    sigaction(number, &action, nullptr);
  }
  return true;
}

namespace {

class SignalStack {
 public:
  SignalStack() : memory_(std::make_unique<std::byte[]>(kSignalStackSize)) {
    stack_t stack = {};
    stack.ss_sp = memory_.get();
    stack.ss_size = kSignalStackSize;
    sigaltstack(&stack, &before_);
  }
  ~SignalStack() { sigaltstack(&before_, nullptr); }
  SignalStack(const SignalStack&) = delete;

 private:
  std::unique_ptr<std::byte[]> memory_;
  stack_t before_ = {};
};

struct Run {
  llvm::function_ref<void()> work;
  bool finished = false;
};

void* run_on_thread(void* given) {
  Run& run = *static_cast<Run*>(given);
  const SignalStack signal_stack;
  llvm::CrashRecoveryContext context;
  run.finished = context.RunSafely(run.work);
  return nullptr;
}

}  // namespace

bool run_guarded(llvm::function_ref<void()> work) {
  static const bool installed = install_handlers();
  (void)installed;
  Run run{work};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackSize);
  pthread_attr_setguardsize(&attributes, kGuardSize);
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, run_on_thread, &run) == 0;
  pthread_attr_destroy(&attributes);
  if (started) pthread_join(thread, nullptr);
  return run.finished;
}

void give_up() {
  if (llvm::CrashRecoveryContext* context = llvm::CrashRecoveryContext::GetCurrent()) context->HandleExit(1);
  std::abort();
}

}  // namespace deadgrad::cpp
