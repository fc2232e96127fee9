#include "integrations/probe/accounting.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <vector>

#include "integrations/probe/json_text.h"

namespace deadgrad::probing {

using Json = nlohmann::json;

static std::int64_t number(const Json& config, std::initializer_list<const char*> names, std::int64_t otherwise) {
  for (const char* name : names)
    if (auto found = config.find(name); found != config.end() && found->is_number_integer())
      return found->get<std::int64_t>();
  return otherwise;
}

Result<ModelShape> shape_of_config(const Json& config) {
  if (!config.is_object()) return Error{"not a configuration: no object"};
  ModelShape shape;
  shape.layers = number(config, {"num_hidden_layers", "n_layer", "num_layers"}, 0);
  shape.width = number(config, {"hidden_size", "n_embd", "d_model"}, 0);
  shape.heads = number(config, {"num_attention_heads", "n_head", "num_heads"}, 0);
  shape.vocabulary = number(config, {"vocab_size"}, 0);
  static constexpr std::int64_t kMost = 1 << 24;  // keeps every product below in 63 bits
  for (std::int64_t value : {shape.layers, shape.width, shape.heads, shape.vocabulary})
    if (value <= 0 || value > kMost)
      return Error{
          "not a decoder's configuration: it needs num_hidden_layers, hidden_size, num_attention_heads and vocab_size"};
  shape.kv_heads = number(config, {"num_key_value_heads"}, shape.heads);
  shape.head_width = number(config, {"head_dim"}, shape.width / shape.heads);
  auto activation = config.find("hidden_act");
  shape.gated = activation != config.end() && activation->is_string() && activation->get<std::string>() == "silu";
  shape.hidden = number(config, {"intermediate_size", "n_inner", "d_ff"}, 4 * shape.width);
  shape.positions = shape.gated ? 0 : number(config, {"n_positions", "max_position_embeddings"}, 0);
  auto tied = config.find("tie_word_embeddings");
  shape.tied = tied != config.end() && tied->is_boolean() ? tied->get<bool>() : !shape.gated;
  for (std::int64_t value : {shape.kv_heads, shape.head_width, shape.hidden})
    if (value <= 0 || value > kMost) return Error{"the configuration's sizes are out of range"};
  return shape;
}

Result<StoredWeights> weights_of_safetensors(const std::string& path) {
  static constexpr std::uint64_t kMostHeader = 100u << 20;
  static const std::map<std::string, std::int64_t> kBytes = {{"F64", 8}, {"F32", 4},  {"F16", 2},     {"BF16", 2},
                                                             {"I64", 8}, {"I32", 4},  {"I16", 2},     {"I8", 1},
                                                             {"U8", 1},  {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};
  std::ifstream file(path, std::ios::binary);
  unsigned char prefix[8] = {};
  if (!file.read(reinterpret_cast<char*>(prefix), sizeof prefix)) return Error{path + ": no safetensors file"};
  std::uint64_t size = 0;
  for (int i = 7; i >= 0; --i) size = size << 8 | prefix[i];
  if (size > kMostHeader) return Error{path + ": no safetensors file: its header is too long"};
  std::string text(size, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(size))) return Error{path + ": its header is cut off"};
  auto header = parse_json(text);
  if (!header || !header->is_object()) return Error{path + ": its header is no JSON object"};
  StoredWeights weights;
  try {
    for (const auto& [name, tensor] : header->items()) {
      if (name == "__metadata__") continue;
      std::int64_t count = 1;
      for (const Json& length : tensor.at("shape")) count *= length.get<std::int64_t>();
      weights.parameters += count;
      weights.bytes += count * kBytes.at(tensor.at("dtype").get<std::string>());
    }
  } catch (const std::exception& error) {
    return Error{path + ": " + error.what()};
  }
  return weights;
}

static std::int64_t parameters_of_layer(const ModelShape& s) {
  const std::int64_t query = s.heads * s.head_width, key = s.kv_heads * s.head_width;
  const std::int64_t attention = s.width * (2 * query + 2 * key);
  if (s.gated) return attention + 3 * s.width * s.hidden + 2 * s.width;
  const std::int64_t biases = query + 2 * key + s.width + s.hidden + s.width;
  return attention + 2 * s.width * s.hidden + biases + 4 * s.width;
}

std::int64_t parameters_of(const ModelShape& s) {
  const std::int64_t norm = s.gated ? s.width : 2 * s.width;
  return s.layers * parameters_of_layer(s) + norm + (s.vocabulary * (s.tied ? 1 : 2) + s.positions) * s.width;
}

Inference inference_of(const ModelShape& s, const Workload& work) {
  const std::int64_t tokens = work.batch * work.length, bytes = work.weight_bytes;
  Inference inference;
  inference.weights = parameters_of(s) * bytes;
  inference.kv_cache = 2 * tokens * s.layers * s.kv_heads * s.head_width * bytes;
  inference.logits = tokens * s.vocabulary * bytes;
  const std::int64_t token = tokens * s.width * bytes, query = tokens * s.heads * s.head_width * bytes;
  const std::int64_t scores = work.batch * s.heads * work.length * work.length * bytes;
  // The layer's input and its norm; queries, keys, values; the scores beside copies of queries and keys, or beside
  // their softmax.
  const std::int64_t attention = 2 * token + 3 * query + scores + std::max(scores, 2 * query);
  const std::int64_t feed_forward = 3 * token + (s.gated ? 3 : 2) * tokens * s.hidden * bytes;
  inference.working_set = std::max({attention, feed_forward, 2 * token + inference.logits});
  return inference;
}

Training training_of(const ModelShape& s, const Workload& work) {
  const std::int64_t tokens = work.batch * work.length, bytes = work.weight_bytes, parameters = parameters_of(s);
  const std::int64_t token = tokens * s.width * bytes, query = tokens * s.heads * s.head_width * bytes;
  const std::int64_t hidden = tokens * s.hidden * bytes, statistic = tokens * bytes;
  Training training;
  training.weights = training.gradients = parameters * bytes;
  const bool mixed = work.recipe == Recipe::MixedAdamw;
  training.master_weights = mixed ? 4 * parameters : 0;
  training.moments = 2 * parameters * (mixed ? 4 : bytes);
  training.attention_per_layer = work.batch * s.heads * work.length * work.length * bytes;
  // Queries, keys, values and the mixed values; the norms' inputs, results and (RMS) normalized values; the
  // feed-forward.
  training.activations_per_layer =
      training.attention_per_layer + 4 * query +
      (s.gated ? 6 * token + 2 * statistic + 4 * hidden : 4 * token + 4 * statistic + 2 * hidden);
  const std::int64_t last_norm = s.gated ? 3 * token + statistic : 2 * token + 2 * statistic;
  training.activations = s.layers * training.activations_per_layer + last_norm;
  training.checkpointed_stored = s.layers * token + last_norm;
  training.checkpointed_peak =
      std::max(training.checkpointed_stored, (s.layers - 1) * token + training.activations_per_layer);
  return training;
}

std::int64_t quantized_bytes(std::int64_t numbers) {
  // Of every 64 a constant in 8 bits, and of every 256 constants one in 32 bits.
  const std::int64_t constants = (numbers + 63) / 64;
  return (numbers + 1) / 2 + constants + 4 * ((constants + 255) / 256);
}

static std::vector<std::int64_t> matrices_of_layer(const ModelShape& s) {
  const std::int64_t query = s.width * s.heads * s.head_width, key = s.width * s.kv_heads * s.head_width;
  std::vector<std::int64_t> sizes = {query, key, key, query, s.width * s.hidden, s.width * s.hidden};
  if (s.gated) sizes.push_back(s.width * s.hidden);
  return sizes;
}

static std::int64_t adapter_activations(const ModelShape& s, const Workload& work) {
  const std::int64_t tokens = work.batch * work.length, bytes = work.weight_bytes;
  const std::int64_t query = tokens * s.heads * s.head_width * bytes;
  // A norm's input with its statistics: mean and deviation, or the root alone.
  const std::int64_t norm = tokens * (s.width + (s.gated ? 1 : 2)) * bytes;
  // The adapters' common input and what their narrow halves give, in 32 bits.
  const std::int64_t adapters = tokens * (s.width + 2 * work.lora_rank) * 4;
  const std::int64_t scores = work.batch * s.heads * work.length * work.length * bytes;
  const std::int64_t hidden = tokens * s.hidden * bytes;
  const std::int64_t layer = 2 * norm + adapters + 3 * query + scores + (s.gated ? 3 : 1) * hidden;
  // The first layer's input and keys need no gradients, so neither its norm nor its queries are kept.
  const std::int64_t last_norm = norm;
  return s.layers * layer - norm - query + last_norm;
}

Adapters adapters_of(const ModelShape& s, const Workload& work) {
  const std::int64_t each =
      work.lora_rank * (s.width + s.heads * s.head_width) + work.lora_rank * (s.width + s.kv_heads * s.head_width);
  Adapters adapters;
  adapters.parameters = s.layers * each;
  adapters.states = 16 * adapters.parameters;
  adapters.activations = adapter_activations(s, work);
  adapters.base = adapters.quantized_base = parameters_of(s) * work.weight_bytes;
  for (std::int64_t size : matrices_of_layer(s))
    adapters.quantized_base -= s.layers * (size * work.weight_bytes - quantized_bytes(size));
  return adapters;
}

Result<std::int64_t> bytes_of(const std::string& text) {
  static const std::map<std::string, double> kUnits = {
      {"", 1},         {"B", 1},           {"kB", 1e3},           {"MB", 1e6},  {"GB", 1e9},
      {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TB", 1e12}, {"TiB", 1099511627776.0}};
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  auto unit = kUnits.find(end);
  if (end == text.c_str() || unit == kUnits.end() || !(value >= 0) || value * unit->second > 9e18)
    return Error{"'" + text + "' is no size such as 16GiB"};
  return static_cast<std::int64_t>(value * unit->second);
}

}  // namespace deadgrad::probing
