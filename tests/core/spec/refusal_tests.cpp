// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/core/spec/examples.h"

using namespace mantissa;
using namespace mantissa::spec;
using namespace mantissa::spec::tests;

namespace {

/// `more` below the least example, whose five lines come first.
struct Row {
  const char* name;
  const char* more;
  int line;
  const char* subject;
  const char* piece;  ///< of the sentence
};

const Row wrong_types[] = {
    {"text_for_an_integer", "[training]\nbatch = \"64\"", 7, "training.batch",
     "found \"64\", expected an integer of at least 1"},
    {"fraction_for_an_integer", "[training]\nsteps = 2.0", 7, "training.steps", "found 2.0, expected an integer"},
    {"text_for_a_number", "[training]\nclip_norm = \"1\"", 7, "training.clip_norm", "expected a finite number above 0"},
    {"number_for_a_boolean", "[training]\ndrop_last = 1", 7, "training.drop_last", "found 1, expected true or false"},
    {"number_for_a_word", "[training]\nloss = 3", 7, "training.loss", "found 3, expected a text: cross_entropy"},
    {"value_for_a_table", "[rules]\nflips = 3", 7, "rules.flips", "expected a table [rules.flips]"},
    {"table_for_a_value", "[training]\nbatch = { of = 3 }", 7, "training.batch", "found a table, expected integer"},
    {"one_table_for_trials", "[trial]\nname = \"a\"", 6, "trial", "expected a list of tables, each under [[trial]]"},
    {"text_for_a_list", "hidden = \"256\"", 6, "model.hidden", "expected a list of widths"},
    {"text_in_a_list_of_integers", "hidden = [8, \"8\"]", 6, "model.hidden[1]", "found \"8\", expected an integer"},
    {"date_for_a_number", "[training]\nclip_norm = 2020-01-01", 7, "training.clip_norm", "found a date or time"},
    {"empty_text", "[rules]\noutput = { name = \"\", max = 1 }", 7, "rules.output.name", "not empty"},
    {"empty_list_of_rules", "[rules]\noutput = []", 7, "rules.output", "found an empty list"},
};

const Row out_of_range[] = {
    {"steps_below_0", "[training]\nsteps = -1", 7, "training.steps", "found -1, expected an integer of at least 0"},
    {"epochs_below_0", "[training]\nepochs = -1", 7, "training.epochs", "at least 0"},
    {"batch_0", "[training]\nbatch = 0", 7, "training.batch", "at least 1"},
    {"accumulate_0", "[training]\naccumulate = 0", 7, "training.accumulate", "at least 1"},
    {"evaluate_every_0", "[training]\nevaluate_every = 0", 7, "training.evaluate_every", "at least 1"},
    {"checkpoint_every_0", "[training]\ncheckpoint = { every = 0 }", 7, "training.checkpoint.every", "at least 1"},
    {"checkpoint_keep_0", "[training]\ncheckpoint = { keep = 0 }", 7, "training.checkpoint.keep", "at least 1"},
    {"threads_below_0", "[training]\nthreads = -2", 7, "training.threads", "at least 0"},
    {"seed_below_0", "[training]\nseed = -1", 7, "training.seed", "at least 0"},
    {"clip_0", "[training]\nclip_norm = 0", 7, "training.clip_norm", "above 0"},
    {"clip_infinite", "[training]\nclip_norm = inf", 7, "training.clip_norm", "found Infinity"},
    {"lr_below_0", "[[training.optimizer]]\nlr = -1e-3", 7, "training.optimizer[0].lr", "found -0.001"},
    {"lr_nan", "[[training.optimizer]]\nlr = nan", 7, "training.optimizer[0].lr", "found NaN"},
    {"lr_infinite", "[[training.optimizer]]\nlr = inf", 7, "training.optimizer[0].lr", "found Infinity"},
    {"beta_1", "[[training.optimizer]]\nbetas = [0.9, 1.0]", 7, "training.optimizer[0].betas[1]", "found 1.0"},
    {"one_beta", "[[training.optimizer]]\nbetas = [0.9]", 7, "training.optimizer[0].betas", "two numbers"},
    {"no_parameters", "[[training.optimizer]]\nparameters = []", 7, "training.optimizer[0].parameters", "at least one"},
    {"dropout_1", "dropout = 1", 6, "model.dropout", "at least 0 and below 1"},
    {"dropout_below_0", "dropout = -0.1", 6, "model.dropout", "found -0.1"},
    {"width_0", "hidden = [0]", 6, "model.hidden[0]", "at least 1"},
    {"gamma_nan", "[training.schedule]\nkind = \"step\"\nevery = 1\ngamma = nan", 9, "training.schedule.gamma", "NaN"},
    {"every_0", "[training.schedule]\nkind = \"step\"\nevery = 0", 8, "training.schedule.every", "at least 1"},
    {"repeats_below_0", "[reference]\nrepeats = -1", 7, "reference.repeats", "at least 0"},
    {"rounding_repeats_beyond_all_use", "[reference]\nrounding_repeats = 101", 7, "reference.rounding_repeats", "101"},
    {"vary_nothing", "[reference]\nvary = []", 7, "reference.vary", "\"seed\", \"order\" or both"},
    {"vary_the_weather", "[reference]\nvary = [\"weather\"]", 7, "reference.vary[0]", "seed | order"},
    {"rounding_floor_of_trained", "[rules]\noutput = { of = \"trained\", max_rounding = 2 }", 7,
     "rules.output.max_rounding", "the yardstick of same_weights alone"},
    {"spread_of_same_weights", "[rules]\noutput = { max_spread = 2 }", 7, "rules.output.max_spread",
     "the yardstick of trained alone"},
    {"shadow_below_0", "[[trial]]\nname = \"t\"\nautocast = \"off\"\nshadow_every = -1", 9, "trial[t].shadow_every",
     "at least 0"},
    {"boundary_below_0", "[cases]\nboundary = -1", 7, "cases.boundary", "at least 0"},
    {"edge_that_is_no_expression", "[cases]\nedge = \"x1 >\"", 7, "cases.edge", "the end at character 5"},
    {"case_file_without_a_name", "[cases]\npath = \"\"", 7, "cases.path", "a text in quotes, not empty"},
    {"timed_batch_of_0", "[cases]\nlatency_batches = [1, 0]", 7, "cases.latency_batches[1]", "at least 1"},
    {"timed_batch_below_0", "[cases]\nlatency_batches = [-8]", 7, "cases.latency_batches[0]", "at least 1"},
    {"timed_batch_of_a_half", "[cases]\nlatency_batches = [1.5]", 7, "cases.latency_batches[0]", "an integer"},
    {"timed_batch_twice", "[cases]\nlatency_batches = [8, 8]", 7, "cases.latency_batches[1]", "once"},
    {"timed_batch_alone", "[cases]\nlatency_batches = 8", 7, "cases.latency_batches", "a list"},
    {"holdout_below_0", "[cases]\nholdout = -1", 7, "cases.holdout", "at least 0"},
    {"quantile_above_1", "[rules]\noutput = { q = 1.5, max = 1 }", 7, "rules.output.q", "from 0 to 1"},
    {"limit_below_0", "[rules]\noutput = { max = { float16 = -1 } }", 7, "rules.output.max.float16", "at least 0"},
    {"limit_nan", "[rules]\noutput = { max = nan }", 7, "rules.output.max", "NaN"},
    {"flips_below_0", "[rules]\nflips = { max = -1 }", 7, "rules.flips.max", "at least 0"},
    {"fraction_above_1", "[rules]\nprogress = { min_applied_fraction = 98 }", 7, "rules.progress.min_applied_fraction",
     "found 98, expected a number from 0 to 1"},
    {"deadline_without_unit", "[budget]\ndeadline = \"8\"", 7, "budget.deadline",
     "found \"8\", expected a time above 0"},
    {"deadline_as_a_number", "[budget]\ndeadline = 8", 7, "budget.deadline", "with its unit"},
    {"deadline_0", "[budget]\ndeadline = \"0 h\"", 7, "budget.deadline", "above 0"},
    {"device_memory_without_unit", "[budget]\ndevice_memory = \"24\"", 7, "budget.device_memory",
     "found \"24\", expected a size above 0"},
    {"device_memory_as_a_number", "[budget]\ndevice_memory = 24", 7, "budget.device_memory", "with its unit"},
    {"device_memory_0", "[budget]\ndevice_memory = \"0 GB\"", 7, "budget.device_memory", "above 0"},
    {"growth_limit_as_a_number", "[budget]\ngrowth_limit = 200", 7, "budget.growth_limit", "with its unit"},
    {"growth_limit_0", "[budget]\ngrowth_limit = \"0 B\"", 7, "budget.growth_limit", "above 0"},
    {"reserve_of_all", "[budget]\nreserve = 1", 7, "budget.reserve",
     "found 1, expected a number of at least 0 and below 1"},
    {"reserve_below_0", "[budget]\nreserve = -0.1", 7, "budget.reserve", "at least 0"},
    {"reserve_nan", "[budget]\nreserve = nan", 7, "budget.reserve", "NaN"},
    {"price_below_0", "[budget]\nprice_per_hour = -1", 7, "budget.price_per_hour", "at least 0"},
    {"integer_beyond_64_bits", "[training]\nbatch = 9223372036854775808", 7, "", "not representable in 64 bits"},
};

const Row scaler_settings[] = {
    {"scale_0", "init_scale = 0", 9, "trial[t].scaler.init_scale", "found 0, expected a finite number above 0"},
    {"scale_below_0", "init_scale = -1", 9, "trial[t].scaler.init_scale", "found -1"},
    {"scale_infinite", "init_scale = inf", 9, "trial[t].scaler.init_scale", "found Infinity"},
    {"scale_nan", "init_scale = nan", 9, "trial[t].scaler.init_scale", "found NaN"},
    {"scale_beyond_fp32", "init_scale = 3.5e38", 9, "trial[t].scaler.init_scale", "at most 3.4028235e38"},
    {"scale_that_is_0_in_fp32", "init_scale = 1e-46", 9, "trial[t].scaler.init_scale", "at least 1.4e-45"},
    {"growth_1", "growth_factor = 1", 9, "trial[t].scaler.growth_factor", "above 1"},
    {"growth_0", "growth_factor = 0", 9, "trial[t].scaler.growth_factor", "above 1"},
    {"growth_infinite", "growth_factor = inf", 9, "trial[t].scaler.growth_factor", "Infinity"},
    {"growth_nan", "growth_factor = nan", 9, "trial[t].scaler.growth_factor", "NaN"},
    // FP32 ends at 3.4028235e38 and 1.4e-45; its neighbours of 1 are 1 + 2^-23 and 1 - 2^-24.
    {"growth_infinite_in_fp32", "growth_factor = 1e300", 9, "trial[t].scaler.growth_factor", "at most 3.4028235e38"},
    {"growth_1_in_fp32", "growth_factor = 1.00000001", 9, "trial[t].scaler.growth_factor", "at least 1.0000001"},
    {"backoff_0_in_fp32", "backoff_factor = 1e-300", 9, "trial[t].scaler.backoff_factor", "at least 1.4e-45"},
    {"backoff_1_in_fp32", "backoff_factor = 0.99999999", 9, "trial[t].scaler.backoff_factor", "at most 0.99999994"},
    {"backoff_1", "backoff_factor = 1", 9, "trial[t].scaler.backoff_factor", "above 0 and below 1"},
    {"backoff_0", "backoff_factor = 0.0", 9, "trial[t].scaler.backoff_factor", "found 0.0"},
    {"backoff_below_0", "backoff_factor = -0.5", 9, "trial[t].scaler.backoff_factor", "found -0.5"},
    {"backoff_nan", "backoff_factor = nan", 9, "trial[t].scaler.backoff_factor", "NaN"},
    {"interval_0", "growth_interval = 0", 9, "trial[t].scaler.growth_interval", "at least 1"},
    {"interval_below_0", "growth_interval = -5", 9, "trial[t].scaler.growth_interval", "at least 1"},
    // The tracker is a 32-bit integer: 2^31 would never be reached.
    {"interval_beyond_32_bits", "growth_interval = 2147483648", 9, "trial[t].scaler.growth_interval", "2147483647"},
};

const Row contradictions[] = {
    {"steps_and_epochs", "[training]\nsteps = 5\nepochs = 1", 8, "training.epochs", "exclude each other"},
    {"step_schedule_without_every", "[training.schedule]\nkind = \"step\"", 6, "training.schedule", "needs every"},
    {"gamma_of_a_constant_schedule", "[training.schedule]\ngamma = 0.5", 7, "training.schedule.gamma",
     "the kind \"constant\" does not take it"},
    {"betas_of_sgd", "[[training.optimizer]]\nkind = \"sgd\"\nbetas = [0.9, 0.99]", 8, "training.optimizer[0].betas",
     "the kind \"sgd\" does not take it"},
    {"momentum_of_adam", "[[training.optimizer]]\nkind = \"adam\"\nmomentum = 0.9", 8, "training.optimizer[0].momentum",
     "the kind \"adam\" does not take it"},
    {"nesterov_without_momentum", "[[training.optimizer]]\nkind = \"sgd\"\nnesterov = true", 8,
     "training.optimizer[0].nesterov", "needs momentum above 0 and dampening 0"},
    {"path_of_an_mlp", "path = \"a.pt\"", 6, "model.path", "the kind \"mlp\" does not take it"},
    {"two_trials_of_one_name",
     "[[trial]]\nname = \"a\"\nautocast = \"off\"\n[[trial]]\nname = \"a\"\nautocast = \"off\"", 10, "trial[a].name",
     "an earlier trial has this name"},
    {"trial_named_like_a_repeat", "[[trial]]\nname = \"repeat-12\"\nautocast = \"off\"", 7, "trial[repeat-12].name",
     "repeat-1, repeat-2 and so on, rounding-1, rounding-2 and so on, rounding-float64"},
    {"trial_named_like_a_rounding_repeat", "[[trial]]\nname = \"rounding-1\"\nautocast = \"off\"", 7,
     "trial[rounding-1].name", "another name than those that a run gives to its own arms: reference, last, repeat-1"},
    {"trial_named_like_the_float64_arm", "[[trial]]\nname = \"rounding-float64\"\nautocast = \"off\"", 7,
     "trial[rounding-float64].name", "a measurement of the reference has this name"},
    {"trial_named_reference", "[[trial]]\nname = \"reference\"\nautocast = \"off\"", 7, "trial[reference].name",
     "expected another name"},
    {"trial_without_a_letter", "[[trial]]\nname = \"17\"\nautocast = \"off\"", 7, "trial[17].name", "a letter"},
    {"trial_with_a_slash", "[[trial]]\nname = \"a/b\"\nautocast = \"off\"", 7, "trial[a/b].name", "without slashes"},
    {"trial_with_an_empty_name", "[[trial]]\nname = \"\"\nautocast = \"off\"", 7, "trial[0].name", "not empty"},
    {"trial_without_a_name", "[[trial]]\nautocast = \"off\"", 6, "trial[0]", "no name"},
    {"trial_without_autocast", "[[trial]]\nname = \"a\"", 6, "trial[a]", "no autocast"},
    {"malformed_region", "[[trial]]\nname = \"a\"\nautocast = \"off\"\nfloat32_regions = [\"head\"]", 9,
     "trial[a].float32_regions[0]", "module:PATH"},
    {"region_without_a_module", "[[trial]]\nname = \"a\"\nautocast = \"off\"\nfloat32_regions = [\"module:\"]", 9,
     "trial[a].float32_regions[0]", "module:PATH"},
    {"unknown_device", "[training]\ndevice = \"cpu:0\"", 7, "training.device",
     "cpu | cuda | cuda:N with N from 0 to 127"},
    {"device_number_missing", "[training]\ndevice = \"cuda:\"", 7, "training.device",
     "cpu | cuda | cuda:N with N from 0 to 127"},
    {"device_number_with_leading_zero", "[training]\ndevice = \"cuda:01\"", 7, "training.device",
     "cpu | cuda | cuda:N with N from 0 to 127"},
    {"device_number_too_large", "[training]\ndevice = \"cuda:128\"", 7, "training.device",
     "cpu | cuda | cuda:N with N from 0 to 127"},
    {"device_number_not_a_number", "[training]\ndevice = \"cuda:1a\"", 7, "training.device",
     "cpu | cuda | cuda:N with N from 0 to 127"},
    {"two_rules_without_names", "[[rules.output]]\nmax = 1\n[[rules.output]]\nmax = 2", 6, "rules.output[0]",
     "no name"},
    {"two_rules_of_one_name", "[[rules.output]]\nname = \"a\"\nmax = 1\n[[rules.output]]\nname = \"a\"\nmax = 2", 10,
     "rules.output[a].name", "a name of its own"},
    {"output_without_a_limit", "[rules]\noutput = { q = 0.5 }", 7, "rules.output", "no limit"},
    {"q_of_another_reduction", "[rules]\noutput = { reduce = \"max\", q = 0.5, max = 1 }", 7, "rules.output.q",
     "quantile"},
    {"top_k_of_0", "[rules]\nflips = { decision = \"top-k\", k = 0, max = 0 }", 7, "rules.flips.k",
     "found 0, expected an integer of at least 1"},
    {"top_k_without_k", "[rules]\nflips = { decision = \"top-k\", max = 0 }", 7, "rules.flips", "no k"},
    {"k_of_a_ranking", "[rules]\nflips = { decision = \"ranking\", k = 2, max = 0 }", 7, "rules.flips.k",
     "only decision = \"top-k\" takes it"},
    {"unknown_ties", "[rules]\nflips = { ties = \"middle-index\", max = 0 }", 7, "rules.flips.ties",
     "found \"middle-index\", expected lowest-index | highest-index | tie-is-a-decision"},
    {"unknown_decision", "[rules]\nflips = { decision = \"first\", max = 0 }", 7, "rules.flips.decision",
     "expected task | top-k | ranking"},
    {"tie_within_below_0", "[rules]\nflips = { tie_within = -1, max = 0 }", 7, "rules.flips.tie_within", "at least 0"},
    {"ranking_of_binary_outputs",
     "[training]\nloss = \"bce_with_logits\"\n[rules]\nflips = { decision = \"ranking\", max = 0 }", 9,
     "rules.flips.decision", "decides by a threshold"},
    {"ranking_of_a_regression",
     "[training]\nloss = \"mse\"\n[rules]\nthreshold = 1\nflips = { decision = \"ranking\", max = 0 }", 10,
     "rules.flips.decision", "no order"},
    {"utility_without_a_matrix", "[utility]\nunit = \"EUR\"", 6, "utility", "no matrix"},
    {"utility_of_numbers", "[utility]\nmatrix = [1, 2]", 7, "utility.matrix[0]", "expected a row for each class"},
    {"utility_of_one_class", "[utility]\nmatrix = [[1]]", 7, "utility.matrix", "a matrix of 1 x 1"},
    {"utility_with_a_short_row", "[utility]\nmatrix = [[1, 2],\n[3]]", 8, "utility.matrix[1]",
     "a row of 1 numbers in a matrix of 2 rows"},
    {"utility_nan", "[utility]\nmatrix = [[1, 2], [nan, 3]]", 7, "utility.matrix[1][0]",
     "found NaN, expected a finite number"},
    {"utility_text", "[utility]\nmatrix = [[1, 2], [3, \"4\"]]", 7, "utility.matrix[1][1]", "found \"4\""},
    {"no_decision_infinite", "[utility]\nmatrix = [[1, 2], [3, 4]]\nno_decision = inf", 8, "utility.no_decision",
     "found Infinity"},
    {"utility_rule_without_utility", "[rules]\nutility = { min = 1 }", 7, "rules.utility", "no gains and losses"},
    {"utility_rule_without_a_limit", "[utility]\nmatrix = [[1, 2], [3, 4]]\n[rules]\nutility = { of = \"trained\" }", 9,
     "rules.utility", "no limit"},
    {"flips_without_a_limit", "[rules]\nflips = { of = \"trained\" }", 7, "rules.flips", "no limit"},
    {"cost_without_a_limit", "[rules]\ncost = { name = \"night\" }", 7, "rules.cost", "no limit"},
    {"cost_of_0", "[rules]\ncost = { min_speedup = 0 }", 7, "rules.cost.min_speedup", "above 0"},
    {"cost_that_is_no_number", "[rules]\ncost = { max_memory_ratio = nan }", 7, "rules.cost.max_memory_ratio",
     "above 0"},
    {"batch_of_no_latency", "[rules]\ncost = { min_speedup = 1, latency_batch = 8 }", 7, "rules.cost.latency_batch",
     "only max_latency_p95_ratio"},
    {"batch_that_is_not_timed",
     "[cases]\nlatency_batches = [1]\n[rules]\ncost = { max_latency_p95_ratio = 2, latency_batch = 8 }", 9,
     "rules.cost.latency_batch", "one of cases.latency_batches"},
    {"latency_that_is_not_timed", "[cases]\nlatency_batches = []\n[rules]\ncost = { max_latency_p95_ratio = 2 }", 9,
     "rules.cost.max_latency_p95_ratio", "times nothing"},
    {"non_inferior_without_a_margin", "[rules]\nquality = { non_inferior = { seeds = 3 } }", 7,
     "rules.quality.non_inferior", "no margin"},
    {"non_inferior_by_one_seed", "[rules]\nquality = { non_inferior = { margin = 0.1, seeds = 1 } }", 7,
     "rules.quality.non_inferior.seeds", "at least 2"},
    {"non_inferior_by_a_coin", "[rules]\nquality = { non_inferior = { margin = 0.1, alpha = 0.5 } }", 7,
     "rules.quality.non_inferior.alpha", "below 0.5"},
    {"accuracy_above_1", "[rules]\nquality = { metric = \"accuracy\", min = 2 }", 7, "rules.quality.min",
     "from 0 to 1"},
    {"preset_beside_a_measure", "[rules]\noutput = { preset = \"onnx\", measure = \"abs\" }", 7, "rules.output.measure",
     "the preset says it"},
    {"output_of_a_built_in_kind", "[rules]\noutput = { output = \"output[1]\", max = 1 }", 7, "rules.output.output",
     "a model of kind mlp has one output"},
    {"unknown_preset", "[rules]\noutput = { preset = \"jax\" }", 7, "rules.output.preset", "assert_close"},
    {"tolerance_of_another_measure", "[rules]\noutput = { rtol = 1e-3, max = 1 }", 7, "rules.output.rtol",
     "only measure = \"elementwise\""},
    {"no_tolerance", "[rules]\noutput = { measure = \"elementwise\" }", 7, "rules.output", "no tolerance above 0"},
    {"negative_tolerance", "[rules]\noutput = { measure = \"elementwise\", rtol = -1 }", 7, "rules.output.rtol",
     "at least 0"},
    {"tolerance_that_is_no_number", "[rules]\noutput = { measure = \"elementwise\", atol = nan }", 7,
     "rules.output.atol", "NaN"},
    {"float64_by_hand", "[rules]\noutput = { measure = \"float64_rmse\", max = 1 }", 7, "rules.output.measure",
     "torchdynamo"},
    {"flips_of_a_direction_without_a_limit", "[rules]\nflips = { neutral = {} }", 7, "rules.flips.neutral", "no limit"},
    {"exception_of_nothing", "[rules]\nexceptions = [{ reason = \"x\" }]", 7, "rules.exceptions[0]",
     "an exception of nothing"},
    {"exception_without_a_reason", "[rules]\nexceptions = [{ where = \"buffer *\" }]", 7, "rules.exceptions[0]",
     "without a reason"},
    {"flips_of_a_kind_without_a_limit", "[rules]\nflips = { edge = {} }", 7, "rules.flips.edge", "no limit"},
    {"quality_without_a_limit", "[rules]\nquality = { metric = \"accuracy\" }", 7, "rules.quality", "no limit"},
    {"quality_between_nothing", "[rules]\nquality = { min = 2, max = 1 }", 7, "rules.quality.min", "at most max"},
    {"progress_without_a_limit", "[rules]\nprogress = {}", 7, "rules.progress", "no limit"},
    {"flips_of_a_regression", "[training]\nloss = \"mse\"\n[rules]\nflips = { max = 0 }", 9, "rules.flips",
     "a regression has no decision"},
    {"accuracy_of_a_regression", "[training]\nloss = \"l1\"\n[rules]\nquality = { metric = \"accuracy\", min = 1 }", 9,
     "rules.quality.metric", "a regression has no classes"},
    {"rmse_of_a_classification", "[training]\nloss = \"nll\"\n[rules]\nquality = { metric = \"rmse\", max = 1 }", 9,
     "rules.quality.metric", "found \"rmse\", expected accuracy"},
    {"accuracy_where_lower_is_better", "[rules]\nquality = { metric = \"accuracy\", direction = \"lower\", min = 1 }",
     7, "rules.quality.direction", "accuracy gets better: found \"lower\", expected higher"},
    {"rmse_where_higher_is_better", "[rules]\nquality = { metric = \"rmse\", direction = \"higher\", max = 1 }", 7,
     "rules.quality.direction", "rmse gets better: found \"higher\", expected lower"},
    {"mae_where_higher_is_better", "[rules]\nquality = { metric = \"mae\", direction = \"higher\", max = 1 }", 7,
     "rules.quality.direction", "expected lower"},
    {"default_metric_in_the_other_direction",
     "[training]\nloss = \"mse\"\n[rules]\nquality = { direction = \"higher\", max = 1 }", 9, "rules.quality.direction",
     "rmse gets better"},
    {"expected_verdict_of_no_trial", "[[trial]]\nname = \"a\"\nautocast = \"off\"\n[expect]\nb = \"accepted\"", 10,
     "expect.b", "no such trial. Known are a"},
    {"expected_verdict_without_otherwise",
     "[[trial]]\nname = \"a\"\nautocast = \"off\"\n[expect]\na = { \"lstm float16\" = \"accepted\" }", 10, "expect.a",
     "half an expectation"},
    {"expected_verdict_by_nothing_tried",
     "[[trial]]\nname = \"a\"\nautocast = \"off\"\n[expect]\na = { lstm = \"accepted\", otherwise = \"rejected\" }", 10,
     "expect.a.lstm", "not an operator and a dtype"},
    {"expected_verdict_unknown", "[[trial]]\nname = \"a\"\nautocast = \"off\"\n[expect]\na = \"passed\"", 10,
     "expect.a", "accepted | rejected | undecided"},
    {"unknown_word", "[training]\nloss = \"cross-entropy\"", 7, "training.loss",
     "found \"cross-entropy\", expected cross_entropy | nll"},
    {"non_finite_accepted", "[rules]\nnon_finite = \"accept\"", 7, "rules.non_finite", "expected reject"},
    {"unknown_dtype_of_a_limit", "[rules]\noutput = { max = { float32 = 1 } }", 7, "rules.output.max.float32",
     "unknown key"},
};

const Row unknown_keys[] = {
    {"slip", "[training]\nbach = 3", 7, "training.bach", "unknown key. Did you mean training.batch?"},
    {"plural", "[rules]\noutputs = { max = 1 }", 7, "rules.outputs", "Did you mean rules.output?"},
    {"swapped_letters", "[training]\nsetps = 3", 7, "training.setps", "Did you mean training.steps?"},
    {"another_table", "batch = 3", 6, "model.batch", "Did you mean training.batch?"},
    {"another_case", "[training]\nBatch = 3", 7, "training.Batch", "Did you mean training.batch?"},
    {"hyphen", "[training]\nclip-norm = 3", 7, "training.clip-norm", "Did you mean training.clip_norm?"},
    {"several_tables", "seed = 3", 6, "model.seed", "Did you mean one of data.seed, data.test.seed, training.seed?"},
    {"table", "[trainig]\nbatch = 3", 6, "trainig", "Did you mean training?"},
    {"plural_of_a_list", "[[trials]]\nname = \"a\"", 6, "trials", "Did you mean trial?"},
    {"table_at_the_top", "[scaler]\ninit_scale = 2", 6, "scaler", "Did you mean trial.scaler?"},
    {"in_a_trial", "[[trial]]\nname = \"a\"\nautcast = \"off\"", 8, "trial[a].autcast", "Did you mean trial.autocast?"},
    {"in_a_rule", "[rules]\nflips = { maximum = 3, max = 1 }", 7, "rules.flips.maximum", "unknown key"},
    {"nothing_near", "[training]\nzzzzzz = 3", 7, "training.zzzzzz", "See: mantissa-cli help experiment."},
};

void add_rows(const Row* first, const Row* last) {
  QTest::addColumn<QString>("more");
  QTest::addColumn<int>("line");
  QTest::addColumn<QString>("subject");
  QTest::addColumn<QString>("piece");
  for (const Row* row = first; row != last; ++row) {
    QTest::newRow(row->name) << QString(row->more) << row->line << QString(row->subject) << QString(row->piece);
  }
}

std::string fetched(const char* column) {
  return static_cast<QString*>(QTest::qData(column, qMetaTypeId<QString>()))->toStdString();
}

}  // namespace

