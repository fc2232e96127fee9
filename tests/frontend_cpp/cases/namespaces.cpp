namespace a::b {
struct Net {
  int run(int x);
};
int helper(int x) { return x; }
}  // namespace a::b
namespace a::b {
int Net::run(int x) { return helper(x); }
}
namespace c = a::b;
using namespace a;
using a::b::helper;
int use(c::Net net, b::Net other) { return net.run(1) + helper(2) + ::a::b::helper(3); }
extern "C" int exported(int x) { return helper(x); }
