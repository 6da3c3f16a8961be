// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include <sqlite3.h>
#include <QCoreApplication>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/archive/retention.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;
using namespace mantissa::test;
using record::Direction;

namespace {

record::TensorBytes tensor(const std::string& name, const std::string& bytes, const std::string& dtype = "U8") {
  return {name, dtype, {static_cast<std::int64_t>(bytes.size())}, bytes};
}

/// Bytes that differ from piece to piece.
std::string noise(std::size_t size, unsigned seed) {
  std::string bytes(size, '\0');
  std::uint32_t state = seed * 2654435761u + 1;
  for (char& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

record::ArmState awkward_state(unsigned seed) {
  record::ArmState state;
  state.tensors.push_back(tensor("model.weight", noise(5 << 20, seed)));  // two pieces
  state.tensors.push_back(tensor("model.bias", noise(7, seed)));
  state.tensors.push_back({"model.empty", "F32", {0, 3}, ""});
  state.tensors.push_back({"optimizer.0.step.weight", "F32", {}, std::string(4, '\x3f')});
  state.tensors.push_back(tensor("generator", noise(5056, 9)));
  state.values = {{"tally.attempted", std::int64_t{7}},
                  {"scaler.scale", 65536.0},
                  {"loss", std::numeric_limits<double>::quiet_NaN()},
                  {"zero", -0.0},
                  {"third", 1.0 / 3.0},
                  {"note.0", std::string("Größe\n\"x\"")}};
  return state;
}

bool same_state(const record::ArmState& a, const record::ArmState& b) {
  if (a.tensors.size() != b.tensors.size() || a.values.size() != b.values.size()) return false;
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    const auto &x = a.tensors[i], &y = b.tensors[i];
    if (x.name != y.name || x.dtype != y.dtype || x.shape != y.shape || x.bytes != y.bytes) return false;
  }
  for (const auto& [name, value] : a.values) {
    const auto found = b.values.find(name);
    if (found == b.values.end() || found->second.index() != value.index()) return false;
    const auto* real = std::get_if<double>(&value);
    if (real != nullptr ? !same(*real, std::get<double>(found->second)) : value != found->second) return false;
  }
  return true;
}

record::Evaluation evaluation(std::int64_t trial, std::int64_t step, double value) {
  return {trial, step, "accuracy", Direction::Higher, value};
}

/// An archive with a reference and a trial.
struct Archive {
  Archive() : path(folder.filePath("a.db").toStdString()) {
    open();
    const std::int64_t experiment = writer->begin_experiment(sample_experiment());
    reference = writer->begin_trial(sample_trial(experiment, "reference"));
    trial = writer->begin_trial(sample_trial(experiment, "fp16", reference));
  }
  void open(std::int64_t largest_inside = std::int64_t{2} << 30) {
    archive::WriterOptions options;
    options.largest_state_inside = largest_inside;
    writer = std::make_unique<archive::Writer>(path, options);
  }
  void save(std::int64_t step, std::int64_t keep = 0) {
    record::CheckpointSet set{step, keep, {}};
    for (const std::int64_t arm : {reference, trial}) {
      set.arms.push_back({arm, awkward_state(static_cast<unsigned>(step * 10 + arm))});
    }
    writer->write_checkpoint(std::move(set));
  }
  std::vector<std::int64_t> steps_with_checkpoints(std::int64_t arm) const {
    std::vector<std::int64_t> steps;
    for (const record::CheckpointRow& row : archive::Reader(path).history(arm).checkpoints) steps.push_back(row.step);
    return steps;
  }
  void sql(const std::string& text) const {
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    char* problem = nullptr;
    sqlite3_exec(database, text.c_str(), nullptr, nullptr, &problem);
    if (problem != nullptr) QFAIL(problem);
    QVERIFY2(sqlite3_changes(database) > 0, "the statement touched nothing");
    sqlite3_close(database);
  }
  std::int64_t number(const std::string& text) const {
    sqlite3* database = nullptr;
    sqlite3_stmt* statement = nullptr;
    sqlite3_open(path.c_str(), &database);
    sqlite3_prepare_v2(database, text.c_str(), -1, &statement, nullptr);
    const std::int64_t value = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return value;
  }

  QTemporaryDir folder;
  std::string path;
  std::unique_ptr<archive::Writer> writer;
  std::int64_t reference = 0, trial = 0;
};

}  // namespace

class CheckpointTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_state_comes_back_bit_for_bit() {
    Archive archive;
    archive.save(20);
    archive.writer->close();
    const archive::Reader reader(archive.path);
    QVERIFY(same_state(reader.state(archive.trial, 20), awkward_state(202)));
    QVERIFY(same_state(reader.state(archive.reference, 20), awkward_state(201)));
    const std::vector<record::TensorBytes> weights = reader.weights(archive.trial, "20");
    QCOMPARE(weights.size(), std::size_t{3});
    QCOMPARE(weights[1].name, std::string("bias"));
    QCOMPARE(weights[1].bytes, noise(7, 202));
  }

