// Charts as SVG in one HTML page that needs nothing else: no scripts, no network.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace deadgrad::probing {

struct Line {
  std::string name;
  std::vector<std::int64_t> points;  // bytes
  std::int64_t stride = 1;           // of the chart's units, from one point to the next
};

struct Bar {
  std::string name;
  std::vector<std::int64_t> values;  // bytes, one for each of the chart's kinds
};

// `unit`: what is counted from left to right, as "steps".
std::string line_chart(const std::string& title, const std::string& unit, const std::vector<Line>& lines);
std::string bar_chart(const std::string& title, const std::vector<std::string>& kinds, const std::vector<Bar>& bars);
std::string page(const std::string& title, const std::string& summary, const std::vector<std::string>& charts);

// 6815808 as "6.8 MB".
std::string short_bytes(std::int64_t bytes);

}  // namespace deadgrad::probing
