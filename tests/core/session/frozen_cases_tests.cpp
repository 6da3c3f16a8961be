// SPDX-License-Identifier: Apache-2.0
// The frozen set: which rows are in it, of which kind, and what its hashes hold.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <ATen/ATen.h>
#include <QCryptographicHash>
#include <QTest>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/session/frozen_cases.h"
#include "core/session/run.h"
#include "core/spec/parse.h"
#include "tests/core/data/data_test_files.h"

using namespace mantissa;
using record::CaseKind;

namespace {

/// Two columns and a label; the training part's x has mean 2 and population standard deviation 1.
constexpr const char* kTrain = "x,z,label\n1,5,cat\n3,5,dog\n1,5,cat\n3,5,dog\n";
constexpr const char* kTest = "x,z,label\n1,5,cat\n2,5,dog\n3,6,cat\n4,5,dog\n5,7,cat\n6,5,dog\n";

class Listener : public session::Observer {
 public:
  void on_note(const std::string& sentence) override { notes.push_back(sentence); }
  void on_progress(const session::Progress&) override {}
  void on_phase(const std::string&) override {}
  std::vector<std::string> notes;
};

}  // namespace

class FrozenCasesTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    m_files = std::make_unique<data::TestFiles>();
    m_files->write("train.csv", kTrain);
    m_files->write("test.csv", kTest);
  }

  void the_kind_of_a_case_is_the_files_own_then_edge_then_boundary_then_ordinary() {
    m_files->write("cases.csv", "id,x,z,label,kind\na,9,5,dog,boundary\nb,9,6,cat,\n");
    const Set set("holdout = 2\nedge = \"z > 5\"\nboundary = 3\npath = \"cases.csv\"", *m_files);
    session::FrozenCases cases = session::freeze_cases(set.experiment, set.dataset);
    // Rows 1 and 2 are the holdout, 3 and 5 have z > 5, then the file's own.
    QCOMPARE(ids(cases), (std::vector<std::string>{"1", "2", "3", "5", "a", "b"}));
    QVERIFY(!cases.is_complete());
    // The smallest margins are those of rows 5, 6 and 2; row 4 makes no decision, row 1 ties with row 3.
    session::add_boundary_cases(cases, set.experiment, set.dataset, {0.5, 0.3, 0.5, std::nullopt, 0.1, 0.2});
    QVERIFY(cases.is_complete());
    QCOMPARE(ids(cases), (std::vector<std::string>{"1", "2", "3", "5", "6", "a", "b"}));
    const std::vector<CaseKind> expected{CaseKind::Ordinary, CaseKind::Boundary, CaseKind::Edge,    CaseKind::Edge,
                                         CaseKind::Boundary, CaseKind::Boundary, CaseKind::Ordinary};
    QCOMPARE(kinds(cases), expected);
    QCOMPARE(cases.inputs.sizes(), (at::IntArrayRef{7, 2}));
    QCOMPARE(cases.inputs[4][0].item<float>(), 6.0F);
    QCOMPARE(cases.targets[4].item<std::int64_t>(), 1);  // dog
  }

  void of_equal_margins_the_earlier_row_is_chosen() {
    const Set set("holdout = 1\nboundary = 2", *m_files);
    session::FrozenCases cases = session::freeze_cases(set.experiment, set.dataset);
    session::add_boundary_cases(cases, set.experiment, set.dataset, {0.9, 0.4, 0.4, 0.4, 0.9, 0.9});
    QCOMPARE(ids(cases), (std::vector<std::string>{"1", "2", "3"}));
  }

  /// (9 − 2) / 1 = 7 and a constant column divided by 1: (5 − 5) / 1 = 0.
  void cases_of_a_file_are_preprocessed_as_the_data_is() {
    m_files->write("cases.csv", "z,id,slice,x,target\n5,a,north,9,dog\n6,b,south,2,\n");
    const Set set("path = \"cases.csv\"", *m_files, "standardize = true");
    const session::FrozenCases cases = session::freeze_cases(set.experiment, set.dataset);
    QCOMPARE(cases.inputs[6][0].item<float>(), 7.0F);
    QCOMPARE(cases.inputs[6][1].item<float>(), 0.0F);
    QCOMPARE(cases.inputs[7][1].item<float>(), 1.0F);
    QCOMPARE(cases.rows[6].slice, std::string("north"));
    QCOMPARE(cases.rows[6].target, std::vector<double>{1.0});
    QCOMPARE(cases.rows[7].target, std::vector<double>{});  // its cell is empty
    // The file is of no hash of the data: the reference stays what it is.
    QCOMPARE(set.dataset.sha256, Set("", *m_files, "standardize = true").dataset.sha256);
    QCOMPARE(set.dataset.preprocessing_sha256, Set("", *m_files, "standardize = true").dataset.preprocessing_sha256);
  }

  void cases_that_the_model_was_trained_on_are_told() {
    m_files->write("cases.csv", "id,x,z\na,1,5\nb,9,5\nc,3,5\n");
    const Set set("path = \"cases.csv\"", *m_files);
    const auto told = [&](const std::string& note) {
      return note.find("2 of 3 cases of cases.csv have the inputs of rows of the training part") != std::string::npos;
    };
    QVERIFY(std::any_of(set.dataset.notes.begin(), set.dataset.notes.end(), told));
  }

  void bad_case_files_are_refused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("no id") << QByteArray("x,z\n1,2\n") << 1 << QByteArray("no column id");
    QTest::newRow("a missing input") << QByteArray("id,x\na,1\n") << 1 << QByteArray("no column z");
    QTest::newRow("another width") << QByteArray("id,x,z,w\na,1,2,3\n") << 1 << QByteArray("another width");
    QTest::newRow("an id twice") << QByteArray("id,x,z\na,1,2\nb,1,2\na,1,2\n") << 4 << QByteArray("line 2 has too");
    QTest::newRow("an empty id") << QByteArray("id,x,z\n,1,2\n") << 2 << QByteArray("without an id");
    QTest::newRow("an unknown kind") << QByteArray("id,x,z,kind\na,1,2,odd\n") << 2 << QByteArray("'odd'");
    QTest::newRow("an unknown class") << QByteArray("id,x,z,label\na,1,2,cow\n") << 2 << QByteArray("'cow'");
    QTest::newRow("text as an input") << QByteArray("id,x,z\na,much,2\n") << 2 << QByteArray("'much'");
    QTest::newRow("no number") << QByteArray("id,x,z\na,nan,2\n") << 2 << QByteArray("NaN");
    QTest::newRow("beyond FP32") << QByteArray("id,x,z\na,1e39,2\n") << 2 << QByteArray("FP32");
    QTest::newRow("no rows") << QByteArray("id,x,z\n") << 0 << QByteArray("no rows");
    QTest::newRow("no header") << QByteArray("1,2,3\n") << 1 << QByteArray("without a header");
    QTest::newRow("ragged") << QByteArray("id,x,z\na,1\n") << 2 << QByteArray("cells");
  }
  void bad_case_files_are_refused() {
    QFETCH(QByteArray, text);
    QFETCH(int, line);
    QFETCH(QByteArray, words);
    m_files->write("cases.csv", text.toStdString());
    try {
      const Set set("path = \"cases.csv\"", *m_files);
      QFAIL("it was taken");
    } catch (const Error& error) {
      QCOMPARE(error.facts().line, line);
      const QByteArray said = QByteArray::fromStdString(sentence(error.facts()));
      QVERIFY2(said.contains(words), said);
      QVERIFY2(said.contains("cases.csv"), said);
    }
  }

  void an_id_that_the_data_has_too_is_refused() {
    m_files->write("cases.csv", "id,x,z\n3,1,5\n");
    const Set set("path = \"cases.csv\"", *m_files);
    QVERIFY_EXCEPTION_THROWN(session::freeze_cases(set.experiment, set.dataset), Error);
  }

  void an_edge_expression_sees_raw_units_targets_ids_and_slices() {
    const std::map<std::string, std::vector<std::string>> expected{
        {"x >= 5", {"5", "6"}},
        {"label == 'dog' and x > 3", {"4", "6"}},
        {"id == '2' or z == 7", {"2", "5"}},
        {"not (x < 6)", {"6"}},
    };
    for (const auto& [edge, wanted] : expected) {
      const Set set("edge = \"" + edge + "\"", *m_files, "standardize = true");
      const session::FrozenCases cases = session::freeze_cases(set.experiment, set.dataset);
      QCOMPARE(cases.rows.size(), std::size_t{6});
      std::vector<std::string> found;
      for (const record::CaseRow& row : cases.rows) {
        if (row.kind == CaseKind::Edge) found.push_back(row.id);
      }
      QCOMPARE(found, wanted);
    }
  }

  void an_edge_expression_over_what_is_no_column_is_refused_with_its_line() {
    try {
      const Set set("edge = \"y > 3\"", *m_files);
      QFAIL("it was taken");
    } catch (const Error& error) {
      QCOMPARE(error.facts().subject, std::string("cases.edge"));
      QVERIFY(error.facts().line > 0);
      QCOMPARE(error.facts().found, std::string("'y'"));
    }
  }

  void edge_cases_that_do_not_exist_are_told() {
    const Set set("edge = \"x > 100\"", *m_files);
    const session::FrozenCases cases = session::freeze_cases(set.experiment, set.dataset);
    QCOMPARE(cases.notes.size(), std::size_t{1});
    QVERIFY(cases.notes.front().find("holds for none of the 6 rows") != std::string::npos);
  }

  /// SHA-256 of "holdout=2;test", the inputs and the targets as bytes, and the ids with a line feed each: archives of
  /// earlier versions hold it.
  void the_hash_of_a_plain_holdout_is_that_of_earlier_versions() {
    const Set set("holdout = 2", *m_files);
    const float inputs[] = {1, 5, 2, 5};
    const std::int64_t targets[] = {0, 1};
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData("holdout=2;test");
    hash.addData(QByteArray::fromRawData(reinterpret_cast<const char*>(inputs), sizeof inputs));
    hash.addData(QByteArray::fromRawData(reinterpret_cast<const char*>(targets), sizeof targets));
    hash.addData("1\n2\n");
    QCOMPARE(session::freeze_cases(set.experiment, set.dataset).sha256, hash.result().toHex().toStdString());
  }

  void the_same_cases_are_found_again_whatever_asks_for_them() {
    m_files->write("cases.csv", "id,x,z\na,9,5\n");
    const Set set("holdout = 1\nboundary = 2\npath = \"cases.csv\"", *m_files);
    session::FrozenCases cases = session::freeze_cases(set.experiment, set.dataset);
    session::add_boundary_cases(cases, set.experiment, set.dataset, {0.9, 0.4, 0.4, 0.4, 0.9, 0.9});
    // Another holdout and another model would choose others.
    const Set other("holdout = 4\npath = \"cases.csv\"", *m_files, "standardize = true");
    const session::FrozenCases again =
        session::freeze_same_cases(other.experiment, other.dataset, cases.rows, cases.members_sha256);
    QCOMPARE(ids(again), ids(cases));
    QCOMPARE(kinds(again), kinds(cases));
    QCOMPARE(again.members_sha256, cases.members_sha256);
    QCOMPARE(again.inputs.sizes(), cases.inputs.sizes());
  }

  void cases_that_are_not_the_same_are_refused() {
    m_files->write("cases.csv", "id,x,z\na,9,5\n");
    const Set set("holdout = 2\npath = \"cases.csv\"", *m_files);
    const session::FrozenCases cases = session::freeze_cases(set.experiment, set.dataset);
    const auto refused = [&](const Set& other) {
      try {
        session::freeze_same_cases(other.experiment, other.dataset, cases.rows, cases.members_sha256);
        return QByteArray();
      } catch (const Error& error) {
        return QByteArray::fromStdString(sentence(error.facts()));
      }
    };
    QVERIFY(refused(Set("", *m_files)).contains("no case a"));
    m_files->write("cases.csv", "id,x,z\na,9,5.5\n");  // one input is another
    QVERIFY(refused(Set("path = \"cases.csv\"", *m_files)).contains("is another than that of the set"));
    m_files->write("cases.csv", "id,x,z\na,9,5\n");
    m_files->write("test.csv", "x,z,label\n1,5,dog\n2,5,dog\n");  // one target is another
    QVERIFY(refused(Set("path = \"cases.csv\"", *m_files)).contains("is another than that of the set"));
  }

  void boundary_cases_are_chosen_by_the_final_reference_and_hashed_before_the_trial() {
    const spec::Experiment experiment = spec::parse_experiment(
        "mantissa = 1\n[data]\nsource = \"wine\"\n[model]\nkind = \"linear\"\n[training]\nthreads = 1\nsteps = 30\n"
        "evaluate_every = 10\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n"
        "[cases]\nholdout = 8\nboundary = 4\ngolden = 3\n",
        m_files->folder() + "/wine.toml");
    session::RunOptions options;
    options.archive = m_files->folder() + "/archive.db";
    Listener listener;
    const record::RunSummary summary = session::run(experiment, options, listener, session::StopToken());
    const archive::Reader reader(options.archive);
    const auto set = reader.case_set(summary.experiment_id);
    QVERIFY(set.has_value());
    QCOMPARE(set->sha256.size(), std::size_t{64});
    const record::TrialRow reference = reader.trial(summary.reference.id);
    QVERIFY(set->frozen_at <= reference.finished_at);
    const std::vector<record::CaseRow> rows = reader.cases(summary.trials.front().id);
    QCOMPARE(set->cases, static_cast<std::int64_t>(rows.size()));
    double widest = 0.0;
    std::vector<double> others;
    for (const record::CaseRow& row : rows) {
      if (row.kind == CaseKind::Boundary) widest = std::max(widest, row.margin_reference.value());
      if (row.kind != CaseKind::Boundary) others.push_back(row.margin_reference.value());
    }
    QCOMPARE(rows.size() - others.size(), std::size_t{4});
    for (const double margin : others) QVERIFY(margin >= widest);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      QCOMPARE(rows[i].golden.has_value(), i < 3);
      if (i < 3) QCOMPARE(rows[i].golden->trained, rows[i].output);
    }
    const auto told = [](const std::string& note) { return note.find("without the boundary cases") != note.npos; };
    QVERIFY(std::any_of(listener.notes.begin(), listener.notes.end(), told));
  }

 private:
  struct Set {
    Set(const std::string& cases, const data::TestFiles& files, const std::string& more = "")
        : experiment(spec::parse_experiment(
              "mantissa = 1\n[data]\npath = \"train.csv\"\ntest = { path = \"test.csv\" }\n" + more +
                  "\n[model]\nkind = \"linear\"\n[training]\nsteps = 1\n[cases]\n" + cases + "\n",
              files.folder() + "/e.toml")),
          dataset(data::load(experiment)) {}
    spec::Experiment experiment;
    data::Dataset dataset;
  };

  static std::vector<std::string> ids(const session::FrozenCases& cases) {
    std::vector<std::string> ids;
    for (const record::CaseRow& row : cases.rows) ids.push_back(row.id);
    return ids;
  }
  static std::vector<CaseKind> kinds(const session::FrozenCases& cases) {
    std::vector<CaseKind> kinds;
    for (const record::CaseRow& row : cases.rows) kinds.push_back(row.kind);
    return kinds;
  }

  std::unique_ptr<data::TestFiles> m_files;
};

QTEST_APPLESS_MAIN(FrozenCasesTests)
#include "frozen_cases_tests.moc"
