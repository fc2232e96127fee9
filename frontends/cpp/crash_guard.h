// Keeps a crash inside the compiler from ending the program. lower() runs each unit in one; hostile input reaches
// Clang's parser, which recurses as deep as the code nests.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

namespace deadgrad::cpp {

// Runs `work` on a thread of its own with a large stack and waits for it. False if it crashed, overflowed that stack or
// called give_up(); what it had allocated is then lost.
bool run_guarded(llvm::function_ref<void()> work);

// Ends the `work` that the calling thread runs.
[[noreturn]] void give_up();

}  // namespace deadgrad::cpp
