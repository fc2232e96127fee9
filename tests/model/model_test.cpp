// The API model: what the shipped data say, how symbols are looked up, and what a mistake in the data is answered with.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/model/api_model.h"
#include "rules/models/embedded.h"

namespace deadgrad {
namespace {

using model::ApiModel;
using model::Effect;
using model::Graph;
using model::Shape;

const ApiModel& shipped() {
  static const ApiModel api = [] {
    Result<ApiModel> loaded = load_embedded_models();
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    return loaded ? std::move(loaded.value()) : ApiModel();
  }();
  return api;
}

ApiModel model_of(std::string_view toml) {
  ApiModel api;
  Result<int> rows = api.load("t.toml", toml);
  EXPECT_TRUE(rows) << (rows ? "" : rows.error().message);
  return api;
}

std::string error_of(std::string_view toml) {
  Result<int> rows = ApiModel().load("t.toml", toml);
  return rows ? "no error" : rows.error().message;
}

// Which row answers for `symbol`: its own spelling in the data, "" for none.
std::string row_of(const ApiModel& api, std::string_view symbol) {
  const Effect* effect = api.find(symbol);
  return effect ? effect->symbol : "";
}

// "tensor cut": shape and graph of the results of `symbol`.
std::string results_of(const Effect* effect) {
  static constexpr std::string_view kShapes[] = {"unknown",  "module",   "tensor",    "plain", "optimizer", "loader",
                                                 "argument", "receiver", "container", "class", "object"};
  static constexpr std::string_view kGraphs[] = {"", " keep", " cut"};
  if (!effect) return "no row";
  std::string text;
  for (const model::ResultFacts& result : effect->results) {
    if (!text.empty()) text += ", ";
    text += std::string(kShapes[static_cast<int>(result.shape)]) + std::string(kGraphs[static_cast<int>(result.graph)]);
  }
  return text;
}
std::string results_of(std::string_view symbol) {
  return results_of(shipped().find(symbol));
}
std::string any_results_of(std::string_view name) {
  std::vector<const Effect*> rows = shipped().find_any(name);
  return results_of(rows.empty() ? nullptr : rows.back());
}

// ---- the shipped data

TEST(ShippedData, Loads) {
  int rows = 0;
  ApiModel api;
  for (const EmbeddedText& text : embedded_models()) {
    Result<int> loaded = api.load(text.name, text.text);
    ASSERT_TRUE(loaded) << loaded.error().message;
    rows += loaded.value();
  }
  EXPECT_GT(rows, 3000);
}

// Each row has a proof, and a source unless the proof is a guess.
TEST(ShippedData, EveryRowHasProofAndSource) {
  for (const EmbeddedText& text : embedded_models()) {
    bool proof = true, source = true, guess = false;
    int row = 0;
    auto check = [&] {
      EXPECT_TRUE(proof) << text.name << ": row before line " << row << " has no proof";
      EXPECT_NE(source, guess) << text.name << ": row before line " << row << " needs a source, or is a guess";
    };
    std::size_t line_number = 0;
    std::string_view rest = text.text;
    bool first = true;
    while (!rest.empty()) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      row = static_cast<int>(++line_number);
      if (line.starts_with("[[")) {
        if (!first) check();
        first = proof = source = guess = false;
      }
      if (line.starts_with("proof = ")) proof = true;
      if (line == "proof = \"guess\"") guess = true;
      if (line.starts_with("source = ")) source = true;
    }
    check();
  }
}

TEST(ShippedData, EmbeddedTextsAreTheFiles) {
  ASSERT_GE(embedded_models().size(), 10u);
  EXPECT_TRUE(std::ranges::is_sorted(embedded_models(), {}, &EmbeddedText::name));
  const auto torch = std::ranges::find(embedded_models(), "torch.toml", &EmbeddedText::name);
  ASSERT_NE(torch, embedded_models().end());
  EXPECT_TRUE(torch->text.starts_with("# PyTorch itself"));
  EXPECT_TRUE(torch->text.ends_with("\n"));
}

TEST(ShippedData, Guards) {
  struct Expected {
    std::string_view symbol;
    model::Guard guard;
    bool scope, decorator, bare, call;
  };
  using enum model::Guard;
  const Expected expected[] = {
      {"torch.no_grad", Off, true, true, true, false},
      {"torch.autograd.grad_mode.no_grad", Off, true, true, true, false},
      {"torch.enable_grad", On, true, true, true, false},
      {"torch.set_grad_enabled", Argument, true, true, false, true},
      {"torch.inference_mode", InverseArgument, true, true, true, false},
      {"c10::NoGradGuard", Off, true, false, false, false},
      {"torch::NoGradGuard", Off, true, false, false, false},
      {"at::AutoGradMode", Argument, true, false, false, false},
      {"c10::InferenceMode", InverseArgument, true, false, false, false},
      {"at::GradMode::set_enabled", Argument, false, false, false, true},
      {"at::AutoNonVariableTypeMode", Off, true, false, false, false},
  };
  for (const Expected& e : expected) {
    const Effect* effect = shipped().find(e.symbol);
    ASSERT_TRUE(effect) << e.symbol;
    EXPECT_EQ(effect->guard, e.guard) << e.symbol;
    EXPECT_EQ(effect->forms.scope, e.scope) << e.symbol;
    EXPECT_EQ(effect->forms.decorator, e.decorator) << e.symbol;
    EXPECT_EQ(effect->forms.bare_decorator, e.bare) << e.symbol;
    EXPECT_EQ(effect->forms.call, e.call) << e.symbol;
  }
  const Effect* inference = shipped().find("torch.inference_mode");
  EXPECT_EQ(inference->guard_argument.position, 0);
  EXPECT_EQ(inference->guard_argument.keyword, "mode");
  EXPECT_TRUE(inference->guard_default);
}

TEST(ShippedData, WhatDependsOnTheRelease) {
  EXPECT_EQ(shipped().first_with(model::GuardKind::Inference), (model::TorchVersion{1, 9}));
  EXPECT_EQ(shipped().first_with(model::GuardKind::NoGrad), model::TorchVersion());
  EXPECT_EQ(shipped().find("c10::InferenceMode")->since, (model::TorchVersion{1, 9}));
  for (std::string_view symbol : {"torch.no_grad", "torch.enable_grad", "torch.inference_mode"})
    EXPECT_EQ(shipped().find(symbol)->bare_decorator_since, (model::TorchVersion{2, 1})) << symbol;
  EXPECT_EQ(shipped().find("lightning.pytorch.loops.utilities._no_grad_context")->bare_decorator_since,
            model::TorchVersion());
}

TEST(ShippedData, ContextManagersThatAreNoGuards) {
  for (std::string_view symbol : {"torch.autocast", "torch.cuda.amp.autocast", "contextlib.nullcontext",
                                  "contextlib.suppress", "torch.profiler.profile", "contextlib.ExitStack"}) {
    const Effect* effect = shipped().find(symbol);
    ASSERT_TRUE(effect) << symbol;
    EXPECT_TRUE(effect->context_manager) << symbol;
    EXPECT_EQ(effect->guard, model::Guard::None) << symbol;
  }
}

TEST(ShippedData, WhatCutsAndWhatKeeps) {
  EXPECT_EQ(any_results_of("detach"), "tensor cut");
  EXPECT_EQ(any_results_of("item"), "plain cut");
  EXPECT_EQ(any_results_of("argmax"), "tensor cut");
  EXPECT_EQ(any_results_of("shape"), "plain cut");
  EXPECT_EQ(any_results_of("cpu"), "receiver");
  EXPECT_EQ(any_results_of("topk"), "tensor keep, tensor cut");
  EXPECT_EQ(results_of("torch.max"), "tensor keep, tensor cut");
  EXPECT_EQ(results_of("torch.randn_like"), "tensor cut");
  EXPECT_EQ(results_of("torch::randn"), "tensor cut");
  EXPECT_EQ(results_of("torch.tensor"), "tensor cut");
  EXPECT_EQ(results_of("torch.as_tensor"), "tensor keep");
  EXPECT_EQ(results_of("torch.softmax"), "tensor keep");
  EXPECT_EQ(results_of("torch.detach"), "tensor cut");
  EXPECT_EQ(results_of("torch.nn.functional.relu"), "tensor keep");
  EXPECT_EQ(results_of("torch.nn.functional.one_hot"), "tensor cut");
  EXPECT_EQ(results_of("torch.cuda.is_available"), "plain cut");
  EXPECT_EQ(results_of("torch.Tensor.cosine_similarity_of_tomorrow"), "tensor keep");
  EXPECT_EQ(results_of("at::Tensor::item"), "plain cut");
  EXPECT_EQ(results_of("torch.distributions.Categorical.sample"), "tensor cut");
  EXPECT_EQ(results_of("torch.distributions.normal.Normal.log_prob"), "tensor keep");
  EXPECT_EQ(results_of("print"), "plain cut");
  EXPECT_EQ(results_of("builtins.zip"), "container keep");
  ASSERT_TRUE(shipped().find("?.numpy"));
  EXPECT_TRUE(shipped().find("?.numpy")->raises_if_attached);
  EXPECT_TRUE(shipped().find("copy.deepcopy")->raises_if_attached);
  EXPECT_FALSE(shipped().find("copy.copy")->raises_if_attached);
  for (std::string_view symbol : {"?.to", "?.type", "torch.Tensor.to", "at::Tensor::to", "at::Tensor::toType"}) {
    const std::vector<std::string>& cut_by = shipped().find(symbol)->cut_by;
    for (std::string_view dtype : {"torch.uint8", "torch.long", "torch.LongTensor", "torch::kInt64", "c10::kBool"})
      EXPECT_NE(std::ranges::find(cut_by, dtype), cut_by.end()) << symbol << " " << dtype;
    for (std::string_view dtype : {"torch.float16", "torch.complex64", "torch::kHalf"})
      EXPECT_EQ(std::ranges::find(cut_by, dtype), cut_by.end()) << symbol << " " << dtype;
  }
}

TEST(ShippedData, Modules) {
  for (std::string_view symbol :
       {"torch.nn.Module", "torch.nn.Linear", "torch.nn.modules.conv.Conv2d", "torch::nn::Linear", "torch::jit::Module",
        "transformers.BertModel", "transformers.AutoModelForCausalLM", "diffusers.UNet2DConditionModel",
        "lightning.pytorch.LightningModule", "pytorch_lightning.LightningModule", "timm.models.resnet.ResNet",
        "torchvision.models.ResNet", "torch.nn.parallel.DistributedDataParallel"}) {
    const model::ClassFacts* facts = shipped().find_class(symbol);
    ASSERT_TRUE(facts) << symbol;
    EXPECT_EQ(facts->shape, Shape::Module) << symbol;
    std::vector<std::string_view> ancestors = shipped().ancestors(symbol);
    EXPECT_TRUE(std::ranges::find(ancestors, "torch.nn.Module") != ancestors.end()) << symbol;
  }
  for (std::string_view symbol :
       {"torch.nn.functional.relu", "torch.nn.utils.clip_grad_norm_", "torch.nn.init.normal_",
        "torch.nn.utils.prune.L1Unstructured", "torch::nn::LinearOptions", "transformers.TFBertModel", "torch.relu"}) {
    EXPECT_FALSE(shipped().find_class(symbol)) << symbol;
  }
  EXPECT_EQ(shipped().find_class("torch.nn.Parameter")->shape, Shape::Tensor);
  EXPECT_EQ(shipped().find_class("transformers.BertTokenizer")->shape, Shape::Plain);
  EXPECT_EQ(shipped().find_class("torch.optim.AdamW")->shape, Shape::Optimizer);
  EXPECT_FALSE(shipped().find_class("torch.nn.MSELoss")->has_parameters);
  EXPECT_FALSE(shipped().find_class("torch::nn::ReLU")->has_parameters);
  EXPECT_TRUE(shipped().find_class("torch.nn.Linear")->has_parameters);
  EXPECT_EQ(results_of("torchvision.models.resnet50"), "module");
  EXPECT_EQ(results_of("clip.load"), "module, plain");
  EXPECT_EQ(results_of("transformers.AutoTokenizer.from_pretrained"), "plain");
  EXPECT_TRUE(shipped().find("transformers.BertModel.from_pretrained")->results.front().of_receiver_class);
  EXPECT_EQ(shipped().find("torch.jit.freeze")->results.front().parameters, model::Parameters::Frozen);
  EXPECT_EQ(shipped().find("torch.load")->results.front().class_symbol, "?");
  EXPECT_TRUE(shipped().find("torch.nn.Linear.eval")->eval_mode);
  EXPECT_TRUE(shipped().find("torch::load")->loads_weights);
  EXPECT_TRUE(shipped().find_class("torch::jit::Module")->may_be_frozen);
  EXPECT_FALSE(shipped().find_class("torch.fx.GraphModule")->may_be_frozen);
  EXPECT_EQ(row_of(shipped(), "torch.nn.Linear"), "") << "a glob of functions must not speak for a class";
}

TEST(ShippedData, BackwardForwardAndEntries) {
  EXPECT_EQ(shipped().find("?.backward")->backward, model::Backward::Receiver);
  EXPECT_EQ(shipped().find("at::Tensor::backward")->backward, model::Backward::Receiver);
  EXPECT_EQ(shipped().find("torch.autograd.grad")->backward, model::Backward::Argument);
  EXPECT_EQ(shipped().find("accelerate.Accelerator.backward")->backward_argument.position, 0);
  EXPECT_TRUE(shipped().find("torch.optim.SGD.step")->optimizer_step);
  EXPECT_EQ(shipped().find("transformers.GPT2LMHeadModel.generate")->forward, model::Forward::Guarded);
  EXPECT_EQ(shipped().find("transformers.GPT2LMHeadModel.forward")->forward, model::Forward::Runs);
  EXPECT_EQ(shipped().find("diffusers.AutoencoderKL.decode")->forward, model::Forward::Runs);
  EXPECT_EQ(shipped().find("diffusers.StableDiffusionXLPipeline.__call__")->forward, model::Forward::Guarded);
  EXPECT_EQ(shipped().find("diffusers.StableDiffusionPipeline.unet")->results.front().shape, Shape::Module);
  EXPECT_EQ(shipped().find("torch::jit::Module::run_method")->forward, model::Forward::Runs);
  EXPECT_EQ(shipped().find("flask.Flask.route")->entry, model::Entry::Handler);
  for (std::string_view symbol :
       {"torch.Tensor.register_hook", "at::Tensor::register_hook", "torch.nn.Linear.register_full_backward_hook"})
    EXPECT_EQ(shipped().find(symbol)->entry, model::Entry::Guarded) << symbol;
  EXPECT_EQ(shipped().find("torch.nn.Linear.register_forward_hook")->entry, model::Entry::None);
  EXPECT_TRUE(shipped().find("threading.Thread")->spawns);
  EXPECT_TRUE(shipped().find("std::thread")->spawns);
  EXPECT_EQ(shipped().find("accelerate.Accelerator.prepare")->results.size(), 8u);
  EXPECT_TRUE(shipped().find("?.append")->stores_argument);
}

// Where a class or function is defined is as good a name as the one it is public under.
TEST(ShippedData, DefiningModules) {
  for (std::string_view symbol :
       {"mmengine.runner.loops.ValLoop.run_iter", "torch_geometric.nn.models.basic_gnn.GraphSAGE.inference",
        "torch_geometric.nn.kge.TransE.test", "composer.trainer.trainer.Trainer.predict",
        "sentence_transformers.SentenceTransformer.SentenceTransformer.encode",
        "sentence_transformers.cross_encoder.CrossEncoder.CrossEncoder.predict", "litgpt.api.LLM.generate",
        "transformer_lens.HookedTransformer.HookedTransformer.generate", "kornia.feature.xfeat.XFeat.detectAndCompute",
        "exllamav2.model.ExLlamaV2.forward", "esm.esmfold.v1.esmfold.ESMFold.infer",
        "llava.model.language_model.llava_llama.LlavaLlamaForCausalLM.generate",
        "ts.torch_handler.densenet_handler.DenseNetHandler.inference",
        "ultralytics.models.yolo.detect.DetectionPredictor.__call__", "diffusers.IFImg2ImgPipeline.encode_prompt",
        "guided_diffusion.respace.SpacedDiffusion.p_sample_loop",
        "deepspeed.ops.transformer.inference.moe_inference.DeepSpeedMoEInference.forward"}) {
    const Effect* effect = shipped().find(symbol);
    ASSERT_TRUE(effect) << symbol;
    EXPECT_EQ(effect->forward, model::Forward::Guarded) << symbol;
  }
  for (std::string_view symbol :
       {"torch_geometric.nn.models.basic_gnn.GraphSAGE.forward", "diffusers.StableDiffusionPipeline.encode_prompt",
        "torch.distributed.pipelining.schedules.ScheduleGPipe.eval"}) {
    EXPECT_EQ(shipped().find(symbol)->forward, model::Forward::Runs) << symbol;
  }
}

TEST(ShippedData, Hooks) {
  using enum model::HookMode;
  auto mode = [](std::string_view base, std::string_view method) {
    const model::HookFacts* hook = shipped().find_hook(base, method);
    return hook ? static_cast<int>(hook->mode) : -1;
  };
  EXPECT_EQ(mode("lightning.pytorch.LightningModule", "training_step"), static_cast<int>(Train));
  EXPECT_EQ(mode("pytorch_lightning.LightningModule", "on_validation_epoch_end"), static_cast<int>(Guarded));
  EXPECT_EQ(mode("lightning.pytorch.LightningModule", "forward"), static_cast<int>(Caller));
  EXPECT_EQ(mode("pytorch_lightning.callbacks.Callback", "on_train_epoch_end"), static_cast<int>(Unguarded));
  EXPECT_EQ(mode("transformers.Seq2SeqTrainer", "compute_loss"), static_cast<int>(Train));
  EXPECT_EQ(mode("transformers.Trainer", "prediction_step"), static_cast<int>(Unguarded));
  EXPECT_EQ(mode("torch.autograd.Function", "forward"), static_cast<int>(Guarded));
  EXPECT_EQ(mode("torch.nn.Linear", "forward"), static_cast<int>(Caller));
  EXPECT_EQ(mode("torch.nn.Module", "my_method"), -1);
  EXPECT_EQ(mode("ignite.metrics.metric.Metric", "update"), static_cast<int>(Guarded));
  EXPECT_EQ(mode("torchmetrics.Metric", "update"), -1);
  EXPECT_EQ(mode("lightning.pytorch.serve.ServableModule", "serve_step"), static_cast<int>(Guarded));
  EXPECT_EQ(mode("juce::Thread", "run"), static_cast<int>(Unguarded));
}

TEST(ShippedData, RootsAndNames) {
  EXPECT_TRUE(shipped().is_data_only("numpy"));
  EXPECT_TRUE(shipped().is_data_only("builtins"));
  EXPECT_FALSE(shipped().is_data_only("torch"));
  EXPECT_TRUE(shipped().is_torch_root("transformers"));
  EXPECT_FALSE(shipped().is_torch_root("numpy"));
  EXPECT_GT(shipped().name_odds("predict_batch"), 3);
  EXPECT_GT(shipped().name_odds("EvalLoop"), 3);
  EXPECT_LT(shipped().name_odds("train_one_epoch"), -3);
  EXPECT_LT(shipped().name_odds("trainOne"), -3);
  EXPECT_EQ(shipped().name_odds("frobnicate"), 0);
  for (std::string_view name : {"model", "net", "netG", "self_model", "_unet", "model2", "ema_model", "q_net"}) {
    EXPECT_TRUE(shipped().is_model_name(name)) << name;
  }
  EXPECT_FALSE(shipped().is_model_name("models_dir"));
  EXPECT_FALSE(shipped().is_model_name("x"));
}

// ---- lookups

TEST(Lookup, ExactThenLongestGlob) {
  ApiModel api = model_of(R"(
[[effect]]
symbols = ["a.*", "a.b.*", "a.b.c", "a.b.pre*", "a.b.*post", "x::*"]
result = { shape = "plain" }
)");
  EXPECT_EQ(row_of(api, "a.b.c"), "a.b.c");
  EXPECT_EQ(row_of(api, "a.b.d"), "a.b.*");
  EXPECT_EQ(row_of(api, "a.b.d.e.f"), "a.b.*");
  EXPECT_EQ(row_of(api, "a.z"), "a.*");
  EXPECT_EQ(row_of(api, "a.b.prefix"), "a.b.pre*");
  EXPECT_EQ(row_of(api, "a.b.compost"), "a.b.*post");
  EXPECT_EQ(row_of(api, "a.b.prepost"), "a.b.pre*") << "a fixed start decides first";
  EXPECT_EQ(row_of(api, "a.b.prefix.deeper"), "a.b.*") << "a pattern matches one component";
  EXPECT_EQ(row_of(api, "x::y::z"), "x::*");
  for (std::string_view none : {"a", "ab.c", "x.y", "", ".", "*", "::", ":", "..", "x:y"}) {
    EXPECT_EQ(row_of(api, none), "") << none;
    EXPECT_FALSE(api.find_class(none)) << none;
    EXPECT_EQ(api.ancestors(none).size(), 1u) << none;
  }
}

TEST(Lookup, Aliases) {
  ApiModel api = model_of(R"(
[[alias]]
symbol = "old.f"
of = "new.f"
[[alias]]
symbol = "old.*.*"
of = "new.*"
[[alias]]
symbol = "older.*"
of = "old.m.*"
[[alias]]
symbol = "loop.a"
of = "loop.b"
[[alias]]
symbol = "loop.b"
of = "loop.a"
[[alias]]
symbol = "grow.*"
of = "grow.more.*"
[[effect]]
symbols = ["new.f", "new.C.g"]
result = { shape = "plain" }
[[class]]
symbol = "new.C"
shape = "module"
)");
  EXPECT_EQ(row_of(api, "old.f"), "new.f");
  EXPECT_EQ(row_of(api, "old.inner.f"), "new.f");
  EXPECT_EQ(row_of(api, "older.f"), "new.f");
  EXPECT_EQ(row_of(api, "old.Inner.f"), "") << "an inner * is a module, in lower case";
  EXPECT_EQ(row_of(api, "loop.a"), "");
  EXPECT_EQ(row_of(api, "grow.x"), "");
  ASSERT_TRUE(api.find_class("old.inner.C"));
  EXPECT_EQ(api.find_class("old.inner.C")->symbol, "new.C");
  ASSERT_TRUE(api.find_member("old.inner.C", "g"));
  EXPECT_EQ(row_of(api, "old.inner.C.g"), "new.C.g");
  EXPECT_EQ(api.ancestors("old.inner.C").front(), "new.C");
}

TEST(Lookup, MembersThroughBases) {
  ApiModel api = model_of(R"(
[[class]]
symbol = "l.Base"
shape = "module"
parameters = "mixed"
[[class]]
symbol = "l.Middle"
bases = ["l.Base"]
has_parameters = false
[[class]]
symbol = "l.*Net"
bases = ["l.Middle"]
[[class]]
symbols = ["l.A", "l.B"]
bases = ["l.A", "l.B"]
[[effect]]
symbols = ["l.Base.f", "l.Base.g", "l.Middle.g", "l.*Net.h"]
result = { shape = "plain" }
)");
  EXPECT_EQ(api.find_member("l.MyNet", "f")->symbol, "l.Base.f");
  EXPECT_EQ(api.find_member("l.MyNet", "g")->symbol, "l.Middle.g");
  EXPECT_EQ(api.find_member("l.MyNet", "h")->symbol, "l.*Net.h");
  EXPECT_FALSE(api.find_member("l.MyNet", "nothing"));
  EXPECT_FALSE(api.find_member("l.A", "f")) << "a cycle of bases ends";
  EXPECT_EQ(row_of(api, "l.MyNet.f"), "l.Base.f");
  const model::ClassFacts* facts = api.find_class("l.MyNet");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->shape, Shape::Module);
  EXPECT_EQ(facts->parameters, model::Parameters::Mixed);
  EXPECT_FALSE(facts->has_parameters);
  EXPECT_EQ(api.ancestors("l.MyNet"), (std::vector<std::string_view>{"l.MyNet", "l.Middle", "l.Base"}));
}

