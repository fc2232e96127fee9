template <bool fast>
int run(int x) {
  if constexpr (fast) {
    return x;
  } else {
    return x + 1;
  }
}
int use() { return run<true>(1); }
