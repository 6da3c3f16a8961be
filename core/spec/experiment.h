// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mantissa::spec {

/// An experiment as the structs behind its TOML file (mantissa-cli help experiment). Members carry the names of the
/// keys and the defaults of the contract; an empty `optional` is a key that is absent and has no fixed default. Words
/// that the file spells as text stay text here when only their spelling matters, and are enums where code branches.

/// More is no classification: a model has an output for every class.
inline constexpr std::int64_t most_classes = 1'000'000;

/// Characters a window of a language model where data.context is absent.
inline constexpr std::int64_t default_context = 128;

enum class Task { Classification, Regression, LanguageModel };
enum class Order { Shuffled, File };
enum class Missing { Refuse, Drop };
enum class Labels { Index, Map };
enum class TargetTransform { None, Log10, Standardize };
enum class PinMemory { Auto, Always, Never };

struct TestPart {
  double fraction = 0.2;
  std::uint64_t seed = 7;
  std::string path;  ///< a file of its own, resolved like data.path; then fraction and seed mean nothing
  std::string path_as_written;
  std::string inputs, targets;  ///< two files of its own, where data.inputs and data.targets are two files
  std::string inputs_as_written, targets_as_written;

  bool has_own_file() const { return !path.empty() || !inputs.empty(); }
};

struct Columns {
  std::vector<std::string> inputs;    ///< empty: all columns that have no other role
  std::vector<std::string> target;    ///< empty: the last column
  std::string id;                     ///< empty: row number in the source, from 1
  std::string slice;                  ///< empty: no slices
  std::vector<std::string> integers;  ///< input columns whose values reach the model as integers
};

struct Data {
  std::string source;  ///< name of a built-in set; empty: `path`, or `inputs` and `targets`
  std::string path;    ///< resolved against the experiment file's folder
  std::string path_as_written;
  std::string inputs, targets;  ///< in files of their own, resolved like path
  std::string inputs_as_written, targets_as_written;
  // gaussian only:
  std::int64_t rows = 512;
  std::int64_t features = 16;
  std::int64_t outputs = 1;
  std::uint64_t seed = 3;

  Columns columns;
  std::optional<Task> task;                         ///< absent: see the contract's table of defaults
  std::optional<Labels> labels;                     ///< absent: the built-in set's own, else Index
  std::optional<std::int64_t> classes;              ///< absent: largest index + 1 over all parts
  std::optional<TargetTransform> target_transform;  ///< absent: the built-in set's own, else None
  std::vector<std::int64_t> shape;                  ///< empty: a row is a vector
  Order order = Order::Shuffled;
  std::optional<TestPart> test;     ///< absent: the set's own part, else { fraction = 0.2, seed = 7 }
  std::optional<bool> standardize;  ///< absent: true for the built-in tabular sets, false for files
  Missing missing = Missing::Refuse;
  std::optional<std::int64_t> context;  ///< language-model: characters a window; absent: 128
  PinMemory pin_memory = PinMemory::Auto;
  std::int64_t prefetch = 2;  ///< batches prepared ahead on another thread; 0: none
};

/// Whether the file alone says that this is a language model: by its task, its set, or a text as its data.
bool is_language_model(const Data& data);

/// The quality metric of a task where a rule names none: accuracy, rmse or perplexity.
std::string default_metric(Task task);

/// Whether a larger value of a quality metric is the better one.
bool higher_is_better(const std::string& metric);

/// The metrics of a task. \param has_decision  a regression has one where rules.threshold is given
std::vector<std::string> metrics_of(Task task, bool has_decision);

enum class ModelKind { Linear, Mlp, Cnn, Resnet, Transformer, Lstm, TorchScript };
enum class Activation { Relu, Gelu, Tanh, Sigmoid, Silu };
enum class Attention { Own, Sdpa };

enum class StoredDtype { Widen, Keep };

/// One argument of a TorchScript model's forward: a text ("x" or "inputs": all inputs of the batch; "targets"; a
/// column), a list of columns, or a constant. See core/model/input_binding.h.
using ModelInput = std::variant<std::string, std::vector<std::string>, std::int64_t, double, bool>;

