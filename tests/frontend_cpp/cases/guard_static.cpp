#include <torch/torch.h>
static torch::NoGradGuard at_file_scope;
thread_local c10::InferenceMode per_thread;
void use() {
  static torch::NoGradGuard in_function;
}