class SpecRefusalTests : public QObject {
  Q_OBJECT

 private:
  static void verify_row(const std::string& more) {
    QFETCH(int, line);
    VERIFY_REFUSED(least_example + more + '\n', InvalidSetting, line, fetched("subject"), fetched("piece"));
  }

 private Q_SLOTS:
  void value_of_another_type_is_refused_data() { add_rows(std::begin(wrong_types), std::end(wrong_types)); }
  void value_of_another_type_is_refused() { verify_row(fetched("more")); }

  void value_out_of_range_is_refused_data() { add_rows(std::begin(out_of_range), std::end(out_of_range)); }
  void value_out_of_range_is_refused() { verify_row(fetched("more")); }

  void scaler_setting_without_sense_is_refused_data() {
    add_rows(std::begin(scaler_settings), std::end(scaler_settings));
  }
  void scaler_setting_without_sense_is_refused() {
    verify_row("[[trial]]\nname = \"t\"\nautocast = \"float16\"\nscaler." + fetched("more"));
  }

  void contradiction_is_refused_data() { add_rows(std::begin(contradictions), std::end(contradictions)); }
  void contradiction_is_refused() { verify_row(fetched("more")); }

  void unknown_key_is_refused_with_the_nearest_known_one_data() {
    add_rows(std::begin(unknown_keys), std::end(unknown_keys));
  }
  void unknown_key_is_refused_with_the_nearest_known_one() { verify_row(fetched("more")); }

