#include <coroutine>
struct Task {
  struct promise_type {
    Task get_return_object();
    std::suspend_never initial_suspend() noexcept;
    std::suspend_never final_suspend() noexcept;
    std::suspend_always yield_value(int);
    void return_value(int);
    void unhandled_exception();
  };
};
int f(int);
Task use(std::suspend_always ready) {
  co_await ready;
  co_yield f(1);
  co_return f(2);
}