TEST(Lookup, GatedRowsComeFirst) {
  ApiModel api = model_of(R"(
[[effect]]
symbol = "?.generate"
result = { shape = "tensor" }
[[effect]]
symbol = "?.generate"
only_if_imported = ["transformers"]
forward = "guarded"
)");
  std::vector<const Effect*> rows = api.find_any("generate");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]->only_if_imported, std::vector<std::string>{"transformers"});
  EXPECT_TRUE(rows[1]->only_if_imported.empty());
  EXPECT_TRUE(api.find("?.generate")->only_if_imported.empty());
  EXPECT_TRUE(api.find_any("nothing").empty());
}

TEST(Lookup, LaterTextsReplaceRows) {
  ApiModel api = model_of("[[effect]]\nsymbol = \"a.f\"\nresult = { shape = \"plain\" }\n");
  const Effect* before = api.find("a.f");
  ASSERT_TRUE(api.load("user.toml", "[[effect]]\nsymbol = \"a.f\"\nresult = { shape = \"tensor\" }\n"));
  EXPECT_EQ(api.find("a.f"), before);
  EXPECT_EQ(results_of(api.find("a.f")), "tensor");
}

TEST(Lookup, ArgumentsAreWrittenThreeWays) {
  ApiModel api = model_of(R"(
[[effect]]
symbol = "a.f"
spawns = true
callee = 2
[[effect]]
symbol = "a.g"
spawns = true
callee = "target"
[[effect]]
symbol = "a.h"
spawns = true
callee = { position = 1, keyword = "target" }
)");
  EXPECT_EQ(api.find("a.f")->callee.position, 2);
  EXPECT_EQ(api.find("a.g")->callee.keyword, "target");
  EXPECT_EQ(api.find("a.h")->callee.position, 1);
  EXPECT_EQ(api.find("a.h")->callee.keyword, "target");
}

