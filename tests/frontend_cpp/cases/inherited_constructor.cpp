struct Base {
  Base(int n) : n(n) {}
  int n;
};
struct Net : Base {
  using Base::Base;
  int extra = 2;
};
Net make() { return Net(3); }
