#include "integrations/report/diff.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "integrations/report/snippet.h"
#include "integrations/report/source_text.h"

namespace deadgrad::report {

using Lines = std::vector<std::string_view>;  // with their line breaks

static Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// Lines [begin, end) of one text stand for lines [other_begin, other_end) of the other.
struct Change {
  std::size_t begin, end, other_begin, other_end;
};

// More differences than this are told as one change: the search takes the square of their number.
static constexpr std::size_t kMostDifferences = 2000;

// Myers' greedy algorithm over the lines between `begin` and the ends.
static std::vector<Change> changes(const Lines& a, const Lines& b) {
  std::size_t begin = 0, a_end = a.size(), b_end = b.size();
  while (begin < a_end && begin < b_end && a[begin] == b[begin]) ++begin;
  while (a_end > begin && b_end > begin && a[a_end - 1] == b[b_end - 1]) --a_end, --b_end;
  const auto n = static_cast<long>(a_end - begin), m = static_cast<long>(b_end - begin);
  const long most = std::min<long>(n + m, kMostDifferences);
  // furthest[d][k]: how far into `a` d differences lead on the diagonal k - d.
  std::vector<std::vector<long>> furthest;
  bool found = false;
  for (long d = 0; d <= most && !found; ++d) {
    std::vector<long> row(static_cast<std::size_t>(2 * d + 1));
    for (long k = -d; k <= d; k += 2) {
      const auto before = [&](long diagonal) {
        return furthest[static_cast<std::size_t>(d - 1)][static_cast<std::size_t>(diagonal + d - 1)];
      };
      long x = 0;
      if (d > 0) x = k == -d || (k != d && before(k - 1) < before(k + 1)) ? before(k + 1) : before(k - 1) + 1;
      long y = x - k;
      while (x < n && y < m && a[begin + static_cast<std::size_t>(x)] == b[begin + static_cast<std::size_t>(y)])
        ++x, ++y;
      row[static_cast<std::size_t>(k + d)] = x;
      found |= x >= n && y >= m;
    }
    furthest.push_back(std::move(row));
  }
  if (!found) return {{begin, a_end, begin, b_end}};

  std::vector<Change> result;
  long x = n, y = m;
  for (auto d = static_cast<long>(furthest.size()) - 1; d > 0; --d) {
    const long k = x - y;
    const auto before = [&](long diagonal) {
      return furthest[static_cast<std::size_t>(d - 1)][static_cast<std::size_t>(diagonal + d - 1)];
    };
    const bool inserts = k == -d || (k != d && before(k - 1) < before(k + 1));
    const long from = inserts ? k + 1 : k - 1;
    const long old_x = before(from), old_y = old_x - from;
    const auto at = begin + static_cast<std::size_t>(old_x), other = begin + static_cast<std::size_t>(old_y);
    const Change one{at, at + (inserts ? 0 : 1), other, other + (inserts ? 1 : 0)};
    if (!result.empty() && result.back().begin == one.end && result.back().other_begin == one.other_end) {
      result.back().begin = one.begin;
      result.back().other_begin = one.other_begin;
    } else {
      result.push_back(one);
    }
    x = old_x;
    y = old_y;
  }
  std::ranges::reverse(result);
  return result;
}

class Writer {
 public:
  explicit Writer(DiffOptions options) : options_(options) {}

  void line(char mark, std::string_view text) {
    const Style& style = kColors;
    const bool has_end = text.ends_with('\n');
    if (has_end) text.remove_suffix(1);
    if (options_.color && mark == '-') out += style.red;
    if (options_.color && mark == '+') out += "\033[1;32m";
    out += mark;
    out += options_.color ? printable_with_tabs(text) : std::string(text);
    if (options_.color && mark != ' ') out += style.reset;
    out += '\n';
    if (!has_end) out += "\\ No newline at end of file\n";
  }

  void heading(const std::string& text) {
    out += options_.color ? kColors.bold + text + kColors.reset : text;
    out += '\n';
  }

  std::string out;

 private:
  static std::string printable_with_tabs(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    std::string shown;
    for (;;) {
      const std::size_t tab = std::min(text.find('\t'), text.size());
      shown += printable(text.substr(0, tab));
      if (tab == text.size()) return shown;
      shown += '\t';
      text.remove_prefix(tab + 1);
    }
  }

  DiffOptions options_;
};

static std::string range(std::size_t begin, std::size_t end) {
  const std::size_t count = end - begin;
  return std::to_string(count == 0 ? begin : begin + 1) + (count == 1 ? "" : "," + std::to_string(count));
}

std::string unified_diff(const std::string& path, std::string_view before, std::string_view after,
                         DiffOptions options) {
  constexpr std::size_t kAround = 3;
  if (before == after) return {};
  const Lines a = split(before), b = split(after);
  const std::vector<Change> all = changes(a, b);
  Writer writer(options);
  writer.heading("--- " + path);
  writer.heading("+++ " + path);
  for (std::size_t i = 0; i < all.size();) {
    std::size_t last = i;
    while (last + 1 < all.size() && all[last + 1].begin - all[last].end <= 2 * kAround) ++last;
    const std::size_t lead = std::min(kAround, all[i].begin), tail = std::min(kAround, a.size() - all[last].end);
    writer.heading("@@ -" + range(all[i].begin - lead, all[last].end + tail) + " +" +
                   range(all[i].other_begin - lead, all[last].other_end + tail) + " @@");
    std::size_t at = all[i].begin - lead;
    for (; i <= last; ++i) {
      while (at < all[i].begin) writer.line(' ', a[at++]);
      while (at < all[i].end) writer.line('-', a[at++]);
      for (std::size_t other = all[i].other_begin; other < all[i].other_end; ++other) writer.line('+', b[other]);
    }
    for (std::size_t end = at + tail; at < end;) writer.line(' ', a[at++]);
  }
  return writer.out;
}

}  // namespace deadgrad::report