// ---- mistakes in the data

TEST(Mistakes, AreNamedWithFileAndLine) {
  EXPECT_EQ(error_of("\n[[effct]]\nsymbol = \"a\"\n"), "t.toml:2: unknown table 'effct', did you mean 'effect'?");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nresutl = { shape = \"plain\" }\n"),
            "t.toml:3: unknown key 'resutl' in [[effect]], did you mean 'result'?");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nresult = { shap = \"plain\" }\n"),
            "t.toml:3: unknown key 'shap' in [[effect]], did you mean 'shape'?");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nxyzzyxyzzy = 1\n"),
            "t.toml:3: unknown key 'xyzzyxyzzy' in [[effect]]");
  EXPECT_EQ(error_of("[[class]]\nsymbol = \"a\"\nshape = \"modul\"\n"),
            "t.toml:3: unknown word 'modul' for 'shape' in [[class]], did you mean 'module'?");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nguard = \"of\"\n"),
            "t.toml:3: unknown word 'of' for 'guard' in [[effect]], did you mean 'off'?");
  EXPECT_EQ(error_of("[[hook]]\nbase = \"a\"\nmethods = [\"f\"]\nmode = \"trian\"\n"),
            "t.toml:4: unknown word 'trian' for 'mode' in [[hook]], did you mean 'train'?");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nspawns = \"yes\"\n"),
            "t.toml:3: 'spawns' in [[effect]] must be true or false");
  for (std::string_view version : {"1.9", "\"new\"", "\"\""})
    EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nsince = " + std::string(version) + "\n"),
              "t.toml:3: 'since' in [[effect]] must be a release such as \"1.9\"");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = 3\n"), "t.toml:2: 'symbol' in [[effect]] must be a string");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\ncut_by = \"b\"\n"),
            "t.toml:3: 'cut_by' in [[effect]] must be an array of strings");
  EXPECT_EQ(error_of("[[effect]]\nsymbols = \"a\"\n"), "t.toml:2: 'symbols' in [[effect]] must be an array of strings");
  EXPECT_EQ(error_of("[[names]]\nodds = { a = \"b\" }\n"), "t.toml:2: 'odds' in [[names]] must be a number");
  EXPECT_EQ(error_of("[effect]\nsymbol = \"a\"\n"), "t.toml:1: 'effect' must be written [[effect]]");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\n[[effect]]\nsymbols = [\"b\", \"a\"]\n"),
            "t.toml:3: 'a' stands in [[effect]] twice");
}

