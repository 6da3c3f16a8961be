// SPDX-License-Identifier: Apache-2.0
#include "core/spec/key_catalogue.h"

#include <utility>

namespace mantissa::spec {
namespace {

/// Builds one entry; the calls read like the contract's tables.
class Key {
 public:
  Key(std::string path, std::string type, std::string default_text, std::string description) {
    entry_.path = std::move(path);
    entry_.type = std::move(type);
    entry_.default_text = std::move(default_text);
    entry_.description = std::move(description);
  }
  Key& words(std::vector<std::string> words) {
    entry_.words = std::move(words);
    return *this;
  }
  Key& later_words(std::vector<LaterWord> words) {
    entry_.later_words = std::move(words);
    return *this;
  }
  Key& later(std::string feature, std::string off = {}) {
    entry_.available = std::move(feature);
    entry_.off = std::move(off);
    return *this;
  }
  Key& shape(KeyShape shape) {
    entry_.shape = shape;
    return *this;
  }
  operator KeyEntry() const { return entry_; }  // NOLINT: entries are what this class is for

 private:
  KeyEntry entry_;
};

Key table(std::string path, std::string description, std::string type = "table") {
  return Key(std::move(path), std::move(type), "", std::move(description)).shape(KeyShape::Table);
}

std::vector<KeyEntry> data_keys() {
  return {
      table("data", "what is learned from"),
      Key("data.source", "text", "", "a built-in data set; or path for a file")
          .words({"digits", "breast_cancer", "wine", "diabetes", "concrete", "ames", "japanese_vowels", "fashion",
                  "shakespeare8", "gaussian"}),
      Key("data.rows", "integer", "512",
          "gaussian: rows; generator g seeded by seed, x = torch.randn(rows, features, generator=g), then y = "
          "torch.randn(rows, outputs, generator=g)"),
      Key("data.features", "integer", "16", "gaussian: columns of x"),
      Key("data.outputs", "integer", "1", "gaussian: columns of y"),
      Key("data.seed", "integer", "3", "gaussian: seed of the generator"),
      Key("data.path", "file", "", "a data file (.csv, .txt, each also .gz), relative to the experiment file"),
      Key("data.inputs", "file", "", "inputs in a file of their own (IDX or CSV, each also .gz), with data.targets"),
      Key("data.targets", "file", "",
          "targets in a file of their own (IDX or CSV, each also .gz), as many rows as data.inputs"),
      table("data.columns", "roles of the columns; built-in sets carry their own"),
      Key("data.columns.inputs", "list of text", "all columns without another role", "input columns"),
      Key("data.columns.target", "text or list of text", "the last column", "target column or columns"),
      Key("data.columns.id", "text", "row number in the source, from 1", "column with the name of a case"),
      Key("data.columns.slice", "text", "none", "column that divides the cases into slices"),
      Key("data.columns.integers", "list of text", "none",
          "input columns that reach the model as integers: int64 inputs where all of them are"),
      Key("data.task", "text",
          "regression for a float target or loss mse, l1, huber; classification for integer or text targets; "
          "language-model for .txt",
          "what is learned")
          .words({"classification", "regression", "language-model"}),
      Key("data.labels", "text", "index", "index: integers are class indices as they stand; map: any values, sorted")
          .words({"index", "map"}),
      Key("data.classes", "integer", "largest index + 1 over all parts", "number of classes"),
      Key("data.target_transform", "text", "none", "what is done to targets before training")
          .words({"none", "log10", "standardize"}),
      Key("data.shape", "list of integers", "none", "reshapes the inputs of a row, such as [25, 12] or [1, 28, 28]"),
      Key("data.order", "text", "shuffled",
          "order of the training rows; file: the same order every epoch (with a test fraction: the order the split "
          "left)")
          .words({"shuffled", "file"}),
      table("data.test", "the test part; default: the set's own, else { fraction = 0.2, seed = 7 }"),
      Key("data.test.fraction", "number", "0.2", "share of the rows; 0: no test part"),
      Key("data.test.seed", "integer", "7", "seed of the split"),
      Key("data.test.path", "file", "", "a file of its own instead of a share of the rows"),
      Key("data.test.inputs", "file", "", "inputs of the test part, where data.inputs is a file of its own"),
      Key("data.test.targets", "file", "", "targets of the test part, where data.targets is a file of its own"),
      Key("data.standardize", "true or false", "false for files, true for the built-in tabular sets",
          "standardize inputs by the statistics of the training part; stands in the reference lock"),
      Key("data.missing", "text", "refuse",
          "rows with a missing value: refuse the file or drop the rows; never filled in")
          .words({"refuse", "drop"}),
      Key("data.context", "integer", "128", "language-model: characters a window"),
      Key("data.pin_memory", "text: auto, or true or false", "auto",
          "page-locked memory for copies to a GPU; auto: where training.device is one"),
      Key("data.prefetch", "integer", "2", "steps whose batches are prepared ahead on another thread; 0: none"),
  };
}

std::vector<KeyEntry> model_keys() {
  return {
      table("model", "what is trained"),
      Key("model.kind", "text", "", "architecture, or a TorchScript file")
          .words({"linear", "mlp", "cnn", "resnet", "transformer", "lstm", "torchscript"}),
      Key("model.hidden", "list of integers", "[128]", "mlp: widths of the hidden layers"),
      Key("model.activation", "text", "relu", "mlp: what follows a hidden layer")
          .words({"relu", "gelu", "tanh", "sigmoid", "silu"}),
      Key("model.dropout", "number", "0",
          "mlp, cnn, transformer, lstm (between its layers): share of activations dropped in training"),
      Key("model.bias", "true or false", "true", "linear, mlp: layers have a bias"),
      Key("model.path", "file", "", "torchscript: the file, relative to the experiment file"),
      Key("model.inputs", "list", "[\"x\"]",
          "torchscript: what forward is given, in order: \"x\" (or \"inputs\") for all inputs of the batch, "
          "\"targets\" "
          "for what the loss would be given, a column as [batch, 1], a list of columns as [batch, columns] (integer "
          "columns as int64), or a constant; such as [\"x\", 16000]"),
      Key("model.prediction", "text", "output",
          "torchscript: which output is the prediction: output, output[1], output.boxes, output[0][1] …"),
      Key("model.loss", "text", "the only scalar output",
          "torchscript with training.loss = \"output\": which output is the loss, written as model.prediction"),
      Key("model.stored_dtype", "text", "widen",
          "torchscript with FP16 or BF16 weights in the file: widen them to FP32 with a note, or keep them (inputs are "
          "then given in that type, too)")
          .words({"widen", "keep"}),
      Key("model.weights", "file", "the seed's, or the model file's",
          "initial weights: a .safetensors file, or a .pt file of torch.save(model.state_dict()); every name and shape "
          "must be the model's"),
      Key("model.channels", "list of integers", "[16, 32]",
          "cnn: channels of the stages; each is a convolution, relu and a pooling that halves the image"),
      Key("model.kernel", "integer", "3", "cnn: size of the kernels, odd"),
      Key("model.depth", "integer", "20", "resnet: layers, 6n + 2: three stages of n blocks"),
      Key("model.width", "integer", "16 for resnet, 128 for transformer",
          "resnet: channels of the first stage; transformer: size of a character's vector, a multiple of heads"),
      Key("model.layers", "integer", "4 for transformer, 1 for lstm", "transformer, lstm: layers"),
      Key("model.heads", "integer", "4", "transformer: attention heads"),
      Key("model.attention", "text", "sdpa",
          "transformer: sdpa is one operator, scaled_dot_product_attention; own is made of bmm, masked_fill and "
          "softmax")
          .words({"own", "sdpa"}),
      Key("model.cells", "integer", "64", "lstm: cells of a layer and direction"),
      Key("model.bidirectional", "true or false", "false", "lstm: both directions"),
  };
}

/// A schedule's keys: of [training.schedule], or of a schedule inside an optimizer's block.
std::vector<KeyEntry> schedule_keys(const std::string& path, const std::string& description) {
  return {
      table(path, description),
      Key(path + ".kind", "text", "constant", "PyTorch's schedule, in its recursive form")
          .words({"constant", "step", "exponential", "cosine", "linear"}),
      Key(path + ".gamma", "number", "0.1", "step, exponential: factor"),
      Key(path + ".every", "integer", "required", "step: counts between two changes"),
      Key(path + ".min_lr", "number", "0", "cosine: least rate"),
      Key(path + ".end_factor", "number", "0.1", "linear: factor at the end"),
      Key(path + ".warmup", "integer", "0", "counts of linear warm-up, lr*(k+1)/warmup, before the schedule begins"),
      Key(path + ".total", "integer", "length of the first run", "cosine, linear: the horizon, warm-up included"),
      Key(path + ".per", "text", "applied-update",
          "what every, warmup and total count; an applied-update schedule stands still in a skipped step, an iteration "
          "is a microbatch, skipped or not")
          .words({"applied-update", "iteration"}),
  };
}

std::vector<KeyEntry> stepping_keys() {
  std::vector<KeyEntry> keys{
      Key("training.optimizer", "list of tables", "one block",
          "one or several; a parameter in two of them is refused, one in none stays as it is")
          .shape(KeyShape::Tables),
      Key("training.optimizer.kind", "text", "adamw", "PyTorch's optimizer of this name; lbfgs: not with a scaler")
          .words({"sgd", "adam", "adamw", "rmsprop", "lbfgs"}),
      Key("training.optimizer.lr", "number", "1e-3; 1e-2 for rmsprop, 1 for lbfgs", "learning rate"),
      Key("training.optimizer.weight_decay", "number", "0.01 for adamw, else 0",
          "weight decay as PyTorch defines it; not lbfgs"),
      Key("training.optimizer.momentum", "number", "0", "sgd, rmsprop: share of the last change that is kept"),
      Key("training.optimizer.dampening", "number", "0", "sgd: what momentum takes off the gradient"),
      Key("training.optimizer.nesterov", "true or false", "false", "sgd: needs momentum"),
      Key("training.optimizer.betas", "two numbers", "[0.9, 0.999]", "adam, adamw: how slowly both means forget"),
      Key("training.optimizer.eps", "number", "1e-8", "adam, adamw, rmsprop: added to the denominator"),
      Key("training.optimizer.amsgrad", "true or false", "false",
          "adam, adamw: largest second mean instead of the last"),
      Key("training.optimizer.decoupled_weight_decay", "true or false", "false", "adam: decay as adamw does"),
      Key("training.optimizer.alpha", "number", "0.99", "rmsprop: how slowly the mean square forgets"),
      Key("training.optimizer.centered", "true or false", "false", "rmsprop: divide by the standard deviation"),
      Key("training.optimizer.max_iter", "integer", "20", "lbfgs: directions of one step"),
      Key("training.optimizer.max_eval", "integer", "max_iter * 5 / 4", "lbfgs: evaluations of the loss in one step"),
      Key("training.optimizer.tolerance_grad", "number", "1e-7", "lbfgs: largest |gradient| that ends a step"),
      Key("training.optimizer.tolerance_change", "number", "1e-9", "lbfgs: change of loss or weights that ends a step"),
      Key("training.optimizer.history_size", "integer", "100", "lbfgs: remembered directions"),
      Key("training.optimizer.line_search_fn", "text: strong_wolfe", "none", "lbfgs: line search")
          .words({"strong_wolfe"}),
      Key("training.optimizer.maximize", "true or false", "false", "go uphill; not lbfgs"),
      Key("training.optimizer.clip_norm", "number", "training.clip_norm", "clipping of this optimizer; not lbfgs"),
      Key("training.optimizer.parameters", "list of text", "[\"*\"]",
          "globs over parameter paths; a module path means all below it"),
  };
  for (const auto& part :
       {schedule_keys("training.optimizer.schedule", "a schedule of its own instead of [training.schedule]"),
        schedule_keys("training.schedule", "how the learning rate changes; each optimizer has its own instance")}) {
    keys.insert(keys.end(), part.begin(), part.end());
  }
  return keys;
}

std::vector<KeyEntry> training_keys() {
  return {
      table("training", "how the reference and the trials are trained"),
      Key("training.device", "text: cpu | cuda | cuda:N", "cpu",
          "where everything runs; cuda needs a build for GPUs (packaging/run.sh --cuda)"),
      Key("training.threads", "integer", "0",
          "threads; 0: all cores but one, at least 1; with all of them, whatever else runs on the machine makes each "
          "operator wait"),
      Key("training.seed", "integer", "1", "seed of initial weights, dropout and order"),
      Key("training.steps", "integer", "1000 unless epochs",
          "attempted optimizer steps; 0: evaluate only; excludes epochs, which an override of steps replaces"),
      Key("training.epochs", "integer", "",
          "passes over the training part; excludes steps, which an override of epochs replaces"),
      Key("training.batch", "integer", "min(64, rows)", "rows of a microbatch"),
      Key("training.accumulate", "integer", "1",
          "microbatches of a step; windows end at the epoch, a short last window is divided by its real count"),
      Key("training.drop_last", "true or false", "false", "leave a short last batch out"),
      Key("training.loss", "text", "cross_entropy for classification, mse for regression",
          "what is minimised; output: the scalar that a torchscript model returns")
          .words({"cross_entropy", "nll", "mse", "l1", "huber", "bce", "bce_with_logits", "output"}),
      Key("training.reduction", "text", "mean", "how the losses of a batch become one").words({"mean", "sum"}),
      Key("training.ignore_index", "integer", "-100",
          "cross_entropy, nll: label that is no class and adds nothing to the loss"),
      Key("training.clip_norm", "number", "none", "largest norm of an optimizer's unscaled gradients"),
      Key("training.skip_norm", "number", "none",
          "refuse the update of an optimizer whose unscaled gradients have a norm above this, before clipping; the "
          "scaler "
          "is not told and counts a clean step"),
      Key("training.on_non_finite", "text", "stop",
          "a non-finite gradient without a scaler: stop before the update, skip or apply it")
          .words({"stop", "skip", "apply"}),
      Key("training.stop_on", "list of: loss, gradient, norm", "none",
          "stop at the first non-finite one, scaler or not; norm: of an optimizer's gradients, in FP32"),
      Key("training.float32_matmul", "text", "highest", "precision of FP32 matrix products")
          .words({"highest", "high", "medium"}),
      Key("training.tf32", "true or false", "false", "TF32 for FP32 products and convolutions on a GPU"),
      Key("training.activation_checkpointing", "text", "off",
          "blocks: backward computes the activations of each block again instead of keeping them: less memory, more "
          "time, every bit the same; mlp, cnn, resnet and transformer")
          .words({"off", "blocks"}),
      Key("training.evaluate_every", "integer", "at the end only",
          "steps between evaluations on the frozen cases; with it every checkpoint is evaluated, too"),
      table("training.checkpoint", "when the state of all arms is saved, besides at the end and at a stop"),
      Key("training.checkpoint.every", "integer", "at the end and at a stop", "steps between checkpoints"),
      Key("training.checkpoint.keep", "integer", "all",
          "how many are kept: those whose quality is NaN go first, then the oldest, never the best nor the newest"),
  };
}

std::vector<KeyEntry> trial_keys() {
  return {
      table("reference", "the FP32 run that everything is compared with"),
      Key("reference.rounding_repeats", "integer", "0",
          "the rounding floor: same weights and batches with this many other thread counts, at every 10th step (the "
          "trials' smallest shadow_every) and on the frozen cases"),
      Key("reference.repeats", "integer", "0",
          "the run-to-run spread: whole repeats of the training, repeat r with training.seed + 1000 r"),
      Key("reference.vary", "list of: seed, order", "[\"seed\"]",
          "what whole repeats vary; seed: weights, dropout and order"),
      Key("reference.float64", "true or false", "false",
          "the reference's weights in FP64 on the frozen cases: part of the rounding floor"),

      Key("trial", "list of tables", "none: the reference alone", "one precision policy a block")
          .shape(KeyShape::Tables),
      Key("trial.name", "text", "required", "its name"),
      Key("trial.autocast", "text", "required", "the dtype of autocast").words({"off", "float16", "bfloat16"}),
      Key("trial.cast_policy", "text", "device",
          "whose list of casts; device: what eager autocast casts on this device; cuda: CUDA's operator lists, "
          "rehearsed on a CPU; jit: TorchScript's own pass (kind = \"torchscript\")")
          .words({"device", "cuda", "jit"}),
      Key("trial.float32_regions", "list of text", "none",
          "what stays in FP32: \"loss\", \"module:head\" (a glob; all below it), \"operator:softmax\" (as the model "
          "calls it), \"module:blocks.3.attn/operator:bmm\""),
      Key("trial.mode", "text: paired | replay", "paired", "lock step with the reference, or against a stored one")
          .later("replay against a stored reference", "paired"),
      Key("trial.shadow_every", "integer", "10",
          "steps between shadow comparisons (forward and backward from the reference's weights of that step); 0: "
          "trajectory deviation only"),
      table("trial.scaler", "the loss scaler, as torch.amp.GradScaler"),
      Key("trial.scaler.enabled", "true or false", "true for float16, else false", "scale the loss"),
      Key("trial.scaler.preset", "text", "pytorch", "settings to start from; explicit keys win")
          .words({"pytorch", "deepspeed", "megatron"}),
      Key("trial.scaler.init_scale", "number", "65536; preset megatron: 4294967296",
          "first scale; below 1 is warned about"),
      Key("trial.scaler.growth_factor", "number", "2", "above 1, also in FP32"),
      Key("trial.scaler.backoff_factor", "number", "0.5", "above 0 and below 1, also in FP32"),
      Key("trial.scaler.growth_interval", "integer", "2000; presets deepspeed and megatron: 1000",
          "clean steps before the scale grows"),
      Key("trial.scaler.hysteresis", "integer", "1; presets deepspeed and megatron: 2",
          "the overflow of this number lowers the scale; all are skipped and restart the growth interval"),
      Key("trial.scaler.hysteresis_refill", "text", "growth",
          "when overflows are tolerated anew: at the end of a growth interval, at a clean step, never")
          .words({"growth", "clean-step", "never"}),
      Key("trial.scaler.growth_delay", "integer", "0; preset deepspeed: 1",
          "clean steps at the start and after an overflow that do not count towards growth"),
      Key("trial.scaler.floor", "number", "0; presets deepspeed and megatron: 1", "least scale; 0: none"),
      Key("trial.scaler.ceiling", "number", "0", "largest scale; 0: none"),
      Key("trial.scaler.at_floor", "text: continue | stop | switch:TRIAL", "continue; preset deepspeed: stop",
          "what an overflow that finds the scale at its floor leads to: the step is skipped and the scale stays; the "
          "trial fails as scale-floor; from the next step on the trial goes on under the policy of another one (after "
          "the last step: once the run is resumed with more)"),
  };
}

std::vector<KeyEntry> rules_keys() {
  return {
      table("cases",
            "the frozen set of cases; without it the whole test part. One kind a case: the case file's own, then edge, "
            "boundary, ordinary"),
      Key("cases.holdout", "integer", "0", "first rows of the test part in split order; 0: all"),
      Key("cases.boundary", "integer", "0",
          "so many cases of the whole test part with the smallest margins of the final reference, edge cases among "
          "them; they join the set when the reference is trained"),
      Key("cases.edge", "expression", "none",
          "rows of the whole test part that are edge cases, such as \"x1 > 3 and not (x2 < 0)\": input and target "
          "columns in raw units, id, slice; == != < <= > >= and or not ( ), is missing, is non_finite, names of other "
          "characters in backquotes"),
      Key("cases.path", "file", "none",
          "more cases: a CSV file with id, the input columns by name in raw units, and as one likes kind, slice and "
          "the target"),
      Key("cases.golden", "integer", "0", "the first cases of the set are kept with all of their outputs"),
      Key("cases.latency_batches", "list of integers", "1 and the training batch",
          "batch sizes at which inference of reference and trials is timed on the set, after the validation; []: not "
          "timed"),

      table("rules",
            "acceptance rules, hashed before the first step; non_finite always applies, and so does "
            "progress.underflow: rejected "
            "where no weight moved or gradients were exactly zero in over half of the steps, undecided in over 1 % of "
            "them, "
            "never in the reference"),
      Key("rules.preset", "text", "none",
          "default: case_relative q0.99 of at most 2e-3 (FP16), 2e-2 (BF16); no flip of an ordinary case where there "
          "is a decision; quality drop of at most 0.5 % of the reference's; 98 % applied. A rule of the file replaces "
          "the preset's")
          .words({"default"}),
      Key("rules.target", "text", "as-run", "where the verdict must hold").words({"as-run", "cpu", "cuda"}),
      Key("rules.threshold", "number", "0.5", "decision of bce; gives a regression a decision where it is set"),
      Key("rules.non_finite", "text", "reject", "non-finite outputs, losses or weights").words({"reject"}),
      Key("rules.output", "table or list of tables", "none", "how far outputs may be from the reference's")
          .shape(KeyShape::TableOrTables),
      Key("rules.output.name", "text", "none", "its name, required with several"),
      Key("rules.output.of", "text", "same_weights", "which comparison is judged").words({"same_weights", "trained"}),
      Key("rules.output.measure", "text", "case_relative",
          "distance of a case. case_relative: its largest |difference|, divided by its largest |reference output| or, "
          "where that is larger, by the root mean square of all reference outputs. abs, rel: its largest |difference|, "
          "divided by |reference output|. ulp: in FP32 units in the last place. rmse: root mean square of its "
          "differences. cosine: 1 less the cosine of the angle between both outputs. elementwise: its largest "
          "|difference| / (atol + rtol |reference output|), to be judged by max = 1. float64_rmse: see preset "
          "torchdynamo")
          .words({"case_relative", "abs", "rel", "ulp", "rmse", "cosine", "elementwise", "float64_rmse"}),
      Key("rules.output.reduce", "text", "quantile", "how the cases become one number")
          .words({"max", "mean", "median", "quantile"}),
      Key("rules.output.q", "number", "0.99", "the quantile"),
      Key("rules.output.max", "number or table", "required without max_rounding and max_spread",
          "the limit, one number or one by dtype")
          .shape(KeyShape::ValueOrTable),
      Key("rules.output.max.float16", "number", "none", "limit of float16 trials"),
      Key("rules.output.max.bfloat16", "number", "none", "limit of bfloat16 trials"),
      Key("rules.output.max.off", "number", "none", "limit of trials without autocast"),
      Key("rules.output.max_rounding", "number", "none", "same_weights: limit as a multiple of the rounding floor"),
      Key("rules.output.max_spread", "number", "none", "trained: limit as a multiple of the run-to-run spread"),
      Key("rules.output.preset", "text", "none",
          "tolerances of others, made for an operator, not for a network: they reject sound networks. assert_close: "
          "torch.testing.assert_close (rtol, atol: float16 1e-3, 1e-5; bfloat16 1.6e-2, 1e-5; off 1.3e-6, 1e-5). "
          "onnx: ONNX's backend tests (1e-3, 1e-7). torchdynamo: RMSE against FP64 outputs at most 2 times (bfloat16: "
          "3 times) that of the reference plus a tenth of 0.01, or all within 0.01; needs reference.float64")
          .words({"assert_close", "onnx", "torchdynamo"}),
      Key("rules.output.rtol", "number", "0", "elementwise: relative tolerance"),
      Key("rules.output.atol", "number", "0", "elementwise: absolute tolerance, in model units"),
      Key("rules.output.output", "text", "the prediction",
          "torchscript: which of several outputs is judged, named as model.prediction does. It must hold floating "
          "numbers with an entry for each case; it is recorded for the frozen cases and compared like the prediction, "
          "on which decisions and qualities rest in any case"),
      Key("rules.output.slice", "text", "all cases", "the slice that is judged"),
      table("rules.flips", "how many decisions may differ from the reference's"),
      Key("rules.flips.of", "text", "same_weights", "which comparison is judged").words({"same_weights", "trained"}),
      Key("rules.flips.max", "integer", "none", "flips of every kind of case without a limit of its own"),
      Key("rules.flips.decision", "text", "task",
          "what of a case may flip. task: the class of the largest output, or the side of the threshold. top-k: the "
          "set "
          "of the k largest outputs, whatever their order. ranking: the order of all outputs of the case, largest "
          "first. Qualities and utilities are of the task's decision in any case")
          .words({"task", "top-k", "ranking"}),
      Key("rules.flips.k", "integer", "required with top-k", "top-k: size of the set, less than the outputs of a case"),
      Key("rules.flips.ties", "text", "lowest-index",
          "which of equal outputs comes first; on which side of a threshold a value falls it does not change. "
          "tie-is-a-decision: the tie is an outcome of its own, so that becoming tied, or ceasing to be, is a flip; it "
          "is right for no target")
          .words({"lowest-index", "highest-index", "tie-is-a-decision"}),
      Key("rules.flips.tie_within", "number", "0",
          "outputs no farther apart than this are equal, as a value this near to its threshold is on it; in the "
          "model's units, of a ranking between neighbours"),
      table("rules.flips.ordinary", "limit of ordinary cases"),
      Key("rules.flips.ordinary.max", "integer", "none", "flips of ordinary cases"),
      table("rules.flips.edge", "limit of edge cases"),
      Key("rules.flips.edge.max", "integer", "none", "flips of edge cases"),
      table("rules.flips.boundary", "limit of boundary cases"),
      Key("rules.flips.boundary.max", "integer", "none", "flips of boundary cases"),
      table("rules.flips.right_to_wrong", "limit of flips from a right decision to a wrong one"),
      Key("rules.flips.right_to_wrong.max", "integer", "none", "such flips, of cases with a target"),
      table("rules.flips.wrong_to_right", "limit of flips from a wrong decision to the right one"),
      Key("rules.flips.wrong_to_right.max", "integer", "none", "such flips, of cases with a target"),
      table("rules.flips.neutral",
            "limit of flips from one wrong decision to another; of top-k and ranking also from one right to another"),
      Key("rules.flips.neutral.max", "integer", "none", "such flips, of cases with a target"),
      Key("rules.quality", "table or list of tables", "none", "how good the trial must be")
          .shape(KeyShape::TableOrTables),
      Key("rules.quality.name", "text", "none", "its name, required with several"),
      Key("rules.quality.of", "text", "trained", "which comparison is judged").words({"same_weights", "trained"}),
      Key("rules.quality.metric", "text", "accuracy, rmse or perplexity by task",
          "what is measured. Classification: accuracy, f1 (plain mean over the classes), auc (two classes), log_loss. "
          "Regression, in the target's unit: rmse, mae, worst_error (the largest), extreme_error (mean over the tenth "
          "of "
          "the cases with targets farthest from the median). Language model: perplexity, accuracy")
          .words({"accuracy", "f1", "auc", "log_loss", "rmse", "mae", "worst_error", "extreme_error", "perplexity"}),
      Key("rules.quality.direction", "text", "the metric's own", "which way is better").words({"higher", "lower"}),
      Key("rules.quality.min", "number", "none", "least value"),
      Key("rules.quality.max", "number", "none", "largest value"),
      Key("rules.quality.max_drop", "number", "none", "loss against the reference, in the metric's unit"),
      Key("rules.quality.max_drop_relative", "number", "none", "loss as a share of the reference's value"),
      table("rules.quality.non_inferior",
            "not worse than the reference by more than a margin, over runs of the archive that differ in training.seed "
            "alone: one-sided and paired; undecided while there are fewer than seeds"),
      Key("rules.quality.non_inferior.margin", "number", "required", "how much worse is no loss, in the metric's unit"),
      Key("rules.quality.non_inferior.seeds", "integer", "5", "least number of runs, this one among them; at least 2"),
      Key("rules.quality.non_inferior.alpha", "number", "0.05",
          "the chance of taking a trial that is worse by the margin; above 0 and below 0.5"),
      Key("rules.quality.non_inferior.test", "text", "t",
          "t: Student's paired t test, for differences that are roughly normal. bootstrap: pairs drawn again, too "
          "hopeful with few seeds")
          .words({"t", "bootstrap"}),
      Key("rules.quality.slice", "text", "all cases", "the slice that is judged"),
      Key("rules.distribution", "table or list of tables", "none",
          "how far the distribution of each output over the frozen cases may move from the reference's; not measured "
          "for language models, whose outputs are not kept")
          .shape(KeyShape::TableOrTables),
      Key("rules.distribution.name", "text", "none", "its name, required with several"),
      Key("rules.distribution.of", "text", "trained", "which comparison is judged").words({"same_weights", "trained"}),
      Key("rules.distribution.measure", "text", "psi",
          "psi: population stability index over ten bins that end at the reference's quantiles, by custom stable below "
          "0.1 and a shift above 0.25. ks: the largest distance of the two distribution functions, from 0 to 1")
          .words({"psi", "ks"}),
      Key("rules.distribution.max", "number", "required", "limit of the output that moved most"),
      table("rules.utility", "what the decisions must be worth by [utility], summed over the cases with a truth"),
      Key("rules.utility.of", "text", "trained", "which comparison is judged").words({"same_weights", "trained"}),
      Key("rules.utility.min", "number", "none", "least sum"),
      Key("rules.utility.max_drop", "number", "none", "loss against the reference's sum, in the unit of the matrix"),
      Key("rules.utility.slice", "text", "all cases", "the slice that is judged"),
      table("rules.progress", "how many updates must be applied; skips while the scale calibrates count"),
      Key("rules.progress.min_applied_fraction", "number", "none", "applied updates as a share of attempted steps"),
      Key("rules.progress.max_consecutive_skips", "integer", "none", "longest run of skipped steps"),
      Key("rules.cost", "table or list of tables", "none",
          "what a trial may cost, judged by figures taken after the validation with probes off; undecided where the 95 "
          "% interval of a figure holds the limit, or nothing was measured")
          .shape(KeyShape::TableOrTables),
      Key("rules.cost.name", "text", "none", "its name, required with several"),
      Key("rules.cost.min_speedup", "number", "none", "the reference's time of a step by the trial's, at least"),
      Key("rules.cost.max_memory_ratio", "number", "none",
          "the trial's peak memory of a step by the reference's, at most"),
      Key("rules.cost.max_cost_per_sample_ratio", "number", "none",
          "the trial's cost of a training sample by the reference's, at most; both cost the same an hour, so the ratio "
          "is that of their times"),
      Key("rules.cost.max_latency_p95_ratio", "number", "none",
          "the trial's 95th percentile of inference latency by the reference's, at most"),
      Key("rules.cost.latency_batch", "integer", "each that is timed",
          "max_latency_p95_ratio: the batch size that is judged, one of cases.latency_batches"),
      Key("rules.triggers", "list of: non_finite, quality, progress", "none", "stop the trial when one fires")
          .later("triggers", "[]"),
      Key("rules.exceptions", "list of tables", "none", "non-finite values that are known to do no harm")
          .shape(KeyShape::Tables),
      Key("rules.exceptions.where", "text", "required",
          "what is non-finite, as the rule non_finite names it, with * and ?: \"buffer bn1.running_var\""),
      Key("rules.exceptions.reason", "text", "required", "why it does no harm; stands in the verdict"),
  };
}

std::vector<KeyEntry> other_keys() {
  return {
      table("budget", "what the run may use"),
      Key("budget.device_memory", "size (24 GB, 24 GiB)", "none", "memory of the device"),
      Key("budget.reserve", "number", "0", "share of it kept free, at least 0 and below 1"),
      Key("budget.deadline", "time (8 h, 30 min)", "none", "time that the planned steps may take"),
      Key("budget.price_per_hour", "number", "none", "price of the machine, in any currency"),
      Key("budget.growth_limit", "size (200 MB)", "none",
          "live memory of an arm that grows by more fails it, before the machine dies"),
      Key("expect", "table", "none",
          "trial = \"accepted\" | \"rejected\" | \"undecided\", or by what doctor finds: trial = { \"lstm float16\" = "
          "\"accepted\", otherwise = \"rejected\" }; for shipped examples and tests, not part of any hash")
          .shape(KeyShape::FreeTable),
      Key("cost", "table", "none", "costs of errors").later("costs of errors"),
      table("context",
            "what the quality is weighed against: beside a constant predictor and a linear model, which are always "
            "fitted on the training part, a rule that somebody wrote down"),
      Key("context.rule", "expression", "none",
          "a predictor over the input columns in raw units, id and slice. A condition such as \"x1 > 3 and not (x2 < "
          "0)\" decides for class 1 where it holds, else for class 0; the name of a column is the prediction itself: "
          "the class, or a number in the target's own unit (a regression takes nothing else)"),
      table(
          "utility",
          "what decisions are worth; summed for the reference, same_weights and trained, and per slice. Of the task's "
          "own decision; not of language models"),
      Key("utility.matrix", "list", "required",
          "a gain, or as a negative number a loss, for each truth (row) and decision (column): [[1, -5], [0, 2]]; one "
          "row a class, 2 x 2 where a threshold decides"),
      Key("utility.no_decision", "number", "the smallest of the truth's row",
          "where no class is decided for: a non-finite output, or a tie that is a decision"),
      Key("utility.unit", "text", "none", "of the gains and losses, such as \"EUR\""),
      Key("risk", "list of tables", "none", "risks and how they are met").later("risks"),
  };
}

std::vector<KeyEntry> all_keys() {
  std::vector<KeyEntry> keys{
      Key("mantissa", "integer", "required", "version of the format: 1"),
      Key("name", "text", "the file's stem", "name of the experiment"),
      Key("description", "text", "none", "one line on what it shows"),
  };
  for (const auto& part :
       {data_keys(), model_keys(), training_keys(), stepping_keys(), trial_keys(), rules_keys(), other_keys()}) {
    keys.insert(keys.end(), part.begin(), part.end());
  }
  return keys;
}

}  // namespace

const std::vector<KeyEntry>& key_catalogue() {
  static const std::vector<KeyEntry> keys = all_keys();
  return keys;
}

}  // namespace mantissa::spec
