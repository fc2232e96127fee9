#include "integrations/driver/cpp_units.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>
#include <unordered_map>

#include "frontends/cpp/cpp.h"
#include "integrations/driver/header_cache.h"
#include "integrations/driver/progress.h"

namespace deadgrad::driver {

namespace fs = std::filesystem;

void lower_cpp(const Inputs& inputs, const CheckOptions& options, CheckResult& result,
               std::vector<ir::Module>& modules) {
  std::unordered_map<std::string, const InputFile*> by_path;
  std::vector<std::string> paths;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  for (const InputFile& file : inputs.files) {
    if (file.kind != FileKind::Cpp) continue;
    std::string absolute = fs::weakly_canonical(file.open_path, error).string();
    if (by_path.emplace(absolute, &file).second) paths.push_back(absolute);
  }
  const cpp::NameFile name_file = [&](std::string_view path) -> std::string {
    auto found = by_path.find(std::string(path));
    return found == by_path.end() ? std::string() : found->second->display_path;
  };
  std::vector<cpp::Command> commands;
  for (const std::string& path : paths) {
    cpp::Command command;
    command.path = path;
    command.directory = fs::path(path).parent_path().string();
    command.arguments = {"-std=gnu++17", "-x", "c++", "-I" + here.string(), "-I" + (here / "include").string(),
                         "-I" + (here / "src").string()};
    const std::string suffix = fs::path(path).extension().string();
    if (suffix.starts_with(".h")) continue;
    commands.push_back(std::move(command));
  }
  HeaderCache headers;
  for (cpp::Command& command : commands) command.precompiled_header = headers.get(command);
  unsigned jobs = options.jobs == 0 ? std::max(1u, std::thread::hardware_concurrency()) : options.jobs;
  std::vector<cpp::LoweredUnit> units(commands.size());
  std::atomic<std::size_t> next = 0;
  Progress progress("reading C++", commands.size(), options.show_progress);
  auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < commands.size();) {
      units[i] = cpp::lower(commands[i], name_file);
      progress.advance();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 1; i < jobs; ++i) workers.emplace_back(work);
    work();
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].precompiled_header_failed) headers.forget(commands[i].precompiled_header);
    for (const std::string& text : units[i].first_errors) result.notices.push_back({commands[i].path, text, {}});
    for (ir::Module& module : units[i].modules) {
      if (result.text_of(module.path) == nullptr) {
        for (const InputFile& file : inputs.files)
          if (file.display_path == module.path)
            if (auto text = read_file(file.open_path)) {
              auto at = std::ranges::lower_bound(result.files, module.path, {}, &SourceFile::path);
              result.files.insert(at, {module.path, std::move(*text)});
            }
      }
      modules.push_back(std::move(module));
    }
  }
}

}  // namespace deadgrad::driver
