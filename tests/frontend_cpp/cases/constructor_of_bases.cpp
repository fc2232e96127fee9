struct Left {
  int a = 1;
};
struct Right {
  Right() : b(2) {}
  int b;
};
struct Both : Left, Right {
  int c = 3;
};
struct Own : Left {
  Own() {}
};
Both make() { return Both(); }