  void equal_pieces_of_two_checkpoints_are_stored_once() {
    Archive archive;
    for (const std::int64_t step : {10, 20}) {
      record::CheckpointSet set{step, 0, {}};
      for (const std::int64_t arm : {archive.reference, archive.trial}) set.arms.push_back({arm, awkward_state(1)});
      archive.writer->write_checkpoint(std::move(set));
    }
    archive.writer->close();
    // 5 MiB in pieces of 4 MiB are two; the bias, the step and the generator one each.
    QCOMPARE(archive.number("SELECT count(*) FROM chunks"), std::int64_t{5});
  }

  void records_appended_before_a_checkpoint_are_there_with_it() {
    Archive archive;
    for (std::int64_t step = 1; step <= 20; ++step) {
      archive.writer->append(plain_step(archive.trial, step));
      if (step % 5 == 0) archive.save(step);
    }
    // Whatever is to be seen is consistent: no checkpoint without its steps.
    const archive::Reader reader(archive.path);
    for (int look = 0; look < 50; ++look) {
      const auto checkpoints = reader.history(archive.trial).checkpoints;
      std::int64_t last = 0;
      reader.steps(archive.trial, [&last](const record::StepRecord& step) {
        last = step.step;
        return true;
      });
      if (!checkpoints.empty()) QVERIFY(last >= checkpoints.back().step);
      QCOMPARE(archive.steps_with_checkpoints(archive.reference).empty() && !checkpoints.empty(), false);
    }
    archive.writer->close();
    QCOMPARE(archive.steps_with_checkpoints(archive.trial), (std::vector<std::int64_t>{5, 10, 15, 20}));
  }

  void a_flipped_bit_in_a_piece_is_named() {
    Archive archive;
    archive.save(20);
    archive.writer->close();
    // The last of the seven bytes of the trial's bias.
    archive.sql(
        "UPDATE chunks SET bytes = CAST(substr(bytes, 1, 6) || X'A5' AS BLOB) WHERE id = (SELECT chunk "
        "FROM tensor_chunks JOIN tensors ON tensors.id = tensor WHERE trial = 2 AND name = 'model.bias' AND moment = "
        "'checkpoint 20')");
    const archive::Reader reader(archive.path);
    try {
      reader.state(archive.trial, 20);
      QFAIL("a damaged state was handed out");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
      QVERIFY2(std::strstr(error.what(), "checkpoint at step 20 of trial 2") != nullptr, error.what());
      QVERIFY2(std::strstr(error.what(), "model.bias") != nullptr, error.what());
    }
    QVERIFY(same_state(reader.state(archive.reference, 20), awkward_state(201)));  // the other one is sound
  }

  void a_truncated_piece_is_named() {
    Archive archive;
    archive.save(20);
    archive.writer->close();
    archive.sql("UPDATE chunks SET bytes = substr(bytes, 1, 100) WHERE length(bytes) = 5056");
    QVERIFY_EXCEPTION_THROWN(archive::Reader(archive.path).state(archive.trial, 20), Error);
  }

  void changed_numbers_and_lists_are_found_data() {
    QTest::addColumn<QString>("change");
    QTest::newRow("a number") << "UPDATE checkpoint_values SET value = '32768' WHERE name = 'scaler.scale'";
    QTest::newRow("a number lost") << "DELETE FROM checkpoint_values WHERE name = 'tally.attempted'";
    QTest::newRow("a kind") << "UPDATE checkpoint_values SET kind = 'real' WHERE name = 'tally.attempted'";
    QTest::newRow("no number") << "UPDATE checkpoint_values SET value = '7x' WHERE name = 'tally.attempted'";
    QTest::newRow("a name") << "UPDATE tensors SET name = 'model.wight' WHERE name = 'model.weight'";
    QTest::newRow("a dtype") << "UPDATE tensors SET dtype = 'I8' WHERE name = 'model.bias'";
    QTest::newRow("a shape") << "UPDATE tensors SET shape = '[1, 7]' WHERE name = 'model.bias'";
    QTest::newRow("a tensor lost") << "DELETE FROM tensors WHERE name = 'generator'";
    QTest::newRow("a piece lost") << "DELETE FROM tensor_chunks WHERE position = 1";
    QTest::newRow("another piece") << "UPDATE tensor_chunks SET chunk = (SELECT chunk FROM tensor_chunks JOIN tensors "
                                      "ON tensors.id = tensor WHERE name = 'generator') WHERE tensor IN (SELECT id "
                                      "FROM tensors WHERE name = 'model.bias')";
  }

