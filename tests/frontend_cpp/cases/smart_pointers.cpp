#include <memory>
#include <vector>
struct Net {
  Net(int n);
  int run();
};
int use(std::shared_ptr<Net> shared, std::weak_ptr<Net> weak) {
  auto own = std::make_unique<Net>(2);
  std::unique_ptr<Net> raw(new Net(3));
  std::shared_ptr<Net> moved = std::move(own);
  Net& plain = *moved;
  if (auto locked = weak.lock()) locked->run();
  raw.reset(new Net(4));
  own = nullptr;
  return shared->run() + plain.run() + raw.get()->run();
}
