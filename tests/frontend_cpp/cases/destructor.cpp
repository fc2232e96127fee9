#include <torch/torch.h>
struct Timer {
  ~Timer() { stop(); }
  void stop();
};
void use() {
  Timer timer;
  timer.stop();
}
