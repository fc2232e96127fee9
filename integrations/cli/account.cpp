#include "integrations/cli/account.h"

#include <algorithm>

#include "integrations/probe/accounting.h"

namespace deadgrad::cli {

using Json = nlohmann::ordered_json;

Json fits(std::int64_t bytes, std::int64_t budget) {
  return budget < 0 ? Json(nullptr) : Json(bytes <= budget);
}

// A part of the account: its figures, their total, and whether that fits.
Json with_total(Json part, std::int64_t total, std::int64_t budget) {
  part["total"] = total;
  part["fits"] = fits(total, budget);
  return part;
}

Json comparison(const Json& predicted, const Json& measured) {
  Json rows = Json::object();
  for (const auto& [name, bytes] : predicted.items()) {
    if (!bytes.is_number() || !measured.contains(name)) continue;
    const auto was = measured.at(name).get<std::int64_t>();
    const auto error = static_cast<double>(bytes.get<std::int64_t>() - was);
    rows[name] = {{"predicted", bytes},
                  {"measured", was},
                  {"relative_error", was == 0 ? Json(nullptr) : Json(error / static_cast<double>(was))}};
  }
  return rows;
}

// Each number in its own type: what a module's file has been saved in decides the recipe.
struct ModuleStates {
  std::int64_t parameters = 0, trained = 0, weights = 0, gradients = 0, master_weights = 0, moments = 0;
  bool only_16_bit = true, only_32_bit = true;
};

static ModuleStates states_of(const Json& module, bool mixed) {
  ModuleStates sum;
  sum.weights = module.at("constants");
  for (const Json& tensor : module.at("tensors")) {
    const std::int64_t count = tensor.at("count"), bytes = tensor.at("bytes");
    sum.weights += count * bytes;
    if (tensor.at("kind") != "parameter") continue;
    sum.parameters += count;
    if (!tensor.at("trains").get<bool>()) continue;
    const bool has_master = mixed && bytes == 2;
    sum.trained += count;
    sum.gradients += count * bytes;
    sum.master_weights += has_master ? 4 * count : 0;
    sum.moments += 2 * count * (has_master ? 4 : bytes);
    (bytes == 2 ? sum.only_32_bit : sum.only_16_bit) = false;
  }
  return sum;
}

static const char* recipe_of(const ModuleStates& states, bool mixed) {
  if (states.trained == 0) return "nothing to train";
  if (states.only_32_bit) return "fp32-adamw";
  if (!states.only_16_bit) return mixed ? "mixed-adamw where weights have 16 bits" : "adamw in each weight's type";
  return mixed ? "mixed-adamw" : "pure-16-bit-adamw";
}

Json account_of_module(const Json& module, const ProbeAccountArguments& arguments, std::int64_t budget) {
  const ModuleStates states = states_of(module, arguments.mixed);
  std::int64_t adapters = 0, quantized = states.weights;
  for (const Json& linear : module.at("linear")) {
    const std::int64_t rows = linear.at("rows"), columns = linear.at("columns");
    adapters += arguments.lora_rank * (rows + columns);
    quantized -= rows * columns * linear.at("bytes").get<std::int64_t>() - probing::quantized_bytes(rows * columns);
  }
  const Json& activations = module.at("activations");
  const Json measured = module.value("measured", Json::object());
  const std::int64_t beyond = measured.value("inference_beyond_weights", std::int64_t{0});
  const std::int64_t inference = states.weights + beyond;
  const std::int64_t all =
      states.weights + states.gradients + states.master_weights + states.moments +
      (activations.is_number() ? activations.get<std::int64_t>() : measured.value("activations", std::int64_t{0}));
  auto adapted = [&](std::int64_t base) {
    return with_total({{"adapter_parameters", adapters}, {"base", base}, {"adapter_states", 16 * adapters}},
                      base + 16 * adapters, budget);
  };
  Json json = {
      {"parameters", states.parameters},
      {"trained_parameters", states.trained},
      {"tensors", module.at("tensors")},
      {"inference",
       with_total({{"weights", states.weights}, {"beyond_weights", measured.value("inference_beyond_weights", Json())}},
                  inference, budget)},
      {"training", with_total({{"recipe", recipe_of(states, arguments.mixed)},
                               {"weights", states.weights},
                               {"gradients", states.gradients},
                               {"master_weights", states.master_weights},
                               {"moments", states.moments},
                               {"activations", activations}},
                              all, budget)},
      {"variants",
       {{"lora, without activations", adapted(states.weights)}, {"qlora, without activations", adapted(quantized)}}},
      {"train_to_infer_ratio", static_cast<double>(all) / static_cast<double>(std::max<std::int64_t>(inference, 1))},
      {"reserved", nullptr}};
  if (measured.empty()) return json;
  json["measured"] = measured;
  Json predicted = json.at("training");
  predicted["moments"] = states_of(module, false).moments;  // AdamW is measured without master weights
  json["compared"] = comparison(predicted, measured);
  return json;
}

}  // namespace deadgrad::cli
