#include <map>
#include <string>
#include <vector>
struct Net {
  int step(int x);
};
void use(std::vector<Net>& nets, std::map<std::string, Net>& by_name) {
  for (auto& net : nets) net.step(1);
  for (auto& [name, net] : by_name) net.step(2);
  for (int i = 0; auto* net : {&nets[0], &nets[1]}) net->step(i++);
}
