// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTest>

#include "cli_sandbox.h"

/// Everything that can be given wrong: the exit code, and a message with the place, what was found and what is
/// expected.
class CliBadInputTests : public QObject {
  Q_OBJECT

  static QByteArray small_experiment() {
    return "mantissa = 1\nname = \"small\"\n[data]\nsource = \"gaussian\"\nrows = 64\nfeatures = 4\n[model]\nkind = "
           "\"linear\"\n[training]\nthreads = 1\nsteps = 4\nbatch = 8\n[[trial]]\nname = \"bf16\"\nautocast = "
           "\"bfloat16\"\n";
  }

  /// Runs it and compares exit code and message; every text of `parts` must occur.
  static void refused(const CliSandbox& box, const QStringList& arguments, int exit, const QList<QByteArray>& parts) {
    const Outcome outcome = box.run(arguments);
    QVERIFY2(outcome.exit == exit, QByteArray::number(outcome.exit) + ": " + outcome.err);
    QVERIFY2(outcome.err.contains("mantissa-cli: "), outcome.err);
    for (const QByteArray& part : parts) QVERIFY2(outcome.err.contains(part), "'" + part + "' not in: " + outcome.err);
    QVERIFY2(outcome.out.isEmpty(), outcome.out);
  }

  static void refused_file(const CliSandbox& box, const QByteArray& text, const QList<QByteArray>& parts) {
    box.write("bad.toml", text);
    refused(box, {"run", "bad.toml"}, 3, parts);
    QVERIFY(!QFile::exists(box.archive()));  // nothing half begun
  }

  static QByteArray csv_experiment(const QByteArray& file, const QByteArray& data, const QByteArray& rest) {
    return "mantissa = 1\n[data]\npath = \"" + file + "\"\ntest = { fraction = 0 }\n" + data + "\n" + rest;
  }

  static void execute(const QString& archive, const char* sql) {
    sqlite3* connection = nullptr;
    QCOMPARE(sqlite3_open(archive.toUtf8().constData(), &connection), SQLITE_OK);
    char* message = nullptr;
    QVERIFY2(sqlite3_exec(connection, sql, nullptr, nullptr, &message) == SQLITE_OK, message);
    sqlite3_close(connection);
  }

 private Q_SLOTS:
  void a_command_line_that_does_not_parse_is_3() {
    CliSandbox box;
    QCOMPARE(box.run_plain({}).exit, 3);
    QCOMPARE(box.run_plain({"rum", "x.toml"}).exit, 3);
    QCOMPARE(box.run_plain({"run"}).exit, 3);
    const Outcome outcome = box.run_plain({"list", "--jason"});
    QCOMPARE(outcome.exit, 3);
    QVERIFY(outcome.err.contains("--jason"));
    QVERIFY(outcome.err.contains("mantissa-cli help list"));
  }

  void commands_of_later_versions_are_refused_by_name() {
    CliSandbox box;
    for (const QStringList& line : {QStringList{"compare", "last", "other"}, QStringList{"archive", "check"},
                                    QStringList{"compare", "a", "b", "-h"}}) {
      const Outcome outcome = box.run_plain(line);
      QCOMPARE(outcome.exit, 3);
      QVERIFY2(outcome.err.contains("not yet available"), outcome.err);
      QVERIFY(outcome.err.contains(line.front().toUtf8()));
    }
  }

