struct Net {
  int run(int x) {
    int offset = 1, total = 0;
    auto by_value = [offset](int y) { return y + offset; };
    auto by_reference = [&total, doubled = x * 2](int y) { total = y + doubled; };
    auto with_this = [this, &by_value] { return step(by_value(2)); };
    by_reference(3);
    return with_this() + [=](auto z) { return z + total; }(4);
  }
  int step(int x) { return x; }
};
