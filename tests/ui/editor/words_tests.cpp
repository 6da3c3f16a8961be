// SPDX-License-Identifier: GPL-3.0-or-later
// The editor in a language that is 40 % longer: every text went through tr(), and no page needs a bar to be read.
#include <spdlog/spdlog.h>

#include <QAbstractButton>
#include <QCoreApplication>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QTranslator>

#include "editor_window.h"
#include "ui/editor/experiment_form.h"
#include "ui/editor/field.h"
#include "ui/editor/form_section.h"
#include "ui/editor/outline_model.h"

using namespace mantissa;
using namespace mantissa::ui::editor;

namespace {

const QChar kOpen(0x27E6);   // ⟦
const QChar kClose(0x27E7);  // ⟧

class LongerLanguage : public QTranslator {
 public:
  using QTranslator::QTranslator;
  bool isEmpty() const override { return false; }
  QString translate(const char* context, const char* source, const char* /*disambiguation*/,
                    int /*count*/) const override {
    const QString text = QString::fromUtf8(source);
    if (*context == 'Q' || text.isEmpty() || text.startsWith(QStringLiteral("Ctrl"))) return text;
    QString longer;
    const auto wanted = static_cast<qsizetype>(0.4 * static_cast<double>(text.size()));
    while (longer.size() < wanted) longer += longer.size() % 6 == 5 ? QLatin1Char(' ') : QLatin1Char('o');
    return kOpen + text + longer + kClose;
  }
};

}  // namespace

class WordsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
    QCoreApplication::installTranslator(&m_language);  // before the first page: its words are kept
    m_window = std::make_unique<EditorWindow>();
    m_editor = m_window->open(m_window->written(
        "a.toml",
        kSound + QStringLiteral("[[trial]]\nname = \"a\"\nautocast = \"float16\"\n[rules]\noutput = { max = 1 "
                                "}\nquality = { min = 0.1 }\n")));
  }
  void cleanupTestCase() {
    m_window.reset();
    QCoreApplication::removeTranslator(&m_language);
  }

  void every_text_of_every_page_went_through_tr() {
    forAllPages([this] {
      for (const QLabel* const label : m_editor->findChildren<QLabel*>()) {
        if (label->isVisible()) look(label->text());
      }
      for (const QAbstractButton* const button : m_editor->findChildren<QAbstractButton*>()) {
        if (!button->isVisible()) continue;
        look(button->text());
        look(button->toolTip());
        look(button->accessibleName());
      }
      const FormSection* const section = m_editor->form()->section();
      if (section == nullptr) return;
      for (const Field* const field : section->fields()) {
        look(field->toolTip());
        look(field->input()->accessibleName());
        if (const auto* const line = qobject_cast<QLineEdit*>(field->input())) look(line->placeholderText());
      }
    });
    for (const QString& text : qAsConst(m_untranslated)) qWarning("%s", qPrintable(text));
    QVERIFY2(m_untranslated.isEmpty(), "see the lines above");
  }

  void no_page_of_the_form_is_wider_than_its_place() {
    const QScrollArea* const area = m_editor->form()->findChild<QScrollArea*>();
    forAllPages([&] { QVERIFY2(area->horizontalScrollBar()->maximum() == 0, qPrintable(m_editor->form()->page())); });
  }

  void what_hangs_on_a_kind_does_so_in_every_language() {
    m_editor->showPage(QStringLiteral("training.optimizer[0]"));
    for (const Field* const field : m_editor->form()->section()->fields()) {
      // adamw is what counts where no kind is stated; momentum is of other kinds.
      if (field->spec().key == QStringLiteral("training.optimizer.momentum")) QVERIFY(!field->isVisible());
      if (field->spec().key == QStringLiteral("training.optimizer.betas")) QVERIFY(field->isVisible());
    }
  }

 private:
  void forAllPages(const std::function<void()>& use) {
    const OutlineModel& model = *m_editor->outline();
    for (int row = 0; row < model.rowCount(); ++row) {
      const QModelIndex above = model.index(row, 0);
      for (int below = -1; below < model.rowCount(above); ++below) {
        const QModelIndex page = below < 0 ? above : model.index(below, 0, above);
        look(page.data().toString());
        m_editor->showPage(page.data(OutlineModel::PathRole).toString());
        QCoreApplication::processEvents();
        use();
      }
    }
  }

  /// Outside of the brackets stand no words but those of files and of the engine.
  void look(const QString& text) {
    QString rest;
    int depth = 0;
    for (const QChar one : text) {
      if (one == kOpen) ++depth;
      if (depth == 0) rest += one;
      if (one == kClose) --depth;
    }
    static const QRegularExpression word(QStringLiteral("\\p{L}[\\p{L}_]{2,}"));
    // Words of the file and of the engine: they are the same in every language.
    static const QRegularExpression ofTheFile(QStringLiteral(
        "[a-z_0-9]+(\\.[a-z_0-9]+)+|\\b(Ctrl|loss|gradient|norm|seed|order|quality|progress|non_finite|pytorch|none|"
        "default|"
        "mantissa|name|description|expect|cost|utility|context|risk|float16|bfloat16|FP16|BF16|growth|continue|auto|"
        "cpu|"
        "output|widen|index|shuffled|refuse|stop|mean|highest|adamw|constant|paired|device|sdpa|relu|reject)\\b"));
    if (word.match(rest.remove(ofTheFile)).hasMatch() && !m_untranslated.contains(text)) m_untranslated << text;
  }

  LongerLanguage m_language;
  std::unique_ptr<EditorWindow> m_window;
  ExperimentEditor* m_editor = nullptr;
  QStringList m_untranslated;
};

QTEST_MAIN(WordsTests)
#include "words_tests.moc"