  void options_of_later_versions_are_refused_by_name() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    refused(box, {"run", "small.toml", "--memory", "yes"}, 3, {"--memory", "'yes'", "on or off"});
    refused(box, {"run", "small.toml", "--gains", "yes"}, 3, {"--gains", "'yes'", "off, short or long"});
    QCOMPARE(box.run({"run", "small.toml"}).exit, 2);
    refused(box, {"run", "small.toml", "--cases-from", "nobody"}, 3, {"nobody"});
    refused(box, {"export", "weights", "last", "--at", "2"}, 3, {"no such checkpoint", "one of the steps 4"});
  }

  void files_that_cannot_be_read_are_named() {
    CliSandbox box;
    QDir(box.path(".")).mkdir("folder");
    box.write("empty", "");
    for (const char* const command : {"run", "check", "inspect", "scaler"}) {
      refused(box, {command, "no-such-file"}, 3, {"no-such-file"});
      refused(box, {command, "folder"}, 3, {"folder"});
    }
    refused(box, {"inspect", "empty"}, 3, {"empty"});
    refused(box, {"scaler", "empty"}, 3, {"the file is empty"});
  }

  void an_unknown_key_is_named_with_its_line_and_the_nearest_one() {
    CliSandbox box;
    refused_file(box, small_experiment().replace("batch = 8", "bach = 8"), {"bad.toml, line 12", "bach", "batch"});
  }

  void a_value_of_the_wrong_type_is_named_with_its_line() {
    CliSandbox box;
    refused_file(box, small_experiment().replace("batch = 8", "batch = \"many\""), {"bad.toml, line 12", "many"});
    refused_file(box, small_experiment().replace("steps = 4", "steps = -1"), {"bad.toml, line 11", "-1"});
    refused_file(box, "mantissa = 1\n[data\n", {"bad.toml, line 2"});
  }

  void a_key_of_a_later_version_is_refused() {
    CliSandbox box;
    refused_file(box, small_experiment() + "[cost]\n", {"line 16", "not yet available"});
  }

  void an_override_that_does_not_fit_is_named() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    refused(box, {"run", "small.toml", "--set", "training.bach=1"}, 3, {"training.bach"});
    refused(box, {"run", "small.toml", "--set", "trial[fp8].autocast=\"off\""}, 3, {"fp8"});
  }

  void trials_that_are_not_in_the_file_are_named() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    refused(box, {"run", "small.toml", "--trial", "fp61"}, 3, {"--trial", "'fp61'", "expected bf16"});
    refused(box, {"run", "small.toml", "--require", "fp61"}, 3, {"--require", "'fp61'"});
    refused(box, {"run", "small.toml", "--probes", "all"}, 3, {"--probes", "'all'", "off or standard"});
  }

  void a_batch_larger_than_the_data_is_refused() {
    CliSandbox box;
    refused_file(box, small_experiment().replace("batch = 8", "batch = 800"), {"800", "training.batch"});
  }

  void optimizers_that_share_a_parameter_or_match_none_are_refused_with_their_names() {
    CliSandbox box;
    const QByteArray one = small_experiment() + "\n[[training.optimizer]]\nkind = \"sgd\"\nparameters = [\"weight\"]\n";
    refused_file(box, one + "[[training.optimizer]]\nparameters = [\"w*\"]\n",
                 {"training.optimizer[1]", "weight", "which training.optimizer[0] has already"});
    refused_file(box, one + "[[training.optimizer]]\nparameters = [\"head.*\"]\n",
                 {"matches no parameter of the model", "training.optimizer[1].parameters", "'head.*'", "bias, weight"});
  }

  void a_schedule_without_a_horizon_is_refused() {
    CliSandbox box;
    refused_file(box, small_experiment() + "\n[training.schedule]\nkind = \"cosine\"\ntotal = 0\n",
                 {"training.schedule.total", "found 0"});
    refused_file(box, small_experiment() + "\n[training.schedule]\nkind = \"linear\"\nwarmup = 100000\n",
                 {"training.schedule.warmup", "100000", "steps", "Set total"});
  }

  void a_class_that_the_model_cannot_output_is_refused() {
    CliSandbox box;
    box.take_case("26/linear_bn.pt");
    box.write("rows.csv", "x1,x2,y\n1,2,0\n3,4,7\n");
    refused_file(box,
                 csv_experiment("rows.csv", "task = \"classification\"",
                                "[model]\nkind = \"torchscript\"\npath = \"linear_bn.pt\"\n[training]\nsteps = 1\n"),
                 {"class", "8", "2"});
  }

  void targets_of_another_shape_are_refused_not_broadcast() {
    CliSandbox box;
    box.take_case("26/linear_bn.pt");
    box.write("rows.csv", "x1,x2,y\n1,2,0.5\n3,4,0.25\n");
    refused_file(box,
                 csv_experiment("rows.csv", "task = \"regression\"",
                                "[model]\nkind = \"torchscript\"\npath = \"linear_bn.pt\"\n[training]\nsteps = 1\n"),
                 {"target", "output"});
  }

  void nan_in_the_data_is_named_with_its_row_and_column() {
    CliSandbox box;
    box.write("rows.csv", "x,y\n1,2\nnan,3\n");
    refused_file(box,
                 csv_experiment("rows.csv", "", "[model]\nkind = \"linear\"\n[training]\nsteps = 1\nloss = \"mse\"\n"),
                 {"rows.csv, line 3", "column x", "already in the data"});
  }

  void a_cell_that_is_no_number_is_named() {
    CliSandbox box;
    box.write("rows.csv", "x,y\n1,2\n3,n/a\n");
    refused_file(
        box, csv_experiment("rows.csv", "task = \"regression\"", "[model]\nkind = \"linear\"\n[training]\nsteps = 1\n"),
        {"rows.csv, line 3", "column y", "n/a", "expected"});
  }

  void a_diverging_reference_is_reported_and_leaves_the_trials_undecided() {
    CliSandbox box;
    box.write(
        "small.toml",
        small_experiment().replace("steps = 4", "steps = 40") +
            "[[training.optimizer]]\nkind = \"sgd\"\nlr = 1e30\n[rules]\nprogress = { min_applied_fraction = 0 }\n");
    const Outcome outcome = box.run({"run", "small.toml", "--json"});
    QVERIFY2(outcome.exit == 2, outcome.err);
    const nlohmann::json document = outcome.json();
    QCOMPARE(document["reference"]["status"].get<std::string>(), std::string("failed"));
    QCOMPARE(document["reference"]["failure"].get<std::string>(), std::string("non-finite"));
    QCOMPARE(document["trials"][0]["verdict"].get<std::string>(), std::string("undecided"));
    QVERIFY(document["trials"][0]["reasons"].dump().find("reference") != std::string::npos);
  }

  void an_unknown_command_is_named_with_the_nearest_one() {
    CliSandbox box;
    refused(box, {"shwo", "last"}, 3, {"unknown command", "'shwo'", "Did you mean show?\n"});
    refused(box, {"frobnicate"}, 3, {"'frobnicate'", "mantissa-cli help lists the commands."});
    refused(box, {"--frob", "shwo"}, 3, {"unknown option", "'--frob'"});
    refused(box, {"help", "exprot"}, 3, {"'exprot'", "Did you mean export?"});
    const nlohmann::json error = box.run({"shwo", "last", "--json"}).json()["error"];
    QVERIFY2(error["found"] == "'shwo'" && error["remedy"] == "Did you mean show?", error.dump().c_str());
  }

  void a_trial_that_is_not_there_is_answered_with_near_names() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml"});
    refused(box, {"show", "bf61"}, 3, {"'bf61'", "bf16"});
    refused(box, {"show", "small"}, 3, {"name of an experiment", "small/reference, small/bf16"});
    refused(box, {"export", "steps", "999"}, 3, {"999"});
  }

  void an_export_that_makes_no_sense_is_refused() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml"});
    refused(box, {"export", "stept", "last"}, 3, {"'stept'"});
    refused(box, {"export", "weights", "last", "--format", "csv"}, 3, {"--format", "'csv'", "safetensors"});
    refused(box, {"export", "steps", "last", "--at", "initial"}, 3, {"--at"});
    refused(box, {"export", "steps", "last", "-o", "no/such/folder/x.csv"}, 3, {"no/such/folder"});
  }

  void an_export_whose_ending_does_not_fit_is_refused_and_writes_nothing() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml"});
    const QList<QStringList> wrong = {{"checkpoint", "c.pt"},     {"weights", "w.csv"},   {"weights", "w.toml"},
                                      {"steps", "s.safetensors"}, {"steps", "s.parquet"}, {"cases", "c.txt"},
                                      {"experiment", "e.csv"}};
    for (const QStringList& what_and_file : wrong) {
      refused(box, {"export", what_and_file[0], "last", "-o", what_and_file[1]}, 3, {what_and_file[1].toUtf8(), "-o"});
      QVERIFY2(!QFile::exists(box.path(what_and_file[1])), qPrintable(what_and_file[1]));
    }
    refused(box, {"export", "weights", "last", "-o", "w.csv"}, 3, {".safetensors or .pt"});
    QCOMPARE(box.run({"export", "steps", "last", "-o", "steps.parquet", "--format", "csv"}).exit, 0);
    for (const char* const usual : {"steps", "STEPS.CSV"}) {
      QCOMPARE(box.run({"export", "steps", "last", "-o", usual}).exit, 0);
      QFile file(box.path(usual));
      QVERIFY(file.open(QIODevice::ReadOnly));
      QVERIFY(file.readAll().startsWith("step,"));
    }
  }

  void an_export_never_replaces_an_archive_or_its_experiment() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml"});
    QVERIFY(QFile::copy(box.archive(), box.path("other.db")));
    QVERIFY(QFile::link("archive.db", box.path("link.csv")));
    QCOMPARE(::link(qPrintable(box.archive()), qPrintable(box.path("hard.csv"))), 0);
    QVERIFY(QFile::link("small.toml", box.path("small.csv")));
    const auto content = [&box](const char* name) {
      QFile file(box.path(name));
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray archive = content("archive.db");
    for (const char* const target : {"archive.db", "./archive.db", "link.csv", "hard.csv", "archive.db-wal",
                                     "archive.db-shm", "other.db", "small.toml", "small.csv"}) {
      refused(box, {"export", "steps", "bf16", "-o", target}, 3, {"-o", target});
    }
    QCOMPARE(content("archive.db"), archive);
    QCOMPARE(content("other.db"), archive);
    QCOMPARE(content("small.toml"), small_experiment());
    for (int i = 0; i < 2; ++i) QCOMPARE(box.run({"export", "steps", "bf16", "-o", "steps.csv"}).exit, 0);
  }

  void an_export_into_a_full_device_fails_and_leaves_the_device() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml"});
    QVERIFY(QFile::link("/dev/full", box.path("full.csv")));  // a mistake would replace the link, not the device
    refused(box, {"export", "steps", "last", "-o", "full.csv"}, 4, {"full.csv", "no space left"});
    QCOMPARE(QFileInfo(box.path("full.csv")).symLinkTarget(), QStringLiteral("/dev/full"));
    const Outcome printed = box.run({"export", "steps", "last", "-o", "/dev/stdout"});
    QCOMPARE(printed.exit, 0);
    QCOMPARE(printed.out, box.run({"export", "steps", "last"}).out);
  }

  void an_archive_that_is_none_is_refused_and_left_alone() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    refused(box, {"show", "last"}, 3, {"archive.db", "no archive"});
    box.write("archive.db",
              "just some text, longer than a header of a hundred bytes: "
              "................................................................................");
    for (const QStringList& line : {QStringList{"list"}, QStringList{"run", "small.toml"}})
      refused(box, line, 3, {"archive.db"});
    QFile file(box.archive());
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().startsWith("just some text"));
  }

  void an_archive_of_another_program_is_refused_and_left_alone() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    execute(box.archive(), "CREATE TABLE songs(title TEXT); PRAGMA application_id = 77;");
    for (const QStringList& line : {QStringList{"list"}, QStringList{"run", "small.toml"}})
      refused(box, line, 3, {"archive.db"});
  }

  void a_newer_archive_is_refused_by_name() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml"});
    execute(box.archive(), "PRAGMA user_version = 1000000");
    refused(box, {"run", "small.toml"}, 3, {"archive.db", "newer"});
  }

  void a_folder_or_an_unwritable_place_as_archive_is_refused() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    const Outcome folder = box.run_plain({"run", "small.toml", "--archive", box.path(".")});
    QCOMPARE(folder.exit, 3);
    QVERIFY(!folder.err.isEmpty());
    const Outcome nowhere = box.run_plain({"run", "small.toml", "--archive", "/proc/no/archive.db"});
    QCOMPARE(nowhere.exit, 3);
    QVERIFY(nowhere.err.contains("/proc/no"));
    const Outcome mistyped = box.run_plain({"run", "small.toml", "--archive", "mistyped/archive.db"});
    QCOMPARE(mistyped.exit, 3);
    QVERIFY2(mistyped.err.contains("mistyped: the folder of the archive does not exist"), mistyped.err);
    QVERIFY(!QFile::exists(box.path("mistyped")));
  }

  void an_empty_name_is_no_archive() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    for (const QStringList& archive : {QStringList{"--archive", ""}, QStringList{"--archive="}}) {
      for (const QStringList& command : {QStringList{"run", "small.toml"}, QStringList{"list"}}) {
        const Outcome outcome = box.run_plain(command + archive);
        QCOMPARE(outcome.exit, 3);
        QVERIFY2(outcome.err.contains("--archive"), outcome.err);
      }
    }
    QVERIFY(!QFile::exists(box.path(".local/share")));
  }

  void a_read_only_archive_can_be_read_but_not_run_into() {
    if (geteuid() == 0) QSKIP("the superuser may write read-only files");
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml"});
    QFile::setPermissions(box.archive(), QFileDevice::ReadOwner);
    refused(box, {"run", "small.toml"}, 3, {"archive.db", "read-only"});
    QCOMPARE(box.run({"list"}).exit, 0);
  }

  void a_locked_archive_is_a_failure_of_the_machine() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml"});
    sqlite3* connection = nullptr;
    QCOMPARE(sqlite3_open(box.archive().toUtf8().constData(), &connection), SQLITE_OK);
    QCOMPARE(sqlite3_exec(connection, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    refused(box, {"run", "small.toml"}, 4, {"archive.db", "locked"});
    sqlite3_close(connection);
    QCOMPARE(box.run({"list", "--json"}).json()["trials"].size(), std::size_t(2));  // what was there is still there
  }

  void a_damaged_archive_is_refused() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml"});
    QFile file(box.archive());
    QVERIFY(file.open(QIODevice::ReadWrite));
    file.seek(100);  // behind the header: the root page of the schema
    file.write(QByteArray(4000, '\x5a'));
    file.close();
    refused(box, {"list"}, 3, {"archive.db"});
    refused(box, {"run", "small.toml"}, 3, {"archive.db"});
  }

  void a_full_disk_under_an_export_is_a_failure_of_the_machine() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml"});
    QProcess process;
    process.setStandardOutputFile("/dev/full");
    box.start(process, {"export", "steps", "last", "--archive", box.archive()});
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 4);
    QVERIFY(process.readAllStandardError().contains("No space left"));
  }

  void a_device_that_is_not_there_is_a_failure_of_the_machine_and_leaves_no_archive() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    for (const char* const command : {"run", "check"}) {
      refused(box, {command, "small.toml", "--set", "training.device=\"cuda:127\""}, 4,
              {"training.device = \"cuda:127\"", "mantissa-cli doctor", "\"cpu\""});
    }
    QVERIFY(!QFileInfo::exists(box.archive()));
  }

  void scaler_settings_outside_their_range_are_refused() {
    CliSandbox box;
    box.write("p.csv", "found_inf\n0\n");
    refused(box, {"scaler", "p.csv", "--init-scale", "lots"}, 3, {"--init-scale", "'lots'", "a number"});
    refused(box, {"scaler", "p.csv", "--growth-interval", "1.5"}, 3, {"--growth-interval", "'1.5'", "an integer"});
    refused(box, {"scaler", "p.csv", "--growth-factor", "0.5"}, 3, {"0.5"});
    for (const char* const scale : {"0", "nan", "-1", "inf"}) {
      refused(box, {"scaler", "p.csv", QString("--init-scale=") + scale}, 3,
              {"--init-scale", scale, "a finite number above 0"});
    }
    refused(box, {"scaler", "p.csv", "--growth-factor", "1e300"}, 3, {"--growth-factor", "at most 3.4028235e38"});
    refused(box, {"scaler", "p.csv", "--backoff-factor", "1e-300"}, 3, {"--backoff-factor", "at least 1.4e-45"});
    refused(box, {"scaler", "p.csv", "--growth-interval", "0"}, 3, {"--growth-interval", "'0'", "at least 1"});
    refused(box, {"scaler", "p.csv", "--preset", "mine"}, 3, {"--preset", "'mine'"});
    refused(box, {"scaler", "p.csv", "--hysteresis", "0"}, 3, {"--hysteresis", "'0'", "at least 1"});
    refused(box, {"scaler", "p.csv", "--hysteresis-refill", "always"}, 3, {"--hysteresis-refill", "clean-step"});
    refused(box, {"scaler", "p.csv", "--growth-delay=-1"}, 3, {"--growth-delay", "at least 0"});
    refused(box, {"scaler", "p.csv", "--floor", "nan"}, 3, {"--floor", "0 for none"});
    refused(box, {"scaler", "p.csv", "--ceiling", "4"}, 3, {"init_scale 65536 is above ceiling 4", "--ceiling"});
    refused(box, {"scaler", "p.csv", "--floor", "8", "--ceiling", "4"}, 3, {"floor 8 is above ceiling 4"});
    refused(box, {"scaler", "p.csv", "--at-floor", "stop"}, 3, {"--at-floor", "--floor above 0"});
    refused(box, {"scaler", "p.csv", "--floor", "1", "--at-floor", "switch:bf16"}, 3, {"no other trial"});
    box.write("q.csv", "found_inf\n0\n2\n");
    refused(box, {"scaler", "q.csv"}, 3, {"q.csv, line 3", "column found_inf", "'2'"});
  }

  void with_json_an_error_is_a_document_too() {
    CliSandbox box;
    box.write("bad.toml", small_experiment().replace("batch = 8", "bach = 8"));
    const Outcome outcome = box.run({"run", "bad.toml", "--json"});
    QCOMPARE(outcome.exit, 3);
    const nlohmann::json error = outcome.json()["error"];
    QCOMPARE(error["kind"].get<std::string>(), std::string("invalid-setting"));
    QCOMPARE(error["file"].get<std::string>(), std::string("bad.toml"));
    QCOMPARE(error["line"].get<int>(), 12);
    QCOMPARE(box.run({"rum", "--json"}).json()["exit"].get<int>(), 3);
  }
};

QTEST_APPLESS_MAIN(CliBadInputTests)
#include "cli_bad_input_tests.moc"
