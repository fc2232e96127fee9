struct Net {
  int step(int x);
  auto make(int a) {
    return [this, a](int b) { return [this, a, b] { return step(a + b); }; };
  }
};
