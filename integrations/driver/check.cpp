#include "integrations/driver/check.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <utility>

#include "analyzer/query/query.h"
#include "frontends/python/python.h"
#include "integrations/driver/parallel.h"
#include "integrations/driver/progress.h"
#include "integrations/driver/target_torch.h"
#if DEADGRAD_CPP_FRONTEND
#include "integrations/driver/cpp_units.h"
#endif

namespace deadgrad::driver {

using Clock = std::chrono::steady_clock;

static double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const SourceFile* CheckResult::file_of(std::string_view path) const {
  auto found = std::ranges::lower_bound(files, path, {}, &SourceFile::path);
  return found == files.end() || found->path != path ? nullptr : &*found;
}

const std::string* CheckResult::text_of(std::string_view path) const {
  const SourceFile* file = file_of(path);
  return file == nullptr ? nullptr : &file->text;
}

static ir::Module lower_file(const InputFile& file, std::string_view text) {
  python::ModuleName name = python::module_name_for(file.module_path);
  return python::lower(
      {.path = file.display_path, .module_name = std::move(name.name), .is_package = name.is_package, .text = text});
}

static std::vector<ir::Module> lower_python(const Inputs& inputs, const CheckOptions& options, CheckResult& result) {
  std::vector<const InputFile*> wanted;
  for (const InputFile& file : inputs.files) {
    if (file.kind == FileKind::Python) wanted.push_back(&file);
    if (file.kind == FileKind::Notebook && !file.vendored) ++result.notebooks;
  }

  // Each file has a slot, so the order of the result is the order of the paths.
  struct Slot {
    std::string text, error;
    ir::Module module;
  };
  std::vector<Slot> slots(wanted.size());
  Progress progress("reading", wanted.size(), options.show_progress);
  in_parallel(wanted.size(), threads_wanted(options.jobs), [&](std::size_t i) {
    const auto given = options.texts.find(wanted[i]->display_path);
    if (auto text = given != options.texts.end() ? given->second : read_file(wanted[i]->open_path)) {
      slots[i].text = std::move(*text);
      slots[i].module = lower_file(*wanted[i], slots[i].text);
    } else {
      slots[i].error = text.error().message;
    }
    progress.advance();
  });

  std::vector<ir::Module> modules;
  modules.reserve(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].error.empty()) {
      result.notices.push_back({wanted[i]->display_path, "skipped: " + slots[i].error, {}});
      continue;
    }
    if (!wanted[i]->vendored)
      for (const ir::Notice& notice : slots[i].module.notices)
        result.notices.push_back({wanted[i]->display_path, notice.text, notice.span});
    result.files.push_back(
        {wanted[i]->display_path, std::move(slots[i].text), wanted[i]->open_path, !wanted[i]->vendored});
    modules.push_back(std::move(slots[i].module));
  }
  return modules;
}

Result<std::vector<ir::Module>> lower_all(const Inputs& inputs, const CheckOptions& options, CheckResult& result) {
  std::vector<ir::Module> modules = lower_python(inputs, options, result);
  result.python_files = result.files.size();
#if DEADGRAD_CPP_FRONTEND
  if (Result<bool> read = lower_cpp(inputs, options, result, modules); !read) return read.error();
#else
  for (const InputFile& file : inputs.files) result.cpp_files += file.kind == FileKind::Cpp && !file.vendored;
#endif
  return modules;
}

bool reads_cpp() {
#if DEADGRAD_CPP_FRONTEND
  return true;
#else
  return false;
#endif
}

Result<CheckResult> check(const CheckOptions& options, const model::ApiModel& api) {
  Result<Inputs> inputs = find_inputs(options.paths);
  if (!inputs) return inputs.error();

  Result<TorchVersions> versions = target_torch(*inputs, options);
  if (!versions) return versions.error();
  CheckResult result;
  result.torch_versions = std::move(*versions);
  result.notices = std::move(inputs->notices);
  Clock::time_point start = Clock::now();
  Result<std::vector<ir::Module>> modules = lower_all(*inputs, options, result);
  if (!modules) return modules.error();
  result.timings.lower = seconds_since(start);

  start = Clock::now();
  AnalysisOptions analysis = options.analysis;
  analysis.torch_versions = result.torch_versions;
  result.analysis = analyze(std::move(*modules), api, analysis);
  result.statistics = result.analysis->statistics;
  result.timings.analyze = seconds_since(start);

  start = Clock::now();
  result.findings = rules::run_rules(result.analysis->query(), options.rules);
  std::set<std::string_view> asked;
  for (const InputFile& file : inputs->files)
    if (!file.vendored) asked.insert(file.display_path);
  std::erase_if(result.findings, [&](const Finding& finding) { return !asked.contains(finding.where.path); });
  result.timings.rules = seconds_since(start);
  std::ranges::sort(result.notices);
  return result;
}

}  // namespace deadgrad::driver
