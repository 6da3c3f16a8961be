// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/preflight_panel.h"

#include <QLabel>
#include <QTest>

#include <vector>

namespace run = mantissa::ui::run;

constexpr int kLeastWidth = 224;  // px: of the controls of a run on a small screen, without their scroll bar

/// Words of four letters, as long together as asked.
QString words(int letters) { return QStringLiteral("nnnn ").repeated(letters / 5 + 1).left(letters).trimmed(); }

class PreflightPanelTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Figures depend on the machine ("from 9 timed steps", "from 12"), so a value must stay whole beside any of them.
  void values_stay_whole_beside_words_of_any_length_at_any_width() {
    for (int longest = 10; longest <= 34; ++longest) {
      run::PreflightPanel panel;
      panel.showLines(
          {{words(longest), QStringLiteral("12 s"), {}, run::PreflightLine::State::Plain},
           {QStringLiteral("Frozen cases"), QStringLiteral("256"), {}, run::PreflightLine::State::Plain},
           {QStringLiteral("No checkpoint before the end"),
            QStringLiteral("a kill loses all 100,000 steps"),
            {},
            run::PreflightLine::State::Warn},
           {QStringLiteral("Rules"), QStringLiteral("hash 0123abcd"), {}, run::PreflightLine::State::Warn}});
      panel.show();
      QVERIFY(panel.minimumSizeHint().width() <= kLeastWidth);
      for (int width = panel.minimumSizeHint().width(); width <= 420; width += 3) {
        panel.resize(width, 300);
        QCoreApplication::processEvents();
        for (const QLabel* const label : panel.findChildren<QLabel*>()) {
          if (!label->isVisible() || label->text().isEmpty()) continue;
          QVERIFY(!label->wordWrap() || label->height() >= label->heightForWidth(label->width()));
          QVERIFY2(label->width() >= label->minimumSizeHint().width(),
                   qPrintable(QStringLiteral("%1 letters, %2 px: \"%3\" has %4 px of %5")
                                  .arg(longest)
                                  .arg(width)
                                  .arg(label->text())
                                  .arg(label->width())
                                  .arg(label->minimumSizeHint().width())));
        }
      }
    }
  }
};

QTEST_MAIN(PreflightPanelTests)
#include "preflight_panel_tests.moc"