  void data_must_be_named_once() {
    VERIFY_REFUSED("mantissa = 1\n[model]\nkind = \"mlp\"\n", InvalidSetting, 0, "data", "[data] source = \"digits\"");
    VERIFY_REFUSED("mantissa = 1\n[data]\n[model]\nkind = \"mlp\"\n", InvalidSetting, 2, "data",
                   "neither source nor path");
    VERIFY_REFUSED("mantissa = 1\n[data]\nsource = \"wine\"\npath = \"a.csv\"\n", InvalidSetting, 4, "data.path",
                   "exclude each other");
    VERIFY_REFUSED("mantissa = 1\n[data]\nsource = \"iris\"\n", InvalidSetting, 3, "data.source",
                   "found \"iris\", expected digits");
    VERIFY_REFUSED("mantissa = 1\n[data]\npath = \"a.csv\"\nclasses = 1000000000\n", InvalidSetting, 4, "data.classes",
                   "found 1000000000, expected an integer of at least 1 and at most 1000000");
    VERIFY_REFUSED("mantissa = 1\n[data]\nsource = \"wine\"\nrows = 3\n", InvalidSetting, 4, "data.rows", "gaussian");
    VERIFY_REFUSED("mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 0\n", InvalidSetting, 4, "data.rows",
                   "at least 1");
  }

