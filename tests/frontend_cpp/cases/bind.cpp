#include <functional>
struct Worker {
  void run(int n, int m);
  void start() {
    auto plain = std::bind(&Worker::run, this, std::placeholders::_1, std::placeholders::_2);
    auto turned = std::bind(&Worker::run, this, std::placeholders::_2, 7);
    auto front = std::bind_front(helper, 8);
    plain(1, 2);
    turned(3, 4);
    front(5);
  }
  static void helper(int n, int m);
};
