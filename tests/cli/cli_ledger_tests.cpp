// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "cli_sandbox.h"
#include "schema_check.h"

/// `mantissa-cli ledger` as its users meet it; the arithmetic itself is tested in tests/core/memory.
class CliLedgerTests : public QObject {
  Q_OBJECT

  CliSandbox box_;

  /// A ledger from `name=value` pairs on top of a sound one.
  Outcome ledger(const QStringList& changes = {}, const QStringList& more = {}) const {
    QMap<QString, QString> options = {{"fixed", "3.2 GB"}, {"per-sample", "0.34 GB"}, {"device", "24 GB"},
                                      {"reserve", "0.10"}, {"microbatch", "16"},      {"blocks", "5"}};
    for (const QString& change : changes) {
      const qsizetype equals = change.indexOf('=');
      options[change.left(equals)] = change.mid(equals + 1);
    }
    QStringList arguments = {"ledger"};
    for (auto option = options.cbegin(); option != options.cend(); ++option) {
      // A value that begins with a dash must stand behind an equals sign, an empty one must not.
      if (option.value().startsWith('-')) {
        arguments << "--" + option.key() + "=" + option.value();
      } else {
        arguments << "--" + option.key() << option.value();
      }
    }
    return box_.run(arguments + more);
  }

  /// 4 features, 8 hidden units, one output; an effective batch of 8.
  QString small_experiment(const QByteArray& more = {}) const {
    return box_.write("small.toml",
                      "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 64\nfeatures = 4\n[model]\nkind = \"mlp\"\n"
                      "hidden = [8]\n[training]\nthreads = 1\nsteps = 10\nbatch = 8\n[[training.optimizer]]\n"
                      "kind = \"adamw\"\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n" +
                          more);
  }

  void refused(const QStringList& changes, const QByteArrayList& parts) const {
    const Outcome outcome = ledger(changes);
    QVERIFY2(outcome.exit == 3, outcome.out + outcome.err);
    for (const QByteArray& part : parts) QVERIFY2(outcome.err.contains(part), part + " is not in " + outcome.err);
    QVERIFY(outcome.out.isEmpty());
  }

