// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/archive/sqlite.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "core/record/case_columns.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;
using namespace mantissa::test;
using archive::Reader;
using archive::Writer;

namespace {

std::vector<record::StepRecord> steps_of(const Reader& reader, std::int64_t trial, std::int64_t after = 0) {
  std::vector<record::StepRecord> steps;
  reader.steps(
      trial,
      [&steps](const record::StepRecord& step) {
        steps.push_back(step);
        return true;
      },
      after);
  return steps;
}

// First column of every row, NULL as "-".
QStringList column_of(const std::string& path, const std::string& sql) {
  archive::Connection connection(path, archive::Connection::Mode::ReadOnly, std::chrono::seconds(5));
  archive::Statement select(connection, sql);
  QStringList values;
  while (select.step()) {
    values << (select.is_null(0) ? QStringLiteral("-") : QString::fromStdString(select.text(0)));
  }
  return values;
}

}  // namespace

class ArchiveRoundTripTests : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  int archives_ = 0;

  std::string new_path() { return folder_.filePath(QStringLiteral("%1.db").arg(++archives_)).toStdString(); }

 private Q_SLOTS:
  void every_step_column_reads_back_bit_by_bit() {
    const std::string path = new_path();
    std::int64_t trial = 0;
    const std::size_t turns = awkward_reals().size();  // every real column meets every awkward number
    {
      Writer writer(path);
      const std::int64_t experiment = writer.begin_experiment(sample_experiment());
      trial = writer.begin_trial(sample_trial(experiment, "reference"));
      for (std::size_t turn = 0; turn < turns; ++turn) {
        writer.append(awkward_step(trial, static_cast<std::int64_t>(turn) + 1, turn));
      }
      writer.close();
    }
    const std::vector<record::StepRecord> steps = steps_of(Reader(path), trial);
    QCOMPARE(steps.size(), turns);
    for (std::size_t turn = 0; turn < turns; ++turn) {
      const record::StepRecord written = awkward_step(trial, static_cast<std::int64_t>(turn) + 1, turn);
      QCOMPARE(steps[turn].trial, trial);
#define MANTISSA_SAME(name, type, description) QVERIFY2(same(steps[turn].name, written.name), #name);
      MANTISSA_STEP_COLUMNS(MANTISSA_SAME)
#undef MANTISSA_SAME
      QVERIFY(same(steps[turn].optimizers, written.optimizers));
    }
  }

  void what_each_optimizer_came_to_reads_back_and_is_derived_for_an_interrupted_arm() {
    const std::string path = new_path();
    std::int64_t ended = 0;
    std::int64_t killed = 0;
    {
      Writer writer(path);
      const std::int64_t experiment = writer.begin_experiment(sample_experiment());
      ended = writer.begin_trial(sample_trial(experiment, "reference"));
      killed = writer.begin_trial(sample_trial(experiment, "fp16", ended));
      record::TrialEnd end;
      end.optimizers = {{"adamw", 7, 1, 1e-3, "applied-update"}, {"sgd", 8, 0, std::nullopt, "iteration"}};
      writer.finish_trial(ended, end);
      for (std::int64_t i = 1; i <= 3; ++i) {
        record::StepRecord step = plain_step(killed, i);
        step.optimizers.resize(2);
        step.optimizers[0].applied_updates = i;
        step.optimizers[1].applied_updates = i / 2;
        step.optimizers[1].skipped = i % 2 != 0;
        step.optimizers[1].lr = 0.5;
        writer.append(step);
      }
      writer.close();  // without an end of the arm
    }
    const Reader reader(path);
    const std::vector<record::OptimizerEnd> read = reader.trial(ended).end.optimizers;
    QCOMPARE(read.size(), std::size_t{2});
    QCOMPARE(read[0].kind, std::string("adamw"));
    QCOMPARE(read[0].applied, std::int64_t{7});
    QCOMPARE(read[0].skipped, std::int64_t{1});
    QCOMPARE(read[0].lr.value(), 1e-3);
    QCOMPARE(read[1].lr_per, std::string("iteration"));
    QVERIFY(!read[1].lr);
    const record::TrialRow row = reader.trial(killed);
    QCOMPARE(row.end.status, record::Status::Interrupted);
    QCOMPARE(row.end.optimizers.size(), std::size_t{2});
    QCOMPARE(row.end.optimizers[0].applied, std::int64_t{3});
    QCOMPARE(row.end.optimizers[1].applied, std::int64_t{1});
    QCOMPARE(row.end.optimizers[1].skipped, std::int64_t{2});
    QCOMPARE(row.end.optimizers[1].lr.value(), 0.5);
  }

  void weights_whose_type_or_shape_is_damaged_name_their_place_data() {
    QTest::addColumn<QByteArray>("change");
    QTest::addColumn<QByteArray>("place");
    QTest::newRow("an unknown type") << QByteArray("dtype = 'F33'") << QByteArray("column dtype");
    QTest::newRow("another type") << QByteArray("dtype = 'F64'") << QByteArray("column shape");
    QTest::newRow("another shape") << QByteArray("shape = '[3, 2]'") << QByteArray("column shape");
    QTest::newRow("more than there can be")
        << QByteArray("shape = '[9223372036854775807, 9]'") << QByteArray("column shape");
  }

  void weights_whose_type_or_shape_is_damaged_name_their_place() {
    QFETCH(QByteArray, change);
    QFETCH(QByteArray, place);
    const std::string path = new_path();
    std::int64_t arm = 0;
    {
      Writer writer(path);
      arm = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "reference"));
      writer.write_weights(arm, "final", {{"w", "F32", {2, 2}, std::string(16, 'x')}});
      writer.close();
    }
    archive::Connection(path, archive::Connection::Mode::ReadWrite, std::chrono::seconds(1))
        .execute("UPDATE tensors SET " + change.toStdString());
    try {
      Reader(path).weights(arm, "final");
      QFAIL("damaged weights were handed out");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
      const std::string said = sentence(error.facts());
      QVERIFY2(said.find("table tensors, row 1, " + place.toStdString()) != std::string::npos, said.c_str());
      QVERIFY2(said.find("tensor w") != std::string::npos, said.c_str());
    }
  }

  void an_interrupted_rounding_repeat_has_made_no_step_as_one_that_ended_has() {
    // Its steps are looks at the reference's own, every tenth; it trains nothing.
    const std::string path = new_path();
    std::int64_t dead = 0, killed = 0;
    {
      Writer writer(path);
      const std::int64_t experiment = writer.begin_experiment(sample_experiment());
      const std::int64_t reference = writer.begin_trial(sample_trial(experiment, "reference"));
      record::TrialStart start = sample_trial(experiment, "rounding-1", reference);
      start.kind = record::TrialKind::Rounding;
      for (std::int64_t* const id : {&dead, &killed}) {
        *id = writer.begin_trial(start);
        for (const std::int64_t step : {10, 20}) writer.append(plain_step(*id, step));
      }
      writer.close();
    }
    {
      archive::Connection connection(path, archive::Connection::Mode::ReadWrite, std::chrono::seconds(1));
      // As the file of a killed process is before anybody has opened it for writing.
      connection.execute(
          "UPDATE trials SET status = 'running', process = 999999999, heartbeat_at = "
          "'2020-01-01T00:00:00.000Z' WHERE id = " +
          std::to_string(killed));
    }
    for (const std::int64_t id : {dead, killed}) {
      const record::TrialEnd end = Reader(path).trial(id).end;
      QCOMPARE(end.status, record::Status::Interrupted);
      QCOMPARE(end.counts.attempted, std::int64_t{0});
      QCOMPARE(end.counts.iterations, std::int64_t{0});
      QVERIFY(end.optimizers.empty());
    }
  }

  void policy_changes_read_back_while_the_arm_runs_and_after_it() {
    const std::string path = new_path();
    Writer writer(path);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "fp16"));
    const record::PolicyChange first{3, "bf16", "bfloat16", "device", "{\"name\":\"bf16\"}", "scale-floor"};
    const record::PolicyChange second{9, "fp32", "off", "device", "{}", "scale-floor"};
    const auto read = [&] { return Reader(path).trials().back().end.policy_changes; };
    QVERIFY(read().empty());
    writer.write_policy_changes(trial, {first});
    QCOMPARE(read().size(), std::size_t{1});
    record::TrialEnd end;
    end.policy_changes = {first, second};
    writer.finish_trial(trial, end);
    QCOMPARE(read().size(), std::size_t{2});
    QCOMPARE(read()[0].trial, first.trial);
    QCOMPARE(read()[0].policy, first.policy);
    QCOMPARE(read()[1].step, second.step);
    QCOMPARE(read()[1].autocast, second.autocast);
    QCOMPARE(read()[1].cast_policy, second.cast_policy);
    QCOMPARE(read()[1].reason, second.reason);
  }

  void memory_reads_back_by_category_and_is_replaced() {
    const std::string path = new_path();
    Writer writer(path);
    const std::int64_t experiment = writer.begin_experiment(sample_experiment());
    const std::int64_t trial = writer.begin_trial(sample_trial(experiment, "trial"));
    const std::int64_t other = writer.begin_trial(sample_trial(experiment, "other"));
    const auto read = [&](std::int64_t id) { return Reader(path).trial(id).end.memory; };
    QVERIFY(!read(trial));

    record::MemoryComparison memory;
    memory.microbatch = 64;
    memory.accumulation = 2;
    memory.predicted = record::MemoryPeak{1023, {1, 2, 4, 8, 0, 16, 32, 960}};
    memory.predicted_from = "32, 48";
    memory.missing = "No step was traced.";
    writer.write_memory(trial, memory);
    record::MemoryComparison found = read(trial).value();
    QCOMPARE(found.predicted->bytes, std::int64_t{1023});
    QVERIFY(found.predicted->by_category == memory.predicted->by_category);
    QVERIFY(!found.measured && !found.peak_bytes && !found.error());
    QCOMPARE(found.missing, std::string("No step was traced."));
    QVERIFY(Reader(path).memory_pairs().empty());  // half of it is no pair

    memory.measured = record::MemoryPeak{1000, {1, 2, 4, 8, 0, 0, 25, 960}};
    memory.measured_step = 3;
    memory.peak_bytes = 1100;
    memory.missing.clear();
    writer.write_memory(trial, memory);
    found = read(trial).value();
    QCOMPARE(found.microbatch, std::int64_t{64});
    QCOMPARE(found.accumulation, std::int64_t{2});
    QCOMPARE(found.predicted_from, std::string("32, 48"));
    QCOMPARE(found.measured->bytes, std::int64_t{1000});
    QVERIFY(found.measured->by_category == memory.measured->by_category);
    QCOMPARE(found.measured_step, std::int64_t{3});
    QVERIFY(found.missing.empty());
    QCOMPARE(*found.error(), -0.07);                                   // 1023 / 1100 - 1
    QCOMPARE(*found.error(record::MemoryCategory::CastCopies), 0.28);  // 32 / 25 - 1
    QVERIFY(!found.error(record::MemoryCategory::SavedActivations));   // of nothing
    QVERIFY(!read(other));
    const std::vector<record::MemoryPair> pairs = Reader(path).memory_pairs();
    QCOMPARE(pairs.size(), std::size_t{1});
    QCOMPARE(pairs[0].trial, trial);
    QCOMPARE(pairs[0].name, std::string("trial"));
    QCOMPARE(pairs[0].predicted_bytes, std::int64_t{1023});
    QCOMPARE(pairs[0].measured_bytes, std::int64_t{1100});
    writer.close();
  }

  void gains_read_back_and_are_replaced() {
    const std::string path = new_path();
    Writer writer(path);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "fp16"));
    const auto read = [&] { return Reader(path).trials().back().end.gains; };
    QVERIFY(!read());
    record::Gains gains;
    gains.repetitions = 7;
    gains.steps = 12;
    gains.samples = 96;
    gains.step_seconds = 0.1;
    gains.step_seconds_spread = 0.02;
    gains.samples_per_second = kInfinity;  // a clock that did not move
    gains.speed_up = 1.5;
    gains.speed_up_low = 1.25;
    gains.speed_up_high = kNan;
    gains.peak_bytes = std::int64_t{1} << 40;
    gains.finish_seconds = 3600.0;
    gains.deadline_seconds = 7200.0;
    gains.cost_per_sample = 1e-9;
    gains.finish_cost = 0.25;
    gains.method = "7 repetitions";
    writer.write_costs(trial, {record::Gains(), {}});
    writer.write_costs(trial, {gains, {}});
    writer.finish_trial(trial, record::TrialEnd());
    const record::Gains found = read().value();
    QCOMPARE(found.repetitions, gains.repetitions);
    QCOMPARE(found.steps, gains.steps);
    QCOMPARE(found.samples, gains.samples);
    QVERIFY(same(found.step_seconds, gains.step_seconds));
    QVERIFY(same(found.step_seconds_spread, gains.step_seconds_spread));
    QVERIFY(same(found.samples_per_second, gains.samples_per_second));
    QVERIFY(same(found.speed_up, gains.speed_up));
    QVERIFY(same(found.speed_up_low, gains.speed_up_low));
    QVERIFY(same(found.speed_up_high, gains.speed_up_high));
    QCOMPARE(found.peak_bytes, gains.peak_bytes);
    QVERIFY(same(found.finish_seconds, gains.finish_seconds));
    QVERIFY(same(found.deadline_seconds, gains.deadline_seconds));
    QVERIFY(same(found.cost_per_sample, gains.cost_per_sample));
    QVERIFY(same(found.finish_cost, gains.finish_cost));
    QCOMPARE(found.method, gains.method);
  }

  void latency_reads_back_and_is_replaced_and_gains_stay_where_only_it_was_measured() {
    const std::string path = new_path();
    Writer writer(path);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "fp16"));
    record::Gains gains;
    gains.method = "7 repetitions";
    record::Latency timed;
    timed.batch = 64;
    timed.calls = 1000;
    timed.p50_seconds = 0.001;
    timed.p95_seconds = 0.002;
    timed.p50_ratio = 1.5;
    timed.p50_ratio_low = 1.25;
    timed.p50_ratio_high = kInfinity;
    timed.p95_ratio = kNan;
    timed.p95_ratio_low = -0.0;
    timed.method = "10 rounds";
    record::Latency missing;
    missing.batch = 1;
    missing.missing = "it does not fit";
    writer.write_costs(trial, {gains, {missing}});
    writer.write_costs(trial, {std::nullopt, {timed, missing}});
    writer.finish_trial(trial, record::TrialEnd());
    const record::TrialEnd end = Reader(path).trials().back().end;
    QCOMPARE(end.gains.value().method, gains.method);
    QCOMPARE(end.latency.size(), std::size_t{2});
    QCOMPARE(end.latency[0].batch, std::int64_t{1});
    QCOMPARE(end.latency[0].calls, std::int64_t{0});
    QCOMPARE(end.latency[0].missing, missing.missing);
    QVERIFY(!end.latency[0].p50_seconds);
    const record::Latency& found = end.latency[1];
    QCOMPARE(found.calls, timed.calls);
    QVERIFY(same(found.p50_seconds, timed.p50_seconds));
    QVERIFY(same(found.p95_seconds, timed.p95_seconds));
    QVERIFY(!found.p99_seconds);
    QVERIFY(same(found.p50_ratio, timed.p50_ratio));
    QVERIFY(same(found.p50_ratio_low, timed.p50_ratio_low));
    QVERIFY(same(found.p50_ratio_high, timed.p50_ratio_high));
    QVERIFY(same(found.p95_ratio, timed.p95_ratio));
    QVERIFY(same(found.p95_ratio_low, timed.p95_ratio_low));
    QVERIFY(!found.p95_ratio_high);
    QCOMPARE(found.method, timed.method);
  }

  void what_stands_beside_a_reference_reads_back_and_is_replaced() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("archive.db").toStdString();
    archive::Writer writer(path);
    const std::int64_t experiment = writer.begin_experiment(sample_experiment());
    const std::int64_t reference = writer.begin_trial(sample_trial(experiment, "reference"));
    const std::int64_t other = writer.begin_trial(sample_trial(experiment, "other", reference));
    record::ReferenceContext context;
    context.scores = {{"linear", "rmse", 0.1 + 0.2, "least squares"},
                      {"constant", "rmse", kNan, "the mean"},
                      {"written-rule", "accuracy", std::nullopt, "none was written"}};
    context.inputs.cases = 5;
    context.inputs.columns = 3;
    context.inputs.noted = {{1, "age", -0.5, 1e308, true, 2, 1},
                            {2, "only NaN", std::nullopt, std::nullopt, false, 5, 0}};
    context.inputs.of_cases = {{3, "row 9", "north", 1, 2, "age, income and 4 more"}};
    writer.write_context(reference, context);
    writer.write_context(reference, context);  // in the place of the first

    const archive::Reader reader(path);
    QVERIFY(!reader.context(other).has_value());
    const std::optional<record::ReferenceContext> read = reader.context(reference);
    QVERIFY(read.has_value());
    QCOMPARE(read->scores.size(), std::size_t{3});
    QCOMPARE(read->scores[0].predictor, std::string("linear"));
    QCOMPARE(read->scores[0].metric, std::string("rmse"));
    QCOMPARE(*read->scores[0].value, 0.1 + 0.2);
    QCOMPARE(read->scores[0].note, std::string("least squares"));
    QVERIFY(std::isnan(*read->scores[1].value));
    QVERIFY(!read->scores[2].value.has_value());
    QCOMPARE(read->scores[2].note, std::string("none was written"));
    QVERIFY(read->inputs.missing.empty());
    QCOMPARE(read->inputs.cases, std::int64_t{5});
    QCOMPARE(read->inputs.columns, std::int64_t{3});
    QCOMPARE(read->inputs.noted.size(), std::size_t{2});
    const record::InputColumn& age = read->inputs.noted[0];
    QCOMPARE(age.position, std::int64_t{1});
    QCOMPARE(age.name, std::string("age"));
    QCOMPARE(*age.training_minimum, -0.5);
    QCOMPARE(*age.training_maximum, 1e308);
    QVERIFY(age.constant);
    QCOMPARE(age.non_finite, std::int64_t{2});
    QCOMPARE(age.outside, std::int64_t{1});
    QVERIFY(!read->inputs.noted[1].training_minimum.has_value());
    QVERIFY(!read->inputs.noted[1].constant);
    QCOMPARE(read->inputs.of_cases.size(), std::size_t{1});
    const record::InputCase& row = read->inputs.of_cases[0];
    QCOMPARE(row.position, std::int64_t{3});
    QCOMPARE(row.id, std::string("row 9"));
    QCOMPARE(row.slice, std::string("north"));
    QCOMPARE(row.non_finite, std::int64_t{1});
    QCOMPARE(row.outside, std::int64_t{2});
    QCOMPARE(row.columns, std::string("age, income and 4 more"));

    record::ReferenceContext unmeasured;
    unmeasured.inputs.missing = "rows of characters";
    writer.write_context(reference, unmeasured);
    const std::optional<record::ReferenceContext> later = archive::Reader(path).context(reference);
    QVERIFY(later->scores.empty() && later->inputs.noted.empty() && later->inputs.of_cases.empty());
    QCOMPARE(later->inputs.missing, std::string("rows of characters"));
  }

  void every_case_column_reads_back_bit_by_bit() {
    const std::string path = new_path();
    std::vector<record::CaseRow> cases;
    for (std::size_t turn = 0; turn < awkward_reals().size(); ++turn) {
      record::CaseRow& row = cases.emplace_back();
      std::int64_t column = static_cast<std::int64_t>(turn);
      const auto fill = [&column](auto& value) {
        using Value = std::decay_t<decltype(value)>;
        ++column;
        const std::optional<double> awkward =
            awkward_reals()[static_cast<std::size_t>(column) % awkward_reals().size()];
        if constexpr (std::is_same_v<Value, std::string>) {
          value = "Größe \"" + std::to_string(column) + "\"";
        } else if constexpr (std::is_same_v<Value, record::CaseKind>) {
          value = static_cast<record::CaseKind>(column % 3);
        } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
          for (std::int64_t i = 0; i < column % 4; ++i) value.push_back(awkward.value_or(2.5) + static_cast<double>(i));
          if (column % 4 == 1) value = {kNan, -0.0, kInfinity, 5e-324};
        } else if constexpr (std::is_same_v<Value, double>) {
          value = awkward.value_or(7.0);
        } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
          value = awkward;
        } else if constexpr (std::is_same_v<Value, bool>) {
          value = column % 2 == 0;
        } else if constexpr (std::is_same_v<Value, std::optional<bool>>) {
          if (column % 3 != 0) value = column % 3 == 1;
        } else if (column % 3 != 0) {
          value = column;
        }
      };