  void test_part_is_a_share_or_a_file() {
    const std::string data = "mantissa = 1\n[data]\npath = \"a.csv\"\n";
    VERIFY_REFUSED(data + "context = 8\n", InvalidSetting, 4, "data.context", "only a language model");
    VERIFY_REFUSED(data + "inputs = \"x.idx\"\n", InvalidSetting, 4, "data.inputs", "inputs without targets");
    VERIFY_REFUSED(data + "inputs = \"x.idx\"\ntargets = \"y.idx\"\n", InvalidSetting, 4, "data.inputs",
                   "take the place of source and path");
    VERIFY_REFUSED(data + "prefetch = -1\n", InvalidSetting, 4, "data.prefetch", "0");
    VERIFY_REFUSED(data + "pin_memory = \"yes\"\n", InvalidSetting, 4, "data.pin_memory", "\"auto\", true or false");
    VERIFY_REFUSED(data + "columns = { target = \"y\", integers = [\"y\"] }\n", InvalidSetting, 4, "data.columns",
                   "no input column");
    VERIFY_REFUSED(data + "test = { inputs = \"x.idx\", targets = \"y.idx\", seed = 1 }\n", InvalidSetting, 4,
                   "data.test.seed", "takes nothing else");
    VERIFY_REFUSED(data + "test = { fraction = 1.0 }\n", InvalidSetting, 4, "data.test.fraction", "below 1");
    VERIFY_REFUSED(data + "test = { fraction = -0.1 }\n", InvalidSetting, 4, "data.test.fraction", "at least 0");
    VERIFY_REFUSED(data + "test = { path = \"t.csv\", seed = 1 }\n", InvalidSetting, 4, "data.test.seed",
                   "either path");
    VERIFY_REFUSED(data + "shape = [2, 0]\n", InvalidSetting, 4, "data.shape[1]", "at least 1");
    VERIFY_REFUSED(data + "shape = []\n", InvalidSetting, 4, "data.shape", "sizes of at least 1");
    VERIFY_REFUSED(data + "columns = { inputs = [\"a\", \"b\"], target = \"b\" }\n", InvalidSetting, 4, "data.columns",
                   "the column \"b\" is named twice");
    VERIFY_REFUSED(data + "columns = { target = 3 }\n", InvalidSetting, 4, "data.columns.target",
                   "a column name or a list");
  }