 private Q_SLOTS:
  void an_option_that_stands_twice_is_refused_by_its_name() {
    const Outcome outcome = ledger({}, {"--fixed", "4 GB"});
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains("--fixed: given several times: found 2 values, expected one"), outcome.err);
  }

  // 16 * 0.34 = 5.44, a fifth 1.088; 3.2 + 5.44 = 8.64; 24 - 2.4 = 21.6; (21.6 - 3.2) / 0.34 = 54.1
  void the_hand_checked_example_fits() {
    const Outcome outcome = box_.run({"ledger", "--fixed", "3.2 GB", "--per-sample", "0.34 GB", "--device", "24 GB",
                                      "--reserve", "0.10", "--microbatch", "16", "--blocks", "5"});
    QVERIFY2(outcome.exit == 0, outcome.err);
    qsizetype at = 0;
    for (const char* const size : {"total", "8.64 GB", "usable", "21.6 GB", "1.09 GB", "2.18 GB", "3.26 GB", "4.35 GB",
                                   "5.44 GB", "largest microbatch", "54"}) {
      at = outcome.out.indexOf(size, at);
      QVERIFY2(at >= 0, size + QByteArray(" is not where it should be in\n") + outcome.out);
    }
    QVERIFY2(outcome.out.endsWith("Fits: 3.2 GB fixed and 5.44 GB of activations (16 samples) need 8.64 GB of 21.6 GB "
                                  "usable, 13 GB stay free. The largest microbatch that fits is 54.\n"),
             outcome.out);
  }

  // 55 * 0.34 = 18.7; 3.2 + 18.7 - 21.6 = 0.3
  void what_does_not_fit_ends_with_1_and_says_by_how_much() {
    const Outcome outcome = ledger({"microbatch=55"});
    QCOMPARE(outcome.exit, 1);
    QVERIFY2(outcome.out.contains("exceeds by 300 MB"), outcome.out);
    QVERIFY2(outcome.out.contains("over by 300 MB. The largest microbatch that fits is 54."), outcome.out);
    QVERIFY(outcome.err.isEmpty());
  }

  void a_fixed_state_beyond_the_device_is_an_answer() {
    const Outcome outcome = ledger({"fixed=27 GB"});  // 27 - 21.6
    QCOMPARE(outcome.exit, 1);
    QVERIFY2(outcome.out.contains("Does not fit at any microbatch, over by 5.4 GB: the fixed state alone"),
             outcome.out);
  }

  void one_sample_that_is_too_large_is_an_answer() {
    const Outcome outcome = ledger({"per-sample=20 GB"});  // 21.6 - 3.2 = 18.4 are left
    QCOMPARE(outcome.exit, 1);
    QVERIFY2(outcome.out.contains("Does not fit at any microbatch, over by 1.6 GB: the fixed state leaves 18.4 GB"),
             outcome.out);
  }

  void csv_holds_every_number_exactly() {
    const Outcome outcome = ledger({}, {"--format", "csv"});
    QCOMPARE(outcome.exit, 0);
    const QList<QByteArray> lines = outcome.out.split('\n');
    QCOMPARE(lines[0], QByteArray("kind,name,value,unit,with_fixed_bytes,state,exceeds_bytes"));
    for (const char* const line :
         {"category,fixed,3200000000,B,,,", "category,activations,5440000000,B,,,",
          "block,3,3264000000,B,6464000000,resident,0", "figure,headroom,12960000000,B,,,",
          "largest,microbatch,54,samples,,,", "smallest,capacity,9600000000,B,,,"}) {  // 8.64 / 0.9 = 9.6
      QVERIFY2(lines.contains(line), line + QByteArray(" is not in\n") + outcome.out);
    }
  }

  void both_ways_to_ask_for_json_print_the_same() {
    const Outcome outcome = ledger({}, {"--json"});
    QCOMPARE(ledger({}, {"--format", "json"}).out, outcome.out);
    const nlohmann::json document = outcome.json();
    QCOMPARE(document["total_bytes"].get<qint64>(), 8'640'000'000);
    QCOMPARE(document["input"]["reserve"].get<double>(), 0.1);
    QCOMPARE(document["limits"]["largest_microbatch"].get<qint64>(), 54);
    QCOMPARE(ledger({}, {"--json", "--format", "csv"}).exit, 3);
  }

  // 25,557,032 parameters (ResNet-50): 4 * 25,557,032 = 102,228,128; moments 2 * 4 * 25,557,032 = 204,456,256
  void the_fixed_state_may_be_given_by_its_parts() {
    const Outcome outcome =
        box_.run({"ledger", "--parameters", "25557032:float32", "--gradients", "25557032:float32", "--moments",
                  "51114064:float32", "--buffers", "212 kB", "--per-sample", "90 MB", "--device", "24 GiB", "--json"});
    QVERIFY2(outcome.exit == 0, outcome.err);
    const nlohmann::json document = outcome.json();
    QCOMPARE(document["fixed_bytes"].get<qint64>(), 102'228'128 + 102'228'128 + 204'456'256 + 212'000);
    QCOMPARE(document["input"]["capacity_bytes"].get<qint64>(), 25'769'803'776);  // 24 * 2^30
    QCOMPARE(document["input"]["fixed"][2]["name"].get<std::string>(), std::string("moments"));
  }

  void bad_values_are_refused_at_their_option_with_what_was_found_and_expected() {
    refused({"fixed=-3 GB"}, {"--fixed", "'-3 GB'", "at least 0 B"});
    refused({"fixed="}, {"--fixed", "''", "a size with its unit"});
    refused({"fixed=nan GB"}, {"--fixed", "'nan GB'", "a size with its unit"});
    refused({"device=24"}, {"--device", "'24'", "GiB"});
    refused({"device=24 Gb"}, {"--device", "'24 Gb'", "GiB"});
    refused({"device=24,5 GB"}, {"--device", "'24,5 GB'", "decimal point"});
    refused({"device=9223373 TB"}, {"--device", "9223372036854775807 B (64 bits)"});
    refused({"per-sample=0 B"}, {"--per-sample", "found 0", "at least 1"});
    refused({"reserve=1"}, {"--reserve", "'1'", "from 0 to below 1"});
    refused({"reserve=100 %"}, {"--reserve", "'100 %'", "below 100 %"});
    refused({"reserve=-0.1"}, {"--reserve", "'-0.1'", "from 0"});
    refused({"microbatch=0"}, {"--microbatch", "'0'", "from 1"});
    refused({"microbatch=1.5"}, {"--microbatch", "'1.5'", "a whole number"});
    refused({"microbatch=99999999999999"}, {"--microbatch", "64 bits"});
    refused({"blocks=100001"}, {"--blocks", "found 100001", "at most 100000"});
    refused({"parameters=10:float32"}, {"--parameters", "not both"});
    refused({"format=xml"}, {"--format"});
  }

  // 3.2 + 1 + 5.44 = 9.64 GB of 21.6 usable; (21.6 - 4.2) / 0.34 = 51.2.
  void typed_sums_take_what_lies_outside_or_say_that_it_is_missing() {
    const Outcome without = ledger();
    QVERIFY2(without.out.contains("not known and not counted"), without.out);
    const Outcome with = ledger({}, {"--outside", "1 GB"});
    QVERIFY2(with.out.contains("9.64 GB"), with.out);
    QVERIFY2(with.out.contains("The largest microbatch that fits is 51."), with.out);
    QVERIFY2(!with.out.contains("not counted"), with.out);
    QVERIFY(ledger({}, {"--outside=-1 GB"}).err.contains("--outside"));
  }

  void another_word_for_the_device_is_answered_with_the_right_one() {
    const Outcome outcome = box_.run({"ledger", "--capacity", "24 GB"});
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains("--device"), outcome.err);
  }

  void what_is_missing_is_named() {
    Outcome outcome = box_.run({"ledger", "--fixed", "1 GB", "--per-sample", "1 MB"});
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains("--device: missing"), outcome.err);
    outcome = box_.run({"ledger", "--per-sample", "1 MB", "--device", "1 GB"});
    QVERIFY2(outcome.err.contains("--fixed: missing") && outcome.err.contains("--parameters"), outcome.err);
  }

  void options_of_the_other_kind_of_ledger_are_refused() {
    QVERIFY(ledger({}, {"--no-times"}).err.contains("--no-times"));
    QVERIFY(ledger({}, {"--microbatch", "4"}).err.contains("several times"));
    for (const char* const option : {"--fixed", "--moments", "--blocks"}) {
      const Outcome outcome = box_.run({"ledger", small_experiment(), option, "1 GB"});
      QCOMPARE(outcome.exit, 3);
      QVERIFY2(outcome.err.contains(option), outcome.err);
    }
  }

  // 4*8 + 8 + 8 + 1 = 49 parameters of 4 bytes: 196, whatever autocast is; AdamW has two moments of each and a step
  // count of 4 bytes for each of the 4 tensors: 2 * 196 + 16.
  void an_experiment_is_counted_from_its_model() {
    const Outcome outcome = box_.run({"ledger", small_experiment(), "--microbatch", "16", "--no-times", "--json"});
    QVERIFY2(outcome.exit == 0, outcome.err);
    const nlohmann::json document = outcome.json();
    const std::vector<std::string> problems = schema_problems(read_schema("experiment_ledger"), document);
    QVERIFY2(problems.empty(), problems.empty() ? "" : problems[0].c_str());
    QVERIFY(document["fits"].is_null());  // no device was named
    QCOMPARE(document["arms"].size(), std::size_t{2});
    for (const nlohmann::json& arm : document["arms"]) {
      const nlohmann::json& each = arm["ledgers"][0];
      QCOMPARE(each["microbatch"].get<int>(), 16);
      QCOMPARE(each["categories"]["parameters"].get<int>(), 196);
      QCOMPARE(each["categories"]["optimizer_state"].get<int>(), 2 * 196 + 16);
      QCOMPARE(each["categories"]["inputs"].get<int>(), 16 * 4 * 4 + 16 * 4);
      int sum = 0;
      for (const nlohmann::json& bytes : each["categories"]) sum += bytes.get<int>();
      QCOMPARE(each["peak_bytes"].get<int>(), sum);
    }
    QCOMPARE(document["arms"][1]["policy"].get<std::string>(), std::string("BF16 autocast"));
  }

  void a_device_of_the_experiment_or_of_the_command_line_decides_what_fits() {
    // Everything lies in one segment of 2 MiB = 2,097,152 bytes.
    const QString file = small_experiment("[budget]\ndevice_memory = \"4 MB\"\nreserve = 0.25\n");
    Outcome outcome = box_.run({"ledger", file, "--no-times", "--json"});
    QVERIFY2(outcome.exit == 0, outcome.err);
    nlohmann::json document = outcome.json();
    QCOMPARE(document["device"]["usable_bytes"].get<qint64>(), 3'000'000);
    QCOMPARE(document["arms"][0]["ledgers"][0]["headroom_bytes"].get<qint64>(), 3'000'000 - 2'097'152);
    QVERIFY(document["best_plan"].is_null());  // nothing was timed

    outcome = box_.run({"ledger", file, "--no-times", "--json", "--device", "2 MB", "--reserve", "0"});
    QCOMPARE(outcome.exit, 1);
    document = outcome.json();
    QCOMPARE(document["fits"].get<bool>(), false);
    QCOMPARE(document["arms"][0]["ledgers"][0]["headroom_bytes"].get<qint64>(), 2'000'000 - 2'097'152);
    QVERIFY(document["arms"][0]["largest_microbatch"].is_null());

    outcome = box_.run({"ledger", file, "--no-times", "--json", "--outside", "1 MB"});
    QCOMPARE(outcome.exit, 1);  // 2.1 + 1 of 3 MB
    QCOMPARE(outcome.json()["arms"][0]["ledgers"][0]["needed_bytes"].get<qint64>(), 3'097'152);
  }

  void what_is_not_typed_of_a_gpu_is_from_a_table_and_says_so() {
    const QString file = small_experiment("[budget]\ndevice_memory = \"24 GB\"\n");
    const nlohmann::json document = box_.run({"ledger", file, "--no-times", "--json"}).json();
    // 555 MiB + 2 * 32 MiB, and a segment of 2 MiB.
    QCOMPARE(document["device"]["outside_bytes"].get<qint64>(), 649'068'544);
    QCOMPARE(document["device"]["outside_table"].size(), std::size_t{3});
    QCOMPARE(document["arms"][0]["ledgers"][0]["needed_bytes"].get<qint64>(), 649'068'544 + 2'097'152);
    const Outcome page = box_.run({"ledger", file, "--no-times"});
    QVERIFY2(page.out.contains("from a table, not measured"), page.out);
    const nlohmann::json typed = box_.run({"ledger", file, "--no-times", "--json", "--outside", "1 GB"}).json();
    QVERIFY(typed["device"]["outside_table"].empty());
    QCOMPARE(typed["device"]["outside_bytes"].get<qint64>(), 1'000'000'000);
  }

  void a_ledger_says_how_far_the_archive_shows_predictions_to_be_off() {
    CliSandbox box;
    const QString file =
        box.write("small.toml",
                  "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 40\nfeatures = 4\n[model]\nkind = "
                  "\"mlp\"\nhidden = [8]\n[training]\nthreads = 1\nsteps = 4\nbatch = 8\n[[trial]]\nname = "
                  "\"fp32\"\nautocast = \"off\"\n");
    QVERIFY(box.run({"ledger", file, "--no-times", "--json"}).json()["calibration"].is_null());
    QVERIFY2(box.run({"run", file}).err.contains("kept in"), "no run");
    const nlohmann::json found = box.run({"ledger", file, "--no-times", "--json"}).json()["calibration"];
    QCOMPARE(found["trials"].get<int>(), 2);
    QCOMPARE(found["settings"].get<int>(), 1);  // both in FP32, of the same step
    QVERIFY2(found["worst"].get<double>() <= 0.02, found.dump().c_str());
    QVERIFY(found["next_within"].is_null());
    const Outcome page = box.run({"ledger", file, "--no-times"});
    QVERIFY2(page.out.contains("Measured in 2 trials of 1 setting"), page.out);
    // The run itself, without: nothing to be off.
    CliSandbox other;
    QVERIFY(other.run({"run", file, "--memory", "off"}).err.contains("kept in"));
    QVERIFY(other.run({"ledger", file, "--no-times", "--json"}).json()["calibration"].is_null());
    QVERIFY(other.run({"show", "reference"}).out.contains("not measured"));
  }

  // An effective batch of 8: 8 x 1 in 0.5 s, 4 x 2 in 0.4 s; 10 updates of 0.4 s are 4 s, 6 s before the deadline, and
  // cost 4 / 3600 * 9 = 0.01.
  void typed_times_choose_the_plan() {
    const QString file =
        small_experiment("[budget]\ndevice_memory = \"1 GB\"\ndeadline = \"10 s\"\nprice_per_hour = 9\n");
    const Outcome outcome =
        box_.run({"ledger", file, "--json", "--no-times", "--seconds", "bf16@8x1=0.5", "--seconds", "bf16@4x2=0.4"});
    QVERIFY2(outcome.exit == 0, outcome.err);
    const nlohmann::json document = outcome.json();
    const nlohmann::json& best = document["plans"][document["best_plan"].get<std::size_t>()];
    QCOMPARE(best["arm"].get<std::string>(), std::string("bf16"));
    QCOMPARE(best["microbatch"].get<int>(), 4);
    QCOMPARE(best["accumulation"].get<int>(), 2);
    QCOMPARE(best["timed"].get<bool>(), true);
    QCOMPARE(best["finish_seconds"].get<double>(), 4.0);
    QCOMPARE(best["spare_seconds"].get<double>(), 6.0);
    QVERIFY(qAbs(best["cost"].get<double>() - 0.01) < 1e-12);
    const Outcome page = box_.run({"ledger", file, "--no-times", "--seconds", "bf16@4x2=0.4"});
    QVERIFY2(page.out.contains("★ The soonest plan that fits: bf16"), page.out);
  }

  void plans_are_made_with_and_without_activation_checkpointing() {
    const QString file = small_experiment("[budget]\ndevice_memory = \"1 GB\"\n");
    const Outcome outcome = box_.run({"ledger", file, "--json", "--no-times", "--seconds", "bf16+checkpointing@8x1=0.1",
                                      "--seconds", "bf16@8x1=0.2"});
    QVERIFY2(outcome.exit == 0, outcome.err);
    const nlohmann::json document = outcome.json();
    QCOMPARE(document["arms"].size(), std::size_t{2});    // what the file asks for
    QCOMPARE(document["plans"].size(), std::size_t{16});  // 2 arms, on and off, microbatches 1, 2, 4 and 8
    const nlohmann::json& best = document["plans"][document["best_plan"].get<std::size_t>()];
    QCOMPARE(best["activation_checkpointing"].get<bool>(), true);
    QCOMPARE(best["update_seconds"].get<double>(), 0.1);
  }

  void steps_are_timed_where_no_time_is_typed() {
    const QString file = small_experiment("[budget]\ndevice_memory = \"1 GB\"\n");
    const nlohmann::json document = box_.run({"ledger", file, "--json"}).json();
    const nlohmann::json& best = document["plans"][document["best_plan"].get<std::size_t>()];
    QVERIFY(best["update_seconds"].get<double>() > 0.0);
  }

  void times_that_make_no_sense_are_refused() {
    for (const char* const text :
         {"bf16@8=1", "bf16@8x1=", "bf16@8x1=-1", "bf16@0x1=1", "@8x1=1", "bf16@8x1=1e400", "fp64@8x1=1"}) {
      const Outcome outcome = box_.run({"ledger", small_experiment(), "--no-times", "--seconds", text});
      QVERIFY2(outcome.exit == 3, text + outcome.out + outcome.err);
      QVERIFY2(outcome.err.contains("--seconds"), outcome.err);
      QVERIFY(outcome.out.isEmpty());
    }
  }

  void csv_of_an_experiment_has_a_line_a_figure() {
    const Outcome outcome =
        box_.run({"ledger", small_experiment(), "--microbatch", "16", "--no-times", "--format", "csv"});
    QVERIFY2(outcome.out.startsWith("kind,arm,policy,microbatch,accumulation,name,value,unit\n"), outcome.out);
    QVERIFY2(outcome.out.contains("\ncategory,reference,FP32,16,1,parameters,196,B\n"), outcome.out);
    QVERIFY2(outcome.out.contains("\ncategory,bf16,BF16 autocast,16,1,parameters,196,B\n"), outcome.out);
  }

  void bad_sizes_are_refused_without_a_device_too() {
    QCOMPARE(box_.run({"ledger", small_experiment(), "--no-times", "--outside=-1 GB"}).exit, 3);
    const Outcome outcome =
        box_.run({"ledger", small_experiment(), "--no-times", "--microbatch", "9223372036854775807"});
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains("found 9223372036854775807"), outcome.err);
  }

  void a_file_that_is_no_experiment_is_refused() {
    QCOMPARE(box_.run({"ledger", "missing.toml"}).exit, 3);
    QCOMPARE(box_.run({"ledger", box_.path(".")}).exit, 3);
    const Outcome outcome = box_.run({"ledger", small_experiment(), "--set", "training.batch=0"});
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains("training.batch"), outcome.err);
  }
};

QTEST_APPLESS_MAIN(CliLedgerTests)
#include "cli_ledger_tests.moc"