struct Model {
  ModelKind kind = ModelKind::Mlp;
  std::vector<std::int64_t> hidden = {128};
  Activation activation = Activation::Relu;
  double dropout = 0.0;
  bool bias = true;
  std::vector<std::int64_t> channels = {16, 32};  // cnn
  std::int64_t kernel = 3;                        // cnn; odd
  std::int64_t depth = 20;                        // resnet: 6n + 2
  std::int64_t width = 16;                        ///< resnet, transformer; the parser fills in 128 for transformer
  std::int64_t layers = 1;                        ///< transformer, lstm; the parser fills in 4 for transformer
  std::int64_t heads = 4;                         // transformer; divides width
  Attention attention = Attention::Sdpa;          // transformer
  std::int64_t cells = 64;                        // lstm
  bool bidirectional = false;                     // lstm
  std::string path;                               ///< torchscript; resolved against the experiment file's folder
  std::string path_as_written;
  std::vector<ModelInput> inputs;     ///< torchscript; empty: all inputs of the batch as the only argument
  std::string prediction = "output";  ///< torchscript: an output_selector.h
  std::string loss = "output";        ///< the same for the loss, with Loss::Output; "output": the only scalar
  StoredDtype stored_dtype = StoredDtype::Widen;  ///< torchscript
  std::string weights;                            ///< initial weights; resolved; empty: the seed's or the model file's
  std::string weights_as_written;
};

enum class Loss { CrossEntropy, Nll, Mse, L1, Huber, Bce, BceWithLogits, Output };
enum class Reduction { Mean, Sum };
enum class OnNonFinite { Stop, Skip, Apply };
enum class OptimizerKind { Sgd, Adam, AdamW, RmsProp, Lbfgs };
enum class ScheduleKind { Constant, Step, Exponential, Cosine, Linear };
enum class SchedulePer { AppliedUpdate, Iteration };

struct Schedule {
  ScheduleKind kind = ScheduleKind::Constant;
  double gamma = 0.1;                 // step, exponential
  std::int64_t every = 0;             ///< step: required, ≥ 1
  double min_lr = 0.0;                // cosine
  double end_factor = 0.1;            // linear
  std::int64_t warmup = 0;            ///< so many counts of linear warm-up before the schedule's own beginning
  std::optional<std::int64_t> total;  ///< cosine, linear: the horizon, warm-up included; absent: the first run's length
  SchedulePer per = SchedulePer::AppliedUpdate;  ///< what `every`, `warmup` and `total` count
};

/// PyTorch's names and defaults; a key of another kind of optimizer is refused.
struct Optimizer {
  OptimizerKind kind = OptimizerKind::AdamW;
  double lr = 1e-3;           ///< the parser fills in PyTorch's default of the kind: 1e-2 for rmsprop, 1 for lbfgs
  double weight_decay = 0.0;  ///< the same: 0.01 for adamw, 0 otherwise
  double momentum = 0.0;      // sgd, rmsprop
  double dampening = 0.0;     // sgd
  bool nesterov = false;      // sgd
  double beta1 = 0.9;         // adam, adamw: betas = [0.9, 0.999]
  double beta2 = 0.999;
  double eps = 1e-8;                    // adam, adamw, rmsprop
  bool amsgrad = false;                 // adam, adamw
  bool decoupled_weight_decay = false;  // adam
  double alpha = 0.99;                  // rmsprop
  bool centered = false;                // rmsprop
  std::int64_t max_iter = 20;           // lbfgs
  std::int64_t max_eval = 25;           ///< lbfgs; the parser fills in max_iter * 5 / 4
  double tolerance_grad = 1e-7;         // lbfgs
  double tolerance_change = 1e-9;       // lbfgs
  std::int64_t history_size = 100;      // lbfgs
  bool strong_wolfe = false;            ///< lbfgs: line_search_fn = "strong_wolfe"
  bool maximize = false;                // all but lbfgs
  std::optional<double> clip_norm;      ///< absent: training.clip_norm
  std::optional<Schedule> schedule;     ///< absent: training.schedule
  std::vector<std::string> parameters = {"*"};
};

/// What ends a training at its first non-finite value, with a scaler or without.
struct StopOn {
  bool loss = false;
  bool gradient = false;
  bool norm = false;  ///< the 2-norm of an optimizer's gradients in FP32, which overflows before they do
};

struct Checkpointing {
  std::optional<std::int64_t> every;  ///< attempted steps; absent: at the end and at a stop only
  std::optional<std::int64_t> keep;   ///< absent: all
};

