struct Net {
  int forward(int x);
};
template <class Model>
int run(Model& model) {
  return model.forward(1);
}
template <class Model>
struct Runner {
  int run(Model& model) { return model.forward(2); }
};
template int run<Net>(Net& model);
template struct Runner<Net>;
