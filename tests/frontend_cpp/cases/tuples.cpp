#include <tuple>
#include <utility>
struct Net {};
std::pair<Net, int> both(Net net);
std::tuple<Net, Net> three();
Net use(Net net) {
  auto pair = std::make_pair(net, 1);
  Net a = pair.first;
  Net b;
  int n;
  std::tie(b, n) = both(a);
  std::tie(b, std::ignore) = std::make_tuple(a, 2);
  auto last = std::get<1>(three());
  auto t = std::tuple<Net, int>(net, 3);
  std::get<0>(t) = last;
  return std::get<0>(t);
}