/// What backward computes again instead of keeping it. Not to be taken for the checkpoints that are saved.
enum class ActivationCheckpointing { Off, Blocks };

struct Training {
  std::string device = "cpu";
  int threads = 0;  ///< 0: all cores but one, at least 1
  std::uint64_t seed = 1;
  std::optional<std::int64_t> steps;  ///< attempted steps; exactly one of steps and epochs after parsing
  std::optional<std::int64_t> epochs;
  std::optional<std::int64_t> batch;  ///< absent: min(64, training rows)
  std::int64_t accumulate = 1;
  bool drop_last = false;
  std::optional<Loss> loss;  ///< absent: by task
  Reduction reduction = Reduction::Mean;
  std::int64_t ignore_index = -100;
  std::optional<double> clip_norm;
  std::optional<double> skip_norm;  ///< an update whose gradients have a norm above it is refused
  OnNonFinite on_non_finite = OnNonFinite::Stop;
  StopOn stop_on;
  std::string float32_matmul = "highest";  ///< highest | high | medium
  bool tf32 = false;                       ///< TF32 for products and convolutions on a GPU
  ActivationCheckpointing activation_checkpointing = ActivationCheckpointing::Off;
  std::optional<std::int64_t> evaluate_every;  ///< attempted steps; absent: at the end only
  Checkpointing checkpoint;
  std::vector<Optimizer> optimizers;  ///< at least one after parsing
  Schedule schedule;
};

/// What measures the reference against itself: the yardsticks of every deviation.
struct Reference {
  std::int64_t rounding_repeats = 0;         ///< same weights and batches, other thread counts: the rounding floor
  std::int64_t repeats = 0;                  ///< whole repeats: the run-to-run spread
  std::vector<std::string> vary = {"seed"};  ///< seed | order; seed includes the order
  bool float64 = false;                      ///< an FP64 reference on the frozen cases
};

enum class Autocast { Off, Float16, BFloat16 };

enum class HysteresisRefill { Growth, CleanStep, Never };
enum class AtFloor { Continue, Stop, Switch };

/// The loss scaler of a trial. PyTorch's alone by default; what the other members do around it, and in which order,
/// stands in core/precision/loss_scaler.h.
struct Scaler {
  bool enabled = false;  ///< the parser fills in: true for float16
  double init_scale = 65536.0;
  double growth_factor = 2.0;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;

  std::int64_t hysteresis = 1;  ///< the overflow of this number lowers the scale; 1: the first
  HysteresisRefill hysteresis_refill = HysteresisRefill::Growth;
  std::int64_t growth_delay = 0;  ///< clean steps at the start and after an overflow that do not count towards growth
  double floor = 0.0;             ///< 0: none
  double ceiling = 0.0;           ///< 0: none
  AtFloor at_floor = AtFloor::Continue;
  std::string switch_to;  ///< Switch: the trial whose policy goes on; empty otherwise
};

/// What a trial keeps in FP32: "module:PATH", "operator:NAME" or "module:PATH/operator:NAME". One of both may be empty.
struct Float32Region {
  std::string module;         ///< glob over module paths; a module means all below it
  std::string operator_name;  ///< glob over operator names without overload: "softmax"

  std::string text() const {
    const std::string module_part = module.empty() ? "" : "module:" + module;
    if (operator_name.empty()) return module_part;
    return module_part + (module.empty() ? "" : "/") + "operator:" + operator_name;
  }
};

/// One [[trial]]: a precision policy.
struct Trial {
  std::string name;
  Autocast autocast = Autocast::Off;
  std::string cast_policy = "device";  ///< device | cuda | jit
  bool loss_in_float32 = false;        ///< float32_regions holds "loss"
  std::vector<Float32Region> float32_regions;
  std::int64_t shadow_every = 10;  ///< steps between shadow comparisons; 0: trajectory deviation only
  Scaler scaler;
};

/// The frozen set. One kind a case: the file's own, then edge, boundary, ordinary.
struct Cases {
  std::int64_t holdout = 0;   ///< first N rows of the test part in split order; 0 = all
  std::int64_t boundary = 0;  ///< as many cases of the whole test part with the smallest margins of the final reference
  std::string edge;  ///< an Expression over input and target columns, `id` and `slice`, in raw units; empty: none
  std::string path;  ///< more cases in a file of their own; empty: none
  std::string path_as_written;
  std::int64_t golden = 0;  ///< the first N cases are kept with all of their outputs
  /// Batch sizes at which inference is timed, each once; absent: 1 and the training batch; empty: none.
  std::optional<std::vector<std::int64_t>> latency_batches;
};