#define MANTISSA_FILL(member, column_name, type, description) fill(row.member);
      MANTISSA_CASE_COLUMNS(MANTISSA_FILL)
#undef MANTISSA_FILL
    }
    Writer writer(path);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "fp16"));
    writer.write_cases(trial, {record::CaseRow{}, record::CaseRow{}});
    writer.write_cases(trial, cases);  // replaces
    const std::vector<record::CaseRow> read = Reader(path).cases(trial);
    QCOMPARE(read.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
#define MANTISSA_SAME(member, column_name, type, description) QVERIFY2(same(read[i].member, cases[i].member), #member);
      MANTISSA_CASE_COLUMNS(MANTISSA_SAME)
#undef MANTISSA_SAME
    }
  }

  void experiment_trial_and_verdict_read_back() {
    const std::string path = new_path();
    Writer writer(path);
    const std::int64_t experiment = writer.begin_experiment(sample_experiment());
    const std::int64_t reference = writer.begin_trial(sample_trial(experiment, "reference"));
    const std::int64_t trial = writer.begin_trial(sample_trial(experiment, "fp16", reference));
    record::TrialEnd end;
    end.status = record::Status::Failed;
    end.failure = "scale-too-small";
    end.failure_text = "The scale fell to 2^-20.";
    end.counts = {2000, 1990, 10, 4000, 128000};
    end.final_loss = -kInfinity;
    end.quality_metric = "accuracy";
    end.quality = kNan;
    end.quality_reference = 0.97;
    end.flips = 3;
    end.seconds = 12.25;
    end.notes = {"second", "a note", ""};
    record::Verdict& verdict = end.verdict.emplace();
    verdict.word = record::VerdictWord::Rejected;
    verdict.scope_device = "cpu";
    verdict.scope_cast_policy = "device";
    verdict.target = "as-run";
    verdict.rules_sha256 = std::string(64, 'b');
    verdict.reasons = {"z first", "a second"};
    verdict.rules.push_back({"output", record::VerdictWord::Rejected, "same_weights", "q0.99 at most 0.002", 0.002,
                             kInfinity, "", 360, "q0.99 is infinite"});
    verdict.rules.push_back(
        {"flips", record::VerdictWord::Undecided, "", "", std::nullopt, std::nullopt, "cases", 0, "no decision"});
    writer.finish_trial(trial, record::TrialEnd{});
    writer.finish_trial(trial, end);  // the last one counts

    const Reader reader(path);
    const record::TrialRow row = reader.trial(trial);
    QCOMPARE(row.id, trial);
    QCOMPARE(row.experiment_id, experiment);
    QCOMPARE(row.experiment, std::string("digits-mlp"));
    QCOMPARE(row.start.reference, reference);
    QCOMPARE(row.start.kind, record::TrialKind::Trial);
    QCOMPARE(row.start.name, std::string("fp16"));
    QCOMPARE(row.start.autocast, std::string("float16"));
    QCOMPARE(row.start.cast_policy, std::string("device"));
    QCOMPARE(row.start.device, std::string("cpu"));
    QCOMPARE(row.start.policy, std::string("{\"autocast\":\"float16\"}"));
    QCOMPARE(row.end.status, record::Status::Failed);
    QCOMPARE(row.end.failure, end.failure);
    QCOMPARE(row.end.failure_text, end.failure_text);
    QCOMPARE(row.end.counts.attempted, std::int64_t{2000});
    QCOMPARE(row.end.counts.applied, std::int64_t{1990});
    QCOMPARE(row.end.counts.skipped, std::int64_t{10});
    QCOMPARE(row.end.counts.iterations, std::int64_t{4000});
    QCOMPARE(row.end.counts.samples, std::int64_t{128000});
    QVERIFY(same(row.end.final_loss, end.final_loss));
    QCOMPARE(row.end.quality_metric, end.quality_metric);
    QVERIFY(same(row.end.quality, end.quality));
    QVERIFY(same(row.end.quality_reference, end.quality_reference));
    QCOMPARE(row.end.flips.value(), std::int64_t{3});
    QCOMPARE(row.end.seconds, 12.25);
    QCOMPARE(row.end.notes, end.notes);
    QVERIFY(row.end.verdict.has_value());
    QCOMPARE(row.end.verdict->word, record::VerdictWord::Rejected);
    QCOMPARE(row.end.verdict->target, verdict.target);
    QCOMPARE(row.end.verdict->rules_sha256, verdict.rules_sha256);
    QCOMPARE(row.end.verdict->reasons, verdict.reasons);
    QCOMPARE(row.end.verdict->rules.size(), std::size_t{2});
    const record::RuleVerdict& output = row.end.verdict->rules[0];
    QCOMPARE(output.name, std::string("output"));
    QCOMPARE(output.of, std::string("same_weights"));
    QCOMPARE(output.limit, std::string("q0.99 at most 0.002"));
    QCOMPARE(output.limit_value.value(), 0.002);
    QCOMPARE(output.value.value(), kInfinity);
    QCOMPARE(output.cases, std::int64_t{360});
    QCOMPARE(output.reason, std::string("q0.99 is infinite"));
    QVERIFY(!row.end.verdict->rules[1].value.has_value());

    const QRegularExpression utc(QStringLiteral("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$"));
    QVERIFY(utc.match(QString::fromStdString(row.started_at)).hasMatch());
    QVERIFY(utc.match(QString::fromStdString(row.finished_at)).hasMatch());

    QCOMPARE(reader.trials().size(), std::size_t{2});
    QCOMPARE(reader.trials().front().end.status, record::Status::Running);
    QVERIFY(!reader.trials().front().end.verdict.has_value());
    const record::ExperimentStart start = reader.experiment(experiment);
    const record::ExperimentStart written = sample_experiment();
    QCOMPARE(start.text, written.text);
    QCOMPARE(start.resolved, written.resolved);
    QCOMPARE(start.sha256, written.sha256);
    QCOMPARE(start.rules, written.rules);
    QCOMPARE(start.rules_sha256, written.rules_sha256);
    QCOMPARE(start.cases_sha256, written.cases_sha256);
    QCOMPARE(start.lock, written.lock);
    QCOMPARE(start.lock_sha256, written.lock_sha256);
  }

  void steps_are_read_in_order_from_a_given_step_on() {
    const std::string path = new_path();
    Writer writer(path);
    const std::int64_t experiment = writer.begin_experiment(sample_experiment());
    const std::int64_t a = writer.begin_trial(sample_trial(experiment, "a"));
    const std::int64_t b = writer.begin_trial(sample_trial(experiment, "b", a));
    for (std::int64_t step = 1; step <= 100; ++step) {
      writer.append(plain_step(a, step));
      writer.append(plain_step(b, step));
    }
    writer.flush();
    const Reader reader(path);
    const std::vector<record::StepRecord> steps = steps_of(reader, b, 97);
    QCOMPARE(steps.size(), std::size_t{3});
    QCOMPARE(steps[0].step, std::int64_t{98});
    QCOMPARE(steps[2].step, std::int64_t{100});
    QCOMPARE(steps[2].trial, b);
    int seen = 0;
    reader.steps(a, [&seen](const record::StepRecord&) { return ++seen < 5; });
    QCOMPARE(seen, 5);
  }

  void a_ring_smaller_than_the_run_loses_nothing() {
    const std::string path = new_path();
    archive::WriterOptions options;
    options.ring_capacity = 4;
    Writer writer(path, options);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "a"));
    for (std::int64_t step = 1; step <= 3000; ++step) writer.append(plain_step(trial, step));
    writer.close();
    const std::vector<record::StepRecord> steps = steps_of(Reader(path), trial);
    QCOMPARE(steps.size(), std::size_t{3000});
    for (std::size_t i = 0; i < steps.size(); ++i) QCOMPARE(steps[i].step, static_cast<std::int64_t>(i) + 1);
  }

  void weights_read_back_and_equal_pieces_are_stored_once() {
    const std::string path = new_path();
    Writer writer(path);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "a"));
    std::string large(std::size_t{9} << 20, '\0');  // 4 + 4 + 1 MiB
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 2654435761u >> 20);
    std::vector<record::TensorBytes> tensors = {{"fc.weight", "F32", {2304, 1024}, large},
                                                {"fc.bias", "BF16", {2}, std::string("\0\x80\xff\x7f", 4)},
                                                {"count", "I64", {}, std::string(8, '\x01')},
                                                {"empty", "F32", {0, 3}, ""}};
    writer.write_weights(trial, "initial", tensors);
    tensors[0].bytes.back() = 'x';  // only the last piece differs
    writer.write_weights(trial, "final", tensors);
    writer.write_weights(trial, "final", tensors);

    const std::vector<record::TensorBytes> read = Reader(path).weights(trial, "final");
    QCOMPARE(read.size(), tensors.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      QCOMPARE(read[i].name, tensors[i].name);
      QCOMPARE(read[i].dtype, tensors[i].dtype);
      QCOMPARE(read[i].shape, tensors[i].shape);
      QVERIFY(read[i].bytes == tensors[i].bytes);
    }
    // Large: three pieces and the changed third; bias; count.
    QCOMPARE(column_of(path, "SELECT count(*) FROM chunks"), QStringList{"6"});
    try {
      Reader(path).weights(trial, "best");
      QFAIL("no such moment");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::UnknownTrial);
    }
  }

  void a_changed_piece_of_weights_is_refused() {
    const std::string path = new_path();
    Writer writer(path);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "a"));
    writer.write_weights(trial, "final", {{"w", "F32", {2}, std::string(8, '\x02')}});
    writer.close();
    {
      archive::Connection connection(path, archive::Connection::Mode::ReadWrite, std::chrono::seconds(5));
      connection.execute("UPDATE chunks SET bytes = x'0202020202020203'");
    }
    try {
      Reader(path).weights(trial, "final");
      QFAIL("a changed byte went unnoticed");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
      QVERIFY(QString::fromUtf8(error.what()).contains("tensor w"));
    }
  }

  void a_trial_is_found_by_id_name_experiment_and_word() {
    const std::string path = new_path();
    Writer writer(path);
    const std::int64_t first = writer.begin_experiment(sample_experiment("digits"));
    const std::int64_t reference = writer.begin_trial(sample_trial(first, "reference"));
    const std::int64_t old = writer.begin_trial(sample_trial(first, "fp16", reference));
    const std::int64_t second = writer.begin_experiment(sample_experiment("ames"));
    const std::int64_t reference2 = writer.begin_trial(sample_trial(second, "reference"));
    const std::int64_t newer = writer.begin_trial(sample_trial(second, "fp16", reference2));
    const std::int64_t other = writer.begin_trial(sample_trial(second, "bf16", reference2));
    const Reader reader(path);
    std::string choice;
    QCOMPARE(reader.find(std::to_string(old), &choice).id, old);
    QCOMPARE(choice, std::string());
    QCOMPARE(reader.find("digits/fp16", &choice).id, old);
    QCOMPARE(choice, std::string());
    QCOMPARE(reader.find("bf16", &choice).id, other);
    QCOMPARE(reader.find("last", &choice).id, other);
    QCOMPARE(choice, std::string());
    QCOMPARE(reader.find("fp16", &choice).id, newer);
    QVERIFY(choice.find("newest of 2 named fp16") != std::string::npos);
    QCOMPARE(reader.find("reference", &choice).id, reference2);
    try {
      reader.find("fp61");
      QFAIL("found what is not there");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::UnknownTrial);
      QVERIFY(QString::fromUtf8(error.what()).contains("fp16"));
    }
  }

  void a_numeric_filter_never_matches_a_non_finite_loss() {
    // shared/cases 32: losses 0.5, NaN, 0.05, infinity.
    const std::string path = new_path();
    Writer writer(path);
    const std::int64_t experiment = writer.begin_experiment(sample_experiment());
    const std::vector<std::pair<std::string, double>> losses = {{"A", 0.5}, {"B", kNan}, {"C", 0.05}, {"D", kInfinity}};
    for (const auto& [name, loss] : losses) {
      const std::int64_t trial = writer.begin_trial(sample_trial(experiment, name));
      record::StepRecord step = plain_step(trial, 1);
      step.loss = loss;
      writer.append(step);
      record::TrialEnd end;
      end.final_loss = loss;
      writer.finish_trial(trial, end);
    }
    for (const char* source : {"final_loss FROM trial_summary AS t", "loss FROM step_values AS t"}) {
      const std::string from(source);
      const std::string value = from.substr(0, from.find(' '));
      const auto matches = [&](const std::string& condition) {
        return column_of(path, "SELECT count(*) FROM (SELECT " + from + ") WHERE " + value + condition).first();
      };
      QCOMPARE(matches(" < 0.1"), QStringLiteral("1"));  // C
      QCOMPARE(matches(" = 0"), QStringLiteral("0"));
      QCOMPARE(matches(" >= 0.1"), QStringLiteral("1"));  // A: neither NaN nor infinity
      QCOMPARE(matches(" <> 0.5"), QStringLiteral("1"));  // C
    }
    QCOMPARE(column_of(path, "SELECT name FROM trial_summary ORDER BY final_loss_rank, final_loss"),
             (QStringList{"C", "A", "D", "B"}));
    QCOMPARE(column_of(path, "SELECT final_loss_state FROM trial_summary ORDER BY name"),
             (QStringList{"finite", "NaN", "finite", "Infinity"}));
    QCOMPARE(column_of(path, "SELECT loss_state FROM step_values ORDER BY trial"),
             (QStringList{"finite", "NaN", "finite", "Infinity"}));
    QCOMPARE(column_of(path, "SELECT DISTINCT grad_norm_state FROM step_values"), QStringList{"not measured"});
    const Reader reader(path);
    QVERIFY(std::isnan(reader.find("B").end.final_loss.value()));
    QCOMPARE(reader.find("D").end.final_loss.value(), kInfinity);
  }

  void the_mean_loss_is_over_finite_steps_and_counts_the_others() {
    // shared/cases 33: 1, 2, NaN, 3, infinity, 6: mean of the finite ones 12/4 = 3, 2 non-finite of 6.
    const std::string path = new_path();
    Writer writer(path);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "a"));
    std::int64_t number = 0;
    for (const std::optional<double> loss :
         std::vector<std::optional<double>>{1, 2, kNan, 3, kInfinity, 6, std::nullopt}) {
      record::StepRecord step = plain_step(trial, ++number);
      step.loss = loss;
      step.loss_reference = -kInfinity;  // a neighbour's state must not be taken for the loss's
      step.wall_seconds = kNan;
      writer.append(step);
    }
    writer.flush();
    QCOMPARE(
        column_of(path, "SELECT mean_finite_loss || ' / ' || non_finite_losses || ' of ' || losses FROM trial_summary"),
        QStringList{"3.0 / 2 of 6"});
  }

  void the_step_values_view_names_every_state() {
    const std::string path = new_path();
    Writer writer(path);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "a"));
    std::int64_t number = 0;
    for (const std::optional<double> value :
         std::vector<std::optional<double>>{kNan, kInfinity, -kInfinity, -0.0, 2.0, std::nullopt}) {
      record::StepRecord step = plain_step(trial, ++number);
      step.shadow_weight_relative = value;  // the last real column: its bits are the highest
      writer.append(step);
    }
    writer.flush();
    QCOMPARE(column_of(path, "SELECT shadow_weight_relative_state FROM step_values ORDER BY step"),
             (QStringList{"NaN", "Infinity", "-Infinity", "finite", "finite", "not measured"}));
  }

  void the_step_table_has_the_declared_columns_with_their_descriptions() {
    const std::string path = new_path();
    Writer(path).close();
    QStringList declared = {"trial", "states"};
#define MANTISSA_NAME(name, type, description) declared << #name;
    MANTISSA_STEP_COLUMNS(MANTISSA_NAME)
#undef MANTISSA_NAME
    QCOMPARE(column_of(path, "SELECT name FROM pragma_table_info('steps')"), declared);
    const QString sql = column_of(path, "SELECT sql FROM sqlite_schema WHERE name = 'steps'").first();
    QVERIFY(sql.contains("loss REAL,  -- mean of the window's microbatch losses, unscaled"));
  }
};

QTEST_GUILESS_MAIN(ArchiveRoundTripTests)
#include "archive_round_trip_tests.moc"
