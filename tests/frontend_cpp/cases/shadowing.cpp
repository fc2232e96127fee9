int f(int);
int use(int x) {
  int y = f(x);
  {
    int y = f(1);
    x = y;
  }
  for (int y = 0; y < 2; ++y) x += y;
  return x + y;
}
