// SPDX-License-Identifier: GPL-3.0-or-later
// Case 39 in the window: a person with a decimal comma sees and types it; files, the clipboard and experiments never
// do.
#include <spdlog/spdlog.h>

#include <QApplication>
#include <QClipboard>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QLocale>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <clocale>
#include <memory>

#include "core/spec/parse.h"
#include "tests/ui/shell/example_archive.h"
#include "ui/editor/policies_view.h"
#include "ui/plot/plot_header.h"
#include "ui/plot/plot_table.h"
#include "ui/plot/plot_view.h"
#include "ui/run/counters_table.h"
#include "ui/run/run_charts.h"
#include "ui/run/run_page.h"
#include "ui/run/step_panel.h"
#include "ui/shell/glance_strip.h"
#include "ui/shell/log_model.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"

using namespace mantissa;
using namespace mantissa::ui;

class GermanWindowTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
    qputenv("XDG_DATA_HOME", m_folder.path().toUtf8());
    test::makeExampleArchive(archive());
    m_english = exports();

    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    // What QApplication does where the desktop is German. Where the locale cannot be made, Qt's alone is German.
    const QString localedef = QStandardPaths::findExecutable(QStringLiteral("localedef"));
    if (!localedef.isEmpty() &&
        QProcess::execute(localedef, {"-i", "de_DE", "-f", "UTF-8", m_folder.filePath("de_DE.UTF-8")}) == 0) {
      qputenv("LOCPATH", m_folder.path().toUtf8());
      QVERIFY(std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr);
      QCOMPARE(std::localeconv()->decimal_point, ",");
    }
    open();
  }
  void cleanupTestCase() {
    close();
    QLocale::setDefault(QLocale::c());
    std::setlocale(LC_ALL, "C");
  }

  void figures_have_the_comma_of_the_person() {
    QCOMPARE(m_page->strip()->answerOf(1), QStringLiteral("✓ 1 of 200 steps skipped (0,5 %)"));
    QVERIFY2(!m_page->strip()->answerOf(3).contains(QLatin1Char('.')), qPrintable(m_page->strip()->answerOf(3)));
  }

  /// Strip, legend, axis, counters, tooltips and table say one number in one way. The reference's last loss is
  /// 1 + 10/200; fp16's scale is 2^16.
  void one_number_is_written_alike_wherever_it_stands() {
    const plot::PlotView& loss = *m_page->charts()->plot(run::Chart::Loss);
    QCOMPARE(loss.findChild<plot::LegendItem*>()->accessibleName(), QStringLiteral("reference: 1,050"));
    const QAbstractItemModel& counters = *m_page->counters()->model();
    using run::CountersModel;
    QCOMPARE(counters.index(0, CountersModel::LossColumn).data().toString(), QStringLiteral("1,050"));
    QCOMPARE(counters.index(1, CountersModel::ScaleColumn).data(Qt::ToolTipRole).toString(),
             QStringLiteral("2^16 = 65.536"));
    QCOMPARE(counters.index(0, CountersModel::LossColumn).data(CountersModel::FileRole).toString(),
             QStringLiteral("1.05"));
    m_page->charts()->plot(run::Chart::Loss)->setTableShown(true);
    QCOMPARE(loss.table()->model()->index(199, 1).data().toString(), QStringLiteral("1,05"));
    m_page->charts()->plot(run::Chart::Loss)->setTableShown(false);
    // fp16 skips its first step: what is shown has a comma, what is copied has none.
    m_page->stepPanel()->showStep(m_page->shownData(), 1);
    QStringList shown;
    for (const QLabel* const label : m_page->stepPanel()->findChildren<QLabel*>()) shown << label->text();
    QVERIFY2(shown.contains(QStringLiteral("2^17 = 131.072")), qPrintable(shown.join(u'|')));
    QVERIFY(m_page->stepPanel()->text().contains(QStringLiteral("2^17 = 131072")));
    m_page->stepPanel()->close();
  }

  void the_presets_of_policies_group_digits_as_the_person_does() {
    QString helps;
    for (const editor::PolicyPreset& preset : editor::policyPresets()) helps += preset.help + u'\n';
    QVERIFY2(helps.contains(QStringLiteral("every 2.000 clean steps")), qPrintable(helps));
    QVERIFY2(!helps.contains(QStringLiteral(",000")), qPrintable(helps));
  }

  void a_number_is_typed_with_a_comma() {
    auto* const weight = m_page->charts()->findChild<QDoubleSpinBox*>();
    QVERIFY(weight != nullptr);
    weight->selectAll();
    QTest::keyClicks(weight, QStringLiteral("0,5"));
    QTest::keyClick(weight, Qt::Key_Return);
    QCOMPARE(weight->value(), 0.5);
    weight->setValue(0.9);
  }

  void files_and_the_clipboard_are_the_same_in_every_locale() {
    const QStringList german = exports();
    QCOMPARE(german.size(), m_english.size());
    for (qsizetype i = 0; i < german.size(); ++i) QCOMPARE(german[i], m_english[i]);
    QVERIFY(german.join(QString()).contains(QStringLiteral("1.05")));  // the reference's last loss: 1 + 10 / 200
  }

  void an_experiment_keeps_its_numbers() {
    QFile file(m_folder.filePath(QStringLiteral("lr.toml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n[training]\nsteps = 1\n"
        "[[training.optimizer]]\nkind = \"sgd\"\nlr = 9.8e-2\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n");
    file.close();
    QCOMPARE(spec::read_experiment(file.fileName().toStdString()).training.optimizers.at(0).lr, 0.098);
  }

 private:
  QString archive() const { return m_folder.filePath(QStringLiteral("a.db")); }

  void open() {
    m_settings = std::make_unique<shell::Settings>(m_folder.filePath(QStringLiteral("workbench.ini")));
    m_log = std::make_unique<shell::LogModel>();
    m_page = new run::RunPage([]() -> std::unique_ptr<worker::Engine> { return nullptr; });
    m_window = std::make_unique<shell::MainWindow>(*m_settings, m_log.get(), QVector<shell::Page*>{m_page});
    m_window->resize(1400, 900);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    m_window->open(archive());
    QTRY_COMPARE(m_page->shownData().steps(), qint64{200});
    QTRY_VERIFY(m_page->isSettled());
  }
  void close() {
    m_window.reset();
    m_log.reset();
    m_settings.reset();
  }

  /// The CSV of every chart, and what its table puts on the clipboard.
  QStringList exports() {
    const bool own = m_window == nullptr;
    if (own) open();
    QStringList all;
    for (plot::PlotView* const view : m_page->charts()->plots()) {
      all << QString::fromStdString(view->csv());
      view->setTableShown(true);
      view->redraw();
      view->table()->selectAll();
      view->table()->copy();
      all << QApplication::clipboard()->text();
      view->setTableShown(false);
    }
    m_page->counters()->setFocus();
    QTest::keyClick(m_page->counters(), Qt::Key_C, Qt::ControlModifier);
    all << QApplication::clipboard()->text();
    if (own) close();
    return all;
  }

  QTemporaryDir m_folder;
  QStringList m_english;
  std::unique_ptr<shell::Settings> m_settings;
  std::unique_ptr<shell::LogModel> m_log;
  std::unique_ptr<shell::MainWindow> m_window;
  run::RunPage* m_page = nullptr;
};

QTEST_MAIN(GermanWindowTests)
#include "german_window_tests.moc"
