int f(int);
int use(int mode) {
  switch (mode) {
    case 0:
      f(0);
      [[fallthrough]];
    case 1:
      f(1);
    case 2: {
      f(2);
      break;
    }
    case 3:
      if (mode) {
        return 0;
      } else {
        throw 1;
      }
    case 4:
      f(4);
  }
  return 1;
}
