#include <tuple>
#include <utility>
struct Pair {
  int left, right;
};
Pair both();
std::tuple<int, long> tuple();
int use() {
  auto [left, right] = both();
  auto& [a, b] = *new Pair{1, 2};
  auto [first, second] = tuple();
  int array[2] = {1, 2};
  auto [x, y] = array;
  return left + right + a + b + first + x;
}
