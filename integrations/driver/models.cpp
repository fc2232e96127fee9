#include "integrations/driver/models.h"

#include "integrations/driver/files.h"
#include "rules/models/embedded.h"

namespace deadgrad::driver {

Result<model::ApiModel> load_models(std::span<const std::string> files) {
  Result<model::ApiModel> api = load_embedded_models();
  if (!api) return api;
  for (const std::string& file : files) {
    const Result<std::string> text = read_file(file);
    if (!text) return Error{file + ": " + text.error().message};
    if (const Result<int> rows = api->load(file, *text); !rows) return rows.error();
  }
  return api;
}

}  // namespace deadgrad::driver
