// The arithmetic of a decoder's memory, from its shape: what inference and training take, in bytes. Training
// activations are those of attention written out (the fused kernel saves no score matrix), in the layers of
// probe/python/deadgrad_decoder.py; deadgrad_account.py measures them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/base/result.h"

namespace deadgrad::probing {

struct ModelShape {
  std::int64_t layers = 0, width = 0, heads = 0, kv_heads = 0, head_width = 0, hidden = 0, vocabulary = 0;
  std::int64_t positions = 0;  // learned ones; 0 where positions are rotated in
  bool gated = false;          // a gated feed-forward and RMS norms without biases, as in Llama; else GPT's
  bool tied = false;           // the head is the embedding
};

enum class Recipe {
  Adamw,       // gradients and moments in the weights' own type
  MixedAdamw,  // weights and gradients in 16 bits, master weights and moments in 32
};

struct Workload {
  std::int64_t batch = 1, length = 1;
  std::int64_t weight_bytes = 4;  // per number
  Recipe recipe = Recipe::Adamw;
  std::int64_t lora_rank = 16;
};

struct Inference {
  std::int64_t weights, kv_cache, logits;
  std::int64_t working_set;  // the most that a layer or the head, with its logits, has at once
  std::int64_t total() const { return weights + kv_cache + working_set; }
};

struct Training {
  std::int64_t weights, gradients, master_weights, moments;
  std::int64_t activations_per_layer, attention_per_layer;  // the second is a part of the first
  std::int64_t activations;
  // With a checkpoint around each layer: what is stored when the forward ends, and the most that backward has, which
  // computes one layer again.
  std::int64_t checkpointed_stored, checkpointed_peak;
  std::int64_t states() const { return weights + gradients + master_weights + moments; }
};

// On the query and value projections, with everything else frozen. Below an adapter gradients flow through the frozen
// base: freezing saves the inputs of its matrices, not all activations.
struct Adapters {
  std::int64_t parameters, states;  // of the adapters, in 32 bits with AdamW: 16 bytes each
  std::int64_t activations;
  std::int64_t base, quantized_base;  // in its own type; with the layers' matrices in 4 bits
};

// From a Hugging Face config.json.
Result<ModelShape> shape_of_config(const nlohmann::json& config);
struct StoredWeights {
  std::int64_t parameters = 0, bytes = 0;
};
// From the first bytes of a safetensors file: a length, and a header in JSON.
Result<StoredWeights> weights_of_safetensors(const std::string& path);

std::int64_t parameters_of(const ModelShape& shape);
// A matrix in 4 bits with doubly quantized constants, as in QLoRA's paper.
std::int64_t quantized_bytes(std::int64_t numbers);
Inference inference_of(const ModelShape& shape, const Workload& work);
Training training_of(const ModelShape& shape, const Workload& work);
Adapters adapters_of(const ModelShape& shape, const Workload& work);

// "16GiB", "75GB", "1000" as bytes; an error for anything else.
Result<std::int64_t> bytes_of(const std::string& text);

}  // namespace deadgrad::probing
