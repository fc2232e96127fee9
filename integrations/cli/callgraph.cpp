#include "integrations/cli/commands.h"
#include "integrations/driver/check.h"
#include "integrations/report/call_graph.h"
#include "rules/models/embedded.h"

namespace deadgrad::cli {

int run_callgraph(const std::vector<std::string>& paths, const std::string& package) {
  auto inputs = driver::find_inputs(paths, package);
  if (!inputs) return fail(inputs.error().message);
  std::erase_if(inputs->files, [](const driver::InputFile& file) { return file.kind != driver::FileKind::Python; });
  const Result<model::ApiModel> api = load_embedded_models();
  if (!api) return fail(api.error().message);
  driver::CheckResult read;
  Result<std::vector<ir::Module>> modules = driver::lower_all(*inputs, {}, read);
  if (!modules) return fail(modules.error().message);

  Program program(std::move(*modules), *api, Reach::Everything);
  engine::Inference inference(program);
  inference.run();
  return write_stdout(report::render_pycg(report::call_graph(inference))) ? kClean : kFailed;
}

}  // namespace deadgrad::cli