  void model_must_have_a_kind_and_what_it_needs() {
    const std::string data = "mantissa = 1\n[data]\nsource = \"wine\"\n";
    VERIFY_REFUSED(data, InvalidSetting, 0, "model",
                   "expected linear | mlp | cnn | resnet | transformer | lstm | torchscript");
    VERIFY_REFUSED(data + "[model]\nhidden = [3]\n", InvalidSetting, 4, "model", "no kind");
    VERIFY_REFUSED(data + "[model]\nkind = \"torchscript\"\n", InvalidSetting, 4, "model", "needs path");
    VERIFY_REFUSED(data + "[model]\nkind = \"linear\"\nhidden = [3]\n", InvalidSetting, 6, "model.hidden",
                   "\"linear\"");
    VERIFY_REFUSED(data + "[model]\nkind = \"forest\"\n", InvalidSetting, 5, "model.kind", "found \"forest\"");
  }

  void only_a_model_of_blocks_computes_them_again() {
    const std::string data = "mantissa = 1\n[data]\nsource = \"wine\"\n[model]\n";
    const std::string again = "\n[training]\nactivation_checkpointing = \"blocks\"\n";
    VERIFY_REFUSED(data + "kind = \"torchscript\"\npath = \"a.pt\"" + again, InvalidSetting, 8,
                   "training.activation_checkpointing", "a model from a file cannot be taken apart into blocks");
    VERIFY_REFUSED(data + "kind = \"lstm\"" + again, InvalidSetting, 7, "training.activation_checkpointing",
                   "found \"blocks\", expected off with model.kind = \"lstm\"");
    VERIFY_REFUSED(data + "kind = \"linear\"" + again, InvalidSetting, 7, "training.activation_checkpointing",
                   "one layer");
    VERIFY_REFUSED(data + "kind = \"mlp\"\n[training]\nactivation_checkpointing = \"layers\"\n", InvalidSetting, 7,
                   "training.activation_checkpointing", "expected off | blocks");
    for (const char* kind : {"mlp", "cnn", "resnet", "transformer"}) {
      QVERIFY(!refusal(data + "kind = \"" + kind + '"' + again));
    }
    QVERIFY(!refusal(data + "kind = \"lstm\"\n[training]\nactivation_checkpointing = \"off\"\n"));
  }

