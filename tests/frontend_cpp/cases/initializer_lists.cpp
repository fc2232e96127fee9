#include <array>
#include <map>
#include <string>
#include <vector>
int f(int);
void g(std::vector<int> x);
void use() {
  std::vector<int> a{f(1), f(2)};
  std::map<std::string, int> b{{"one", f(1)}, {"two", 2}};
  std::array<int, 2> c = {f(3), 4};
  int d[] = {f(5), 6};
  g({f(7)});
  std::vector<int> e(3, f(8)), copy(a.begin(), a.end());
}
