struct Runner {
  template <class Model>
  int run(Model& model) {
    return model.forward(1);
  }
  template <class Model>
  int unused(Model& model) {
    return model.forward(2);
  }
};
struct Net {
  int forward(int x);
};
int use(Net& net) { return Runner().run(net); }
