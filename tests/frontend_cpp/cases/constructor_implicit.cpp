#include <vector>
struct Part {
  int value = 1;
};
struct Whole {
  Part part;
  Part* pointer = nullptr;
  std::vector<Part> parts;
  int count = 4;
};
Whole make() {
  Whole whole;
  return whole;
}
