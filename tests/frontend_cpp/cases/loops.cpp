int next(int x);
int use(int n) {
  int x = 0;
  for (int i = 0; i < n; ++i) x = next(x);
  while (int y = next(x)) x = y;
  do {
    x = next(x);
    if (x > 3) continue;
    if (x > 5) break;
  } while (next(x) < n);
  return x;
}
