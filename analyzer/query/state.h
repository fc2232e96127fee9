// All phases of one analysis, kept for further questions. Internal to the query room.
#pragma once

#include <memory>

#include "analyzer/engine/contexts.h"
#include "analyzer/query/query.h"

namespace deadgrad {

struct AnalysisState {
  AnalysisState(std::vector<ir::Module> modules, const model::ApiModel& api, const AnalysisOptions& given)
      : options(given), program(std::move(modules), api), inference(program), modes(inference) {}
  AnalysisOptions options;
  Program program;
  engine::Inference inference;
  engine::Modes modes;
  std::unique_ptr<engine::Flow> flow;  // indexes the finished inference
  std::unique_ptr<engine::Contexts> contexts;
};

}  // namespace deadgrad
