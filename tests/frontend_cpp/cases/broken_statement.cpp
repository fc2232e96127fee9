int f(int);
int use(int x) {
  int y = f(x;
  y = f(y);
  for (auto z : undeclared) y = f(z);
  return f(y);
}
