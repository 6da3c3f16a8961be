// SPDX-License-Identifier: GPL-3.0-or-later
// Outline, form and text of an experiment in step, in both directions.
#include <spdlog/spdlog.h>

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QTest>
#include <QTreeView>

#include "core/spec/key_catalogue.h"
#include "editor_window.h"
#include "ui/editor/experiment_form.h"
#include "ui/editor/field.h"
#include "ui/editor/form_section.h"
#include "ui/editor/outline_model.h"
#include "ui/editor/policies_view.h"

using namespace mantissa;
using namespace mantissa::ui::editor;

namespace {

const QString kText = QStringLiteral(
    "# mine\n"
    "mantissa = 1\n"
    "\n"
    "[data]\n"
    "source = \"digits\" # small\n"
    "[model]\n"
    "kind = \"mlp\"\n"
    "\n"
    "[training]\n"
    "batch = 64    # samples\n"
    "# more\n"
    "steps = 5\n"
    "\n"
    "[[trial]]\n"
    "name = \"a\"\n"
    "autocast = \"float16\"\n");

}  // namespace

class FormTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_window = std::make_unique<EditorWindow>();
    m_editor = m_window->open(m_window->written("a.toml", kText));
  }
  void cleanup() {
    m_window.reset();
    QLocale::setDefault(QLocale::c());
  }

  void a_plan_changes_how_a_step_is_computed_and_nothing_else_in_one_step_of_undo() {
    m_window->editors->usePlan(m_editor->file(), 32, 2, true);
    QString planned = kText;
    planned.replace(QStringLiteral("batch = 64 "), QStringLiteral("batch = 32 "));
    planned.replace(QStringLiteral("steps = 5\n"),
                    QStringLiteral("steps = 5\naccumulate = 2\nactivation_checkpointing = \"blocks\"\n"));
    QCOMPARE(m_editor->text()->text(), planned);
    QVERIFY(m_editor->isChanged());  // it is the person who saves it
    QCOMPARE(m_editor->form()->page(), QStringLiteral("training"));
    m_window->trigger("editor_undo");
    QCOMPARE(m_editor->text()->text(), kText);
    // What the defaults say is not written.
    m_window->editors->usePlan(m_editor->file(), 16, 1, false);
    QCOMPARE(m_editor->text()->text(),
             QString(kText).replace(QStringLiteral("batch = 64 "), QStringLiteral("batch = 16 ")));
  }

  void problems_of_several_sections_are_counted_and_marked_where_they_stand() {
    m_window->setText(m_editor, QStringLiteral("mantissa = 1\n[data]\nsource = \"digits\"\nprefetch = -1\n[model]\n"
                                               "kynd = \"mlp\"\n[training]\nbatch = 0\nsteps = -1\n"
                                               "[[training.optimizer]]\nlr = -1\n[[training.optimizer]]\n"
                                               "betas = [0.5, 2]\n[[trial]]\nname = \"a\"\nautocast = \"off\"\n"
                                               "[[trial]]\nname = \"a\"\nautocast = \"off\"\nshadow_every = -1\n"
                                               "[budget]\nreserve = 2\n"));
    const auto* const summary = m_editor->findChild<QAbstractButton*>(QStringLiteral("problems"));
    QVERIFY2(summary->text().startsWith(QStringLiteral("✕ 9 problems")), qPrintable(summary->text()));
    const OutlineModel* const outline = m_editor->outline();
    const auto isMarked = [&](const char* page) {
      return !outline->indexOf(QString::fromLatin1(page)).data(OutlineModel::ProblemRole).toString().isEmpty();
    };
    for (const char* const page :
         {"data", "model", "training", "training.optimizer[0]", "training.optimizer[1]", "trial[1]", "budget"}) {
      QVERIFY2(isMarked(page), page);
    }
    QVERIFY(!isMarked("trial[0]"));
    QVERIFY(!isMarked("rules"));
    for (const char* const key :
         {"data.prefetch", "training.batch", "training.steps", "training.optimizer[0].lr",
          "training.optimizer[1].betas", "trial[1].name", "trial[1].shadow_every", "budget.reserve"}) {
      QVERIFY2(!EditorWindow::field(m_editor, key)->problem().isEmpty(), key);
    }
    QVERIFY(EditorWindow::field(m_editor, "trial[0].name")->problem().isEmpty());
  }

  void a_value_too_long_for_a_field_stands_in_the_text_alone() {
    const QString name = QStringLiteral("\"") + QString(9'998, QLatin1Char('x')) + QStringLiteral("\"");
    m_window->setText(m_editor, QString(kText).replace(QStringLiteral("\"digits\""), name));
    const Field* field = EditorWindow::field(m_editor, "data.source");
    QVERIFY(field->input()->isEnabled());
    QVERIFY(!field->problem().contains(QStringLiteral("Too long for a field")));
    const QString longer = QString(name).insert(1, QLatin1Char('x'));  // 10,001 letters with its quotes
    const QString text = QString(kText).replace(QStringLiteral("\"digits\""), longer);
    m_window->setText(m_editor, text);
    field = EditorWindow::field(m_editor, "data.source");
    QVERIFY2(field->problem().startsWith(QStringLiteral("Too long for a field: 10,001 letters.")),
             qPrintable(field->problem()));
    QVERIFY(!field->input()->isEnabled());
    QVERIFY(field->problem().size() < 2000);
    QCOMPARE(m_editor->text()->text(), text);  // what the field does not show, it does not change
    m_window->trigger("editor_undo");
    QVERIFY(field->input()->isEnabled());
  }

  void a_line_that_takes_a_text_too_long_for_it_keeps_the_key() {
    QLineEdit* const line = EditorWindow::begin(m_editor, "description");
    QTest::keyClicks(line, QStringLiteral("x"));
    const QString pasted(20'000, QLatin1Char('y'));
    QApplication::clipboard()->setText(pasted);
    line->paste();
    m_window->settle();
    QVERIFY(m_editor->text()->text().contains(QStringLiteral("description = \"x") + pasted));
    QVERIFY(!line->isEnabled());
    QCOMPARE(line->text(), QString());
  }

  void every_key_of_the_catalogue_has_a_field_with_words_of_its_own() {
    m_window->setText(m_editor, kText + QStringLiteral("[rules]\noutput = { max = 1.0 }\nquality = { min = 0.1 }\n"));
    QStringList found;
    for (const QModelIndex& page : pages()) {
      m_editor->showPage(page.data(OutlineModel::PathRole).toString());
      const FormSection* const section = m_editor->form()->section();
      if (section == nullptr) continue;
      for (const Field* const field : section->fields()) {
        found << field->spec().key;
        QVERIFY2(!field->input()->accessibleName().isEmpty(), qPrintable(field->path()));
        QVERIFY2(field->toolTip().contains(field->spec().key), qPrintable(field->path()));
        QVERIFY2(!field->whatsThis().isEmpty(), qPrintable(field->path()));
        QVERIFY2(!field->toolTip().contains(QStringLiteral("--")), qPrintable(field->toolTip()));
      }
    }
    for (const spec::KeyEntry& key : spec::key_catalogue()) {
      const bool isTable = key.shape == spec::KeyShape::Table || key.shape == spec::KeyShape::Tables ||
                           key.shape == spec::KeyShape::TableOrTables;
      if (isTable) continue;  // a page or a heading
      QCOMPARE(found.count(QString::fromStdString(key.path)), 1);
    }
  }

  void a_problem_moves_no_field() {
    m_editor->showPage(QStringLiteral("training"));
    m_window->settle();
    const QVector<Field*>& fields = m_editor->form()->section()->fields();
    const auto places = [&] {
      QVector<QPoint> all;
      for (const Field* const one : fields) all << one->input()->mapTo(m_editor->form(), QPoint(0, 0));
      return all;
    };
    QTRY_COMPARE(fields[1]->height(), fields[1]->sizeHint().height());  // laid out
    const QVector<QPoint> before = places();
    type("training.batch", QStringLiteral("0"));  // the engine refuses it
    QTRY_VERIFY(!field("training.batch")->problem().isEmpty());
    m_window->settle();
    QCOMPARE(places(), before);
    type("training.batch", QStringLiteral("x"));  // no number
    m_window->settle();
    QCOMPARE(places(), before);
  }

  void what_is_expected_of_a_trial_goes_with_its_name() {
    const auto named = [](const QString& name) {
      return QString(kText).replace(QStringLiteral("name = \"a\""), QStringLiteral("name = \"%1\"").arg(name)) +
             QStringLiteral("[expect]\n%1 = \"rejected\" # so far\n").arg(name);
    };
    const QString before = named(QStringLiteral("half"));
    m_window->setText(m_editor, before);
    type("trial[0].name", QStringLiteral("quarter"));
    QCOMPARE(text(), named(QStringLiteral("quarter")));
    m_window->trigger("editor_undo");
    QCOMPARE(text(), before);
  }

  void a_renamed_experiment_is_suggested_under_its_name() {
    QStringList suggested;
    editorQuestions().place = [&](QWidget*, const QString& suggestion) {
      suggested << QFileInfo(suggestion).fileName();
      return QString();
    };
    m_editor->saveAs();
    type("name", QStringLiteral("other/one"));
    m_editor->saveAs();
    QCOMPARE(suggested, QStringList({QStringLiteral("a.toml"), QStringLiteral("other-one.toml")}));
  }

  void typing_into_a_field_changes_its_line_alone() {
    type("training.batch", QStringLiteral("128"));
    QCOMPARE(text(), QString(kText).replace(QStringLiteral("batch = 64 "), QStringLiteral("batch = 128 ")));
    QCOMPARE(m_window->tabText(), QStringLiteral("● a.toml"));
  }

  void a_key_that_is_not_there_comes_with_its_field_and_goes_with_its_button() {
    type("training.clip_norm", QStringLiteral("0.5"));
    const QString with =
        QString(kText).replace(QStringLiteral("steps = 5\n"), QStringLiteral("steps = 5\nclip_norm = 0.5\n"));
    QCOMPARE(text(), with);
    for (QToolButton* const button : field("training.clip_norm")->findChildren<QToolButton*>()) {
      if (button->isVisible()) button->click();
    }
    QCOMPARE(text(), kText);
  }

  void a_field_that_is_emptied_takes_its_key_away_when_it_is_left() {
    auto* const line = qobject_cast<QLineEdit*>(field("training.batch")->input());
    line->setFocus();
    line->selectAll();
    QTest::keyClick(line, Qt::Key_Delete);
    QCOMPARE(text(), kText);  // another value may be on its way, and the line's comment with it
    QTest::keyClicks(line, QStringLiteral("7"));
    QCOMPARE(text(), QString(kText).replace(QStringLiteral("batch = 64 "), QStringLiteral("batch = 7 ")));
    line->selectAll();
    QTest::keyClick(line, Qt::Key_Delete);
    QTest::keyClick(line, Qt::Key_Return);
    QCOMPARE(text(), QString(kText).remove(QStringLiteral("batch = 64    # samples\n")));
  }

  void choices_switches_lists_and_paths_write_what_the_engine_reads() {
    auto* const source = qobject_cast<QComboBox*>(field("data.source")->input());
    source->setFocus();
    QTest::keyClicks(source, QStringLiteral("wine"));
    QTest::keyClick(source, Qt::Key_Return);
    QVERIFY2(text().contains(QStringLiteral("source = \"wine\" # small\n")), qPrintable(text()));
    auto* const standardize = qobject_cast<QCheckBox*>(field("data.standardize")->input());
    QCOMPARE(standardize->checkState(), Qt::PartiallyChecked);
    QTest::keyClick(standardize, Qt::Key_Space);
    QVERIFY2(text().contains(QStringLiteral("standardize = true\n")), qPrintable(text()));
    QTest::keyClick(standardize, Qt::Key_Space);
    QVERIFY2(text().contains(QStringLiteral("standardize = false\n")), qPrintable(text()));
    type("model.hidden", QStringLiteral("32,16"));
    QVERIFY2(text().contains(QStringLiteral("hidden = [32, 16]\n")), qPrintable(text()));
    type("trial[0].float32_regions", QStringLiteral("loss, module:head"));
    QVERIFY2(text().contains(QStringLiteral("float32_regions = [\"loss\", \"module:head\"]\n")), qPrintable(text()));
    editorQuestions().existingFile = [this](QWidget*, const QString&) { return m_window->path("data/x.csv"); };
    for (QToolButton* const button : field("data.path")->findChildren<QToolButton*>()) {
      if (button->text() == QStringLiteral("…")) button->click();
    }
    QVERIFY2(text().contains(QStringLiteral("path = \"data/x.csv\"\n")), qPrintable(text()));
    type("data.test.fraction", QStringLiteral("0.25"));
    QVERIFY2(text().contains(QStringLiteral("test = { fraction = 0.25 }\n")), qPrintable(text()));
    type("trial[0].scaler.init_scale", QStringLiteral("1024"));
    QVERIFY2(text().contains(QStringLiteral("[trial.scaler]\ninit_scale = 1024\n")), qPrintable(text()));
  }

  void the_text_fills_the_form() {
    auto* const batch = qobject_cast<QLineEdit*>(field("training.batch")->input());
    QCOMPARE(batch->text(), QStringLiteral("64"));
    m_window->setText(m_editor, QString(kText).replace(QStringLiteral("64"), QStringLiteral("0x10")));
    QCOMPARE(batch->text(), QStringLiteral("0x10"));
    m_window->setText(m_editor, QString(kText).remove(QStringLiteral("batch = 64    # samples\n")));
    QCOMPARE(batch->text(), QString());
    QCOMPARE(batch->placeholderText(), QStringLiteral("min(64, rows)"));
  }

  void a_broken_text_keeps_the_forms_last_state_and_says_where() {
    const QLineEdit* const batch = qobject_cast<QLineEdit*>(field("training.batch")->input());
    m_window->setText(m_editor, QString(kText).replace(QStringLiteral("batch = 64"), QStringLiteral("batch = \"64")));
    QCOMPARE(batch->text(), QStringLiteral("64"));
    QVERIFY(!batch->isEnabled());
    QStringList words;
    for (const QLabel* const label : m_editor->form()->findChildren<QLabel*>()) {
      if (label->isVisible()) words << label->text();
    }
    QVERIFY2(words.join('\n').contains(QStringLiteral("Line 10")), qPrintable(words.join('\n')));
    m_window->trigger("editor_undo");
    m_window->settle();
    QVERIFY(batch->isEnabled());
  }

  void undo_takes_back_a_field_as_one_step_and_the_text_before_it() {
    m_editor->text()->setFocus();
    QTest::keyClicks(m_editor->text(), QStringLiteral("# x"));
    QTest::keyClick(m_editor->text(), Qt::Key_Return);
    const QString typed = text();
    type("training.batch", QStringLiteral("128"));
    auto* const line = qobject_cast<QLineEdit*>(field("training.batch")->input());
    QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(text(), typed);
    m_window->settle();
    QCOMPARE(line->text(), QStringLiteral("64"));
    QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    m_window->settle();
    QCOMPARE(line->text(), QStringLiteral("128"));
    while (text() != kText && m_editor->text()->document()->isUndoAvailable()) m_window->trigger("editor_undo");
    QCOMPARE(text(), kText);
    QVERIFY(!m_editor->isChanged());
  }

  void undo_comes_back_to_what_was_saved() {
    type("training.batch", QStringLiteral("12"));
    m_window->trigger("save");
    QTest::keyClicks(field("training.batch")->input(), QStringLiteral("8"));
    QVERIFY(text().contains(QStringLiteral("batch = 128 ")));
    m_window->trigger("editor_undo");
    QVERIFY(text().contains(QStringLiteral("batch = 12 ")));
    QVERIFY(!m_editor->isChanged());
  }

  void a_problem_stands_at_its_field_its_line_and_in_the_outline() {
    type("training.batch", QStringLiteral("0"));
    m_window->settle();
    QVERIFY2(field("training.batch")->problem().startsWith(QStringLiteral("Found 0, expected")),
             qPrintable(field("training.batch")->problem()));
    QVERIFY(!m_editor->text()->problemAt(10).isEmpty());
    const QModelIndex page = m_editor->outline()->indexOf(QStringLiteral("training"));
    QVERIFY(!page.data(OutlineModel::ProblemRole).toString().isEmpty());
    type("trial[0].scaler.growth_factor", QStringLiteral("0.5"));
    m_window->settle();
    QVERIFY(!field("trial[0].scaler.growth_factor")->problem().isEmpty());  // named trial[a] by the engine
    type("training.batch", QStringLiteral("8"));
    m_window->settle();
    QCOMPARE(field("training.batch")->problem(), QString());
    QVERIFY(
        m_editor->outline()->indexOf(QStringLiteral("training")).data(OutlineModel::ProblemRole).toString().isEmpty());
  }

  void what_no_field_can_say_stands_at_the_top_of_its_page() {
    m_window->setText(m_editor, QString(kText).remove(QStringLiteral("autocast = \"float16\"\n")));
    m_editor->showPage(QStringLiteral("trial[0]"));
    QStringList words;
    for (const QLabel* const label : m_editor->form()->findChildren<QLabel*>()) {
      if (label->isVisible()) words << label->text();
    }
    QVERIFY2(words.join('\n').contains(QStringLiteral("No autocast")), qPrintable(words.join('\n')));
    m_editor->showPage(QStringLiteral("data"));
    for (const QLabel* const label : m_editor->form()->findChildren<QLabel*>()) {
      QVERIFY(!label->isVisible() || !label->text().contains(QStringLiteral("No autocast")));
    }
  }

  void numbers_stay_in_the_c_locale_of_a_german_user() {
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    m_window.reset();
    m_window = std::make_unique<EditorWindow>();
    m_editor =
        m_window->open(m_window->written("a.toml", kText + QStringLiteral("[trial.scaler]\ninit_scale = 65536.5\n")));
    QCOMPARE(qobject_cast<QLineEdit*>(field("trial[0].scaler.init_scale")->input())->text(), QStringLiteral("65536.5"));
    QCOMPARE(qobject_cast<QLineEdit*>(field("trial[0].scaler.backoff_factor")->input())->placeholderText(),
             QStringLiteral("0.5"));
    type("trial[0].scaler.backoff_factor", QStringLiteral("0.25"));
    QVERIFY(text().endsWith(QStringLiteral("\nbackoff_factor = 0.25\n")));
    // What is no number in the file is said so.
    type("trial[0].scaler.backoff_factor", QStringLiteral("0,25"));
    m_window->settle();
    QVERIFY(text().endsWith(QStringLiteral("\nbackoff_factor = \"0,25\"\n")));
    QVERIFY2(field("trial[0].scaler.backoff_factor")->problem().contains(QStringLiteral("expected")),
             qPrintable(field("trial[0].scaler.backoff_factor")->problem()));
  }

  void keys_of_other_kinds_are_hidden_until_they_are_wanted() {
    QVERIFY(field("model.hidden")->isVisible());
    QVERIFY(!field("model.channels")->isVisible());
    auto* const kind = qobject_cast<QComboBox*>(field("model.kind")->input());
    kind->setFocus();
    QTest::keyClicks(kind, QStringLiteral("cnn"));
    QTest::keyClick(kind, Qt::Key_Return);
    QVERIFY(field("model.channels")->isVisible());
    QVERIFY(!field("model.hidden")->isVisible());
    for (QCheckBox* const box : m_editor->form()->findChildren<QCheckBox*>()) {
      if (box->text().contains(QStringLiteral("other kinds"))) box->setChecked(true);
    }
    QVERIFY(field("model.hidden")->isVisible());
  }

  void defaults_of_the_scaler_are_those_of_its_preset() {
    auto* const scale = qobject_cast<QLineEdit*>(field("trial[0].scaler.init_scale")->input());
    QCOMPARE(scale->placeholderText(), QStringLiteral("65536"));
    auto* const preset = qobject_cast<QComboBox*>(field("trial[0].scaler.preset")->input());
    preset->setFocus();
    QTest::keyClicks(preset, QStringLiteral("megatron"));
    QTest::keyClick(preset, Qt::Key_Return);
    QCOMPARE(scale->placeholderText(), QStringLiteral("4294967296"));  // 2^32: FIELD.md 2.1, Megatron-LM's options
  }

  void trials_are_added_duplicated_and_removed() {
    m_editor->showPage(QStringLiteral("trial"));
    press("add fp16-deepspeed");
    m_window->settle();
    QVERIFY(m_editor->problems().problems.isEmpty());
    QVERIFY2(text().endsWith(QStringLiteral("\n\n[[trial]]\nname = \"fp16-deepspeed\"\nautocast = \"float16\"\n"
                                            "[trial.scaler]\npreset = \"deepspeed\"\n")),
             qPrintable(text()));
    press("add fp16-deepspeed");
    QVERIFY(text().contains(QStringLiteral("name = \"fp16-deepspeed-2\"")));
    m_window->trigger("editor_undo");
    press("Duplicate trial[0]");
    m_window->settle();
    QVERIFY2(text().contains(QStringLiteral("name = \"a\"\nautocast = \"float16\"\n\n[[trial]]\nname = \"a-2\"\n"
                                            "autocast = \"float16\"\n\n[[trial]]\nname = \"fp16-deepspeed\"")),
             qPrintable(text()));
    QVERIFY(m_editor->problems().problems.isEmpty());
    m_window->trigger("editor_undo");
    QVERIFY(!text().contains(QStringLiteral("a-2")));
    m_window->settle();
    press("Remove trial[1]");
    QCOMPARE(text(), kText);
    press("Remove trial[0]");
    QVERIFY(!text().contains(QStringLiteral("[[trial]]")));
    m_window->settle();
    QCOMPARE(m_editor->form()->page(), QStringLiteral("trial"));
  }

  void the_outline_follows_the_text_and_the_form_the_outline() {
    const QAbstractItemModelTester tester(m_editor->outline(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    m_window->setText(m_editor, kText + QStringLiteral("[[trial]]\nname = \"second\"\nautocast = \"bfloat16\"\n"));
    const QModelIndex second = m_editor->outline()->indexOf(QStringLiteral("trial[1]"));
    QCOMPARE(second.data().toString(), QStringLiteral("second"));
    auto* const view = m_editor->findChild<QTreeView*>();
    view->setFocus();
    view->setCurrentIndex(second);
    QCOMPARE(m_editor->form()->page(), QStringLiteral("trial[1]"));
    QCOMPARE(m_editor->text()->currentLine(), 17);
    m_window->setText(m_editor, kText);
    QCOMPARE(m_editor->form()->page(), QStringLiteral("trial"));  // of a trial that is gone
    m_editor->text()->setFocus();
    m_editor->text()->goTo(10);
    QCOMPARE(m_editor->form()->page(), QStringLiteral("training"));
  }

  void the_keyboard_reaches_outline_form_and_text() {
    auto* const view = m_editor->findChild<QTreeView*>();
    view->setFocus();
    QTest::keyClick(view, Qt::Key_Home);
    QCOMPARE(m_editor->form()->page(), QString());
    QTest::keyClick(view, Qt::Key_Tab);
    QWidget* const first = QApplication::focusWidget();
    QCOMPARE(first, m_editor->form()->section()->fields().first()->input());
    int steps = 0;
    while (QApplication::focusWidget() != m_editor->text() && steps < 20) {
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
      ++steps;
    }
    QCOMPARE(QApplication::focusWidget(), m_editor->text());
    QTest::keyClick(m_editor->text(), Qt::Key_Tab);
    QVERIFY(QApplication::focusWidget() != m_editor->text());
    QCOMPARE(text(), kText);
  }

 private:
  QString text() const { return m_editor->text()->text(); }

  QVector<QModelIndex> pages() const {
    QVector<QModelIndex> all;
    const OutlineModel& model = *m_editor->outline();
    for (int row = 0; row < model.rowCount(); ++row) {
      const QModelIndex above = model.index(row, 0);
      all << above;
      for (int below = 0; below < model.rowCount(above); ++below) all << model.index(below, 0, above);
    }
    return all;
  }

  Field* field(const char* path) const { return EditorWindow::field(m_editor, path); }

  /// Types over what stands in a line.
  void type(const char* path, const QString& words) const {
    QTest::keyClicks(EditorWindow::begin(m_editor, path), words);
  }

  void press(const char* name) const {
    QCoreApplication::processEvents();  // cards that were made just now are shown by then
    for (QToolButton* const button : m_editor->form()->findChildren<QToolButton*>(QString::fromLatin1(name))) {
      if (!button->isVisible()) continue;
      button->click();
      return;
    }
    qFatal("no button %s", name);
  }

  std::unique_ptr<EditorWindow> m_window;
  ExperimentEditor* m_editor = nullptr;
};

QTEST_MAIN(FormTests)
#include "form_tests.moc"
