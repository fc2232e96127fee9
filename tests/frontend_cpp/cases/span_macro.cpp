#define CALL(f, x) f(x)
#define TWICE(x) CALL(twice, CALL(twice, x))
int twice(int x);
int use(int é) {
  int a = CALL(twice, é);
  return TWICE(a);
}
