#include "header_and_source.h"
int Net::run(int x) { return inside(x) + helper(x); }
