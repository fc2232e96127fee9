#include <functional>
#include <future>
#include <thread>
struct Worker {
  void run(int n);
  void start() {
    thread_ = std::thread(&Worker::run, this, 3);
    std::thread local([this] { run(4); });
    auto done = std::async(std::launch::async, &Worker::run, this, 5);
    std::jthread other{helper, 6};
    std::function<void()> job = std::bind(&Worker::run, this, 7);
    job();
  }
  static void helper(int n);
  std::thread thread_;
};
