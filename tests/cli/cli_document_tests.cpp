// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "cli_sandbox.h"
#include "schema_check.h"

/// What `--json` prints is one document that its schema under resources/schemas describes.
class CliDocumentTests : public QObject {
  Q_OBJECT

  CliSandbox box_;

  void matches(const QStringList& arguments, const std::string& schema) {
    const Outcome outcome = box_.run(arguments + QStringList{"--json"});
    const nlohmann::json document = outcome.json();
    QVERIFY2(document.is_object(), outcome.out + outcome.err);
    QCOMPARE(document["mantissa"].get<int>(), 1);
    const std::vector<std::string> problems = schema_problems(read_schema(schema), document);
    for (const std::string& problem : problems) qWarning("%s", problem.c_str());
    QVERIFY(problems.empty());
  }

 private Q_SLOTS:
  void initTestCase() {
    // One trial with rules, one that fails from a scale that is too small, notes and non-finite numbers among them.
    box_.write(
        "small.toml",
        "mantissa = 1\nname = \"small\"\n[data]\nsource = \"gaussian\"\nrows = 64\nfeatures = 4\n[model]\nkind = "
        "\"linear\"\n[training]\nthreads = 1\nsteps = 4\nbatch = 8\n[[trial]]\nname = \"bf16\"\nautocast = "
        "\"bfloat16\"\n[[trial]]\nname = \"tiny\"\nautocast = \"float16\"\n[trial.scaler]\ninit_scale = "
        "1e-39\n[[trial]]\nname = \"switches\"\nautocast = \"float16\"\n[trial.scaler]\ninit_scale = 1e38\nfloor = "
        "1e38\nat_floor = \"switch:bf16\"\n[rules]\npreset = \"default\"\n");
  }

  void run_documents_match() { matches({"run", "small.toml", "--gains", "short"}, "run"); }
  void list_documents_match() { matches({"list"}, "list"); }
  void show_documents_match() {
    for (const char* const arm : {"reference", "bf16", "tiny", "switches"}) matches({"show", arm}, "show");
  }
  void check_documents_match() { matches({"check", "small.toml"}, "check"); }
  void export_documents_match() { matches({"export", "steps", "bf16", "-o", "steps.csv"}, "export"); }
  void doctor_documents_match() { matches({"doctor"}, "doctor"); }

  void scaler_documents_match() {
    box_.write("pattern.csv", "found_inf[0],found_inf[1]\n0,1\n0,0\n");
    matches({"scaler", "pattern.csv"}, "scaler");
  }

  void ledger_documents_match() {
    const QStringList sizes = {"ledger", "--fixed", "3.2 GB", "--per-sample", "0.34 GB", "--device"};
    matches(sizes + QStringList{"24 GB", "--blocks", "5"}, "ledger");
    matches(sizes + QStringList{"2 GB"}, "ledger");  // nothing fits: the limits are null
  }

  void inspect_documents_match() {
    box_.write("rows.csv", "x,name\n1,a\nNaN,b\n");
    box_.take_case("26/linear_bn.pt");
    matches({"inspect", "rows.csv"}, "inspect");
    box_.write("play.txt", "Enter two, and\na ghost\n");
    matches({"inspect", "play.txt"}, "inspect");
    matches({"inspect", MANTISSA_SOURCE_DIR "/tests/cases/46/good-images-idx3-ubyte"}, "inspect");
    matches({"inspect", "linear_bn.pt"}, "inspect");
    matches({"inspect", "small.toml"}, "inspect");
  }

  void error_documents_match() {
    matches({"run", "no-such-file.toml"}, "error");
    matches({"show", "nobody"}, "error");
    matches({"resume", "last"}, "error");
    matches({"no-such-command"}, "error");
  }

  void the_check_finds_what_does_not_fit() {
    const nlohmann::json schema = read_schema("error");
    nlohmann::json document = box_.run({"show", "nobody", "--json"}).json();
    document["error"]["line"] = "seven";
    document["surplus"] = 1;
    document["error"].erase("kind");
    QCOMPARE(schema_problems(schema, document).size(), std::size_t(3));
  }
};

QTEST_APPLESS_MAIN(CliDocumentTests)
#include "cli_document_tests.moc"
