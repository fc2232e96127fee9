struct Runtime {
  virtual ~Runtime() = default;
  virtual int forward(int x) = 0;
  int run(int x) { return forward(x); }
};
struct Torch : Runtime {
  int forward(int x) override { return x + 1; }
};
struct Quick : Torch {
  int forward(int x) override { return Torch::forward(x); }
};
int use(Runtime& runtime) { return runtime.forward(2); }
