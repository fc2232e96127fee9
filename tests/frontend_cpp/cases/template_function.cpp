struct Net {
  int forward(int x);
};
struct Other {
  int forward(int x);
};
template <class Model>
int run(Model& model, int x) {
  return model.forward(x);
}
template <class Model>
int never(Model& model, int x) {
  auto y = model.forward(x);
  return y;
}
int use(Net& net, Other& other) { return run(net, 1) + run(other, 2); }
