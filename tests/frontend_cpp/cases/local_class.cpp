int use(int n) {
  struct Counter {
    int add(int x) { return total += x; }
    int total = 0;
  };
  Counter counter;
  return counter.add(n);
}
