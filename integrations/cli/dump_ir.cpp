#include "analyzer/ir/binary.h"
#include "analyzer/ir/text.h"
#include "frontends/python/python.h"
#include "integrations/cli/commands.h"
#include "integrations/driver/files.h"

namespace deadgrad::cli {

int run_dump_ir(const std::string& path, bool binary) {
  auto inputs = driver::find_inputs({path});
  if (!inputs) return fail(inputs.error().message);
  if (inputs->files.size() != 1) return fail(path + ": dump-ir takes one file");
  const driver::InputFile& file = inputs->files[0];
  auto text = driver::read_file(file.open_path);
  if (!text) return fail(path + ": " + text.error().message);
  python::ModuleName name = python::module_name_for(file.module_path);
  ir::Module module = python::lower(
      {.path = file.display_path, .module_name = name.name, .is_package = name.is_package, .text = *text});
  if (!binary) return write_stdout(ir::print(module)) ? kClean : kFailed;
  std::vector<std::uint8_t> bytes = ir::to_binary(module);
  return write_stdout({reinterpret_cast<const char*>(bytes.data()), bytes.size()}) ? kClean : kFailed;
}

}  // namespace deadgrad::cli