  void loss_must_fit_the_task() {
    const std::string data =
        "mantissa = 1\n[data]\npath = \"a.csv\"\ntask = \"regression\"\n[model]\nkind = \"linear\"\n";
    VERIFY_REFUSED(data + "[training]\nloss = \"nll\"\n", InvalidSetting, 8, "training.loss", "mse, l1 or huber");
    VERIFY_REFUSED(data + "[rules]\nflips = { max = 0 }\n", InvalidSetting, 8, "rules.flips", "no decision");
  }

  void metric_must_fit_the_task_that_the_data_s_keys_tell() {
    const auto file = [](const char* data, const char* metric) {
      return std::string("mantissa = 1\n[data]\n") + data +
             "\n[model]\nkind = \"linear\"\n[rules]\nquality = { metric = \"" + metric + "\", max = 1 }\n";
    };
    VERIFY_REFUSED(file("source = \"gaussian\"", "accuracy"), InvalidSetting, 7, "rules.quality.metric", "rmse | mae");
    VERIFY_REFUSED(file("path = \"a.csv\"\nclasses = 3", "rmse"), InvalidSetting, 8, "rules.quality.metric",
                   "accuracy");
    VERIFY_REFUSED(file("path = \"a.csv\"\nlabels = \"map\"", "mae"), InvalidSetting, 8, "rules.quality.metric",
                   "accuracy");
    QCOMPARE(parse(file("path = \"a.csv\"", "rmse")).rules->quality[0].metric, std::string("rmse"));
  }

