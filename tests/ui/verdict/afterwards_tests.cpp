// SPDX-License-Identifier: GPL-3.0-or-later
// What the Verdict page does after a verdict: judging by other rules and joining outcomes, with stubs in place of the
// engine.
#include <spdlog/spdlog.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLocale>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <memory>
#include <thread>

#include "core/archive/outcome_rows.h"
#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/spec/parse.h"
#include "tests/ui/verdict/judged_archive.h"
#include "ui/shell/action_list.h"
#include "ui/shell/message_strip.h"
#include "ui/verdict/afterwards.h"
#include "ui/verdict/mature_table.h"
#include "ui/verdict/rules_file.h"
#include "ui/verdict/verdict_page.h"
#include "ui/verdict/verdict_results.h"

using namespace mantissa;
using namespace mantissa::test;
using namespace mantissa::ui;
using namespace mantissa::ui::verdict;

class AfterwardsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  }
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_page = std::make_unique<VerdictPage>();
    m_actions = std::make_unique<shell::ActionList>();
    m_page->useActions(*m_actions);
    m_asked.clear();
    m_page->afterwards()->askForFile = [this](QWidget*, const QString& title, const QString&, const QString&) {
      m_asked << title;
      return m_answer;
    };
    m_page->resize(1320, 900);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
  }
  void cleanup() {
    m_page.reset();
    m_actions.reset();
    m_folder.reset();
  }

  void what_the_window_cannot_do_says_so() {
    show();
    QVERIFY(!judge()->isEnabled());
    QVERIFY(!join()->isEnabled());
    QVERIFY(reasonOf(judge()).contains(QStringLiteral("not part of this window")));
  }

  void judging_by_other_rules_stands_beside_the_verdict_of_the_run() {
    Judging judging;
    judging.judgeAgain = [](const std::string& archive, std::int64_t trial, const std::string& file) {
      session::JudgedAgain again;
      again.judgement.trial = trial;
      again.judgement.post_hoc = true;
      again.judgement.rules_file = file;
      again.judgement.rules = R"({"target":"as-run","non_finite":"reject","output":[]})";
      again.judgement.verdict = rejectedVerdict();
      again.judgement.verdict.word = record::VerdictWord::Accepted;
      again.judgement.verdict.rules.resize(1);  // the one that holds
      again.of_run = rejectedVerdict();
      archive::keep_judgement(archive, again.judgement);
      return again;
    };
    m_page->setJudging(judging);
    show();
    QVERIFY(!m_page->results()->judgements()->isVisible());
    QVERIFY(judge()->isEnabled());
    m_answer = QStringLiteral("/somewhere/softer.toml");
    judge()->trigger();
    QTRY_VERIFY(m_page->results()->judgements()->isVisible());
    QCOMPARE(m_asked, QStringList({QStringLiteral("Judge by the rules of a file")}));
    QCOMPARE(m_page->results()->judgements()->table()->rows().cell(1, 1).text, QStringLiteral("✓ accepted"));
    QCOMPARE(strip(shell::MessageStrip::Kind::Note),
             QStringLiteral("Judged by softer.toml, post hoc: ✓ accepted. The verdict of the run stays ✕ rejected."));
    QVERIFY(judge()->isEnabled());
  }

  void a_trial_is_judged_again_by_its_own_rules() {
    std::atomic<int> withoutFile{0};
    Judging judging;
    judging.judgeAgain = [&withoutFile](const std::string&, std::int64_t, const std::string& file) {
      if (file.empty()) ++withoutFile;
      session::JudgedAgain again;
      again.judgement.verdict = again.of_run = rejectedVerdict();
      return again;
    };
    m_page->setJudging(judging);
    show();
    m_actions->find(QStringLiteral("verdict_judge_own"))->trigger();
    QTRY_COMPARE(withoutFile.load(), 1);
    QTRY_COMPARE(strip(shell::MessageStrip::Kind::Note),
                 QStringLiteral("Judged again by its own rules: ✕ rejected, as before. Nothing was added."));
    QVERIFY(m_asked.isEmpty());
  }

  void rules_are_saved_as_a_file_to_begin_other_ones_with() {
    VerdictData data;
    data.experimentText =
        "mantissa = 1\nname = \"u\"\n[training]\nsteps = 6\n\n# Nothing may flip.\n[rules]\nflips = { max = 0 }\n"
        "[[rules.quality]]\nmetric = \"accuracy\"\nmin = 0.5\n[expect]\nbf16 = \"accepted\"\n";
    const QString expected = QStringLiteral(
        "mantissa = 1\n\n# Nothing may flip.\n[rules]\nflips = { max = 0 }\n"
        "[[rules.quality]]\nmetric = \"accuracy\"\nmin = 0.5\n");
    spec::Experiment experiment = spec::foreign_experiment_of_text(expected.toStdString(), "a");
    data.rules =
        spec::canonical_json_of_rules(spec::with_rules_of_text(expected.toStdString(), "a", std::move(experiment)));
    QCOMPARE(rulesFileText(data), expected);
    data.rules = "{}";  // cut out they would say something else: all of it
    QCOMPARE(rulesFileText(data), QString::fromStdString(data.experimentText));
    const QString file = m_folder->filePath(QStringLiteral("rules.toml"));
    show();
    m_page->afterwards()->saveRules(file);
    QVERIFY(QFile::exists(file));
    m_page->afterwards()->saveRules(m_folder->filePath(QStringLiteral("nowhere/rules.toml")));
    QVERIFY(strip(shell::MessageStrip::Kind::Failure).startsWith(QStringLiteral("The rules cannot be written to")));
  }

  void without_a_file_nothing_is_judged() {
    std::atomic<int> calls{0};
    Judging judging;
    judging.judgeAgain = [&calls](const std::string&, std::int64_t, const std::string&) {
      ++calls;
      return session::JudgedAgain();
    };
    m_page->setJudging(judging);
    show();
    m_answer.clear();
    judge()->trigger();
    QVERIFY(m_page->isSettled());
    QCOMPARE(calls.load(), 0);
  }

  void a_file_that_cannot_be_read_is_told_with_its_line() {
    Judging judging;
    judging.addOutcomes = [](const std::string&, std::int64_t, const std::string& file) -> std::int64_t {
      throw Error(ErrorKind::DataProblem, {"an unknown case", file, 7, 0, "case", "'999'", "a frozen case", ""});
    };
    m_page->setJudging(judging);
    show();
    m_answer = QStringLiteral("/somewhere/late.csv");
    join()->trigger();
    QTRY_VERIFY(!strip(shell::MessageStrip::Kind::Failure).isEmpty());
    const QString words = strip(shell::MessageStrip::Kind::Failure);
    for (const char* const part : {"late.csv", "line 7", "'999'", "a frozen case"}) {
      QVERIFY2(words.contains(QLatin1String(part)), qPrintable(words));
    }
    QVERIFY(join()->isEnabled());  // the file may be mended
  }

  void outcomes_give_a_quality_beside_the_one_of_the_run() {
    std::atomic<int> known{0};
    Judging judging;
    judging.addOutcomes = [&known](const std::string& archive, std::int64_t trial, const std::string&) -> std::int64_t {
      std::vector<record::CaseOutcome> outcomes;
      for (std::int64_t i = 0; i < 4; ++i) outcomes.push_back({i, std::to_string(i + 1), 0.0, {}, "hash"});
      archive::keep_outcomes(archive, trial, "hash", outcomes);
      known = 4;
      return 4;
    };
    judging.matureQuality = [&known](const std::string&, std::int64_t) -> std::optional<record::MatureQuality> {
      if (known == 0) return std::nullopt;
      record::MatureQuality mature;
      mature.cases = 6;
      mature.outcomes = known;
      mature.metric = "accuracy";
      mature.quality = 0.25;
      mature.quality_reference = 0.75;
      return mature;
    };
    m_page->setJudging(judging);
    show();
    MatureTable* const mature = m_page->results()->mature();
    QTRY_VERIFY(m_page->isSettled());
    QVERIFY(!mature->isVisible());
    m_answer = QStringLiteral("/somewhere/late.csv");
    join()->trigger();
    QTRY_VERIFY(mature->isVisible());
    const plot::RowsModel& rows = mature->table()->rows();
    QCOMPARE(rows.rowCount(), 2);
    const auto cell = [&rows](int row, MatureTable::Column column) { return rows.cell(row, static_cast<int>(column)); };
    QCOMPARE(cell(1, MatureTable::Column::AtVerdict).text, QStringLiteral("0.5000"));  // cases 1, 2 of 1 to 4
    QCOMPARE(cell(0, MatureTable::Column::AtVerdict).text, QStringLiteral("0.7500"));  // and 3 of the reference
    QCOMPARE(cell(1, MatureTable::Column::Mature).text, QStringLiteral("0.2500"));
    QCOMPARE(cell(1, MatureTable::Column::Change).text, QStringLiteral("−0.2500"));
    QCOMPARE(cell(1, MatureTable::Column::Change).tone, plot::RowsCell::Tone::Bad);
    QCOMPARE(cell(0, MatureTable::Column::Outcomes).text, QStringLiteral("4 of 6 cases"));
    QVERIFY(strip(shell::MessageStrip::Kind::Note).startsWith(QStringLiteral("4 outcomes of late.csv were joined")));
    mature->table()->selectRow(1);
    mature->table()->copy();
    QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("trained\t0.5\t0.25\t")));
  }

  void a_quality_of_another_metric_has_no_neighbour() {
    Judging judging;
    judging.matureQuality = [](const std::string&, std::int64_t) -> std::optional<record::MatureQuality> {
      record::MatureQuality mature;
      mature.cases = mature.outcomes = 6;
      mature.metric = "rmse";
      mature.quality = mature.quality_reference = 2;
      return mature;
    };
    m_page->setJudging(judging);
    show();
    QTRY_VERIFY(m_page->results()->mature()->isVisible());
    QCOMPARE(m_page->results()->mature()->table()->rows().cell(1, 1).text, QStringLiteral("–"));
    QCOMPARE(m_page->results()->mature()->table()->rows().cell(1, 3).text, QStringLiteral("–"));
  }

  void a_trial_that_runs_cannot_be_judged_again() {
    Judging judging;
    judging.judgeAgain = [](const std::string&, std::int64_t, const std::string&) { return session::JudgedAgain(); };
    m_page->setJudging(judging);
    const JudgedArchive ids = show();
    m_page->selectTrial(ids.running);
    QTRY_VERIFY(m_page->shown() && m_page->shown()->trial.id == ids.running);
    QVERIFY(!judge()->isEnabled());
    QCOMPARE(reasonOf(judge()), QStringLiteral("The trial runs still"));
  }

  void the_window_stays_alive_while_a_trial_is_judged() {
    std::atomic<bool> mayEnd{false};
    Judging judging;
    judging.judgeAgain = [&mayEnd](const std::string&, std::int64_t, const std::string&) {
      while (!mayEnd) std::this_thread::yield();
      return session::JudgedAgain();
    };
    m_page->setJudging(judging);
    show();
    m_answer = QStringLiteral("/somewhere/same.toml");
    judge()->trigger();  // comes back at once
    QVERIFY(!m_page->isSettled());
    QVERIFY(!judge()->isEnabled());
    QVERIFY(reasonOf(judge()).contains(QStringLiteral("under way")));
    mayEnd = true;
    QTRY_VERIFY(m_page->isSettled());
    QVERIFY(judge()->isEnabled());
  }

 private:
  JudgedArchive show() {
    m_file = m_folder->filePath(QStringLiteral("judged.db"));
    const JudgedArchive ids = makeJudgedArchive(m_file, sixCases());
    m_page->setArchive(
        m_file, std::make_shared<const std::vector<record::TrialRow>>(archive::Reader(m_file.toStdString()).trials()));
    m_page->selectTrial(ids.judged);
    [&] { QTRY_VERIFY(m_page->shown() && m_page->shown()->trial.id == ids.judged); }();
    return ids;
  }
  QAction* judge() const { return m_actions->find(QStringLiteral("verdict_judge_again")); }
  QAction* join() const { return m_actions->find(QStringLiteral("verdict_join_outcomes")); }
  QString reasonOf(const QAction* action) const {
    const int row = static_cast<int>(m_actions->actions().indexOf(const_cast<QAction*>(action)));
    return m_actions->data(m_actions->index(row), shell::ActionList::ReasonRole).toString();
  }
  QString strip(shell::MessageStrip::Kind kind) const {
    for (const shell::MessageStrip* const one : m_page->strips()->findChildren<shell::MessageStrip*>()) {
      if (one->kind() == kind) return one->sentence();
    }
    return {};
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<shell::ActionList> m_actions;
  std::unique_ptr<VerdictPage> m_page;
  QString m_file;
  QString m_answer;
  QStringList m_asked;
};

QTEST_MAIN(AfterwardsTests)
#include "afterwards_tests.moc"
