// SPDX-License-Identifier: GPL-3.0-or-later
// The panel that says what rules mean, and the runs that it reads.
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextEdit>

#include <atomic>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "four_cases.h"
#include "ui/rules/rules_explainer.h"

using namespace mantissa;
using namespace mantissa::ui::rules;
using namespace mantissa::test;

class RulesExplainerTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
  void cleanup() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

  void the_newest_run_of_the_same_name_comes_first() {
    std::vector<record::TrialRow> arms(4);
    const char* const names[] = {"digits", "wine", "digits", "digits"};
    for (std::size_t i = 0; i < arms.size(); ++i) {
      arms[i].experiment_id = static_cast<std::int64_t>(i + 1);
      arms[i].experiment = names[i];
      arms[i].id = static_cast<std::int64_t>(i + 10);
      arms[i].start.kind = record::TrialKind::Trial;
      arms[i].end.status = record::Status::Finished;
    }
    arms[3].end.status = record::Status::Running;
    const std::vector<RunChoice> choices = runChoices(arms, "digits", 10);
    QCOMPARE(choices.size(), std::size_t{3});
    QCOMPARE(choices[0].experiment, std::int64_t{3});
    QCOMPARE(choices[1].experiment, std::int64_t{1});
    QCOMPARE(choices[2].name, QStringLiteral("wine"));
    QCOMPARE(runChoices(arms, "digits", 1).size(), std::size_t{1});
  }

  void trials_of_a_run_can_be_chosen_alone() {
    std::vector<record::TrialRow> arms(3);
    for (std::size_t i = 0; i < arms.size(); ++i) {
      arms[i].id = static_cast<std::int64_t>(i + 10);
      arms[i].experiment_id = 7;
      arms[i].experiment = "digits";
      arms[i].start.kind = i == 0 ? record::TrialKind::Reference : record::TrialKind::Trial;
      arms[i].start.name = i == 0 ? "reference" : i == 1 ? "fp16" : "bf16";
      arms[i].end.status = record::Status::Finished;
    }
    const std::vector<RunChoice> choices = runChoices(arms, "digits", 1);
    QCOMPARE(choices.size(), std::size_t{3});
    QCOMPARE(choices[0].trial, std::int64_t{0});
    QCOMPARE(choices[0].trials, QStringList({"fp16", "bf16"}));
    QCOMPARE(choices[2].trial, std::int64_t{12});
    QCOMPARE(choices[2].trials, QStringList({"bf16"}));
    QCOMPARE(trialsOf(arms, 7, 0).size(), std::size_t{2});
    QCOMPARE(trialsOf(arms, 7, 12).at(0).start.name, std::string("bf16"));
    QVERIFY(trialsOf(arms, 8, 0).empty());
  }

  void a_reading_that_nobody_waits_for_ends_before_its_next_trial() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.db"));
    makeArchive(file);
    const archive::Reader reader(file.toStdString());
    std::vector<record::TrialRow> trials = trialsOf(reader.trials(), 1, 0);
    QCOMPARE(trials.size(), std::size_t{1});
    trials.push_back(trials.front());
    int reads = 0;
    const auto evidence = [&reads](const std::string&, std::int64_t) {
      ++reads;
      return fourCases("bfloat16");
    };
    QVERIFY(!readRun(reader, file.toStdString(), 1, trials, evidence, [&reads] { return reads == 0; }));
    QCOMPARE(reads, 1);
    QVERIFY(readRun(reader, file.toStdString(), 1, trials, evidence, [] { return true; }));
  }

  void a_run_of_another_task_leaves_the_rules_readable() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.db"));
    makeArchive(file);
    RulesExplainer panel;
    panel.setArchive(file, [](const std::string&, std::int64_t) { return fourCases("bfloat16"); });
    panel.setText(QStringLiteral("mantissa = 1\n[rules]\nquality = { metric = \"rmse\", max_drop = 1 }\n"),
                  QStringLiteral("concrete.toml"), QStringLiteral("concrete"), true);
    panel.show();
    QTRY_VERIFY(panel.isSettled());
    panel.runs()->setCurrentIndex(1);
    Q_EMIT panel.runs()->activated(1);
    QTRY_VERIFY(panel.isSettled());
    QVERIFY2(has(panel.status()->text(), "post hoc"), qPrintable(panel.status()->text()));
    QVERIFY2(has(panel.words()->toPlainText(), "Quality: rmse"), qPrintable(panel.words()->toPlainText()));
  }

  void a_rule_may_name_an_output_of_a_model_that_has_several() {
    const QString text = QStringLiteral(
        "mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nkind = \"torchscript\"\npath = \"m.pt\"\n%1[[trial]]\n"
        "name = \"bf16\"\nautocast = \"bfloat16\"\n[rules]\noutput = { output = \"output.boxes\", max = 0.5 }\n");
    RulesExplainer panel;
    panel.show();
    for (const char* const line : {"", "width = -1\n"}) {  // a text that is wrong elsewhere, too
      panel.setText(text.arg(QLatin1String(line)), QStringLiteral("a.toml"), QStringLiteral("a"), true);
      QTRY_VERIFY(panel.isSettled());
      QVERIFY2(has(panel.words()->toPlainText(), ", of output.boxes"), qPrintable(panel.status()->text()));
    }
  }

  void a_page_of_one_rule_says_that_rule_alone() {
    RulesExplainer panel;
    panel.setText(QStringLiteral("mantissa = 1\n[rules]\noutput = [{ name = \"a\", max = 0.5 }, { name = \"b\", max = "
                                 "0.25 }]\nprogress = { max_consecutive_skips = 8 }\n"),
                  QStringLiteral("digits.toml"), QStringLiteral("digits"), true);
    panel.show();
    QTRY_VERIFY(panel.isSettled());
    const auto says = [&panel](const char* words) { return has(panel.words()->toPlainText(), words); };
    QVERIFY(says("0.5 of") && says("0.25 of") && says("Progress"));
    panel.showPage(QStringLiteral("rules.output[1]"));
    QVERIFY(!says("0.5 of") && says("0.25 of") && !says("Progress"));
    panel.showPage(QStringLiteral("rules.output"));
    QVERIFY(says("0.5 of") && says("0.25 of") && !says("Progress"));
    panel.showPage(QStringLiteral("rules.quality"));
    QVERIFY2(says("states no rule of this kind"), qPrintable(panel.words()->toPlainText()));
    panel.showPage(QStringLiteral("rules"));
    QVERIFY(says("Progress"));
  }

  void an_archive_that_is_not_there_yet_has_nothing_archived() {
    RulesExplainer panel;
    QTemporaryDir folder;
    panel.setArchive(folder.filePath(QStringLiteral("to-be.db")),
                     [](const std::string&, std::int64_t) { return fourCases("bfloat16"); });
    panel.setText(textOf("0.002"), QStringLiteral("digits.toml"), QStringLiteral("digits"), true);
    panel.show();
    QTRY_VERIFY(panel.isSettled());
    QVERIFY2(has(panel.status()->text(), "Nothing is archived yet"), qPrintable(panel.status()->text()));
  }

  void an_experiment_without_a_run_can_be_explained_by_another_ones() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.db"));
    makeArchive(file);
    RulesExplainer panel;
    panel.setArchive(file, [](const std::string&, std::int64_t) { return fourCases("bfloat16"); });
    panel.setText(textOf("0.002"), QStringLiteral("wine.toml"), QStringLiteral("wine"), true);
    panel.show();
    QTRY_VERIFY(panel.isSettled());
    QVERIFY2(has(panel.status()->text(), "Nothing of this experiment is archived yet"),
             qPrintable(panel.status()->text()));
    QVERIFY(has(panel.words()->toPlainText(), "0.002 of an RMS of 1"));
    QCOMPARE(panel.runs()->count(), 2);
    panel.runs()->setCurrentIndex(1);
    Q_EMIT panel.runs()->activated(1);
    QTRY_VERIFY(panel.isSettled());
    QVERIFY(has(panel.words()->toPlainText(), "0.002 of RMS 2.828"));
  }

  void the_panel_follows_what_is_typed_and_reads_the_run_once() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.db"));
    makeArchive(file);
    std::atomic<int> reads{0};
    RulesExplainer panel;
    panel.setArchive(file, [&reads](const std::string&, std::int64_t) {
      ++reads;
      return fourCases("bfloat16");
    });
    panel.setText(textOf("0.002"), QStringLiteral("digits.toml"), QStringLiteral("digits"), true);
    QVERIFY(!panel.isSettled());  // nobody looks
    panel.show();
    QTRY_VERIFY(panel.isSettled());
    QVERIFY2(has(panel.words()->toPlainText(), "0.002 of RMS 2.828"), qPrintable(panel.words()->toPlainText()));
    QVERIFY2(panel.runs()->currentText().startsWith(QStringLiteral("bf16 (digits, ")),
             qPrintable(panel.runs()->currentText()));
    QVERIFY2(has(panel.status()->text(), "would be post hoc"), qPrintable(panel.status()->text()));
    panel.setText(textOf("0.004"), QStringLiteral("digits.toml"), QStringLiteral("digits"), true);
    QTRY_VERIFY(has(panel.words()->toPlainText(), "0.004 of RMS 2.828"));
    QCOMPARE(reads.load(), 1);
    panel.setText(textOf("-1"), QStringLiteral("digits.toml"), QStringLiteral("digits"), true);
    QTRY_VERIFY(has(panel.status()->text(), "read last"));
    QVERIFY(has(panel.words()->toPlainText(), "0.004 of RMS 2.828"));
    QVERIFY2(has(panel.status()->text(), "-1"), qPrintable(panel.status()->text()));
  }

  void without_an_archive_the_panel_says_so() {
    RulesExplainer panel;
    panel.setText(textOf("0.002"), QStringLiteral("digits.toml"), QStringLiteral("digits"), true);
    panel.show();
    QTRY_VERIFY(panel.isSettled());
    QVERIFY(has(panel.status()->text(), "No archive is open"));
    QVERIFY(has(panel.words()->toPlainText(), "0.002 of an RMS of 1"));
    QVERIFY(!panel.runs()->isEnabled());
    panel.setText(QStringLiteral("mantissa = 1\n"), QStringLiteral("digits.toml"), QStringLiteral("digits"), false);
    QTRY_VERIFY(has(panel.words()->toPlainText(), "a clean trial is undecided"));
  }

  void an_archive_that_cannot_be_read_leaves_the_words_at_size_1() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.db"));
    {
      QFile text(file);
      QVERIFY(text.open(QIODevice::WriteOnly));
      text.write("no archive");
    }
    RulesExplainer panel;
    panel.setArchive(file, [](const std::string&, std::int64_t) { return fourCases("bfloat16"); });
    panel.setText(textOf("0.002"), QStringLiteral("digits.toml"), QStringLiteral("digits"), true);
    panel.show();
    QTRY_VERIFY(panel.isSettled());
    QVERIFY2(panel.status()->text().contains(file), qPrintable(panel.status()->text()));
    QVERIFY(has(panel.words()->toPlainText(), "0.002 of an RMS of 1"));
  }

  void the_presets_are_a_menu() {
    RulesExplainer panel;
    QSignalSpy asked(&panel, &RulesExplainer::presetRequested);
    QCOMPARE(panel.findChild<QPushButton*>(QStringLiteral("take_preset"))->menu(), panel.presets());
    auto* const action = panel.findChild<QAction*>(QStringLiteral("preset_onnx"));
    QVERIFY(panel.presets()->actions().contains(action));
    QVERIFY(action->text().contains(QStringLiteral("per operator")));
    action->trigger();
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked[0][0].toString(), QStringLiteral("onnx"));
  }

 private:
  static QString textOf(const char* limit) {
    return QStringLiteral("mantissa = 1\n[rules]\noutput = { reduce = \"max\", max = %1 }\n").arg(QLatin1String(limit));
  }
  static void makeArchive(const QString& file) {
    archive::Writer writer(file.toStdString());
    record::ExperimentStart experiment;
    experiment.name = "digits";
    record::TrialStart start;
    start.experiment = writer.begin_experiment(experiment);
    start.kind = record::TrialKind::Reference;
    start.name = "reference";
    start.reference = writer.begin_trial(start);
    const std::int64_t reference = start.reference;
    start.kind = record::TrialKind::Trial;
    start.name = "bf16";
    start.autocast = "bfloat16";
    const std::int64_t trial = writer.begin_trial(start);
    writer.finish_trial(reference, {});
    writer.finish_trial(trial, {});
    writer.flush();
  }
};

QTEST_MAIN(RulesExplainerTests)
#include "rules_explainer_tests.moc"
