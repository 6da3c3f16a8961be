// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window in a language that does not exist: every text that went through tr() stands in brackets and is 40 %
// longer. What stands outside of brackets can never be translated; what does not fit would not fit in German either.
#include <spdlog/spdlog.h>

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QGridLayout>
#include <QGroupBox>
#include <QHeaderView>
#include <QKeySequence>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QMenuBar>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>
#include <QTreeView>

#include <memory>
#include <set>

#include "app/workbench/pages.h"
#include "tests/ui/shell/example_archive.h"
#include "ui/editor/editor_tabs.h"
#include "ui/run/preflight_panel.h"
#include "ui/shell/action_list.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/log_model.h"
#include "ui/shell/main_window.h"
#include "ui/shell/page.h"
#include "ui/shell/settings.h"

using namespace mantissa;
using namespace mantissa::ui;

namespace {

const QChar kOpen(0x27E6);   // ⟦
const QChar kClose(0x27E7);  // ⟧

class PseudoLanguage : public QTranslator {
 public:
  using QTranslator::QTranslator;
  bool isEmpty() const override { return false; }

  QString translate(const char* context, const char* source, const char* /*disambiguation*/,
                    int /*count*/) const override {
    const QString text = QString::fromUtf8(source);
    if (*context == 'Q') return text;  // Qt's own: it brings its translations
    // Keys are words of the program, not of a language.
    static const QRegularExpression keys(
        QStringLiteral("^((Ctrl|Shift|Alt)\\+)*(Ctrl|Shift|Alt|Space|Return|Del|F[0-9]+|[A-Z]|%1)$"));
    if (keys.match(text).hasMatch()) return text;
    QString longer;
    const auto wanted = static_cast<qsizetype>(0.4 * static_cast<double>(text.size()) + 0.5);
    while (longer.size() < wanted) longer += longer.size() % 6 == 5 ? QLatin1Char(' ') : QLatin1Char('o');
    return kOpen + text + longer + kClose;
  }
};

/// Whether a text says nothing in English: outside of brackets stand only numbers, keys, dates, units, and what a
/// person or a file has named.
bool isTranslated(const QString& text) {
  QString rest;
  int depth = 0;
  for (const QChar one : text) {
    if (one == kOpen) ++depth;
    if (depth == 0) rest += one;
    if (one == kClose) --depth;
  }
  static const QRegularExpression others(
      QStringLiteral("\\b[0-9.,]+ (ms|s|min|h|B|kB|MB|GB|TB)\\b"  // quantities
                     "|\\b[0-9]+ [A-Z][a-z]{2} 20[0-9]{2}\\b"     // dates, by QLocale
                     "|((Ctrl|Shift|Alt)\\+)*\\b(Ctrl|Shift|Alt|Space|Return|Del|F[0-9]+|[A-Z0-9])\\b"  // keys
                     "|/[^ ]*/"));                                                                      // folders
  rest.remove(others);
  static const std::set<QString> names = {
      "FP16",      "BF16",        "FP32",       "CPU",    "Mantissa",        "digits", "fp16",  "bf16", "a.db",
      "reference", "digits.toml", "digits-mlp", "growth", "interval",        "mlp",    "adamw", "gelu", "float16",
      "bfloat16",  "off",         "cpu",        "NaN",    "layers.0.weight", "AVX512", "AVX2",  "AVX"};
  static const QRegularExpression word(QStringLiteral("[\\p{L}_][\\p{L}\\p{N}_.]*"));
  QRegularExpressionMatchIterator words = word.globalMatch(rest);
  while (words.hasNext()) {
    if (names.count(words.next().captured()) == 0) return false;
  }
  return true;
}

/// Fields of the editor offer words of the file, which are the same in every language.
bool offersWordsOfTheFile(const QWidget* widget) {
  for (const QWidget* one = widget->parentWidget(); one != nullptr; one = one->parentWidget()) {
    if (one->inherits("mantissa::ui::editor::Field")) return true;
  }
  return false;
}

/// A widget for people who look for it.
QString nameOf(const QWidget* widget) {
  QString path;
  for (const QWidget* one = widget; one != nullptr; one = one->parentWidget()) {
    path = QString::fromLatin1(one->metaObject()->className()) +
           (one->objectName().isEmpty() ? QString() : QStringLiteral("(%1)").arg(one->objectName())) +
           (path.isEmpty() ? QString() : QStringLiteral(" > ") + path);
  }
  return path;
}

}  // namespace

class PseudoLocaleTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
    QCoreApplication::installTranslator(&m_language);
    qputenv("XDG_DATA_HOME", m_folder.path().toUtf8());
    m_settings = std::make_unique<shell::Settings>(m_folder.filePath(QStringLiteral("workbench.ini")));
    m_log = std::make_unique<shell::LogModel>();
    m_window = std::make_unique<shell::MainWindow>(*m_settings, m_log.get(), workbench::makePages());
    m_editors = workbench::addEditor(*m_window);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
  }
  void cleanupTestCase() {
    m_window.reset();
    m_log.reset();
    m_settings.reset();
    QCoreApplication::removeTranslator(&m_language);
  }

  void every_text_of_the_empty_window_went_through_tr() { lookAtAllPages(&PseudoLocaleTests::lookAtTexts); }
  void nothing_of_the_empty_window_is_clipped_at_its_first_size() { lookAtAllPages(&PseudoLocaleTests::lookAtPlaces); }
  void nothing_of_the_empty_window_is_clipped_on_a_small_screen() {
    makeSmall();
    lookAtAllPages(&PseudoLocaleTests::lookAtPlaces);
  }

  void every_text_of_the_full_window_went_through_tr() {
    m_window->resize(1400, 900);
    openExample();
    lookAtAllPages(&PseudoLocaleTests::lookAtTexts);
  }
  void nothing_of_the_full_window_is_clipped_at_its_first_size() { lookAtAllPages(&PseudoLocaleTests::lookAtPlaces); }
  void nothing_of_the_full_window_is_clipped_on_a_small_screen() {
    makeSmall();
    lookAtAllPages(&PseudoLocaleTests::lookAtPlaces);
  }

  void every_text_of_an_experiment_that_was_opened_went_through_tr() {
    m_window->resize(1400, 900);
    openExperiment();
    lookAtRunAndEditor(&PseudoLocaleTests::lookAtTexts);
  }
  void nothing_of_an_experiment_is_clipped_at_the_first_size() { lookAtRunAndEditor(&PseudoLocaleTests::lookAtPlaces); }
  void nothing_of_an_experiment_is_clipped_on_a_small_screen() {
    makeSmall();
    lookAtRunAndEditor(&PseudoLocaleTests::lookAtPlaces);
  }

  void every_action_speaks_the_language() {
    QStringList findings;
    for (const QAction* const action : m_window->actions()->actions()) {
      for (const QString& text : {action->text(), action->toolTip(), action->whatsThis()}) {
        if (!isTranslated(text)) findings << action->objectName() + QStringLiteral(": ") + text;
      }
    }
    tell(findings);
  }

 private:
  using Look = void (PseudoLocaleTests::*)(const QString& page);

  /// One by one: Qt Test cuts long messages.
  static void tell(const QStringList& findings) {
    for (const QString& finding : findings) qWarning("%s", qPrintable(finding));
    QVERIFY2(findings.isEmpty(), "see the lines above");
  }

  void openExample() {
    const QString archive = m_folder.filePath(QStringLiteral("a.db"));
    test::makeExampleArchive(archive);
    m_window->open(archive);
    m_window->showPage(QStringLiteral("run"));
    QTRY_COMPARE(m_window->archive(), archive);
    QTRY_VERIFY(m_window->page(QStringLiteral("run"))->isSettled());
  }

  void openExperiment() {
    const QString path = m_folder.filePath(QStringLiteral("digits.toml"));
    QVERIFY(QFile::copy(QStringLiteral(MANTISSA_SOURCE_DIR "/experiments/digits-mlp.toml"), path));
    m_window->open(path);
    m_editors->openFile(path);
    QTRY_VERIFY(m_editors->isSettled() && m_editors->current() != nullptr);
    m_window->showPage(QStringLiteral("run"));
    const auto* const preflight = m_window->findChild<ui::run::PreflightPanel*>()->findChild<QGridLayout*>();
    QTRY_VERIFY_WITH_TIMEOUT(preflight->count() > 3, 60000);  // one line would say why it cannot run
  }

  /// The Run page as it waits for the experiment, and every section of its editor.
  void lookAtRunAndEditor(Look look) {
    m_findings.clear();
    m_window->showPage(QStringLiteral("run"));
    QTRY_VERIFY(m_window->page(QStringLiteral("run"))->isSettled());
    QCoreApplication::processEvents();
    (this->*look)(QStringLiteral("run"));
    auto* const tabs = m_window->findChild<QTabWidget*>();
    tabs->setCurrentIndex(tabs->count() - 1);
    auto* const outline = tabs->currentWidget()->findChild<QTreeView*>();
    QVERIFY(outline != nullptr);
    for (QModelIndex row = outline->model()->index(0, 0); row.isValid(); row = outline->indexBelow(row)) {
      outline->setCurrentIndex(row);
      outline->expand(row);
      QCoreApplication::processEvents();
      (this->*look)(QStringLiteral("editor, ") + row.data().toString());
    }
    m_findings.removeDuplicates();
    tell(m_findings);
  }

  void makeSmall() {
    m_window->resize(1100, 700);
    QCoreApplication::processEvents();
    for (const QWidget* const widget : m_window->findChildren<QWidget*>()) {
      // What keeps the window from becoming small.
      const QSize least = widget->minimumSizeHint().expandedTo(widget->minimumSize());
      if (m_window->width() > 1100 && least.width() > 500)
        qWarning("%d px: %s", least.width(), qPrintable(nameOf(widget)));
      if (m_window->height() > 700 && least.height() > 400)
        qWarning("%d px high: %s", least.height(), qPrintable(nameOf(widget)));
    }
    QCOMPARE(m_window->size(), QSize(1100, 700));
  }

  void lookAtAllPages(Look look) {
    m_findings.clear();
    auto* const tabs = m_window->findChild<QTabWidget*>();
    for (int i = 0; i < tabs->count(); ++i) {
      tabs->setCurrentIndex(i);
      QTRY_VERIFY(static_cast<shell::Page*>(tabs->widget(i))->isSettled());
      QCoreApplication::processEvents();
      (this->*look)(static_cast<shell::Page*>(tabs->widget(i))->id());
    }
    m_findings.removeDuplicates();
    tell(m_findings);
  }

  void lookAtTexts(const QString& page) {
    for (const QWidget* const widget : m_window->findChildren<QWidget*>()) {
      const QString name = widget->objectName();  // of Qt's own widgets, whose words it translates itself
      if (!widget->isVisible() || name.startsWith(QLatin1String("qt_")) || name.startsWith(QLatin1String("Scroll")))
        continue;
      if (offersWordsOfTheFile(widget)) continue;
      QStringList texts = {widget->toolTip(), widget->whatsThis(), widget->accessibleName(),
                           widget->accessibleDescription()};
      if (const auto* const label = qobject_cast<const QLabel*>(widget)) texts << label->text();
      if (const auto* const button = qobject_cast<const QAbstractButton*>(widget)) texts << button->text();
      if (const auto* const group = qobject_cast<const QGroupBox*>(widget)) texts << group->title();
      if (const auto* const dock = qobject_cast<const QDockWidget*>(widget)) texts << dock->windowTitle();
      if (const auto* const edit = qobject_cast<const QLineEdit*>(widget)) texts << edit->placeholderText();
      if (const auto* const tabs = qobject_cast<const QTabWidget*>(widget)) {
        for (int i = 0; i < tabs->count(); ++i) texts << tabs->tabText(i);
      }
      if (const auto* const box = qobject_cast<const QComboBox*>(widget)) {
        for (int i = 0; i < box->count(); ++i) texts << box->itemText(i);
      }
      if (const auto* const view = qobject_cast<const QTableView*>(widget)) texts << textsOf(*view);
      for (const QString& text : texts) {
        if (!isTranslated(text))
          m_findings << page + QStringLiteral(": \"") + text + QStringLiteral("\" in ") + nameOf(widget);
      }
    }
  }

  static QStringList textsOf(const QTableView& view) {
    QStringList texts;
    const QAbstractItemModel* const model = view.model();
    for (int column = 0; model != nullptr && column < model->columnCount(); ++column) {
      texts << model->headerData(column, Qt::Horizontal).toString()
            << model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
      for (int row = 0; row < model->rowCount(); ++row) {
        texts << model->index(row, column).data().toString()
              << model->index(row, column).data(Qt::ToolTipRole).toString();
      }
    }
    return texts;
  }

  void lookAtPlaces(const QString& page) {
    for (const QWidget* const widget : m_window->findChildren<QWidget*>()) {
      if (!widget->isVisible() || widget->width() == 0) continue;
      const QString why = clipping(widget);
      if (!why.isEmpty()) m_findings << page + QStringLiteral(": ") + why + QStringLiteral(": ") + nameOf(widget);
      lookAtNeighbours(page, widget);
    }
  }

  /// Why not all of a widget's text can be read; empty: it can.
  static QString clipping(const QWidget* widget) {
    if (qobject_cast<const shell::ElidedLabel*>(widget) != nullptr) return {};  // ends in dots; the tooltip has it all
    if (const auto* const label = qobject_cast<const QLabel*>(widget)) {
      if (label->text().isEmpty()) return {};
      if (label->wordWrap()) {
        const int needed = label->heightForWidth(label->width());
        if (needed > label->height()) {
          return QStringLiteral("\"%1\" needs %2 px in height, has %3")
              .arg(label->text())
              .arg(needed)
              .arg(label->height());
        }
        return {};
      }
      if (label->minimumSizeHint().width() > label->width() && label->toolTip().isEmpty()) {
        return QStringLiteral("\"%1\" needs %2 px, has %3")
            .arg(label->text())
            .arg(label->sizeHint().width())
            .arg(label->width());
      }
      return {};
    }
    if (const auto* const button = qobject_cast<const QAbstractButton*>(widget)) {
      if (button->text().isEmpty()) return {};
      const int needed = button->fontMetrics().size(Qt::TextShowMnemonic, button->text()).width();
      if (needed > button->width() && button->toolTip() != button->text()) {
        return QStringLiteral("\"%1\" needs %2 px, has %3").arg(button->text()).arg(needed).arg(button->width());
      }
    }
    if (const auto* const box = qobject_cast<const QComboBox*>(widget)) {
      const int needed = box->fontMetrics().horizontalAdvance(box->currentText());
      if (needed > box->width() - 20 && box->currentData(Qt::ToolTipRole).toString().isEmpty()) {
        return QStringLiteral("\"%1\" needs %2 px, has %3 with its arrow")
            .arg(box->currentText())
            .arg(needed)
            .arg(box->width());
      }
    }
    return {};
  }

  /// Widgets that one layout places do not lie on each other, nor outside of what holds them.
  void lookAtNeighbours(const QString& page, const QWidget* parent) {
    const QLayout* const layout = parent->layout();
    if (layout == nullptr || layout->inherits("QStackedLayout") || layout->inherits("QMainWindowLayout")) return;
    QVector<const QWidget*> neighbours;
    collect(layout, &neighbours);
    for (int i = 0; i < neighbours.size(); ++i) {
      const QWidget* const one = neighbours[i];
      if (!parent->rect().contains(one->geometry())) {
        m_findings << page + QStringLiteral(": reaches beyond its parent: ") + nameOf(one);
      }
      for (int k = i + 1; k < neighbours.size(); ++k) {
        const QRect common = one->geometry().intersected(neighbours[k]->geometry());
        if (common.width() > 1 && common.height() > 1) {
          m_findings << page + QStringLiteral(": overlap: ") + nameOf(one) + QStringLiteral(" and ") +
                            nameOf(neighbours[k]);
        }
      }
    }
  }

  static void collect(const QLayout* layout, QVector<const QWidget*>* widgets) {
    if (layout->inherits("QStackedLayout")) return;
    for (int i = 0; i < layout->count(); ++i) {
      const QLayoutItem* const item = layout->itemAt(i);
      const QWidget* const widget = const_cast<QLayoutItem*>(item)->widget();
      if (widget != nullptr && widget->isVisible() && !widget->size().isEmpty()) *widgets << widget;
      if (const QLayout* const inner = const_cast<QLayoutItem*>(item)->layout()) collect(inner, widgets);
    }
  }

  QTemporaryDir m_folder;
  PseudoLanguage m_language;
  std::unique_ptr<shell::Settings> m_settings;
  std::unique_ptr<shell::LogModel> m_log;
  std::unique_ptr<shell::MainWindow> m_window;
  editor::EditorTabs* m_editors = nullptr;
  QStringList m_findings;
};

QTEST_MAIN(PseudoLocaleTests)
#include "pseudo_locale_tests.moc"
