// bench_pipeline PATH… [--repeat N]: what the whole analysis of a Python tree costs, against parsing it with
// tree-sitter alone. Both run in children of one process, turn by turn, on one thread and with cold data structures;
// CPU seconds and peak memory are the kernel's. Prints medians and their ratio.
#include <sys/resource.h>
#include <sys/wait.h>
#include <tree_sitter/api.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "integrations/driver/check.h"
#include "rules/models/embedded.h"

extern "C" const TSLanguage* tree_sitter_python();

namespace deadgrad {

struct Cost {
  double cpu_seconds = 0;
  double peak_mb = 0;
};

// Runs `work` in a child, so that neither memory nor caches of one run help the next.
template <class Work>
static Cost measure(Work work) {
  std::fflush(nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    bool good = work();
    std::fflush(nullptr);
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  struct rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child || status != 0) {
    std::fprintf(stderr, "a run failed\n");
    std::exit(2);
  }
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

static bool parse_only(const driver::Inputs& inputs) {
  TSParser* parser = ts_parser_new();
  ts_parser_set_language(parser, tree_sitter_python());
  for (const driver::InputFile& file : inputs.files) {
    if (file.kind != driver::FileKind::Python) continue;
    auto text = driver::read_file(file.open_path);
    if (!text) continue;
    TSTree* tree = ts_parser_parse_string(parser, nullptr, text->data(), static_cast<std::uint32_t>(text->size()));
    ts_tree_delete(tree);
  }
  ts_parser_delete(parser);
  return true;
}

static bool whole_pipeline(const std::vector<std::string>& paths, bool talk) {
  auto api = load_embedded_models();
  if (!api) return false;
  driver::CheckOptions options;
  options.paths = paths;
  options.jobs = 1;
  for (const rules::Rule* rule : rules::all_rules())
    if (!rule->opt_in) options.rules.push_back(rule);
  auto result = driver::check(options, *api);
  if (!result) return false;
  if (talk)
    std::printf("  wall seconds: read and lower %.2f, analyse %.2f, rules %.2f; %zu findings\n", result->timings.lower,
                result->timings.analyze, result->timings.rules, result->findings.size());
  // The command ends here, with the analysis still in memory.
  std::fflush(nullptr);
  ::_exit(0);
}

static Cost median(std::vector<Cost> costs) {
  std::ranges::sort(costs, {}, &Cost::cpu_seconds);
  Cost middle = costs[costs.size() / 2];
  for (const Cost& cost : costs) middle.peak_mb = std::max(middle.peak_mb, cost.peak_mb);
  return middle;
}

static int run(const std::vector<std::string>& paths, int repeat) {
  auto inputs = driver::find_inputs(paths);
  if (!inputs) {
    std::fprintf(stderr, "%s\n", inputs.error().message.c_str());
    return 2;
  }
  std::size_t files = 0, lines = 0, bytes = 0;
  for (const driver::InputFile& file : inputs->files) {
    if (file.kind != driver::FileKind::Python) continue;
    if (auto text = driver::read_file(file.open_path)) {
      ++files;
      bytes += text->size();
      lines += static_cast<std::size_t>(std::ranges::count(*text, '\n'));
    }
  }
  std::printf("%zu Python files, %zu lines, %.1f MB, one thread, %d runs each\n", files, lines,
              static_cast<double>(bytes) / (1 << 20), repeat);
  std::vector<Cost> parse, whole;
  for (int i = 0; i < repeat; ++i) {
    parse.push_back(measure([&] { return parse_only(*inputs); }));
    whole.push_back(measure([&] { return whole_pipeline(paths, i == 0); }));
  }
  Cost a = median(parse), b = median(whole);
  auto row = [&](const char* name, const Cost& cost) {
    std::printf("  %-16s %7.2f CPU s  %9.0f lines/CPU s  %6.0f MB peak\n", name, cost.cpu_seconds,
                static_cast<double>(lines) / cost.cpu_seconds, cost.peak_mb);
  };
  row("tree-sitter only", a);
  row("whole pipeline", b);
  std::printf("  ratio %.2f\n", b.cpu_seconds / a.cpu_seconds);
  return 0;
}

}  // namespace deadgrad

int main(int argc, char** argv) {
  std::vector<std::string> paths;
  int repeat = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--repeat" && i + 1 < argc) {
      repeat = std::max(1, std::atoi(argv[++i]));
    } else {
      paths.push_back(argv[i]);
    }
  }
  if (paths.empty()) {
    std::fprintf(stderr, "usage: bench_pipeline PATH... [--repeat N]\n");
    return 2;
  }
  return deadgrad::run(paths, repeat);
}
