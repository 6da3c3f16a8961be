// SPDX-License-Identifier: GPL-3.0-or-later
// Names that look like markup, mnemonics or places of a text: everything in the window shows them as they are.
#include <spdlog/spdlog.h>

#include <QAbstractItemView>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTextDocumentFragment>
#include <QTreeView>

#include <memory>

#include "app/workbench/pages.h"
#include "core/archive/writer.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/editor/editor_tabs.h"
#include "ui/models/trial_tree_model.h"
#include "ui/run/run_controls.h"
#include "ui/shell/archive_dock.h"
#include "ui/shell/page.h"

using namespace mantissa;

namespace {

constexpr char kExperiment[] = "<b>x<i>";
constexpr char kTrial[] = "<u>t %1 &x";
constexpr char kFile[] = "<h1>file %1 & ü.toml";

void makeArchive(const QString& file) {
  archive::Writer writer(file.toStdString());
  record::ExperimentStart experiment;
  experiment.name = kExperiment;
  experiment.file = kFile;
  record::TrialStart start;
  start.experiment = writer.begin_experiment(experiment);
  start.name = "reference";
  start.kind = record::TrialKind::Reference;
  const std::int64_t reference = writer.begin_trial(start);
  start.reference = reference;
  start.kind = record::TrialKind::Trial;
  start.name = kTrial;
  const std::int64_t trial = writer.begin_trial(start);
  for (std::int64_t number = 1; number <= 20; ++number) {
    for (const std::int64_t arm : {reference, trial}) {
      record::StepRecord step;
      step.trial = arm;
      step.step = step.iteration = step.applied_updates = number;
      step.loss = 1.0 / static_cast<double>(number);
      writer.append(step);
    }
  }
  record::TrialEnd end;
  end.status = record::Status::Finished;
  end.counts.attempted = end.counts.iterations = end.counts.applied = 20;
  writer.finish_trial(reference, end);
  end.status = record::Status::Failed;
  end.failure_text = "<i>&lt; no memory";
  writer.finish_trial(trial, end);
}

QString writeExperiment(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write(
      "mantissa = 1\nname = \"<b>x<i>\"\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n[training]\n"
      "steps = 100\n[[trial]]\nname = \"<u>t %1 &x\"\nautocast = \"bfloat16\"\n");
  return path;
}

/// What a person reads of a tool tip.
QString readTip(const QString& tip) {
  return Qt::mightBeRichText(tip) ? QTextDocumentFragment::fromHtml(tip).toPlainText() : tip;
}

/// Rich text is what `plainTip` has made of a plain one, or it has eaten what looked like markup.
bool isWhole(const QString& tip) {
  return !Qt::mightBeRichText(tip) || tip.startsWith(QLatin1String("<p style=\"white-space:pre-wrap\">"));
}

QStringList tipsOf(const QAbstractItemModel& model, const QModelIndex& parent = {}) {
  QStringList tips;
  for (int column = 0; column < model.columnCount(parent); ++column) {
    tips << model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
  }
  for (int row = 0; row < model.rowCount(parent); ++row) {
    for (int column = 0; column < model.columnCount(parent); ++column) {
      tips << model.index(row, column, parent).data(Qt::ToolTipRole).toString();
    }
    tips << tipsOf(model, model.index(row, 0, parent));
  }
  return tips;
}

}  // namespace

class NamesTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_fixture = std::make_unique<test::WindowFixture>(workbench::makePages());
    m_window = &m_fixture->window();
    m_editors = workbench::addEditor(*m_window);
    QVERIFY(m_fixture->isShown());
    makeArchive(m_fixture->path("<s>a & b.db"));
    m_window->open(m_fixture->path("<s>a & b.db"));
    QTRY_COMPARE(tree()->model()->rowCount(), 1);
  }
  void cleanup() { m_fixture.reset(); }

  void no_label_and_no_tip_of_the_window_reads_markup() {
    walk("of the archive");
    const QString file = writeExperiment(QFileInfo(m_fixture->path("a")).dir().filePath(QString::fromUtf8(kFile)));
    m_window->open(file);
    walk("of a file");
    m_editors->openFile(file);
    walk("in the editor");
    QVERIFY(labels().contains(QString::fromUtf8(kExperiment)));
    QVERIFY(labels().contains(QString::fromUtf8(kTrial)));
    QVERIFY(labels().contains(QString::fromUtf8(kFile)));
  }

  void long_names_make_nothing_wider() {
    const auto writeNamed = [this](const QString& name) {
      QFile file(m_fixture->path((name + QStringLiteral(".toml")).toUtf8().constData()));
      if (!file.open(QIODevice::WriteOnly)) return QString();
      file.write(QStringLiteral("mantissa = 1\nname = \"%1\"\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n"
                                "[training]\nsteps = 100\n[[trial]]\nname = \"%1\"\nautocast = \"bfloat16\"\n")
                     .arg(name)
                     .toUtf8());
      return file.fileName();
    };
    m_window->open(writeNamed(QStringLiteral("short")));
    QTest::qWait(100);
    const int least = m_window->minimumSizeHint().width();
    const QString file = writeNamed(QString(70, u'x'));
    m_window->open(file);
    QTest::qWait(100);
    QCOMPARE(m_window->minimumSizeHint().width(), least);
    const QWidget* const controls = m_window->findChild<ui::run::RunControls*>();
    for (const QLabel* const label : controls->findChildren<QLabel*>()) {
      if (!label->isVisible()) continue;
      const int right = label->mapTo(controls, label->rect().topRight()).x();
      QVERIFY2(right < controls->width(), qPrintable(QStringLiteral("%1 ends at %2").arg(label->text()).arg(right)));
    }
    m_editors->openFile(file);
    auto* const tabs = m_window->findChild<QTabWidget*>();
    QVERIFY(tabs->tabBar()->tabRect(tabs->currentIndex()).width() < 300);
    QCOMPARE(m_window->minimumSizeHint().width(), least);
  }

  void a_long_name_leaves_the_other_columns_of_the_archive_in_the_window() {
    {
      archive::Writer writer(m_fixture->path("long.db").toStdString());
      record::ExperimentStart experiment;
      experiment.name = std::string(100, 'W');
      record::TrialStart start;
      start.experiment = writer.begin_experiment(experiment);
      start.kind = record::TrialKind::Reference;
      start.name = std::string(100, 'V');
      writer.finish_trial(writer.begin_trial(start), {});
    }
    m_window->open(m_fixture->path("long.db"));
    m_window->showPage(QStringLiteral("archive"));
    const auto* const table = m_window->page(QStringLiteral("archive"))->findChild<QTableView*>();
    QTRY_COMPARE(table->model()->rowCount(), 1);
    QTRY_COMPARE(table->model()->index(0, 0).data().toString(), QString(100, u'W'));
    QTRY_VERIFY(table->columnWidth(0) <= 260 && table->columnWidth(1) <= 260);
    QVERIFY(table->model()->index(0, 0).data(Qt::ToolTipRole).toString().contains(QString(100, u'W')));
  }

  void files_of_one_name_are_told_apart_by_their_folders() {
    const QDir folder = QFileInfo(m_fixture->path("a")).dir();
    for (const char* const name : {"one/runs", "two/runs"}) QVERIFY(folder.mkpath(QString::fromLatin1(name)));
    m_editors->openFile(writeExperiment(folder.filePath(QStringLiteral("one/runs/dm.toml"))));
    const auto* const tabs = m_window->findChild<QTabWidget*>();
    const int first = tabs->currentIndex();
    QCOMPARE(tabs->tabText(first), QStringLiteral("dm.toml"));
    m_editors->openFile(writeExperiment(folder.filePath(QStringLiteral("two/runs/dm.toml"))));
    QCOMPARE(tabs->tabText(first), QStringLiteral("dm.toml in one"));
    QCOMPARE(tabs->tabText(first + 1), QStringLiteral("dm.toml in two"));
    m_window->closeDocument(m_window->currentDocument());
    QCOMPARE(tabs->tabText(first), QStringLiteral("dm.toml"));
  }

  void the_tree_shows_names_whole() {
    const QAbstractItemModel* const model = tree()->model();
    const QModelIndex experiment = model->index(0, 0);
    QCOMPARE(experiment.data().toString(), QString::fromUtf8(kExperiment));
    const QString tip = readTip(experiment.data(Qt::ToolTipRole).toString());
    QVERIFY2(tip.startsWith(QStringLiteral("<b>x<i>, experiment 1 of the archive, begun ")), qPrintable(tip));
    const QString arm = readTip(model->index(1, 0, experiment).data(Qt::ToolTipRole).toString());
    QVERIFY2(arm.startsWith(QStringLiteral("<u>t %1 &x, ")), qPrintable(arm));
  }

  void recent_files_and_tabs_keep_their_ampersands() {
    m_editors->openFile(writeExperiment(QFileInfo(m_fixture->path("a")).dir().filePath(QString::fromUtf8(kFile))));
    auto* const tabs = m_window->findChild<QTabWidget*>();
    QVERIFY2(tabs->tabText(tabs->currentIndex()).contains(QStringLiteral("file %1 && ü")),
             qPrintable(tabs->tabText(tabs->currentIndex())));
    QStringList texts;
    for (QMenu* const menu : m_window->fileMenu()->findChildren<QMenu*>()) {
      Q_EMIT menu->aboutToShow();
      for (const QAction* const action : menu->actions()) texts << action->text();
    }
    QVERIFY2(texts.contains(QStringLiteral("<s>a && b.db")), qPrintable(texts.join(u'|')));
  }

 private:
  QTreeView* tree() const { return m_window->archiveDock()->findChild<QTreeView*>(); }

  QStringList labels() const {
    QStringList texts;
    for (const QLabel* const label : m_window->findChildren<QLabel*>()) texts << label->text();
    return texts;
  }

  void walk(const char* what) const {
    QTest::qWait(200);  // whatever still comes from the archive
    for (const QLabel* const label : m_window->findChildren<QLabel*>()) {
      QVERIFY2(label->textFormat() == Qt::PlainText || label->text().isEmpty(),
               qPrintable(QStringLiteral("%1: %2").arg(QString::fromUtf8(what), label->text())));
    }
    for (const QWidget* const widget : m_window->findChildren<QWidget*>()) {
      QVERIFY2(isWhole(widget->toolTip()),
               qPrintable(QStringLiteral("%1: %2").arg(QString::fromUtf8(what), widget->toolTip())));
    }
    for (const QAbstractItemView* const view : m_window->findChildren<QAbstractItemView*>()) {
      if (view->model() == nullptr || qobject_cast<const QHeaderView*>(view) != nullptr) continue;
      for (const QString& tip : tipsOf(*view->model())) {
        QVERIFY2(isWhole(tip), qPrintable(QStringLiteral("%1: %2").arg(QString::fromUtf8(what), tip)));
      }
    }
  }

  std::unique_ptr<test::WindowFixture> m_fixture;
  ui::shell::MainWindow* m_window = nullptr;  ///< of the fixture
  ui::editor::EditorTabs* m_editors = nullptr;
};

QTEST_MAIN(NamesTests)
#include "names_tests.moc"
