struct Net {
  int forward(int x);
};
template <class Model>
class Runner {
 public:
  Runner(Model& model) : model_(model) {}
  int run(int x) { return model_.forward(x); }
  int unused(int x) { return model_.forward(x) + 1; }
  int later(int x);

 private:
  Model& model_;
};
template <class Model>
int Runner<Model>::later(int x) {
  return run(x);
}
int use(Net& net) {
  Runner<Net> runner(net);
  return runner.run(1) + runner.later(2);
}
