#include "analyzer/ir/binary.h"
#include "analyzer/ir/text.h"
#include "integrations/cli/commands.h"
#include "integrations/driver/check.h"

namespace deadgrad::cli {

int run_dump_ir(const std::string& path, bool binary, const std::string& torch) {
  auto inputs = driver::find_inputs({path});
  if (!inputs) return fail(inputs.error().message);
  if (inputs->files.size() != 1) return fail(path + ": dump-ir takes one file");
  driver::CheckResult result;
  driver::CheckOptions options;
  options.jobs = 1;
  options.torch = torch;
  const Result<std::vector<ir::Module>> modules = driver::lower_all(*inputs, options, result);
  if (!modules) return fail(modules.error().message);
  if (modules->empty())
    return fail(path + ": " + (result.notices.empty() ? "nothing to lower" : result.notices[0].text));
  for (const ir::Module& module : *modules) {
    if (!binary) {
      if (!write_stdout(ir::print(module))) return kFailed;
      continue;
    }
    std::vector<std::uint8_t> bytes = ir::to_binary(module);
    if (!write_stdout({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) return kFailed;
  }
  return kClean;
}

}  // namespace deadgrad::cli