TEST(Mistakes, RowsThatSayTooLittle) {
  EXPECT_EQ(error_of("[[effect]]\nspawns = false\n"), "t.toml:1: [[effect]] needs 'symbol'");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nguard = \"off\"\nguard_kind = \"no_grad\"\n"),
            "t.toml:1: [[effect]] needs 'forms' beside 'guard'");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nguard = \"off\"\nforms = [\"scope\"]\n"),
            "t.toml:1: [[effect]] needs 'guard_kind' beside 'guard'");
  EXPECT_EQ(
      error_of("[[effect]]\nsymbol = \"a\"\nguard = \"argument\"\nguard_kind = \"set_grad\"\nforms = [\"call\"]\n"),
      "t.toml:1: [[effect]] needs 'guard_argument' for this 'guard'");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nbackward = \"argument\"\n"),
            "t.toml:1: [[effect]] needs 'backward_argument' for backward = \"argument\"");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nspawns = true\n"),
            "t.toml:1: [[effect]] needs 'callee' to name the function it runs");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nfreeze = \"by_argument\"\n"),
            "t.toml:1: [[effect]] needs 'freeze_argument' for freeze = \"by_argument\"");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nresult = { shape = \"argument\" }\n"),
            "t.toml:3: [[effect]] needs 'same_as' for shape \"argument\"");
  EXPECT_EQ(error_of("[[effect]]\nsymbol = \"a\"\nresult = { }\nresults = []\n"),
            "t.toml:1: 'result' and 'results' in one [[effect]]");
  EXPECT_EQ(error_of("[[hook]]\nbase = \"a\"\nmode = \"train\"\n"), "t.toml:1: [[hook]] needs 'methods'");
  EXPECT_EQ(error_of("[[hook]]\nbase = \"a\"\nmethods = [\"f\"]\n"), "t.toml:1: [[hook]] needs 'mode'");
  EXPECT_EQ(error_of("[[alias]]\nsymbol = \"a\"\n"), "t.toml:1: [[alias]] needs 'of'");
  EXPECT_EQ(error_of("[[alias]]\nsymbol = \"a.*\"\nof = \"b\"\n"),
            "t.toml:1: 'a.*' and 'b' must both end in '*' or neither");
}

TEST(Mistakes, BrokenTomlIsAnErrorNotACrash) {
  EXPECT_TRUE(error_of("\n[[effect\n").starts_with("t.toml:2: "));
  EXPECT_TRUE(error_of("a = \"\xff\"\n").starts_with("t.toml:1: "));
  EXPECT_NE(error_of("a = " + std::string(100000, '[')), "no error");
  EXPECT_EQ(error_of(""), "no error");
}

TEST(Mistakes, AFailedTextChangesNothing) {
  ApiModel api;
  EXPECT_FALSE(api.load("t.toml", "[[effect]]\nsymbol = \"a.f\"\n[[effect]]\nsymbol = \"a.g\"\nspawns = 1\n"));
  EXPECT_FALSE(api.find("a.f"));
}

}  // namespace
}  // namespace deadgrad
