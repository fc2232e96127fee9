#include "rules/models/embedded.h"

#include <utility>

namespace deadgrad {

Result<model::ApiModel> load_embedded_models() {
  model::ApiModel api;
  for (const EmbeddedText& model : embedded_models()) {
    if (Result<int> rows = api.load(model.name, model.text); !rows) return rows.error();
  }
  return Result<model::ApiModel>(std::move(api));
}

}  // namespace deadgrad
