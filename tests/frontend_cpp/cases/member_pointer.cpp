struct Net {
  int run(int x);
  int size;
};
int use(Net& net, Net* other) {
  auto method = &Net::run;
  auto field = &Net::size;
  return (net.*method)(1) + (other->*method)(2) + net.*field;
}