/// Of cases.latency_batches: their number, and the largest one.
inline constexpr std::size_t most_latency_batches = 8;
inline constexpr std::int64_t largest_latency_batch = 65536;

enum class Of { SameWeights, Trained };
enum class Reduce { Max, Mean, Median, Quantile };

/// |o - o_ref| <= absolute + relative |o_ref|, as torch.testing.assert_close and numpy.isclose have it.
struct Tolerance {
  double relative = 0.0;
  double absolute = 0.0;
};

struct OutputRule {
  std::string name;  ///< empty for the only one
  Of of = Of::SameWeights;
  std::string output;  ///< an output_selector.h: another output of a TorchScript model; empty: the prediction
  std::string slice;   ///< only the cases of it; empty: all cases
  std::string measure = "case_relative";
  Reduce reduce = Reduce::Quantile;
  double q = 0.99;
  std::map<std::string, double> max;   ///< by autocast word; "" for every dtype
  std::optional<double> max_rounding;  ///< same_weights: times the rounding floor
  std::optional<double> max_spread;    ///< trained: times the run-to-run spread

  std::string preset;                           ///< assert_close | onnx | torchdynamo; empty: none
  std::map<std::string, Tolerance> tolerances;  ///< measure elementwise: by autocast word; "" for every dtype
  /// measure float64_rmse: the RMSE of the outputs against FP64 may be so many times that of the reference, by autocast
  /// word, and a tenth of `float64_tolerance` besides; outputs within that tolerance of the FP64 ones pass in any case.
  std::map<std::string, double> float64_multiples;
  double float64_tolerance = 0.0;
};

/// What of a case's outputs is its decision. Task: what the task decides, the class of the largest output or the side
/// of a threshold. TopK: the set of the k largest outputs, whatever their order. Ranking: the order of all outputs of
/// the case, largest first.
enum class FlipsDecision { Task, TopK, Ranking };

struct FlipsRule {
  Of of = Of::SameWeights;
  FlipsDecision decision = FlipsDecision::Task;
  std::int64_t k = 0;               ///< of TopK, at least 1; 0 otherwise
  std::optional<std::int64_t> max;  ///< every kind without an entry of its own
  /// lowest-index | highest-index (of equal outputs) | tie-is-a-decision (an outcome of its own, no class)
  std::string ties = "lowest-index";
  double tie_within = 0.0;                          ///< outputs no farther apart than this are equal, in model units
  std::map<std::string, std::int64_t> max_by_kind;  ///< "ordinary", "edge", "boundary"
  /// "right_to_wrong", "wrong_to_right", "neutral" (both wrong, or both right), of the cases that have a target
  std::map<std::string, std::int64_t> max_by_direction;
};

/// Whether a trial is worse than its reference by no more than a margin, over runs that differ in their seed alone:
/// one-sided and paired. "No significant difference" would be shown by few seeds; this is not.
struct NonInferior {
  enum class Test { T, Bootstrap };
  double margin = 0.0;     ///< in the metric's unit
  std::int64_t seeds = 5;  ///< least number of runs
  double alpha = 0.05;     ///< chance of taking a trial that is worse by the margin
  Test test = Test::T;
};

struct QualityRule {
  std::string name;
  Of of = Of::Trained;
  std::string slice;      ///< only the cases of it; empty: all cases
  std::string metric;     ///< one of `metrics_of`; empty: by task
  std::string direction;  ///< higher | lower; empty: the metric's own
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> max_drop;           ///< absolute, in the metric's unit
  std::optional<double> max_drop_relative;  ///< share of the reference's value
  std::optional<NonInferior> non_inferior;
};

/// What a decision is worth where the truth is known: a gain, or as a negative number a loss.
struct Utility {
  std::vector<std::vector<double>> matrix;  ///< [truth][decision]; square, one row a class; 2 x 2 with a threshold
  /// Where no class is decided for: of a non-finite output, or a tie that is a decision. Absent: the row's smallest.
  std::optional<double> no_decision;
  std::string unit;  ///< for people; empty: none
};

