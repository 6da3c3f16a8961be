// SPDX-License-Identifier: Apache-2.0
// What may not change in a resume, what is damaged and what is missing is refused by name, and nothing has changed
// then.
#include "tests/core/session/resume_box.h"

using namespace mantissa;
using namespace mantissa::test;

class ResumeRefusalTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void what_no_checkpoint_can_hold_refuses_the_resume_by_name() {
    Box box;
    std::string text = kStateful;
    text.replace(text.find("stateful.pt"), 11, "carrying.pt");
    const std::int64_t id = box.run(text, 3).arms[1].row.id;
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ModelProblem);
    QVERIFY2(mentions(error, "carried, which carries a history of gradients") && mentions(error, "register_buffer"),
             error.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);
  }

  void a_state_of_before_attributes_were_kept_is_refused_where_the_model_has_some() {
    Box box;
    const std::int64_t id = box.run(kStateful, 3).arms[1].row.id;
    // As an earlier version would have written it, hash and all.
    record::CheckpointSet set{3, 0, {}};
    for (const std::int64_t arm : {1, 2, 3}) {
      record::ArmState state = box.reader().state(arm, 3);
      const auto is_attribute = [](const auto& name) { return name.rfind("attributes.", 0) == 0; };
      QVERIFY(state.values.count("attributes.text") > 0);
      state.values.erase("attributes.text");
      state.tensors.erase(std::remove_if(state.tensors.begin(), state.tensors.end(),
                                         [&](const record::TensorBytes& tensor) { return is_attribute(tensor.name); }),
                          state.tensors.end());
      set.arms.push_back({arm, std::move(state)});
    }
    archive::Writer writer(box.path);
    writer.write_checkpoint(std::move(set));
    writer.close();
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ModelProblem);
    QVERIFY2(mentions(error, "of an earlier version lacks what the model keeps"), error.what());
  }

  void going_on_is_told_only_once_the_archive_has_let_it() {
    Box box;
    const std::int64_t id = box.run(kCosine, 12).arms[1].row.id;
    session::ResumeOptions options;
    options.archive = box.path;
    options.trial = id;
    /// Another one goes on with the run first.
    struct Overtaken : Listener {
      explicit Overtaken(std::string path) : archive(std::move(path)) {}
      void on_phase(const std::string&) override {
        if (writer) return;
        writer = std::make_unique<mantissa::archive::Writer>(archive);
        writer->resume_trials({1, 2}, 12, "[]");
      }
      std::string archive;
      std::unique_ptr<mantissa::archive::Writer> writer;
    };
    Overtaken overtaken(box.path);
    const Error error = refusal([&] { session::resume(options, overtaken, {}); });
    QVERIFY2(mentions(error, "runs it, and only what has ended can go on"), error.what());
    const auto going_on = [](const std::vector<std::string>& notes) {
      return std::count_if(notes.begin(), notes.end(),
                           [](const std::string& note) { return note.rfind("Going on from ", 0) == 0; });
    };
    QCOMPARE(going_on(overtaken.notes), 0);
    record::TrialEnd end;
    end.status = record::Status::Stopped;
    for (const std::int64_t arm : {1, 2}) overtaken.writer->finish_trial(arm, end);
    overtaken.writer->close();
    Listener listener;
    session::resume(options, listener, {});
    QCOMPARE(going_on(listener.notes), 1);
  }

  void nothing_left_to_train_is_said() {
    Box box;
    const Outcome first = box.run(kCosine);
    const Error error = refusal([&] { box.resume(first.arms[1].row.id); });
    QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
    QVERIFY2(mentions(error, "nothing is left to train") && mentions(error, "training.steps"), error.what());
    QCOMPARE(box.reader().trial(first.arms[1].row.id).end.status, record::Status::Finished);
  }

  void a_stop_that_lies_behind_the_checkpoint_is_refused() {
    Box box;
    const std::int64_t id = box.run(kCosine, 12).arms[1].row.id;
    for (const std::int64_t stop : {5, 12}) {
      const Error error = refusal([&] { box.resume(id, {}, stop); });
      QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
      QVERIFY2(mentions(error, "--stop-after") && mentions(error, "12"), error.what());
      QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);
    }
    QCOMPARE(box.resume(id, {}, 13).arms[1].steps.size(), std::size_t{13});
  }

  void settings_that_may_not_change_are_refused_by_name_data() {
    QTest::addColumn<QByteArray>("change");
    QTest::addColumn<QByteArray>("key");
    QTest::newRow("data") << QByteArray("data.seed=4") << QByteArray("data.seed");
    QTest::newRow("rows") << QByteArray("data.rows=60") << QByteArray("data.rows");
    QTest::newRow("order") << QByteArray("data.order=\"file\"") << QByteArray("data.order");
    QTest::newRow("model") << QByteArray("model.hidden=[9]") << QByteArray("model.hidden");
    QTest::newRow("seed") << QByteArray("training.seed=2") << QByteArray("training.seed");
    QTest::newRow("batch") << QByteArray("training.batch=4") << QByteArray("training.batch");
    QTest::newRow("loss") << QByteArray("training.loss=\"l1\"") << QByteArray("training.loss");
    QTest::newRow("rate") << QByteArray("training.optimizer[0].lr=0.1") << QByteArray("training.optimizer[0].lr");
    QTest::newRow("rules") << QByteArray("rules.quality={ max_drop = 1 }") << QByteArray("rules.quality");
    QTest::newRow("cases") << QByteArray("cases.holdout=3") << QByteArray("cases.holdout");
    QTest::newRow("threads") << QByteArray("training.threads=2") << QByteArray("training.threads");
  }

  void settings_that_may_not_change_are_refused_by_name() {
    QFETCH(QByteArray, change);
    QFETCH(QByteArray, key);
    Box box;
    const std::int64_t id = box.run(kDropout, 3).arms[1].row.id;
    const Error error = refusal([&] { box.resume(id, {change.toStdString()}); });
    QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
    QVERIFY2(mentions(error, key.toStdString()) && mentions(error, "may not change in a resume"), error.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);
    QVERIFY(box.reader().history(id).resumptions.empty());
  }

  void a_damaged_checkpoint_is_refused_and_nothing_changes_data() {
    QTest::addColumn<QByteArray>("change");
    QTest::addColumn<QByteArray>("named");
    QTest::newRow("a flipped bit") << QByteArray(
                                          "UPDATE chunks SET bytes = CAST(X'01' || substr(bytes, 2) AS BLOB) WHERE id "
                                          "= (SELECT chunk FROM tensor_chunks "
                                          "JOIN tensors ON tensors.id = tensor WHERE trial = 2 AND moment = "
                                          "'checkpoint 9' AND name = 'model.0.weight')")
                                   << QByteArray("model.0.weight");
    QTest::newRow("cut")
        << QByteArray(
               "UPDATE chunks SET bytes = substr(bytes, 1, 8) WHERE id = (SELECT chunk FROM tensor_chunks "
               "JOIN tensors ON tensors.id = tensor WHERE trial = 2 AND moment = 'checkpoint 9' AND name = "
               "'model.0.weight')")
        << QByteArray("model.0.weight");
    QTest::newRow("a number") << QByteArray("UPDATE checkpoint_values SET value = '8' WHERE name = 'tally.applied'")
                              << QByteArray("numbers");
  }

  void a_damaged_checkpoint_is_refused_and_nothing_changes() {
    QFETCH(QByteArray, change);
    QFETCH(QByteArray, named);
    Box box;
    const std::int64_t id = box.run(kDropout, 9).arms[1].row.id;
    QCOMPARE(id, std::int64_t{2});
    box.sql(change.toStdString());
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
    QVERIFY2(mentions(error, named.toStdString()) && mentions(error, "checkpoint at step 9"), error.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);
  }

  void a_damaged_checkpoint_names_the_sound_ones_which_lead_on() {
    Box unbroken;
    const Outcome whole = unbroken.run(kDropout);
    std::string text = kDropout;
    text.replace(text.find("batch = 8"), 9, "batch = 8\ncheckpoint = { every = 10 }");
    Box box;
    const std::int64_t id = box.run(text, 27).arms[1].row.id;
    box.sql(
        "UPDATE checkpoint_values SET value = '8' WHERE name = 'tally.applied' AND checkpoint IN (SELECT id FROM "
        "checkpoints WHERE step = 27)");
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
    QVERIFY2(mentions(error, "checkpoint at step 27") && mentions(error, "at step 20, 10") &&
                 mentions(error, "resume 1 --at 20"),
             error.what());
    const Error elsewhere = refusal([&] { box.resume(id, {}, 0, 15); });
    QCOMPARE(elsewhere.kind(), ErrorKind::UnknownTrial);
    QVERIFY2(mentions(elsewhere, "--at 15") && mentions(elsewhere, "27, 20, 10"), elsewhere.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);

    const std::string found = differences(whole, box.resume(id, {}, 0, 20));
    QVERIFY2(found.empty(), found.c_str());
    QVERIFY(std::any_of(box.listener.notes.begin(), box.listener.notes.end(), [](const std::string& note) {
      return note.find("after step 20 is replaced") != std::string::npos;
    }));
  }

  void where_no_checkpoint_is_sound_that_is_said() {
    Box box;
    const std::int64_t id = box.run(kDropout, 9).arms[1].row.id;
    box.sql("UPDATE checkpoint_values SET value = '8' WHERE name = 'tally.applied'");
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
    QVERIFY2(mentions(error, "No other checkpoint of this run is sound"), error.what());
  }

  void settings_that_are_not_what_was_run_are_damage_data() {
    QTest::addColumn<QByteArray>("change");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* name, const char* change, const char* named) {
      QTest::newRow(name) << QByteArray(change) << QByteArray(named);
    };
    row("batch", "text = replace(text, 'batch = 8', 'batch = 9')", "training.batch = 9");
    row("seed", "text = replace(text, 'rows = 50', 'rows = 58')", "data.rows = 58");
    row("policy", "text = replace(text, '16777216', '16777218')", "trial[0].scaler.init_scale = 16777218");
    row("rules", "text = replace(text, 'preset = \"default\"', 'non_finite = \"reject\"')", "rules.");
    row("key", "text = replace(text, 'clip_norm', 'clip_nori')", "clip_nori");
    row("trial", "text = replace(text, '[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"', '')", "found trial = ");
    row("resolved", "resolved = replace(resolved, '\"batch\":8', '\"batch\":9')", "column resolved");
    row("cut", "resolved = substr(resolved, 1, 40)", "column resolved");
    row("lock", "lock = replace(lock, '\"mode\"', '\"node\"')", "column lock");
    row("hash of the lock", "lock_sha256 = 'a' || substr(lock_sha256, 2, 62) || 'z'", "column lock");
    row("rules as judged", "rules = replace(rules, '0.98', '0.08')", "column rules");
  }

  void settings_that_are_not_what_was_run_are_damage() {
    QFETCH(QByteArray, change);
    QFETCH(QByteArray, named);
    Box box;
    const std::int64_t id = box.run(kDropout, 3).arms[1].row.id;
    box.sql("UPDATE experiments SET " + change.toStdString());
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
    QVERIFY2(mentions(error, named.toStdString()) && mentions(error, "table experiments, row 1"), error.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);
  }

  void arms_that_are_not_what_the_run_began_are_damage_data() {
    // Rows of the run: 1 the reference, 2 fp16, 3 bf16, then what measures the reference: 4 repeat, 5 and 6 rounding.
    QTest::addColumn<QByteArray>("change");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* name, const char* change, const char* named) {
      QTest::newRow(name) << QByteArray(change) << QByteArray(named);
    };
    row("two references", "SET kind = 'reference' WHERE id = 2", "row 2, column kind: found 'reference'");
    row("a trial as a repeat", "SET kind = 'repeat' WHERE id = 2", "row 2, column name: found 'fp16'");
    row("a trial as a rounding repeat", "SET kind = 'rounding' WHERE id = 2", "row 2, column kind: found 'rounding'");
    row("a trial as a foreign run", "SET kind = 'foreign' WHERE id = 2", "row 2, column kind");
    row("no such kind", "SET kind = 'trail' WHERE id = 2", "row 2, column kind");
    row("no reference", "SET kind = 'trial' WHERE id = 1", "row 1, column kind: found 'trial'");
    row("a repeat as a trial", "SET kind = 'trial' WHERE id = 4", "row 4, column kind: found 'trial'");
    row("a repeat as the other kind", "SET kind = 'rounding' WHERE id = 4", "row 4, column kind: found 'rounding'");
    row("compared with another", "SET reference = 2 WHERE id = 3", "row 3, column reference: found trial 2");
    row("compared with none", "SET reference = NULL WHERE id = 3", "row 3, column reference: found none");
    row("a reference that is compared", "SET reference = 2 WHERE id = 1", "row 1, column reference: found trial 2");
    row("no such name", "SET name = 'fp17' WHERE id = 2", "row 2, column name: found 'fp17'");
    row("a name twice", "SET name = 'bf16' WHERE id = 2", "row 2, column autocast: found 'float16'");
    row("names in another order", "SET name = 'fp16' WHERE id = 3", "row 3, column name: found 'fp16'");
    row("the reference's name", "SET name = 'fp16' WHERE id = 1", "row 1, column name: found 'fp16'");
    row("autocast", "SET autocast = 'bfloat16' WHERE id = 2", "row 2, column autocast: found 'bfloat16'");
    row("cast policy", "SET cast_policy = 'jit' WHERE id = 2", "row 2, column cast_policy: found 'jit'");
    row("policy", "SET policy = replace(policy, '16777216', '65536') WHERE id = 2", "row 2, column policy");
    row("cut policy", "SET policy = substr(policy, 1, 9) WHERE id = 2", "row 2, column policy");
    row("two references that agree", "SET kind = 'reference', reference = NULL, name = 'reference' WHERE id = 2",
        "row 2, column kind: found 'reference'");
    row("arms moved to another run", "SET experiment = 2 WHERE id IN (5, 6)", "row 4, column id");
  }

  void arms_that_are_not_what_the_run_began_are_damage() {
    QFETCH(QByteArray, change);
    QFETCH(QByteArray, named);
    Box box;
    std::string text = kDropout;
    text.replace(text.find("[rules]"), 7, "[reference]\nrepeats = 1\nrounding_repeats = 1\nfloat64 = true\n[rules]");
    QCOMPARE(box.run(text, 3).summary.yardsticks.back().id, std::int64_t{6});
    box.run(kCosine, 3);
    box.sql("UPDATE trials " + change.toStdString());
    for (const std::int64_t id : {1, 2, 3, 4}) {
      const Error error = refusal([&] { box.resume(id); });
      QVERIFY2(error.kind() == ErrorKind::ArchiveDamaged, error.what());
      for (const QByteArray& part : named.split(':')) QVERIFY2(mentions(error, part.toStdString()), error.what());
      QVERIFY2(mentions(error, "table trials, row "), error.what());
    }
  }

  void what_says_nothing_about_the_run_may_stand_otherwise() {
    Box box;
    const std::int64_t id = box.run("# A comment of 1 line\n" + kDropout, 3).arms[1].row.id;
    box.sql("UPDATE experiments SET text = replace(text, '1 line', '2 line')");
    QCOMPARE(box.resume(id, {}, 4).arms[1].steps.size(), std::size_t{4});
  }

  void overrides_that_are_no_list_of_texts_are_damage() {
    for (const char* const list : {"[\"training.steps=12\"", "[12]", "{}", ""}) {
      Box box;
      const std::int64_t id = box.run(kDropout, 3).arms[1].row.id;
      box.resume(id, {"training.steps=12"}, 5);
      box.sql("UPDATE resumptions SET overrides = '" + std::string(list) + "'");
      const Error error = refusal([&] { box.resume(id); });
      QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
      QVERIFY2(mentions(error, "table resumptions") && mentions(error, "column overrides"), error.what());
    }
  }

  void a_checkpoint_of_another_model_is_refused() {
    // The checkpoints of a wider model in the place of those of this one.
    Box box;
    const std::int64_t id = box.run(kDropout, 9).arms[1].row.id;
    std::string wider = kDropout;
    wider.replace(wider.find("hidden = [8]"), 12, "hidden = [9]");
    box.run(wider, 9);
    for (const char* const sql :
         {"DELETE FROM checkpoints WHERE trial <= 3", "DELETE FROM tensors WHERE trial <= 3 AND moment <> 'initial'",
          "UPDATE checkpoints SET trial = trial - 3",
          "UPDATE tensors SET trial = trial - 3 WHERE trial > 3 AND moment = "
          "'checkpoint 9'"}) {
      box.sql(sql);
    }
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ModelProblem);
    QVERIFY2(mentions(error, "the checkpoint is of another model") && mentions(error, "0.weight"), error.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);
  }

  void data_that_has_changed_is_refused() {
    Box box;
    const auto write = [&box](const char* last) {
      QFile file(QString::fromStdString(box.file("line.csv")));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(QByteArray("x,y\n1,2\n2,4\n3,6\n4,") + last);
    };
    write("8\n");
    const std::string text = "mantissa = 1\n[data]\npath = \"" + box.file("line.csv") +
                             "\"\ntask = \"regression\"\ntest = { fraction = 0 }\n[model]\nkind = \"linear\"\n"
                             "[training]\nthreads = 1\nsteps = 30\nbatch = 2\n";
    const std::int64_t id = box.run(text, 9).arms[0].row.id;
    write("9\n");
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::DataProblem);
    QVERIFY2(mentions(error, "the data is not what the run was begun with"), error.what());
    // What people can look at: the file with the rows, and hashes that a line has room for.
    QCOMPARE(error.facts().file, box.file("line.csv"));
    QCOMPARE(error.facts().found.size(), std::string("hash ").size() + 12);
    QVERIFY(error.facts().found != error.facts().expected);
  }

  void a_model_file_that_fits_no_longer_is_told_as_changed() {
    // norm.pt takes six features, greedy.pt one: what does not fit would be a riddle.
    const std::string folder = MANTISSA_SOURCE_DIR "/tests/core/session/";
    Box box;
    box.put("model.pt", folder + "norm.pt");
    const std::string text = kHead + "[model]\nkind = \"torchscript\"\npath = \"" + box.file("model.pt") +
                             "\"\n[training]\nthreads = 1\nsteps = 9\nbatch = 8\nloss = \"mse\"\n";
    const std::int64_t id = box.run(text, 3).arms[0].row.id;
    box.put("model.pt", folder + "greedy.pt");
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ModelProblem);
    QVERIFY2(mentions(error, "the model file has changed since the run was begun"), error.what());
    QCOMPARE(error.facts().file, box.file("model.pt"));
  }

  void a_model_file_with_other_code_and_equal_weights_is_refused() {
    // Both files of make_greedy.py hold weight 0.5 and bias 0; what they compute in BF16 differs.
    const std::string folder = MANTISSA_SOURCE_DIR "/tests/core/session/";
    Box box;
    box.put("model.pt", folder + "greedy.pt");
    const std::string text =
        "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 32\nfeatures = 1\n[model]\nkind = \"torchscript\"\npath "
        "= \"" +
        box.file("model.pt") + "\"\n[training]\nthreads = 1\nsteps = 9\nbatch = 8\n";
    const std::int64_t id = box.run(text, 3).arms[0].row.id;
    box.put("model.pt", folder + "hungry.pt");
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ModelProblem);
    QVERIFY2(mentions(error, "the model file has changed since the run was begun"), error.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);

    box.put("model.pt", folder + "greedy.pt");
    QCOMPARE(box.resume(id, {}, 4).arms[0].steps.size(), std::size_t{4});
    // As an earlier version left it: the lock says nothing about the file.
    std::string lock = box.reader().experiment(1).lock;
    const std::size_t begin = lock.find("\"model_file\":{");
    QVERIFY(begin != std::string::npos);
    lock.erase(begin, lock.find("},", begin) + 2 - begin);
    box.sql("UPDATE experiments SET lock = '" + lock + "', lock_sha256 = '" + sha256(lock) + "'");
    box.put("model.pt", folder + "hungry.pt");
    QCOMPARE(box.resume(id, {}, 5).arms[0].steps.size(), std::size_t{5});
    QVERIFY(std::any_of(box.listener.notes.begin(), box.listener.notes.end(), [](const std::string& note) {
      return note.find("did not note which model file") != std::string::npos;
    }));
  }

  void a_run_without_a_checkpoint_is_refused() {
    Box box;
    const std::int64_t id = box.run(kDropout, 9).arms[1].row.id;
    box.sql("DELETE FROM checkpoints");
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::UnknownTrial);
    QVERIFY2(mentions(error, "no checkpoint") && mentions(error, "training.checkpoint"), error.what());
  }
};

QTEST_APPLESS_MAIN(ResumeRefusalTests)
#include "resume_refusal_tests.moc"
