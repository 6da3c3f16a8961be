// SPDX-License-Identifier: Apache-2.0
#include "core/session/resume_plan.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/session/archived_roles.h"
#include "core/session/archived_settings.h"
#include "core/spec/parse.h"

namespace mantissa::session {
namespace {

using nlohmann::json;

std::string called(const record::TrialRow& row) {
  return "trial " + std::to_string(row.id) + " (" + row.experiment + '/' + row.start.name + ')';
}

[[noreturn]] void refuse(ErrorKind kind, const std::string& problem, const std::string& subject,
                         const std::string& found, const std::string& expected, const std::string& remedy) {
  throw Error(kind, {problem, "", 0, 0, subject, found, expected, remedy});
}

std::map<std::string, json> without_trials(const std::string& canonical) {
  json document = json::parse(canonical);
  document.erase("trial");  // compared block by block
  return flattened(document);
}

/// None of them changes a bit of the steps.
bool may_change(const std::string& key) {
  static const std::set<std::string, std::less<>> kFree = {"name",
                                                           "description",
                                                           "training.steps",
                                                           "training.epochs",
                                                           "training.evaluate_every",
                                                           "training.activation_checkpointing"};
  const auto below = [&key](std::string_view table) { return key.compare(0, table.size(), table) == 0; };
  return kFree.count(key) > 0 || below("training.checkpoint") || below("expect");
}

void refuse_what_may_not_change(const spec::Experiment& before, const spec::Experiment& now) {
  const std::map<std::string, json> old_values = without_trials(spec::canonical_json(before));
  std::map<std::string, json> new_values = without_trials(spec::canonical_json(now));
  for (const auto& [key, value] : old_values) {
    if (new_values.count(key) == 0) new_values[key] = nullptr;
  }
  for (const auto& [key, value] : new_values) {
    if (may_change(key)) continue;
    const auto old = old_values.find(key);
    const json was = old == old_values.end() ? json() : old->second;
    if (value == was) continue;
    refuse(ErrorKind::InvalidSetting, "may not change in a resume", key, value.dump(), was.dump(),
           "Run it as an experiment of its own; a resume may have more steps and another policy of a trial");
  }
}

const spec::Trial* find_trial(const spec::Experiment& experiment, const std::string& name) {
  for (const spec::Trial& trial : experiment.trials) {
    if (trial.name == name) return &trial;
  }
  return nullptr;
}

int place_of(record::TrialKind kind) {
  switch (kind) {
    case record::TrialKind::Reference:
      return 0;
    case record::TrialKind::Repeat:
      return 2;
    case record::TrialKind::Rounding:
      return 3;
    default:
      return 1;
  }
}

/// The arms of the run that `asked` belongs to, by id.
std::vector<record::TrialRow> rows_of_run(const archive::Reader& reader, const record::TrialRow& asked) {
  std::vector<record::TrialRow> rows;
  for (record::TrialRow& row : reader.trials()) {
    if (row.experiment_id != asked.experiment_id) continue;
    if (row.end.status == record::Status::Running) {
      refuse(ErrorKind::InvalidSetting, "it is running, and only what has ended can go on", called(row), "", "",
             "Stop that run first");
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

bool all_are_foreign(const std::vector<record::TrialRow>& rows) {
  return std::all_of(rows.begin(), rows.end(),
                     [](const record::TrialRow& row) { return row.start.kind == record::TrialKind::Foreign; });
}

/// In this order: the reference, the trials as they were begun, whole repeats, rounding repeats.
std::vector<record::TrialRow> arms_of_run(std::vector<record::TrialRow> arms) {
  std::stable_sort(arms.begin(), arms.end(), [](const record::TrialRow& a, const record::TrialRow& b) {
    return place_of(a.start.kind) < place_of(b.start.kind);
  });
  return arms;
}

/// The steps at which every arm has a checkpoint, the last one first.
std::vector<std::int64_t> common_steps(const archive::Reader& reader, const std::vector<record::TrialRow>& arms) {
  std::map<std::int64_t, std::size_t> counts;
  for (const record::TrialRow& arm : arms) {
    for (const record::CheckpointRow& row : reader.history(arm.id).checkpoints) ++counts[row.step];
  }
  std::vector<std::int64_t> steps;
  for (const auto& [step, count] : counts) {
    if (count == arms.size()) steps.push_back(step);
  }
  std::reverse(steps.begin(), steps.end());
  if (steps.empty()) {
    refuse(ErrorKind::UnknownTrial, "has no checkpoint to go on from", called(arms.front()), "", "",
           "Run it again; training.checkpoint = { every = N } saves a run that may be killed");
  }
  return steps;
}

std::string joined(const std::vector<std::string>& texts) { return json(texts).dump(); }

std::vector<std::string> earlier_overrides(const archive::Reader& reader, const ArchivedSettings& settings,
                                           std::int64_t trial) {
  const std::vector<record::Resumption> resumptions = reader.history(trial).resumptions;
  if (resumptions.empty()) return {};
  return settings.overrides(resumptions.back().overrides, trial);
}

std::string scale_text(const record::ArmState& state) {
  return state.values.count("scaler.scale") > 0 ? mantissa::to_text(train::real_of(state, "scaler.scale"))
                                                : std::string();
}

/// What a child does with the loss scale of its parent, and the sentence that says so.
void start_scaler(ResumedArm& arm, const spec::Trial& policy, bool same_scaler) {
  const std::string old_scale = scale_text(arm.state);
  std::string note = "Goes on from step " + std::to_string(train::integer_of(arm.state, "tally.attempted")) + " of " +
                     called(arm.row) + " under another policy. ";
  const std::string start = mantissa::to_text(policy.scaler.init_scale);
  if (policy.scaler.enabled && old_scale.empty()) {
    arm.scaler = train::ScalerStart::Anew;
    note += "Its checkpoint holds no scaler state: the loss scale starts at " + start + ", its growth counter at 0.";
  } else if (policy.scaler.enabled && (!same_scaler || arm.state.values.count("policy_change.0.step") > 0)) {
    arm.scaler = train::ScalerStart::Anew;
    note += "The scaler's settings are others: the loss scale starts at " + start +
            ", its growth counter at 0; it was " + old_scale + '.';
  } else if (policy.scaler.enabled) {
    note += "The loss scale goes on from " + old_scale + '.';
  } else if (!old_scale.empty()) {
    note += "The checkpoint's scaler state (loss scale " + old_scale + ") is ignored: this policy has no scaler.";
  } else {
    note.pop_back();
  }
  arm.notes.push_back(std::move(note));
}

/// The blocks whose policy is another one than in the run, or which it did not have.
std::vector<const spec::Trial*> changed_trials(const spec::Experiment& before, const spec::Experiment& now) {
  std::vector<const spec::Trial*> changed;
  for (const spec::Trial& trial : now.trials) {
    const spec::Trial* const old = find_trial(before, trial.name);
    if (old == nullptr || spec::canonical_json(*old) != spec::canonical_json(trial)) changed.push_back(&trial);
  }
  return changed;
}

std::vector<record::TrialRow> of_kind(const std::vector<record::TrialRow>& rows, record::TrialKind kind) {
  std::vector<record::TrialRow> found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
               [kind](const record::TrialRow& row) { return row.start.kind == kind; });
  return found;
}

bool is_sound(const archive::Reader& reader, const std::vector<ResumedArm>& arms, std::int64_t step) {
  try {
    for (const ResumedArm& arm : arms) reader.state(arm.row.id, step);
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::ArchiveDamaged) throw;
    return false;
  }
}

/// \param steps  at which there are checkpoints; where that of the plan is damaged, the others may be a way out.
void load_states(const archive::Reader& reader, const std::vector<std::int64_t>& steps, ResumePlan& plan) {
  try {
    for (ResumedArm& arm : plan.arms) arm.state = reader.state(arm.row.id, plan.step);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::ArchiveDamaged) throw;
    std::string sound;
    std::string latest;
    for (const std::int64_t step : steps) {
      if (step == plan.step || !is_sound(reader, plan.arms, step)) continue;
      if (latest.empty()) latest = std::to_string(step);
      sound += (sound.empty() ? "" : ", ") + std::to_string(step);
    }
    ErrorFacts facts = error.facts();
    facts.remedy = sound.empty()
                       ? "No other checkpoint of this run is sound: use a backup, or run the experiment again"
                       : "Sound are the checkpoints at step " + sound + ": mantissa-cli resume " +
                             std::to_string(plan.arms.front().row.id) + " --at " + latest + " goes on from there";
    throw Error(error.kind(), std::move(facts));
  }
}

/// Those of the common steps that are asked for: all, or one.
std::vector<std::int64_t> wanted_steps(std::vector<std::int64_t> steps, const std::optional<std::int64_t>& at,
                                       const record::TrialRow& reference) {
  if (!at) return steps;
  if (std::find(steps.begin(), steps.end(), *at) != steps.end()) return {*at};
  std::string known;
  for (const std::int64_t step : steps) known += (known.empty() ? "" : ", ") + std::to_string(step);
  refuse(ErrorKind::UnknownTrial, "has no checkpoint at that step", called(reference), "--at " + std::to_string(*at),
         "one of the steps " + known, "");
}

/// All arms as they are.
void plan_going_on(const archive::Reader& reader, std::vector<record::TrialRow> rows,
                   const std::optional<std::int64_t>& at, ResumePlan& plan) {
  plan.rounding = of_kind(rows, record::TrialKind::Rounding);
  rows.resize(rows.size() - plan.rounding.size());  // they stand at the end
  const std::vector<std::int64_t> steps = common_steps(reader, rows);
  plan.step = wanted_steps(steps, at, rows.front()).front();
  if (plan.step != steps.front()) {
    plan.notes.push_back("What the archive holds of the run after step " + std::to_string(plan.step) +
                         " is replaced: steps, checkpoints and verdicts.");
  }
  for (const record::TrialRow& row : rows) plan.arms.push_back({row, {}, {}, {}});
  for (const record::TrialRow& row : of_kind(rows, record::TrialKind::Trial)) plan.trials.push_back(row.start.name);
  load_states(reader, steps, plan);
  const auto has_its_end = [](const record::TrialRow& row) {
    return row.end.status == record::Status::Finished || row.end.status == record::Status::Failed;
  };
  plan.judged = std::all_of(rows.begin(), rows.end(), has_its_end) &&
                std::all_of(plan.rounding.begin(), plan.rounding.end(), has_its_end);
  const auto failure = train::failure_of_state(plan.arms.front().state);
  if (failure && rows.front().end.status == record::Status::Failed) {
    refuse(ErrorKind::InvalidSetting, "the reference failed and cannot go on", called(rows.front()), failure->text, "",
           "Change what made it fail, and run the experiment again");
  }
}

/// The reference and the trials under other policies, from the last checkpoints that are not of a failed arm.
void plan_children(const archive::Reader& reader, const std::vector<record::TrialRow>& rows,
                   const record::TrialRow& asked, const spec::Experiment& before,
                   const std::vector<const spec::Trial*>& changed, const std::optional<std::int64_t>& at,
                   ResumePlan& plan) {
  plan.child = true;
  std::vector<record::TrialRow> sources = {rows.front()};
  for (const spec::Trial* const trial : changed) {
    const auto same_name = std::find_if(rows.begin(), rows.end(), [&](const record::TrialRow& row) {
      return row.start.kind == record::TrialKind::Trial && row.start.name == trial->name;
    });
    sources.push_back(same_name != rows.end() ? *same_name : asked);
    plan.trials.push_back(trial->name);
  }
  for (record::TrialRow& repeat : of_kind(rows, record::TrialKind::Repeat)) sources.push_back(std::move(repeat));
  const std::vector<std::int64_t> steps = common_steps(reader, sources);
  for (const std::int64_t step : wanted_steps(steps, at, rows.front())) {
    plan.step = step;
    plan.arms.clear();
    for (const record::TrialRow& row : sources) plan.arms.push_back({row, {}, {}, {}});
    load_states(reader, steps, plan);
    const bool sound = std::none_of(plan.arms.begin(), plan.arms.end(), [](const ResumedArm& arm) {
      return train::failure_of_state(arm.state).has_value();
    });
    if (!sound) continue;
    plan.arms.front().notes.push_back("Goes on from step " + std::to_string(step) + " of " +
                                      called(plan.arms.front().row) + '.');
    for (std::size_t i = 1; i <= changed.size(); ++i) {
      const spec::Trial* const old = find_trial(before, sources[i].start.name);
      const spec::Trial& policy = *changed[i - 1];
      const bool same_scaler = old != nullptr && json::parse(spec::canonical_json(*old))["scaler"] ==
                                                     json::parse(spec::canonical_json(policy))["scaler"];
      start_scaler(plan.arms[i], policy, same_scaler);
    }
    return;
  }
  refuse(ErrorKind::UnknownTrial, "has no checkpoint from before it failed", called(sources.back()), "", "",
         "training.checkpoint = { every = N } saves states that a trial can go back to");
}

void keep_horizon(spec::Schedule& schedule, const json& resolved) {
  const auto total = resolved.find("total");
  if (!schedule.total && total != resolved.end() && total->is_number_integer())
    schedule.total = total->get<std::int64_t>();
}

/// What the first run filled in stays: it must not follow from another length or another machine.
void keep_what_was_filled_in(spec::Training& training, const ArchivedSettings& settings) {
  try {
    const json& resolved = settings.resolved().at("training");
    training.threads = resolved.at("threads").get<int>();
    keep_horizon(training.schedule, resolved.at("schedule"));
    for (std::size_t i = 0; i < training.optimizers.size(); ++i) {
      std::optional<spec::Schedule>& own = training.optimizers[i].schedule;
      if (own) keep_horizon(*own, resolved.at("optimizer").at(i).at("schedule"));
    }
  } catch (const json::exception& missing) {
    settings.fail(settings.place_of("resolved"), "it lacks what the run filled in", missing.what());
  }
}

/// The experiment file, whose folder is where relative paths begin. Where that folder is gone, or the file has gone
/// from there into the working folder, the project has moved: paths then begin in the working folder.
std::string file_now(ResumePlan& plan) {
  const std::filesystem::path file = plan.archived.file;
  plan.folder = file.parent_path().string();
  std::error_code ignored;
  const bool folder_stands = std::filesystem::is_directory(plan.folder, ignored);
  const bool file_is_here_only =
      !std::filesystem::exists(file, ignored) && std::filesystem::is_regular_file(file.filename(), ignored);
  if (plan.folder.empty() || (folder_stands && !file_is_here_only)) return file.string();
  plan.notes.push_back((folder_stands ? "The experiment is no longer in the folder in which the run was begun ("
                                      : "The folder in which the run was begun is gone (") +
                       plan.folder + "): relative paths of the experiment begin in the working folder.");
  return file.filename().string();
}

std::string name_of_file(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// Twelve digits tell two hashes apart.
std::string hash_words(const json& hash) { return "hash " + hash.get<std::string>().substr(0, 12); }

/// Where the rows come from, as the experiment names it: "rows.csv", "inputs.npy and targets.npy", "gaussian".
std::string data_words(const spec::Data& data) {
  std::vector<std::string> files;
  const auto add = [&files](const std::string& file) {
    if (!file.empty()) files.push_back(file);
  };
  add(data.source);
  add(data.path_as_written);
  add(data.inputs_as_written);
  add(data.targets_as_written);
  if (data.test) {
    add(data.test->path_as_written);
    add(data.test->inputs_as_written);
    add(data.test->targets_as_written);
  }
  std::string words;
  for (const std::string& file : files) words += (words.empty() ? "" : &file == &files.back() ? " or " : ", ") + file;
  return words;
}

}  // namespace

ResumePlan plan_resume(const ResumeOptions& options) {
  const archive::Reader reader(options.archive);
  const record::TrialRow asked = reader.trial(options.trial);
  std::vector<record::TrialRow> of_run = rows_of_run(reader, asked);
  if (all_are_foreign(of_run)) {
    refuse(ErrorKind::InvalidSetting, "was not trained here", called(asked), "a foreign run", "a run with checkpoints",
           "");
  }
  ResumePlan plan;
  const ArchivedSettings settings(reader.experiment(asked.experiment_id), asked.experiment_id, options.archive);
  if (settings.resolved().contains("foreign")) {  // its reference included
    refuse(ErrorKind::InvalidSetting, "was not trained here", called(asked), "a run that was made elsewhere",
           "a run with checkpoints", "");
  }
  plan.archived = settings.start();
  const std::string file = file_now(plan);
  const spec::Experiment run = settings.experiment(file);  // that it is still what was run
  check_roles(of_run, settings, run, !reader.history(of_run.front().id).checkpoints.empty());
  if (record::is_yardstick(asked.start.kind)) {
    refuse(ErrorKind::InvalidSetting, "measures its reference and goes on with it only", called(asked),
           std::string(to_text(asked.start.kind)), "the reference or a trial of its run", "");
  }
  const std::vector<record::TrialRow> rows = arms_of_run(std::move(of_run));

  std::vector<std::string> overrides = earlier_overrides(reader, settings, asked.id);
  const spec::Experiment before = spec::parse_experiment(plan.archived.text, file, overrides);
  overrides.insert(overrides.end(), options.overrides.begin(), options.overrides.end());
  plan.experiment = spec::parse_experiment(plan.archived.text, file, overrides);
  plan.overrides = joined(overrides);
  refuse_what_may_not_change(before, plan.experiment);

  keep_what_was_filled_in(plan.experiment.training, settings);

  const std::vector<const spec::Trial*> changed = changed_trials(before, plan.experiment);
  if (changed.empty()) {
    plan_going_on(reader, rows, options.at, plan);
  } else {
    plan_children(reader, rows, asked, before, changed, options.at, plan);
  }
  return plan;
}

void compare_model_file(const ResumePlan& plan) {
  const json lock = json::parse(plan.archived.lock);
  const spec::Model& model = plan.experiment.model;
  std::error_code ignored;
  if (!lock.contains("model_file") || !std::filesystem::is_regular_file(model.path, ignored)) return;
  const std::string then = lock["model_file"].value("sha256", std::string());
  const std::string now = sha256_of_file(model.path);
  if (now == then) return;
  throw Error(ErrorKind::ModelProblem,
              {"the model file has changed since the run was begun", model.path_as_written, 0, 0, "", hash_words(now),
               hash_words(then),
               "Bring " + name_of_file(model.path) + " back as it was, or run it as an experiment of its own"});
}

std::vector<std::string> compare_locks(const ResumePlan& plan, const std::string& lock) {
  constexpr char kModelFile[] = "model_file.sha256";
  std::map<std::string, json> then = flattened(json::parse(plan.archived.lock));
  const std::map<std::string, json> now = flattened(json::parse(lock));
  const auto differs = [&](const std::string& key) {
    const auto found = now.find(key);
    return found == now.end() || found->second != then[key];
  };
  const auto require = [&](const std::string& key, ErrorKind kind, const std::string& file,
                           const std::string& problem) {
    if (!differs(key)) return;
    throw Error(kind, {problem, file, 0, 0, "", hash_words(now.at(key)), hash_words(then[key]),
                       "Bring back what the run was begun with, or run it as an experiment of its own"});
  };
  std::vector<std::string> notes;
  if (then.count(kModelFile) > 0) {
    require(kModelFile, ErrorKind::ModelProblem, plan.experiment.model.path_as_written,
            "the model file has changed since the run was begun");
  } else if (now.count(kModelFile) > 0) {
    notes.push_back("The run was begun by an earlier version, which did not note which model file it read: whether " +
                    plan.experiment.model.path_as_written + " still is the same cannot be told.");
  }
  const std::string data = data_words(plan.experiment.data);
  require("data.sha256", ErrorKind::DataProblem, data, "the data is not what the run was begun with");
  require("preprocessing_sha256", ErrorKind::DataProblem, data, "the prepared data is not what the run was begun with");
  std::string changes;
  for (const auto& [key, value] : then) {
    const bool of_machine =
        key.rfind("software.", 0) == 0 || key.rfind("hardware.", 0) == 0 || key.rfind("flags.", 0) == 0;
    if (of_machine && differs(key)) changes += (changes.empty() ? "" : ", ") + key + " (" + value.dump() + ')';
  }
  if (changes.empty()) {
    require("initial_weights_sha256", ErrorKind::ModelProblem, plan.archived.file,
            "the model's initial weights are not what the run was begun with");
    return notes;
  }
  notes.push_back("Going on elsewhere than before: " + changes +
                  " then. The last bits may differ from those of a run that never stopped.");
  return notes;
}

}  // namespace mantissa::session
