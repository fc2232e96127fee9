// One analysis run from paths to findings: find files, lower them in parallel, link and analyse, run the rules. The
// command line, the fixture runner and the benchmark call check(); the same input gives the same result whatever
// `jobs`.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyze.h"
#include "analyzer/findings/finding.h"
#include "analyzer/model/api_model.h"
#include "integrations/driver/files.h"
#include "rules/rules.h"

namespace deadgrad::driver {

// What of C++ is kept in the user's cache folder and found there by later runs.
enum class Keep { Nothing, Headers, HeadersAndResults };

// Texts by the path that findings name.
using Texts = std::map<std::string, std::string, std::less<>>;

struct CheckOptions {
  std::vector<std::string> paths;
  Texts texts;  // read instead of what is on disk
  std::vector<const rules::Rule*> rules;
  AnalysisOptions analysis;
  unsigned jobs = 0;             // 0: one per core
  std::string compile_database;  // a folder or a compile_commands.json; empty: looked for
  std::string torch;             // LibTorch for C++: empty (our stub headers), "auto", or where it is installed
  std::string target_torch;      // the PyTorch that is written for, "2.1"; empty: as the projects' files require
  Keep keep = Keep::Headers;     // precompiled headers
  bool show_progress = false;    // a bar on stderr once the work turns out long
  bool paths_are_all = false;    // C++: nothing around `paths` belongs to the program
};

struct SourceFile {
  std::string path;  // as findings name it
  std::string text;
  std::string open_path;
  bool is_ours = true;  // findings in it are reported: it was asked for and is not vendored
};

// Seconds of wall time.
struct Timings {
  double lower = 0, analyze = 0, rules = 0;
};

// How a C++ file was read.
struct CppUnitReport {
  std::string path;
  unsigned errors = 0;          // of the compiler; the rest was analysed all the same
  bool names_no_torch = false;  // nothing of LibTorch was seen in it
  bool real_headers = false;    // LibTorch's own headers were read, not our stub
  std::string first_error;
};

struct CppSummary {
  std::size_t units = 0, with_real_headers = 0;
  std::size_t parsed = 0;         // the others' results were kept
  std::size_t without_torch = 0;  // files that need not be read: nothing of torch in them or in what they include
  std::vector<CppUnitReport> reports;
};

struct CheckResult {
  std::vector<Finding> findings;
  std::vector<SourceFile> files;  // every file that was read, sorted by path
  std::size_t python_files = 0;
  std::map<std::string, model::TorchVersion, std::less<>> torch_versions;  // that files are written for, where known
  std::vector<FileNotice> notices;
  std::size_t cpp_files = 0;  // left out: this build has no C++ frontend
  CppSummary cpp;
  std::size_t notebooks = 0;  // left out: cells are not read
  AnalysisStatistics statistics;
  Timings timings;
  std::unique_ptr<Analysis> analysis;  // what findings were made from

  // A file that a finding names, or null, and its text.
  const SourceFile* file_of(std::string_view path) const;
  const std::string* text_of(std::string_view path) const;
};

Result<CheckResult> check(const CheckOptions& options, const model::ApiModel& api);

// Does this build read C++?
bool reads_cpp();

// The modules of `inputs`, in order, with their texts added to `result`: the part of check() before the analysis.
Result<std::vector<ir::Module>> lower_all(const Inputs& inputs, const CheckOptions& options, CheckResult& result);

}  // namespace deadgrad::driver
