struct Net {
  int step(int x) { return scaled(x); }
  int scaled(int x) const;
  int scale = 3;
};
int Net::scaled(int x) const { return x * scale; }
int use(Net& net, Net* other) { return net.step(1) + other->scaled(2); }
