#include <deque>
#include <map>
#include <string>
#include <vector>
struct Net {
  Net(int n);
};
struct Owner {
  std::vector<Net> nets;
  std::map<std::string, Net> by_name;
  void add(Net net) {
    nets.push_back(net);
    nets.emplace_back(3);
    nets.insert(nets.end(), net);
    by_name.emplace("a", net);
    by_name.at("b") = nets.at(0);
    nets[1] = nets.front();
    nets.back() = *nets.begin();
    std::swap(nets[0], nets[1]);
    nets.clear();
  }
};
