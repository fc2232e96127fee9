#include <optional>
int f(int);
void use(int x, std::optional<int> maybe) {
  f(1);
  (void)f(2);
  x = f(3);
  x += f(4);
  maybe.emplace(f(5));
  (f(6), f(7));
  x ? f(8) : f(9);
}
