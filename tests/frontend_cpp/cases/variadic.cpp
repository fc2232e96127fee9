int add(int a, int b);
template <class... Args>
int all(Args... args) {
  return (0 + ... + add(args, 1));
}
template <class F, class... Args>
auto call(F f, Args&&... args) {
  return f(args...);
}
int use() { return all(1, 2) + call(add, 3, 4); }