  void threshold_gives_a_regression_a_decision() {
    const Experiment e = parse_more("[training]\nloss = \"mse\"\n[rules]\nthreshold = 3.5\nflips = { max = 0 }\n");
    QVERIFY(e.rules->flips.has_value());
  }

  void preset_leaves_a_regression_its_flips_for_the_judge() {
    const Experiment e = parse_more("[training]\nloss = \"mse\"\n[rules]\npreset = \"default\"\n");
    QVERIFY(e.rules->flips_from_preset);
  }

  void bce_has_a_decision_between_0_and_1() {
    QVERIFY(parse_more("[training]\nloss = \"bce\"\n[rules]\nflips = { max = 0 }\n").rules->flips.has_value());
    VERIFY_REFUSED(std::string(least_example) + "[training]\nloss = \"bce\"\n[rules]\nthreshold = 1.5\n",
                   InvalidSetting, 9, "rules.threshold", "from 0 to 1");
  }

  void version_of_the_format_must_be_one() {
    VERIFY_REFUSED("[data]\nsource = \"wine\"\n", InvalidSetting, 0, "mantissa", "mantissa = 1");
    VERIFY_REFUSED("# a comment\nmantissa = 2\n", InvalidSetting, 2, "mantissa", "found 2, expected version 1");
    VERIFY_REFUSED("mantissa = 0\n", InvalidSetting, 1, "mantissa", "found 0, expected version 1");
    VERIFY_REFUSED("mantissa = \"1\"\n", InvalidSetting, 1, "mantissa", "found \"1\"");
    VERIFY_REFUSED("mantissa = 1.0\n", InvalidSetting, 1, "mantissa", "found 1.0");
  }

  void experiment_has_a_name_that_the_command_line_can_name() {
    const auto named = [](const std::string& name) { return "mantissa = 1\nname = \"" + name + "\"\n"; };
    VERIFY_REFUSED(named("a/b"), InvalidSetting, 2, "name", "found \"a/b\", expected a name without slashes");
    VERIFY_REFUSED(named("a\\nb"), InvalidSetting, 2, "name", "line breaks");
    VERIFY_REFUSED(named("17"), InvalidSetting, 2, "name", "a letter");
    VERIFY_REFUSED(named("last"), InvalidSetting, 2, "name", "another name");
    VERIFY_REFUSED(named(" a"), InvalidSetting, 2, "name", "blanks at its ends");
    VERIFY_REFUSED(named("--x"), InvalidSetting, 2, "name", "does not begin with -");
    VERIFY_REFUSED(named(std::string(101, 'a')), InvalidSetting, 2, "name", "name: this name is 101 bytes long");
    VERIFY_REFUSED(named(std::string(101, 'a')), InvalidSetting, 2, "name", "at most 100 bytes. Shorten it");
    VERIFY_REFUSED(named("a\xE2\x80\xAE"
                         "b"),
                   InvalidSetting, 2, "name", "direction of text");
    QCOMPARE(parse_experiment(least_example, "folder/a[1]\n2.toml").name, std::string("a-1--2"));
  }

  void names_of_which_nothing_can_be_seen_are_refused() {
    const auto named = [](const std::string& name) { return "mantissa = 1\nname = \"" + name + "\"\n"; };
    // ZERO WIDTH SPACE, NO-BREAK SPACE, IDEOGRAPHIC SPACE, HANGUL FILLER, BRAILLE PATTERN BLANK, a tag of plane 14
    for (const char* const unseen :
         {"\u200B", "\u00A0", "\u3000 \u3000", "\u3164\u3164", "\u2800", "\U000E0041", "  "}) {
      VERIFY_REFUSED(named(unseen), InvalidSetting, 2, "name", "a character that can be seen");
      const std::string trial =
          std::string(least_example) + "[[trial]]\nname = \"" + unseen + "\"\nautocast = \"float16\"\n";
      QVERIFY(refusal(trial).has_value());
    }
    for (const char* const edge : {"a\u00A0", "\u3000a", "a\u200B"}) {
      VERIFY_REFUSED(named(edge), InvalidSetting, 2, "name", "blanks at its ends");
    }
    // A variation selector and a joiner belong to what they follow: HEAVY BLACK HEART as a picture.
    for (const char* const seen : {"\u2764\uFE0F", "a\u00A0b", "שלום"}) {
      const std::string text = std::string(least_example);
      QVERIFY(!refusal("name = \"" + std::string(seen) + "\"\n" + text).has_value());
    }
    QCOMPARE(parse_experiment(least_example, "folder/\u3000.toml").name, std::string("-"));
  }

