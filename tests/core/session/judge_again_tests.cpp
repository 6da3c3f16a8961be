// SPDX-License-Identifier: Apache-2.0
// Judging an archived trial once more: by its own rules, and by others.
#include <cmath>
#include <memory>

#include <sqlite3.h>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/session/judge_again.h"
#include "core/session/run.h"
#include "core/spec/parse.h"

using namespace mantissa;
using record::VerdictWord;

namespace {

class Quiet : public session::Observer {
 public:
  void on_note(const std::string&) override {}
  void on_progress(const session::Progress&) override {}
  void on_phase(const std::string&) override {}
};

const std::string kWine =
    "mantissa = 1\n[data]\nsource = \"wine\"\n[model]\nkind = \"linear\"\n[training]\nthreads = 1\nsteps = 30\n"
    "[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n[reference]\nrounding_repeats = 1\n[rules]\npreset = "
    "\"default\"\n";

const std::string kConcrete =
    "mantissa = 1\n[data]\nsource = \"concrete\"\n[model]\nkind = \"linear\"\n[training]\nthreads = 1\nsteps = 30\n"
    "[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n[rules]\nquality = { max_drop_relative = 0.1 }\n";

}  // namespace

class JudgeAgainTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void sets_and_utilities_are_judged_again_and_must_fit_the_classes() {
    const std::int64_t trial = run(kWine);  // three classes
    const auto rules = [this](const std::string& text) {
      const std::string file = m_folder->filePath(QStringLiteral("rules.toml")).toStdString();
      QFile out(QString::fromStdString(file));
      if (!out.open(QIODevice::WriteOnly)) qFatal("rules.toml cannot be written");
      out.write(("mantissa = 1\n" + text).c_str());
      return file;
    };
    const std::string gains = "[utility]\nmatrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n";
    const session::JudgedAgain judged = session::judge_again(
        archive(), trial,
        rules(gains + "[rules]\nutility = { min = 0 }\nflips = { decision = \"top-k\", k = 2, max = 99 }"));
    QVERIFY(judged.judgement.post_hoc);
    QVERIFY(judged.utility.has_value());
    // With 1 for what is right and 0 for what is wrong the sum is the number of right decisions.
    const record::TrialEnd end = archive::Reader(archive()).trial(trial).end;
    const record::UtilitySum& sum = judged.utility->sums.front();
    QCOMPARE(std::round(*end.quality * static_cast<double>(sum.cases)), *sum.trained);
    QVERIFY_EXCEPTION_THROWN(
        session::judge_again(archive(), trial,
                             rules("[utility]\nmatrix = [[1, 0], [0, 1]]\n[rules]\nutility = { min = 0 }")),
        Error);
    QVERIFY_EXCEPTION_THROWN(
        session::judge_again(archive(), trial, rules("[rules]\nflips = { decision = \"top-k\", k = 3, max = 0 }")),
        Error);
  }

  void its_own_rules_give_the_verdict_of_the_run_and_leave_nothing_behind() {
    const std::int64_t trial = run(kWine);
    const session::JudgedAgain judged = session::judge_again(archive(), trial, "");
    const record::Verdict of_run = archive::Reader(archive()).trial(trial).end.verdict.value();
    QVERIFY(!judged.judgement.post_hoc);
    QCOMPARE(judged.judgement.verdict.word, of_run.word);
    QCOMPARE(judged.judgement.verdict.reasons, of_run.reasons);
    QCOMPARE(judged.judgement.verdict.rules_sha256, of_run.rules_sha256);
    QCOMPARE(judged.judgement.verdict.rules.size(), of_run.rules.size());
    for (std::size_t i = 0; i < of_run.rules.size(); ++i) {
      QCOMPARE(judged.judgement.verdict.rules[i].name, of_run.rules[i].name);
      QCOMPARE(judged.judgement.verdict.rules[i].value, of_run.rules[i].value);
      QCOMPARE(judged.judgement.verdict.rules[i].reason, of_run.rules[i].reason);
    }
    QVERIFY(archive::Reader(archive()).judgements(trial).empty());
  }

  void other_rules_are_post_hoc_and_kept_beside_a_verdict_that_stays() {
    const std::int64_t trial = run(kWine);
    const record::Verdict before = archive::Reader(archive()).trial(trial).end.verdict.value();
    const session::JudgedAgain judged =
        session::judge_again(archive(), trial, rules("output = { max = 0 }\nquality = { min = 0.0 }\n"));
    QVERIFY(judged.judgement.post_hoc);
    QCOMPARE(judged.judgement.verdict.word, VerdictWord::Rejected);
    QVERIFY(judged.judgement.verdict.rules_sha256 != before.rules_sha256);
    QCOMPARE(judged.of_run.word, before.word);
    const archive::Reader reader(archive());
    QCOMPARE(reader.trial(trial).end.verdict->word, before.word);
    QCOMPARE(reader.trial(trial).end.verdict->rules_sha256, before.rules_sha256);
    const std::vector<record::Judgement> kept = reader.judgements(trial);
    QCOMPARE(kept.size(), std::size_t{1});
    QVERIFY(kept.front().post_hoc);
    QVERIFY(!kept.front().created_at.empty());
    QCOMPARE(kept.front().rules, judged.judgement.rules);
    QCOMPARE(kept.front().verdict.reasons, judged.judgement.verdict.reasons);
    QCOMPARE(kept.front().verdict.rules.size(), judged.judgement.verdict.rules.size());
    QCOMPARE(reader.history(trial).judgements.size(), std::size_t{1});
  }

  /// A widened tolerance after the run is the fault that this is for: it never reads like the run's own verdict.
  void rules_that_say_the_same_in_other_words_are_not_post_hoc() {
    const std::int64_t trial = run(kWine);
    QVERIFY(!session::judge_again(archive(), trial, rules("preset = \"default\"\n")).judgement.post_hoc);
    QVERIFY(
        session::judge_again(archive(), trial, rules("preset = \"default\"\nthreshold = 0.4\n")).judgement.post_hoc);
  }

  void a_multiple_of_the_rounding_floor_is_judged_with_the_archived_repeat() {
    const std::int64_t trial = run(kWine);
    const session::JudgedAgain judged = session::judge_again(
        archive(), trial, rules("output = { measure = \"case_relative\", max_rounding = 1e9, max = 1 }\n"));
    const record::RuleVerdict& rule = judged.judgement.verdict.rules.back();
    QVERIFY2(rule.limit.find("times the rounding floor") != std::string::npos, rule.limit.c_str());
    QVERIFY2(rule.reason.find("was not measured") == std::string::npos, rule.reason.c_str());
  }

  void a_verdict_that_was_changed_in_the_archive_is_never_shown_as_it_stands_data() {
    QTest::addColumn<QByteArray>("change");
    QTest::addColumn<QString>("expected");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("to accepted") << QByteArray("UPDATE verdicts SET verdict = 'accepted'") << "rejected"
                                 << QByteArray("it says 'accepted', and a rule beside it is rejected");
    QTest::newRow("no word") << QByteArray("UPDATE verdicts SET verdict = 'ACCEPTED'") << "rejected"
                             << QByteArray("'ACCEPTED' is no verdict");
    QTest::newRow("rules removed") << QByteArray("DELETE FROM rule_verdicts WHERE verdict = 'rejected'") << "undecided"
                                   << QByteArray("no rule beside it is rejected");
    QTest::newRow("other rules") << QByteArray("UPDATE verdicts SET rules_sha256 = 'ab', verdict = 'accepted'")
                                 << "rejected" << QByteArray("rules of another hash");
  }
  void a_verdict_that_was_changed_in_the_archive_is_never_shown_as_it_stands() {
    QFETCH(QByteArray, change);
    QFETCH(QString, expected);
    QFETCH(QByteArray, reason);
    const std::int64_t trial = run(std::string(kWine) + "output = { max = 1e-9 }\n");
    QCOMPARE(archive::Reader(archive()).trial(trial).end.verdict->word, record::VerdictWord::Rejected);
    sql(change.constData());
    const record::Verdict shown = *archive::Reader(archive()).trial(trial).end.verdict;
    QCOMPARE(QString::fromUtf8(record::to_text(shown.word).data()), expected);
    QVERIFY2(shown.reasons.front().find(reason.constData()) != std::string::npos, shown.reasons.front().c_str());
  }

  /// A regression decides nothing until rules give it a threshold; then a case flips where the two outputs lie on both
  /// sides of it. Counted here from the exported outputs.
  void a_threshold_of_the_new_rules_decides_anew() {
    const std::int64_t trial = run(kConcrete);
    const std::vector<record::CaseRow> rows = archive::Reader(archive()).cases(trial);
    const double threshold = 35.0;
    std::int64_t expected = 0;
    for (const record::CaseRow& row : rows) {
      const bool reference = row.output_reference.front() >= threshold;
      if ((row.output_same_weights.front() >= threshold) != reference) ++expected;
    }
    const session::JudgedAgain judged =
        session::judge_again(archive(), trial, rules("threshold = 35\nflips = { max = 0 }\n"));
    QCOMPARE(judged.judgement.verdict.rules.back().name, std::string("flips"));
    QCOMPARE(judged.judgement.verdict.rules.back().value, std::optional<double>(static_cast<double>(expected)));
  }

  void costs_are_judged_by_the_archived_figures_which_nobody_may_change() {
    const std::string text = std::string(kWine) + "cost = { min_speedup = 1e-9 }\n";
    const std::int64_t trial = run(text, session::MeasureGains::Short);
    QCOMPARE(session::judge_again(archive(), trial, "").judgement.verdict.word,
             archive::Reader(archive()).trial(trial).end.verdict->word);
    const session::JudgedAgain judged = session::judge_again(archive(), trial, rules("cost = { min_speedup = 1e9 }\n"));
    QCOMPARE(judged.judgement.verdict.word, VerdictWord::Rejected);
    sql("UPDATE gains SET speed_up_low = 2e9 WHERE trial = 2");
    expectDamaged(trial, "table gains and latency");
  }

  void a_trial_is_judged_over_the_seeds_that_have_run_since() {
    const auto text = [](int seed) {
      return "mantissa = 1\n[data]\nsource = \"wine\"\n[model]\nkind = \"linear\"\n[training]\nthreads = 1\nsteps = "
             "30\n"
             "seed = " +
             std::to_string(seed) +
             "\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n[rules]\n"
             "quality = { non_inferior = { margin = 0.2, seeds = 3 } }\n";
    };
    const std::int64_t first = run(text(1));
    QCOMPARE(archive::Reader(archive()).trial(first).end.verdict->word, VerdictWord::Undecided);
    run(text(2));
    run(text(2));  // the same seed once more is no other one
    const session::JudgedAgain two = session::judge_again(archive(), first, "");
    QCOMPARE(two.judgement.verdict.rules.back().cases, 2);
    QCOMPARE(two.judgement.verdict.word, VerdictWord::Undecided);
    run(text(3));
    const session::JudgedAgain three = session::judge_again(archive(), first, "");
    QCOMPARE(three.judgement.verdict.rules.back().cases, 3);
    QCOMPARE(three.judgement.verdict.word, VerdictWord::Accepted);
    QVERIFY(!three.judgement.post_hoc);
    QCOMPARE(archive::Reader(archive()).judgements(first).size(), std::size_t{1});
    QCOMPARE(archive::Reader(archive()).trial(first).end.verdict->word, VerdictWord::Undecided);
  }

  void files_without_sound_rules_are_refused_with_their_line() {
    const std::int64_t trial = run(kWine);
    const auto refused = [&](const std::string& text) {
      const QString path = m_folder->filePath("r.toml");
      QFile file(path);
      if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
      file.write(QByteArray::fromStdString(text));
      file.close();
      try {
        session::judge_again(archive(), trial, path.toStdString());
        return QByteArray();
      } catch (const Error& error) {
        return QByteArray::fromStdString(sentence(error.facts()));
      }
    };
    QVERIFY(refused("mantissa = 1\n").contains("no rules in the file"));
    QVERIFY(refused("[rules]\npreset = \"default\"\n").contains("mantissa"));
    QVERIFY(refused("mantissa = 1\n[rules]\noutput = { max = -1 }\n").contains("line 3"));
    QVERIFY(refused("mantissa = 1\n[rules]\nputput = 3\n").contains("output"));
    QVERIFY(refused("mantissa = 1\n[rules]\nquality = { metric = \"rmse\", min = 1 }\n").contains("accuracy"));
    QVERIFY(archive::Reader(archive()).judgements(trial).empty());
  }

  void what_is_no_trial_is_refused() {
    const std::int64_t trial = run(kWine);
    QVERIFY_EXCEPTION_THROWN(session::judge_again(archive(), trial - 1, ""), Error);  // its reference
    QVERIFY_EXCEPTION_THROWN(session::judge_again(archive(), 4711, ""), Error);
  }

  void rules_that_were_changed_in_the_archive_are_found() {
    const std::int64_t trial = run(kWine);
    sql("UPDATE experiments SET rules = replace(rules, '0.02', '0.2')");
    expectDamaged(trial, "rules");
  }

  void a_text_that_was_changed_in_the_archive_is_found() {
    const std::int64_t trial = run(kWine);
    sql("UPDATE experiments SET text = replace(text, 'preset = \"default\"', 'output = { max = 9 }')");
    expectDamaged(trial, "text");
  }

  void steps_that_were_taken_out_of_the_archive_are_missed() {
    const std::int64_t trial = run(kWine);
    sql("DELETE FROM steps WHERE step = 17");
    expectDamaged(trial, "table steps");
  }

  void evidence_that_is_damaged_is_told() {
    const std::int64_t trial = run(kWine);
    sql("UPDATE trial_evidence SET evidence = substr(evidence, 2)");
    expectDamaged(trial, "trial_evidence");
  }

  void whatever_of_the_evidence_was_changed_in_the_archive_is_found_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("table");
    QTest::newRow("a count") << "UPDATE trial_evidence SET evidence = json_set(evidence, '$.counts.applied', -1)"
                             << "trial_evidence";
    QTest::newRow("the decision")
        << "UPDATE trial_evidence SET evidence = json_set(evidence, '$.decision.positions', 7)"
        << "trial_evidence";
    QTest::newRow("every other case") << "DELETE FROM cases WHERE position % 2 = 0 AND trial = 2"
                                      << "cases";
    QTest::newRow("the outputs")
        << "UPDATE cases SET output = output_reference, output_same_weights = output_reference "
           "WHERE trial = 2"
        << "cases";
    QTest::newRow("a kind") << "UPDATE cases SET kind = 'boundary' WHERE trial = 2 AND position = 0"
                            << "cases";
    QTest::newRow("a target") << "UPDATE cases SET target = x'0000000000000040' WHERE trial = 2 AND position = 0"
                              << "cases";
    QTest::newRow("the repeat") << "UPDATE cases SET kind = 'edge' WHERE trial = 3 AND position = 0"
                                << "cases";
    QTest::newRow("the policy") << "UPDATE trials SET autocast = 'off' WHERE id = 2"
                                << "trials";
    QTest::newRow("the end") << "UPDATE trials SET status = 'stopped' WHERE id = 2"
                             << "trials";
    QTest::newRow("the reference") << "UPDATE trials SET reference = 2 WHERE id = 2"
                                   << "cases";
  }
  void whatever_of_the_evidence_was_changed_in_the_archive_is_found() {
    QFETCH(QString, change);
    QFETCH(QString, table);
    QCOMPARE(run(kWine), 2);
    sql(change.toUtf8().constData());
    expectDamaged(2, qPrintable("table " + table));
  }

  void evidence_that_is_missing_is_told() {
    const std::int64_t trial = run(kWine);
    sql("DELETE FROM trial_evidence");
    QVERIFY_EXCEPTION_THROWN(session::judge_again(archive(), trial, ""), Error);
  }

 private:
  std::string archive() const { return m_folder->filePath("a.db").toStdString(); }

  /// \return the id of its trial
  std::int64_t run(const std::string& text, session::MeasureGains gains = session::MeasureGains::Off) const {
    session::RunOptions options;
    options.archive = archive();
    options.gains = gains;
    Quiet quiet;
    const spec::Experiment experiment = spec::parse_experiment(text, m_folder->filePath("e.toml").toStdString());
    return session::run(experiment, options, quiet, session::StopToken()).trials.front().id;
  }

  std::string rules(const std::string& text) const {
    const QString path = m_folder->filePath("rules.toml");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
    file.write(QByteArray::fromStdString("mantissa = 1\n[rules]\n" + text));
    return path.toStdString();
  }

  void sql(const char* text) const {
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(archive().c_str(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database, text, nullptr, nullptr, nullptr), SQLITE_OK);
    QVERIFY(sqlite3_total_changes(database) > 0);
    sqlite3_close(database);
  }

  void expectDamaged(std::int64_t trial, const char* place) const {
    try {
      session::judge_again(archive(), trial, "");
      QFAIL("it was judged");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
      QVERIFY2(sentence(error.facts()).find(place) != std::string::npos, sentence(error.facts()).c_str());
    }
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_APPLESS_MAIN(JudgeAgainTests)
#include "judge_again_tests.moc"
