#include "integrations/probe/picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace deadgrad::probing {

static constexpr int kWidth = 860, kLeft = 90, kRight = 20, kTop = 20, kPlotHeight = 260, kBarHeight = 18,
                     kBarLabel = 300;
static constexpr const char* kColors[] = {"#c0392b", "#2471a3", "#d68910", "#1e8449"};

std::string short_bytes(std::int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; std::abs(value) >= 1000 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

static std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out;
}

static std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  char place[96];
  std::snprintf(place, sizeof place, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  return place + escaped(text) + "</text>";
}

static std::string box(double x, double y, double width, double height, const char* color) {
  char text[160];
  std::snprintf(text, sizeof text, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>", x, y,
                width, height, color);
  return text;
}

static std::string rule(double y) {
  char text[128];
  std::snprintf(text, sizeof text, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>", kLeft, y,
                kWidth - kRight, y);
  return text;
}

static std::string figure(const std::string& title, int height, const std::string& content) {
  return "<h2>" + escaped(title) + "</h2>\n<svg viewBox=\"0 0 " + std::to_string(kWidth) + " " +
         std::to_string(height) + "\" role=\"img\">" + content + "</svg>\n";
}

static std::string legend(double y, const std::vector<std::string>& names) {
  std::string out;
  double x = kLeft;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += box(x, y - 9, 12, 10, kColors[i % std::size(kColors)]) + text_at(x + 17, y, "start", names[i]);
    x += 40 + 7.0 * static_cast<double>(names[i].size());
  }
  return out;
}

// The least of 1, 2, 5, 10, 20, … times a power that leaves room for at most five lines.
static std::int64_t tick_for(std::int64_t most) {
  std::int64_t tick = 1;
  for (int i = 0; most / tick > 5 && tick < (std::int64_t{1} << 60); ++i) tick = i % 3 == 1 ? tick / 2 * 5 : tick * 2;
  return tick;
}

std::string line_chart(const std::string& title, const std::string& unit, const std::vector<Line>& lines) {
  std::int64_t most = 1, last = 1;
  std::vector<std::string> names;
  for (const Line& line : lines) {
    names.push_back(line.name);
    last = std::max(last, line.stride * (static_cast<std::int64_t>(line.points.size()) - 1));
    for (std::int64_t point : line.points) most = std::max(most, point);
  }
  auto x = [&](std::int64_t at) { return kLeft + double(at) / double(last) * (kWidth - kLeft - kRight); };
  auto y = [&](std::int64_t bytes) { return kTop + kPlotHeight * (1 - double(bytes) / double(most)); };
  std::string content;
  const std::int64_t tick = tick_for(most);
  for (std::int64_t bytes = 0; bytes <= most; bytes += tick)
    content += rule(y(bytes)) + text_at(kLeft - 8, y(bytes) + 4, "end", short_bytes(bytes));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string points;
    std::int64_t at = 0;
    for (std::int64_t bytes : lines[i].points) {
      char point[48];
      std::snprintf(point, sizeof point, "%.1f,%.1f ", x(at), y(bytes));
      points += point;
      at += lines[i].stride;
    }
    content += std::string("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"") + kColors[i % std::size(kColors)] +
               "\" points=\"" + points + "\"/>";
  }
  content += text_at(kLeft, kTop + kPlotHeight + 20, "middle", "0") +
             text_at(kWidth - kRight, kTop + kPlotHeight + 20, "end", std::to_string(last) + " " + unit);
  content += legend(kTop + kPlotHeight + 44, names);
  return figure(title, kTop + kPlotHeight + 56, content);
}

std::string bar_chart(const std::string& title, const std::vector<std::string>& kinds, const std::vector<Bar>& bars) {
  std::int64_t most = 1;
  for (const Bar& bar : bars)
    for (std::int64_t value : bar.values) most = std::max(most, value);
  std::string content;
  double y = kTop;
  for (const Bar& bar : bars) {
    content += text_at(kBarLabel - 8, y + 13, "end",
                       bar.name.size() > 44 ? "…" + bar.name.substr(bar.name.size() - 43) : bar.name);
    for (std::size_t i = 0; i < bar.values.size(); ++i) {
      const double width = double(bar.values[i]) / double(most) * (kWidth - kBarLabel - 90);
      content += box(kBarLabel, y, width, kBarHeight - 4, kColors[i % std::size(kColors)]) +
                 text_at(kBarLabel + width + 6, y + 12, "start", short_bytes(bar.values[i]));
      y += kBarHeight;
    }
    y += 8;
  }
  return figure(title, static_cast<int>(y) + 40, content + legend(y + 20, kinds));
}

std::string page(const std::string& title, const std::string& summary, const std::vector<std::string>& charts) {
  std::string html = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + escaped(title) +
                     "</title><style>body{font:15px system-ui,sans-serif;max-width:900px;margin:2em auto;padding:0 "
                     "1em;color:#222;background:#fff}"
                     "svg{width:100%;font:12px system-ui,sans-serif}h2{font-size:1.1em;margin:1.6em 0 "
                     ".4em}pre{background:#f5f5f5;padding:1em;white-space:pre-wrap}"
                     "</style></head><body>\n<h1>" +
                     escaped(title) + "</h1>\n";
  for (const std::string& chart : charts) html += chart;
  std::string lines;
  for (std::size_t begin = 0; begin < summary.size();) {
    const std::size_t end = std::min(summary.find('\n', begin), summary.size());
    lines += escaped(summary.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return html + "<h2>In figures</h2>\n<pre>" + lines + "</pre>\n</body></html>\n";
}

}  // namespace deadgrad::probing
