int f(int);
int use(int mode, int n) {
  int x = 0;
  while (n-- > 0) {
    switch (mode) {
      case 0:
      case 1:
        x = f(1);
        break;
      case 2: {
        x = f(2);
        break;
      }
      default:
        x = f(3);
    }
    switch (int m = f(x)) {
      case 5:
        continue;
    }
  }
  return x;
}
