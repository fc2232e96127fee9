int f(int);
bool g(int);
int use(int a, bool quick) {
  int x = quick ? f(1) : f(2);
  if (g(x) && !g(a)) return (f(3), f(4));
  return x ?: -a;
}
