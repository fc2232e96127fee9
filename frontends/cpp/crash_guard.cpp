#include "frontends/cpp/crash_guard.h"

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/thread.h"

namespace deadgrad::cpp {

static constexpr unsigned kStackSize = 64u << 20;
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

}  // namespace

bool run_guarded(llvm::function_ref<void()> work) {
  static const bool installed = install_handlers();
  (void)installed;
  bool finished = false;
  llvm::thread thread(std::optional<unsigned>(kStackSize), [&] {
    const SignalStack signal_stack;
    llvm::CrashRecoveryContext context;
    finished = context.RunSafely(work);
  });
  thread.join();
  return finished;
}

void give_up() {
  if (llvm::CrashRecoveryContext* context = llvm::CrashRecoveryContext::GetCurrent()) context->HandleExit(1);
  std::abort();
}

}  // namespace deadgrad::cpp
