// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules of the text mean, beside their form, and presets that are taken from there.
#include <spdlog/spdlog.h>

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <QTextEdit>

#include <atomic>

#include "editor_window.h"
#include "tests/ui/shell/example_archive.h"
#include "ui/rules/rules_explainer.h"

using namespace mantissa;
using namespace mantissa::ui::editor;

namespace {

// Named as the experiment of the example archive, whose trials are fp16 and bf16.
const QString kText = QStringLiteral(
    "# mine\n"
    "mantissa = 1\n"
    "name = \"digits\"\n"
    "[data]\n"
    "source = \"digits\"\n"
    "[model]\n"
    "kind = \"mlp\"\n"
    "[[trial]]\n"
    "name = \"fp16\"\n"
    "autocast = \"float16\"\n"
    "[rules]  # ours\n"
    "output = { reduce = \"max\", max = 0.002 }\n");

/// One case whose outputs are 4 and off by 0.04: 0.01 of it; its RMS over two elements is sqrt(16 / 2) = 2.828.
judge::Evidence oneCase() {
  judge::Evidence evidence;
  evidence.autocast = "float16";
  evidence.decision.kind = judge::DecisionKind::ArgMax;
  record::CaseRow row;
  row.id = "a";
  row.output_reference = {4, 0};
  row.output = row.output_same_weights = {4.04, 0};
  evidence.cases = {row};
  judge::compare(evidence.cases, evidence.decision);
  return evidence;
}

}  // namespace

class RulesPageTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_window = std::make_unique<EditorWindow>();
    m_reads = 0;
    m_editor = m_window->open(m_window->written("a.toml", kText));
  }
  void cleanup() { m_window.reset(); }

  void the_pages_of_the_rules_alone_say_what_rules_mean() {
    for (const char* const page : {"rules", "rules.output", "rules.quality"}) {
      m_editor->showPage(QString::fromLatin1(page));
      QVERIFY2(panel()->isVisible(), page);
    }
    for (const char* const page : {"", "trial", "training", "cases"}) {
      m_editor->showPage(QString::fromLatin1(page));
      QVERIFY2(!panel()->isVisible(), page);
    }
  }

  void without_an_archive_it_says_so_and_speaks_of_outputs_of_size_1() {
    show();
    QVERIFY2(status().contains(QStringLiteral("No archive is open")), qPrintable(status()));
    QVERIFY2(words().contains(QStringLiteral("0.002 of an RMS of 1")), qPrintable(words()));
  }

  void an_archive_that_opens_later_brings_the_outputs_of_its_newest_run() {
    show();
    openArchive();
    QVERIFY2(words().contains(QStringLiteral("fp16 (FP16): 0.002 of RMS 2.828 = 0.005657")), qPrintable(words()));
    QVERIFY2(words().contains(QStringLiteral("The worst case of fp16 was 0.01000 (case a); 1 of 1 case beyond.")),
             qPrintable(words()));
    QVERIFY2(panel()->runs()->currentText().startsWith(QStringLiteral("fp16, bf16 (digits, ")),
             qPrintable(panel()->runs()->currentText()));
    QCOMPARE(panel()->runs()->count(), 3);  // both, and each alone
    panel()->runs()->setFocus();
    QTest::keyClick(panel()->runs(), Qt::Key_Down);  // by the keyboard
    settle();
    QVERIFY(panel()->runs()->currentText().startsWith(QStringLiteral("fp16 (digits, ")));
    QVERIFY2(!words().contains(QStringLiteral("bf16 (")), qPrintable(words()));
  }

  void what_is_typed_is_explained_and_the_run_is_read_once() {
    openArchive();
    show();
    QTRY_VERIFY(words().contains(QStringLiteral("0.002 of RMS 2.828")));
    QCOMPARE(m_reads.load(), 2);  // two trials
    m_window->setText(m_editor, QString(kText).replace(QStringLiteral("0.002"), QStringLiteral("0.02")));
    QTRY_VERIFY2(words().contains(QStringLiteral("0.02 of RMS 2.828 = 0.05657")), qPrintable(words()));
    QCOMPARE(m_reads.load(), 2);
    // A text that is wrong keeps what was said, and says why.
    m_window->setText(m_editor, QString(kText).replace(QStringLiteral("0.002"), QStringLiteral("-1")));
    QTRY_VERIFY2(status().contains(QStringLiteral("read last")), qPrintable(status()));
    QVERIFY(words().contains(QStringLiteral("0.02 of RMS 2.828")));
  }

  void a_field_of_the_form_is_explained_at_once() {
    show();
    m_editor->showPage(QStringLiteral("rules.output"));
    QLineEdit* const line = EditorWindow::begin(m_editor, "rules.output.max");
    QTest::keyClicks(line, QStringLiteral("0.5"));
    settle();
    QVERIFY2(words().contains(QStringLiteral("0.5 of an RMS of 1")), qPrintable(words()));
  }

  void the_workbench_reads_the_evidence_of_the_archive() {
    m_window->editors->explainRulesBy({});
    m_window.reset();
    m_window = std::make_unique<EditorWindow>();  // as it is wired there
    m_editor = m_window->open(m_window->written("a.toml", kText));
    test::makeExampleArchive(m_window->path("a.db"), 5);
    m_window->window->open(m_window->path("a.db"));
    QTRY_VERIFY(!m_window->window->archive().isEmpty());
    show();
    // The example keeps no evidence, which only the engine finds out; the words name the trials all the same.
    QVERIFY2(words().startsWith(QStringLiteral("fp16\n")), qPrintable(words()));
    QVERIFY2(words().contains(QStringLiteral("nothing is kept of what its verdict rests on")), qPrintable(words()));
  }

  void a_preset_is_one_step_that_can_be_undone_and_names_what_gave_way() {
    show();
    take("default");
    const QString taken = QString(kText).replace(QStringLiteral("output = { reduce = \"max\", max = 0.002 }"),
                                                 QStringLiteral("preset = \"default\""));
    QCOMPARE(m_editor->text()->text(), taken);
    const QString strip = EditorWindow::strip(m_editor);
    QVERIFY2(strip.contains(QStringLiteral("took the place of rules.output. Undo brings it back.")), qPrintable(strip));
    settle();
    QVERIFY2(words().contains(QStringLiteral("Flips, same weights")), qPrintable(words()));
    m_window->trigger("editor_undo");
    QCOMPARE(m_editor->text()->text(), kText);
    QCOMPARE(EditorWindow::strip(m_editor), QString());
    settle();
    QVERIFY2(!words().contains(QStringLiteral("Flips")), qPrintable(words()));
  }

  void a_preset_per_operator_comes_by_the_keyboard() {
    show();
    auto* const button = panel()->findChild<QPushButton*>(QStringLiteral("take_preset"));
    QVERIFY(button->focusPolicy() & Qt::TabFocus);
    take("onnx");
    QVERIFY2(m_editor->text()->text().contains(QStringLiteral("output = { preset = \"onnx\" }\n")),
             qPrintable(m_editor->text()->text()));
    QCOMPARE(m_editor->form()->page(), QStringLiteral("rules.output"));
    settle();
    QVERIFY2(words().contains(QStringLiteral("Made per operator, not per network")), qPrintable(words()));
  }

  void a_preset_that_needs_outputs_in_fp64_says_so() {
    show();
    take("torchdynamo");
    QVERIFY2(EditorWindow::strip(m_editor).contains(QStringLiteral("reference.float64 = true")),
             qPrintable(EditorWindow::strip(m_editor)));
    m_window->setText(m_editor, kText + QStringLiteral("[reference]\nfloat64 = true\n"));
    take("torchdynamo");
    QVERIFY2(!EditorWindow::strip(m_editor).contains(QStringLiteral("reference.float64")),
             qPrintable(EditorWindow::strip(m_editor)));
  }

  void a_broken_text_refuses_a_preset_with_a_reason() {
    const QString broken = kText + QStringLiteral("\"");
    m_window->setText(m_editor, broken);
    show();
    take("default");
    QCOMPARE(m_editor->text()->text(), broken);
    const QString strip = EditorWindow::strip(m_editor);
    QVERIFY2(strip.contains(QStringLiteral("cannot be written from here")), qPrintable(strip));
  }

  void a_person_without_rules_is_told_what_that_means() {
    m_window->setText(m_editor, QString(kText).remove(kText.indexOf(QStringLiteral("[rules]")), kText.size()));
    show();
    QVERIFY2(words().contains(QStringLiteral("a clean trial is undecided")), qPrintable(words()));
  }

 private:
  ui::rules::RulesExplainer* panel() const { return m_editor->form()->rules(); }
  QString words() const { return panel()->words()->toPlainText(); }
  QString status() const { return panel()->status()->text(); }

  void settle() { m_window->settle(); }

  void show() {
    m_editor->showPage(QStringLiteral("rules"));
    settle();
  }

  void take(const char* preset) {
    panel()->presets()->findChild<QAction*>(QStringLiteral("preset_") + QString::fromLatin1(preset))->trigger();
  }

  void openArchive() {
    m_window->editors->explainRulesBy([this](const std::string&, std::int64_t) {
      ++m_reads;
      return oneCase();
    });
    test::makeExampleArchive(m_window->path("a.db"), 5);
    m_window->window->open(m_window->path("a.db"));
    QTRY_VERIFY(!m_window->window->archive().isEmpty());
    settle();
  }

  std::atomic<int> m_reads{0};  // outlives the window, whose thread counts
  std::unique_ptr<EditorWindow> m_window;
  ExperimentEditor* m_editor = nullptr;
};

QTEST_MAIN(RulesPageTests)
#include "rules_page_tests.moc"
