struct Net {
  int run(int x) { return x; }
  int run(double x) { return 2; }
  int run(double x) const { return 3; }
};
int run(Net& net) { return net.run(1); }
int run(const Net& net, double x) { return net.run(x); }
