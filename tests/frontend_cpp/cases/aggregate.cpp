struct Net {};
Net make(int n);
struct Options {
  int size = 3;
  Net net;
  Net* other = nullptr;
};
void take(Options options);
void use() {
  Options a{4, make(1)};
  Options b{.net = make(2)};
  take({5, make(3), &b.net});
  Options c = {};
}
