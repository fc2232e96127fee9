// `deadgrad probe account`: what a decoder's inference and training take, predicted and, where asked for, measured
// beside it.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

static Json fits(std::int64_t bytes, std::int64_t budget) {
  return budget < 0 ? Json(nullptr) : Json(bytes <= budget);
}

static Json account(const ModelShape& shape, const Workload& work, std::int64_t budget) {
  const Inference inference = inference_of(shape, work);
  const Training training = training_of(shape, work);
  const Adapters adapters = adapters_of(shape, work);
  const std::int64_t tokens = work.batch * work.length;
  const std::int64_t full = training.states() + training.activations;
  const std::int64_t checkpointed = training.states() + training.activations_checkpointed;
  // Below an adapter, gradients flow through the frozen base: freezing it saves states, not activations.
  const std::int64_t lora = adapters.lora + training.activations, qlora = adapters.qlora + training.activations;
  const bool mixed = work.recipe == Recipe::MixedAdamw;
  return {{"inference",
           {{"weights", inference.weights},
            {"kv_cache", inference.kv_cache},
            {"logits", inference.logits},
            {"layer_working_set", inference.layer_working_set},
            {"total", inference.total()},
            {"fits", fits(inference.total(), budget)}}},
          {"training",
           {{"recipe", mixed                    ? "mixed-adamw"
                       : work.weight_bytes == 2 ? "pure-16-bit-adamw"
                                                : "fp32-adamw"},
            {"bytes_per_parameter", mixed ? 16 : 4 * work.weight_bytes},
            {"weights", training.weights},
            {"gradients", training.gradients},
            {"master_weights", training.master_weights},
            {"moments", training.moments},
            {"activations_per_layer", training.activations_per_layer},
            {"attention_per_layer", training.attention_per_layer},
            {"activations_per_token_and_layer", training.activations_per_layer / tokens},
            {"activations", training.activations},
            {"total", full},
            {"fits", fits(full, budget)}}},
          {"variants",
           {{"checkpointed",
             {{"activations", training.activations_checkpointed},
              {"total", checkpointed},
              {"fits", fits(checkpointed, budget)}}},
            {"lora", {{"adapter_parameters", adapters.parameters}, {"total", lora}, {"fits", fits(lora, budget)}}},
            {"qlora", {{"adapter_parameters", adapters.parameters}, {"total", qlora}, {"fits", fits(qlora, budget)}}}}},
          {"train_to_infer_ratio", static_cast<double>(full) / static_cast<double>(inference.total())},
          {"reserved", nullptr}};
}

static Json comparison(const Json& predicted, const Json& measured) {
  auto row = [](std::int64_t predicted_bytes, const Json& measured_bytes) {
    const auto bytes = measured_bytes.get<std::int64_t>();
    return Json{
        {"predicted", predicted_bytes},
        {"measured", bytes},
        {"relative_error", bytes == 0 ? 0 : static_cast<double>(predicted_bytes - bytes) / static_cast<double>(bytes)}};
  };
  const Json& training = predicted.at("training");
  return {{"weights", row(training.at("weights"), measured.at("weights"))},
          {"activations", row(training.at("activations"), measured.at("activations"))},
          {"gradients", row(training.at("gradients"), measured.at("gradients"))},
          {"moments", row(training.at("moments"), measured.at("optimizer"))}};
}

static void append(std::string& text, const std::string& name, const Json& bytes, const Json& fits = nullptr) {
  text += "  " + name + std::string(name.size() < 28 ? 28 - name.size() : 1, ' ') + grouped(bytes.get<std::int64_t>());
  text += fits.is_null() ? "\n" : fits.get<bool>() ? "  fits\n" : "  does not fit\n";
}

static std::string text_of(const Json& json) {
  std::string text = grouped(json.at("parameters").get<std::int64_t>()) + " parameters (bytes below)\n";
  if (!json.contains("inference")) {
    append(text, "weights as stored", json.at("stored_weights"), json.at("fits"));
    return text;
  }
  const Json& inference = json.at("inference");
  text += "inference\n";
  for (const char* name : {"weights", "kv_cache", "logits", "layer_working_set"})
    append(text, name, inference.at(name));
  append(text, "total", inference.at("total"), inference.at("fits"));
  const Json& training = json.at("training");
  text += "training, " + training.at("recipe").get<std::string>() + ", " +
          std::to_string(training.at("bytes_per_parameter").get<int>()) + " bytes a parameter\n";
  for (const char* name : {"weights", "gradients", "master_weights", "moments", "activations_per_layer",
                           "attention_per_layer", "activations"})
    append(text, name, training.at(name));
  append(text, "total", training.at("total"), training.at("fits"));
  for (const auto& [name, variant] : json.at("variants").items())
    append(text, "total, " + name, variant.at("total"), variant.at("fits"));
  char ratio[32];
  std::snprintf(ratio, sizeof ratio, "%.2f", json.at("train_to_infer_ratio").get<double>());
  text += std::string("training takes ") + ratio + " times what inference takes\n";
  if (json.contains("compared")) {
    text += "measured on CPU kernels, predicted beside it; reserved memory is none of a CPU's figures\n";
    for (const auto& [name, row] : json.at("compared").items())
      append(text, name + " measured", row.at("measured")), append(text, name + " predicted", row.at("predicted"));
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
  Workload work{
      .batch = arguments.batch, .length = arguments.length, .weight_bytes = type.empty() || type == "f32" ? 4 : 2};
  work.lora_rank = arguments.lora_rank;
  if (arguments.mixed && work.weight_bytes == 2) work.recipe = Recipe::MixedAdamw;
  Json json = {{"parameters", parameters_of(*shape)},
               {"shape", json_of(*shape)},
               {"batch", work.batch},
               {"length", work.length},
               {"weight_bytes", work.weight_bytes}};
  json.update(account(*shape, work, budget));
  if (!arguments.measure) return json;
  Json request = {
      {"shape", json_of(*shape)}, {"batch", work.batch}, {"length", work.length}, {"weight_bytes", work.weight_bytes}};
  auto measured = run_script(arguments.python, "deadgrad_account.py", request);
  if (!measured) return measured.error();
  json["measured"] = *measured;
  json["compared"] = comparison(json, *measured);
  return json;
}

static Result<Json> account_of_weights(const ProbeAccountArguments& arguments, std::int64_t budget) {
  auto weights = weights_of_safetensors(arguments.safetensors);
  if (!weights) return weights.error();
  return Json{
      {"parameters", weights->parameters}, {"stored_weights", weights->bytes}, {"fits", fits(weights->bytes, budget)}};
}

int run_probe_account(const ProbeAccountArguments& arguments) {
  std::int64_t budget = -1;
  if (!arguments.budget.empty()) {
    auto bytes = bytes_of(arguments.budget);
    if (!bytes) return fail(bytes.error().message);
    budget = *bytes;
  }
  if (arguments.config.empty() == arguments.safetensors.empty()) return fail("name one of --config and --safetensors");
  auto json = arguments.config.empty() ? account_of_weights(arguments, budget) : account_of_config(arguments, budget);
  if (!json) return fail(json.error().message);
  Json document = {{"schema", "deadgrad.probe-account/1"}};
  document.update(*json);
  return write_output(arguments.output, rendered(document, arguments.format)) ? kClean : kFailed;
}

}  // namespace deadgrad::cli