  void changed_numbers_and_lists_are_found() {
    QFETCH(QString, change);
    Archive archive;
    archive.save(20);
    archive.writer->close();
    archive.sql(change.toStdString());
    try {
      archive::Reader(archive.path).state(archive.trial, 20);
      QFAIL("a damaged state was handed out");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
      QVERIFY2(std::strstr(error.what(), "checkpoint at step 20") != nullptr, error.what());
    }
  }

  void a_large_state_lies_beside_the_archive_and_goes_with_its_checkpoint() {
    Archive archive;
    archive.writer->close();
    archive.open(/*largest_inside=*/1 << 20);
    archive.writer->resume_trials({archive.reference, archive.trial}, 0, "[]");
    archive.save(20);
    archive.writer->flush();
    const std::string folder = archive.path + ".chunks";
    const auto files = [&folder] {
      return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
    };
    QCOMPARE(files(), std::ptrdiff_t{8});  // per arm two of the weight and one bias; step and generator are shared
    QVERIFY(same_state(archive::Reader(archive.path).state(archive.trial, 20), awkward_state(202)));
    archive.save(30, /*keep=*/1);
    archive.writer->close();
    QCOMPARE(archive.steps_with_checkpoints(archive.trial), std::vector<std::int64_t>{30});
    QCOMPARE(files(), std::ptrdiff_t{8});
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) - 1);
    }
    QVERIFY_EXCEPTION_THROWN(archive::Reader(archive.path).state(archive.trial, 30), Error);
    std::filesystem::remove_all(folder);
    try {
      archive::Reader(archive.path).state(archive.trial, 30);
      QFAIL("a state without its pieces was handed out");
    } catch (const Error& error) {
      QVERIFY2(std::strstr(error.what(), "missing") != nullptr, error.what());
    }
  }

  void retention_removes_nan_first_then_the_oldest_and_never_the_best() {
    using archive::SetQuality;
    const auto removed = [](const std::vector<SetQuality>& sets, std::int64_t keep) {
      return archive::sets_to_remove(sets, keep);
    };
    const std::vector<SetQuality> sets = {{10, false, false}, {20, false, true}, {30, true, false}, {40, false, false}};
    QCOMPARE(removed(sets, 0), std::vector<std::int64_t>{});
    QCOMPARE(removed(sets, 3), std::vector<std::int64_t>{30});
    QCOMPARE(removed(sets, 2), (std::vector<std::int64_t>{30, 10}));
    QCOMPARE(removed(sets, 1), (std::vector<std::int64_t>{30, 10}));  // best and newest both stay
    QCOMPARE(removed({{10, true, false}, {20, true, false}}, 1), std::vector<std::int64_t>{10});
  }

  void nan_is_never_the_best_value() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const auto best = [](Direction direction, const std::vector<double>& values) {
      std::vector<record::Evaluation> evaluations;
      for (std::size_t i = 0; i < values.size(); ++i) {
        evaluations.push_back({1, static_cast<std::int64_t>(i + 1), "m", direction, values[i]});
      }
      return archive::best_step(evaluations);
    };
    QCOMPARE(best(Direction::Higher, {nan, 0.5, 0.7, 0.7, nan, infinity}), std::optional<std::int64_t>(3));
    QCOMPARE(best(Direction::Lower, {nan, 0.5, 0.4, -infinity}), std::optional<std::int64_t>(3));
    QCOMPARE(best(Direction::Lower, {nan, nan}), std::optional<std::int64_t>());
  }

  void kept_sets_are_those_of_the_rule_and_their_pieces_go_with_them() {
    Archive archive;
    const std::vector<std::pair<std::int64_t, double>> values = {{10, 0.5}, {20, 0.9},  {30, kNan},
                                                                 {40, 0.6}, {50, kNan}, {60, 0.7}};
    for (const auto& [step, value] : values) {
      archive.writer->write_evaluation(evaluation(archive.reference, step, 0.1));  // equal: the first is the best
      archive.writer->write_evaluation(evaluation(archive.trial, step, value));
      archive.save(step, 3);
    }
    archive.writer->close();
    // Best of the reference 10, of the trial 20; the newest. What went: 30 for its NaN, 40, 50 for its NaN.
    QCOMPARE(archive.steps_with_checkpoints(archive.trial), (std::vector<std::int64_t>{10, 20, 60}));
    QCOMPARE(archive.steps_with_checkpoints(archive.reference), (std::vector<std::int64_t>{10, 20, 60}));
    const archive::Reader reader(archive.path);
    QCOMPARE(reader.checkpoint_step(archive.trial, "best"), std::int64_t{20});
    QCOMPARE(reader.checkpoint_step(archive.trial, "final"), std::int64_t{60});
    QVERIFY(same_state(reader.state(archive.trial, 20), awkward_state(202)));
    QCOMPARE(archive.number("SELECT count(*) FROM chunks WHERE id NOT IN (SELECT chunk FROM tensor_chunks)"),
             std::int64_t{0});
    QCOMPARE(reader.history(archive.trial).evaluations.size(), std::size_t{6});
    QVERIFY(std::isnan(*reader.history(archive.trial).evaluations[2].value));
    QVERIFY_EXCEPTION_THROWN(reader.checkpoint_step(archive.trial, "40"), Error);
  }

  void resuming_takes_away_what_came_after_the_checkpoint() {
    Archive archive;
    for (std::int64_t step = 1; step <= 30; ++step) {
      archive.writer->append(plain_step(archive.trial, step));
      if (step % 10 == 0) archive.writer->write_evaluation(evaluation(archive.trial, step, 0.5));
      if (step == 20 || step == 30) archive.save(step);
    }
    record::TrialEnd end;
    end.counts.attempted = 30;
    end.verdict = record::Verdict();
    archive.writer->finish_trial(archive.reference, end);
    archive.writer->finish_trial(archive.trial, end);
    archive.writer->resume_trials({archive.reference, archive.trial}, 20, "[\"training.steps=40\"]");
    const archive::Reader reader(archive.path);
    record::TrialRow row = reader.trial(archive.trial);
    QCOMPARE(row.end.status, record::Status::Running);
    QVERIFY(!row.end.verdict);
    QVERIFY(row.finished_at.empty());
    std::int64_t steps = 0;
    reader.steps(archive.trial, [&steps](const record::StepRecord&) { return ++steps != 0; });
    QCOMPARE(steps, std::int64_t{20});
    const record::History history = reader.history(archive.trial);
    QCOMPARE(history.evaluations.size(), std::size_t{2});
    QCOMPARE(history.checkpoints.size(), std::size_t{1});
    QCOMPARE(history.resumptions.size(), std::size_t{1});
    QCOMPARE(history.resumptions[0].step, std::int64_t{20});
    QCOMPARE(history.resumptions[0].overrides, std::string("[\"training.steps=40\"]"));
    archive.writer->append(plain_step(archive.trial, 21));  // would be refused if 21 still stood there
    archive.writer->finish_trial(archive.trial, end);
    QCOMPARE(reader.trial(archive.trial).end.status, record::Status::Finished);
  }

  void an_arm_that_still_runs_is_not_resumed() {
    Archive archive;
    archive.save(20);
    archive.writer->flush();
    archive::Writer other(archive.path);
    try {
      other.resume_trials({archive.reference, archive.trial}, 20, "[]");
      QFAIL("an arm that runs was taken over");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
      QCOMPARE(error.facts().subject, "trial " + std::to_string(archive.reference) + " (reference)");
      const std::string process = "process " + std::to_string(QCoreApplication::applicationPid()) + " on ";
      QCOMPARE(error.facts().problem.rfind(process, 0), std::size_t{0});
      QVERIFY2(
          std::strstr(error.what(), " runs it, and only what has ended can go on. Stop that run first.") != nullptr,
          error.what());
    }
  }

  void a_full_disk_leaves_no_half_of_a_set() {
    Archive archive;
    archive.save(20);
    archive.writer->flush();
    archive.writer->limit_size(archive.number("PRAGMA page_count") * 4096 + (3 << 20));  // the next needs 10 MiB
    archive.save(30);
    try {
      archive.writer->flush();
      QFAIL("10 MiB went into 3");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::DiskFull);
    }
    QCOMPARE(archive.steps_with_checkpoints(archive.trial), std::vector<std::int64_t>{20});
    QCOMPARE(archive.steps_with_checkpoints(archive.reference), std::vector<std::int64_t>{20});
    archive.writer->limit_size(0);
    archive.writer->flush();  // where space has returned, nothing is lost
    QCOMPARE(archive.steps_with_checkpoints(archive.trial), (std::vector<std::int64_t>{20, 30}));
    QVERIFY(same_state(archive::Reader(archive.path).state(archive.trial, 30), awkward_state(302)));
  }
};

QTEST_APPLESS_MAIN(CheckpointTests)
#include "checkpoint_tests.moc"
