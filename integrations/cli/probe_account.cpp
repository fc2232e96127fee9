// `deadgrad probe account`: what a model's inference and training take, predicted and, where asked for, measured beside
// it.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "integrations/cli/account.h"
#include "integrations/cli/commands.h"
#include "integrations/driver/files.h"
#include "integrations/probe/accounting.h"
#include "integrations/probe/json_text.h"
#include "integrations/probe/picture.h"
#include "integrations/probe/script.h"
#include "integrations/probe/verdicts.h"

namespace deadgrad::cli {

using Json = nlohmann::ordered_json;
using namespace probing;

static Json json_of(const ModelShape& shape) {
  return {{"layers", shape.layers},         {"width", shape.width},
          {"heads", shape.heads},           {"kv_heads", shape.kv_heads},
          {"head_width", shape.head_width}, {"hidden", shape.hidden},
          {"vocabulary", shape.vocabulary}, {"positions", shape.positions},
          {"gated", shape.gated},           {"tied", shape.tied}};
}

static Json training_json(const Training& training, const Workload& work, std::int64_t budget) {
  const bool mixed = work.recipe == Recipe::MixedAdamw;
  Json json = {{"recipe", mixed                    ? "mixed-adamw"
                          : work.weight_bytes == 2 ? "pure-16-bit-adamw"
                                                   : "fp32-adamw"},
               {"bytes_per_parameter", mixed ? 16 : 4 * work.weight_bytes},
               {"weights", training.weights},
               {"gradients", training.gradients},
               {"master_weights", training.master_weights},
               {"moments", training.moments},
               {"activations_per_layer", training.activations_per_layer},
               {"attention_per_layer", training.attention_per_layer},
               {"activations_per_token_and_layer", training.activations_per_layer / (work.batch * work.length)},
               {"activations", training.activations}};
  return with_total(std::move(json), training.states() + training.activations, budget);
}

static Json variants_json(const Training& training, const Adapters& adapters, std::int64_t budget) {
  auto adapted = [&](std::int64_t base) {
    return with_total({{"adapter_parameters", adapters.parameters},
                       {"base", base},
                       {"adapter_states", adapters.states},
                       {"activations", adapters.activations}},
                      base + adapters.states + adapters.activations, budget);
  };
  return {{"checkpointed", with_total({{"activations_stored", training.checkpointed_stored},
                                       {"activations", training.checkpointed_peak}},
                                      training.states() + training.checkpointed_peak, budget)},
          {"lora", adapted(adapters.base)},
          {"qlora", adapted(adapters.quantized_base)}};
}

static Json account(const ModelShape& shape, const Workload& work, std::int64_t budget) {
  const Inference inference = inference_of(shape, work);
  const Training training = training_of(shape, work);
  const std::int64_t full = training.states() + training.activations;
  return {{"inference", with_total({{"weights", inference.weights},
                                    {"kv_cache", inference.kv_cache},
                                    {"logits", inference.logits},
                                    {"working_set", inference.working_set}},
                                   inference.total(), budget)},
          {"training", training_json(training, work, budget)},
          {"variants", variants_json(training, adapters_of(shape, work), budget)},
          {"train_to_infer_ratio", static_cast<double>(full) / static_cast<double>(inference.total())},
          {"reserved", nullptr}};
}

// What deadgrad_account.py measures, by its names.
static Json predictions(const ModelShape& shape, const Workload& work) {
  const Inference inference = inference_of(shape, work);
  const Adapters adapters = adapters_of(shape, work);
  Workload pure = work;
  pure.recipe = Recipe::Adamw;
  const Training training = training_of(shape, pure);
  return {{"weights", inference.weights},
          {"kv_cache", inference.kv_cache},
          {"inference_beyond_weights", inference.working_set},
          {"activations", training.activations},
          {"gradients", training.gradients},
          {"moments", training.moments},
          {"checkpointed_stored", training.checkpointed_stored},
          {"checkpointed_peak", training.checkpointed_peak},
          {"mixed_states", 16 * parameters_of(shape)},
          {"lora_base", adapters.base},
          {"lora_states", adapters.states},
          {"lora_activations", adapters.activations},
          {"qlora_base", adapters.quantized_base},
          {"qlora_states", adapters.states},
          {"qlora_activations", adapters.activations}};
}

static std::string row(const std::string& name, const std::string& value) {
  return "  " + name + std::string(name.size() < 34 ? 34 - name.size() : 1, ' ') + value + "\n";
}

static std::string shown(const Json& bytes) {
  return bytes.is_number() ? grouped(bytes.get<std::int64_t>()) : "unknown";
}

static void append_part(std::string& text, const Json& part) {
  for (const auto& [name, value] : part.items()) {
    if (value.is_string() || name == "fits" || name == "bytes_per_parameter") continue;
    const bool said = name == "total" && part.at("fits").is_boolean();
    text += row(name, shown(value) + (!said ? "" : part.at("fits").get<bool>() ? "  fits" : "  does not fit"));
  }
}

static std::string text_of(const Json& json) {
  std::string text = grouped(json.at("parameters").get<std::int64_t>()) + " parameters (bytes below)\n";
  if (!json.contains("inference")) {
    append_part(text, {{"total", json.at("stored_weights")}, {"fits", json.at("fits")}});
    return text;
  }
  text += "inference\n";
  append_part(text, json.at("inference"));
  const Json& training = json.at("training");
  text += "training, " + training.at("recipe").get<std::string>();
  if (training.contains("bytes_per_parameter"))
    text += ", " + std::to_string(training.at("bytes_per_parameter").get<int>()) + " bytes a parameter";
  text += "\n";
  append_part(text, training);
  for (const auto& [name, variant] : json.at("variants").items()) {
    text += "training, " + name + "\n";
    append_part(text, variant);
  }
  char ratio[32];
  std::snprintf(ratio, sizeof ratio, "%.2f", json.at("train_to_infer_ratio").get<double>());
  text += std::string("training takes ") + ratio + " times what inference takes\n";
  if (json.contains("compared")) {
    text += "predicted and measured, on CPU kernels; reserved memory is none of a CPU's figures\n";
    for (const auto& [name, line] : json.at("compared").items())
      text += row(name, shown(line.at("predicted")) + " " + shown(line.at("measured")));
  }
  return text;
}

static std::string picture_of(const Json& json) {
  std::vector<std::string> charts;
  if (json.contains("inference")) {
    Bar training{"training", {json.at("training").at("total").get<std::int64_t>()}};
    std::vector<Bar> totals = {{"inference", {json.at("inference").at("total").get<std::int64_t>()}},
                               std::move(training)};
    for (const auto& [name, variant] : json.at("variants").items())
      totals.push_back({"training, " + name, {variant.at("total").get<std::int64_t>()}});
    charts.push_back(bar_chart("Memory in all", {"predicted"}, totals));
  }
  if (json.contains("compared")) {
    std::vector<Bar> rows;
    for (const auto& [name, row] : json.at("compared").items())
      rows.push_back({name, {row.at("predicted").get<std::int64_t>(), row.at("measured").get<std::int64_t>()}});
    charts.push_back(bar_chart("Predicted and measured", {"predicted", "measured on CPU"}, rows));
  }
  return page("deadgrad probe account", text_of(json), charts);
}

static std::string rendered(const Json& json, Format format) {
  if (format == Format::Json) return json.dump(2) + "\n";
  return format == Format::Html ? picture_of(json) : text_of(json);
}

static constexpr std::int64_t kUsualTokens = 1024, kMostTokens = 1 << 24;

static Result<Json> account_of_config(const ProbeAccountArguments& arguments, std::int64_t budget) {
  auto text = driver::read_file(arguments.config);
  if (!text) return Error{arguments.config + ": " + text.error().message};
  auto config = parse_json(*text);
  if (!config) return Error{arguments.config + ": " + config.error().message};
  auto shape = shape_of_config(*config);
  if (!shape) return Error{arguments.config + ": " + shape.error().message};
  std::string type = arguments.dtype;
  for (const char* name : {"torch_dtype", "dtype"})
    if (auto found = config->find(name); type.empty() && found != config->end() && found->is_string())
      type = *found == "float32" ? "f32" : "bf16";
  // A model with learned positions takes no more tokens than it has of them.
  const std::int64_t most = shape->positions == 0 ? kMostTokens : shape->positions;
  if (arguments.length > most)
    return Error{arguments.config + ": the model has " + std::to_string(most) + " positions, fewer than --length"};
  Workload work{.batch = arguments.batch,
                .length = arguments.length > 0 ? arguments.length : std::min(kUsualTokens, most),
                .weight_bytes = type.empty() || type == "f32" ? 4 : 2};
  work.lora_rank = arguments.lora_rank;
  if (arguments.mixed && work.weight_bytes == 2) work.recipe = Recipe::MixedAdamw;
  Json json = {{"parameters", parameters_of(*shape)},
               {"shape", json_of(*shape)},
               {"batch", work.batch},
               {"length", work.length},
               {"weight_bytes", work.weight_bytes}};
  json.update(account(*shape, work, budget));
  if (!arguments.measure) return json;
  Json request = {{"shape", json_of(*shape)},
                  {"batch", work.batch},
                  {"length", work.length},
                  {"weight_bytes", work.weight_bytes},
                  {"lora_rank", work.lora_rank}};
  auto measured = run_script(arguments.python, "deadgrad_account.py", request);
  if (!measured) return measured.error();
  json["measured"] = *measured;
  json["compared"] = comparison(predictions(*shape, work), *measured);
  return json;
}

static Result<Json> account_of_weights(const ProbeAccountArguments& arguments, std::int64_t budget) {
  auto weights = weights_of_safetensors(arguments.safetensors);
  if (!weights) return weights.error();
  return Json{
      {"parameters", weights->parameters}, {"stored_weights", weights->bytes}, {"fits", fits(weights->bytes, budget)}};
}

static Result<Json> account_by_source(const ProbeAccountArguments& arguments, std::int64_t budget) {
  if (!arguments.config.empty()) return account_of_config(arguments, budget);
  if (!arguments.safetensors.empty()) return account_of_weights(arguments, budget);
  if (arguments.measure && arguments.inputs.empty()) return Error{"measuring a module needs --input"};
  auto module =
      run_script(arguments.python, "deadgrad_module.py",
                 {{"module", arguments.module}, {"inputs", arguments.inputs}, {"measure", arguments.measure}});
  if (!module) return module.error();
  return account_of_module(*module, arguments, budget);
}

int run_probe_account(const ProbeAccountArguments& arguments) {
  std::int64_t budget = -1;
  if (!arguments.budget.empty()) {
    auto bytes = bytes_of(arguments.budget);
    if (!bytes) return fail(bytes.error().message);
    budget = *bytes;
  }
  const int sources = !arguments.config.empty() + !arguments.safetensors.empty() + !arguments.module.empty();
  if (sources != 1) return fail("name one of MODULE, --config and --safetensors");
  auto json = account_by_source(arguments, budget);
  if (!json) return fail(json.error().message);
  Json document = {{"schema", "deadgrad.probe-account/1"}};
  document.update(*json);
  return write_output(arguments.output, rendered(document, arguments.format)) ? kClean : kFailed;
}

}  // namespace deadgrad::cli
