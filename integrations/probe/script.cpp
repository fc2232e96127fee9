#include "integrations/probe/script.h"

#include <fstream>

#include "integrations/driver/files.h"
#include "integrations/probe/core_library.h"
#include "integrations/probe/json_text.h"
#include "integrations/probe/process.h"
#include "integrations/probe/temporary_folder.h"

namespace deadgrad::probing {

Result<nlohmann::ordered_json> run_script(const std::string& python, const std::string& script,
                                          const nlohmann::ordered_json& request) {
  auto sources = source_folder();
  if (!sources) return sources.error();
  TemporaryFolder folder;
  if (folder.path().empty()) return Error{"no temporary folder can be made"};
  const std::string in = folder.path() + "/request.json", out = folder.path() + "/result.json";
  std::ofstream(in, std::ios::binary) << request.dump();
  auto status =
      run_program({.words = {python, "-W", "ignore::FutureWarning", *sources + "/probe/python/" + script, in, out},
                   .environment = {{"DEADGRAD_PROBE_BINARY", own_path()}},
                   .output_to_stderr = true});
  if (!status) return status.error();
  if (*status != 0) return Error{python + " could not measure: it ended with status " + std::to_string(*status)};
  auto text = driver::read_file(out);
  if (!text) return Error{out + ": " + text.error().message};
  return parse_ordered_json(*text);
}

}  // namespace deadgrad::probing
