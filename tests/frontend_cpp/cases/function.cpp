int add(int a, int b = 2) { return a + b; }
static int twice(int a);
int use() { return add(twice(1), add(3)); }
static int twice(int a) { return a * 2; }