  void broken_toml_is_refused_with_line_and_column() {
    const auto error = refusal("mantissa = 1\n[training\nbatch = 3\n");
    QVERIFY(error.has_value());
    QVERIFY(error->kind() == ErrorKind::InvalidSetting);
    QCOMPARE(error->facts().line, 2);
    QCOMPARE(error->facts().column, 10);  // after "[training"
    QVERIFY(sentence(error->facts()).find("not valid TOML at column 10") != std::string::npos);
  }

  void key_given_twice_is_refused() {
    VERIFY_REFUSED("mantissa = 1\nname = \"a\"\nname = \"b\"\n", InvalidSetting, 3, "", "cannot redefine");
  }

  void tables_without_end_are_refused() {
    // One level of tables a dot; a million of them would overflow the stack of a recursive reader.
    QString dots = QString("a.").repeated(1'000'000);
    VERIFY_REFUSED(("mantissa = 1\n" + dots + "a = 1\n").toStdString(), InvalidSetting, 2, "", "nested too deep");
    VERIFY_REFUSED(("mantissa = 1\n[" + dots + "a]\n").toStdString(), InvalidSetting, 2, "", "nested too deep");
    const QString brackets = QString("[").repeated(1'000'000);
    VERIFY_REFUSED(("mantissa = 1\nname = " + brackets + "\n").toStdString(), InvalidSetting, 2, "", "nest");
  }

  void dots_in_texts_and_numbers_are_no_tables() {
    QString numbers = "0.5";
    for (int i = 0; i < 100; ++i) numbers += ", 0.5";
    const std::string text =
        least_example + std::string("[training.optimizer2]\nx = [") + numbers.toStdString() + "]\n";
    VERIFY_REFUSED(text, InvalidSetting, 6, "training.optimizer2", "unknown key");
    const Experiment e =
        parse("description = \"" + std::string(100, '.') + "\" # " + std::string(100, '.') + "\n" + least_example);
    QCOMPARE(e.description, std::string(100, '.'));
  }

  void long_and_strange_texts_are_quoted_on_one_short_line() {
    const auto error =
        refusal(least_example + std::string("[training]\nloss = \"a\\nb") + std::string(500, 'x') + "\"\n");
    QVERIFY(error.has_value());
    QVERIFY(error->facts().found.size() < 80);
    QCOMPARE(error->facts().found.substr(0, 6), std::string("\"a\\nbx"));
  }

  void missing_file_is_named() {
    try {
      read_experiment("/nowhere/at all.toml");
      QFAIL("was not refused");
    } catch (const Error& error) {
      QVERIFY(error.kind() == ErrorKind::FileProblem);
      QCOMPARE(sentence(error.facts()), std::string("/nowhere/at all.toml: there is no such file. Check the path."));
    }
  }

  void what_is_no_text_file_is_a_file_problem_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("piece");
    QTest::newRow("empty") << QByteArray() << 0 << "the file is empty";
    QTest::newRow("latin1") << QByteArray("mantissa = 1\nname = \"Gr\xFC\xDF\x65\"\n") << 2 << "not UTF-8";
    QTest::newRow("cut_character") << QByteArray("name = \"\xC3") << 1 << "not UTF-8";
    QTest::newRow("utf16") << QByteArray("m\0a\0", 4) << 0 << "not a text file";
    QTest::newRow("large") << QByteArray(17 << 20, ' ') << 0 << "larger than 16 MiB";
  }
  void what_is_no_text_file_is_a_file_problem() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, line);
    QFETCH(QString, piece);
    QTemporaryDir folder;
    QFile file(folder.filePath("x.toml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    file.close();
    try {
      read_experiment(file.fileName().toStdString());
      QFAIL("was not refused");
    } catch (const Error& error) {
      QVERIFY(error.kind() == ErrorKind::FileProblem);
      QCOMPARE(error.facts().line, line);
      QCOMPARE(QString::fromStdString(error.facts().problem), piece);
      QVERIFY(!error.facts().remedy.empty());
    }
  }

  void pipe_or_device_is_not_an_experiment() {
    QTemporaryDir folder;
    const std::string pipe = folder.filePath("pipe").toStdString();
    QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& path : {pipe, std::string("/dev/zero")}) {
      try {
        read_experiment(path);
        QFAIL("was not refused");
      } catch (const Error& error) {
        QVERIFY(error.kind() == ErrorKind::FileProblem);
        QCOMPARE(error.facts().problem, std::string("this is a pipe, a socket or a device, not a file"));
      }
    }
  }

  void experiment_comes_from_an_open_pipe_too() {
    int ends[2] = {};
    QCOMPARE(pipe(ends), 0);
    const std::string text = least_example;
    QCOMPARE(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(ends[1]);
    QCOMPARE(read_experiment("/dev/fd/" + std::to_string(ends[0])).data.source, std::string("digits"));
    close(ends[0]);
  }

  void folder_is_not_an_experiment() {
    QTemporaryDir folder;
    try {
      read_experiment(folder.path().toStdString());
      QFAIL("was not refused");
    } catch (const Error& error) {
      QVERIFY(error.kind() == ErrorKind::FileProblem);
      QCOMPARE(error.facts().problem, std::string("this is a folder, not a file"));
    }
  }
};

QTEST_APPLESS_MAIN(SpecRefusalTests)
#include "refusal_tests.moc"
