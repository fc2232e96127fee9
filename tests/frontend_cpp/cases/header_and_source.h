#pragma once
struct Net {
  int run(int x);
  int inside(int x) { return x; }
};
inline int helper(int x) { return x; }
