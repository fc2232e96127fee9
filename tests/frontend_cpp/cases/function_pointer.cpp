#include <functional>
int twice(int x);
using Step = int (*)(int);
int apply(Step step, const std::function<int(int)>& other) { return step(1) + (*step)(2) + other(3); }
int use() { return apply(twice, &twice); }
