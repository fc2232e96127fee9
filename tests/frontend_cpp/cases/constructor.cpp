struct Base {
  Base(int size) : size_(size) {}
  int size_;
};
struct Part {
  Part(int n);
};
struct Net : Base {
  Net(int n) : Base(n + 1), part(n) { ready = true; }
  Net() : Net(7) {}
  Part part, spare = Part(2);
  bool ready = false;
};
Net make() { return Net(3); }
