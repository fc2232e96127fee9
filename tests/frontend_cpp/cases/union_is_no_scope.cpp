// A union's destructor leaves its members alone: nothing ends with an object that holds one. One of a struct does.
#include <torch/torch.h>

struct View {
  union Payload {
    Payload() {}
    ~Payload() {}
    const float* floats;
    const int* ints;
  };
  Payload payload;
};

struct Owner {
  struct Held {
    Held();
    ~Held();
  };
  Held held;
};

void use(torch::Tensor x) {
  View view;
  Owner owner;
  x.sum();
}