/// A limit on the summed utility.
struct UtilityRule {
  Of of = Of::Trained;
  std::string slice;  ///< only the cases of it; empty: all cases
  std::optional<double> min;
  std::optional<double> max_drop;  ///< against the reference, in the unit of the utility
};

struct ProgressRule {
  std::optional<double> min_applied_fraction;
  std::optional<std::int64_t> max_consecutive_skips;
};

/// How far the distribution of each output over the frozen cases may move from the reference's.
struct DistributionRule {
  std::string name;  ///< empty for the only one
  Of of = Of::Trained;
  std::string measure = "psi";  ///< psi | ks, as core/judge/distributions.h has them
  double max = 0.0;             ///< of the output that moved most
};

/// What a trial may cost beside its reference, by figures that are taken after the validation with probes off.
struct CostRule {
  std::string name;                                 ///< empty for the only one
  std::optional<double> min_speedup;                ///< the reference's time of a step by the trial's
  std::optional<double> max_memory_ratio;           ///< peak of a step
  std::optional<double> max_cost_per_sample_ratio;  ///< of training
  std::optional<double> max_latency_p95_ratio;      ///< of inference
  std::optional<std::int64_t> latency_batch;        ///< the batch size of it; absent: each that is timed
};

/// Something non-finite that is known and harmless.
struct NonFiniteException {
  std::string where;   ///< glob over what the rule names: "buffer bn1.running_var", "parameter head.*"
  std::string reason;  ///< why it does no harm; stands in the verdict
};

struct Rules {
  std::string target = "as-run";  ///< as-run | cpu | cuda
  double threshold = 0.5;
  bool threshold_given = false;  ///< stands in the file: gives a regression a decision, output >= threshold
  std::vector<OutputRule> output;
  std::optional<FlipsRule> flips;
  /// Comes from the preset, not from the file: without a decision it does not apply (explicit flips are refused).
  bool flips_from_preset = false;
  std::vector<QualityRule> quality;
  std::optional<UtilityRule> utility;  ///< only with Experiment::utility
  std::optional<ProgressRule> progress;
  std::vector<DistributionRule> distribution;
  std::vector<CostRule> cost;
  std::vector<NonFiniteException> exceptions;
  bool non_finite_given = false;  ///< stands in the file; "reject" always applies

  /// Whether it limits anything beyond finiteness.
  bool limits_anything() const {
    return !output.empty() || flips || !quality.empty() || utility || progress || !distribution.empty() ||
           !cost.empty();
  }
};

/// What a quality is weighed against besides the reference.
struct Context {
  std::string rule;  ///< a WrittenRule over input columns, `id` and `slice`, in raw units; empty: none
};

/// What the run may use.
struct Budget {
  std::optional<double> deadline_seconds;
  std::optional<double> price_per_hour;  ///< in whatever currency
  std::optional<std::int64_t> device_memory_bytes;
  double reserve = 0.0;                            ///< share of it that stays free
  std::optional<std::int64_t> growth_limit_bytes;  ///< live memory that grows by more stops the run
};

/// What a shipped example's verdict must be.
struct Expectation {
  std::string verdict;  ///< accepted | rejected | undecided
  /// "lstm float16": only where the doctor finds this operator to work in this dtype; empty: always
  std::string needs;
  std::string otherwise;  ///< the verdict elsewhere; empty: `verdict`
};

/// Where a key stands in the file; from 1.
struct Position {
  int line = 0;
  int column = 0;
};

struct Experiment {
  std::string name;
  std::string description;
  Data data;
  Model model;
  Training training;
  Reference reference;
  std::vector<Trial> trials;
  Cases cases;
  std::optional<Rules> rules;
  Context context;
  std::optional<Utility> utility;
  Budget budget;
  std::map<std::string, Expectation> expect;  ///< by trial

  // Where it came from.
  std::string file;                           ///< path as given
  std::string text;                           ///< of the file, without the overrides
  std::vector<std::string> overrides;         ///< the `key=value` of --set, as given; part of no hash
  bool made_elsewhere = false;                ///< of a run of another program, which has one output a case
  std::map<std::string, Position> positions;  ///< by key path: "training.batch", "trial[0].scaler.init_scale"
  std::vector<std::string> warnings;          ///< sentences: "init_scale 0.5 is below 1: …"

  Position position(const std::string& key) const {
    const auto found = positions.find(key);
    return found == positions.end() ? Position{} : found->second;
  }
};

}  // namespace mantissa::spec
