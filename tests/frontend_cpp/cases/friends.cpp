class Net {
  friend int peek(const Net& net) { return net.secret; }
  friend class Other;
  int secret = 3;
};
int use(Net& net) { return peek(net); }
