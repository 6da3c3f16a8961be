// SPDX-License-Identifier: GPL-3.0-or-later
// How often frames are drawn. Time and computing time are numbers here: nothing waits.
#include <QKeyEvent>
#include <QSignalSpy>
#include <QTest>

#include "ui/run/drawing_budget.h"

using mantissa::ui::run::DrawingBudget;
using mantissa::ui::run::PersonWatch;

class DrawingBudgetTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_first_frame_is_drawn_at_once() {
    DrawingBudget budget;
    QVERIFY(budget.isDue(0, 0, false));
  }

  void a_frame_of_ten_milliseconds_comes_five_times_a_second() {
    DrawingBudget budget;
    budget.begin(1000, 70);
    // 10 ms of 200 ms are a twentieth.
    QVERIFY(!budget.isDue(1033, 80, false));
    QVERIFY(!budget.isDue(1199, 80, false));
    QVERIFY(budget.isDue(1200, 80, false));
  }

  void beside_a_training_on_all_cores_it_comes_twice_a_second() {
    DrawingBudget budget;
    budget.setShare(DrawingBudget::kShareOfBusyCore);
    budget.begin(1000, 70);
    // 10 ms of 500 ms are a fiftieth.
    QVERIFY(!budget.isDue(1499, 80, false));
    QVERIFY(budget.isDue(1500, 80, false));
    QVERIFY(budget.isDue(1033, 80, true));
  }

  void what_is_computed_after_the_next_turn_is_no_cost_of_the_frame() {
    DrawingBudget budget;
    budget.begin(0, 0);
    QVERIFY(!budget.isDue(33, 10, false));
    QVERIFY(budget.isDue(200, 150, false));  // taking in a long history, for instance
    QCOMPARE(budget.frameMilliseconds(), 10.0);
  }

  void a_person_is_never_kept_waiting() {
    DrawingBudget budget;
    budget.begin(0, 0);
    QVERIFY(budget.isDue(33, 30, true));
  }

  void a_very_dear_frame_still_comes_every_second() {
    DrawingBudget budget;
    budget.begin(0, 0);
    QVERIFY(!budget.isDue(999, 400, false));
    QVERIFY(budget.isDue(1000, 400, false));
  }

  void one_dear_frame_among_cheap_ones_counts_in_part() {
    DrawingBudget budget;
    budget.begin(0, 0);
    QVERIFY(!budget.isDue(33, 2, false));
    budget.begin(100, 2);
    budget.isDue(133, 12, false);
    // 0.7 · 2 ms + 0.3 · 10 ms = 4.4 ms
    QCOMPARE(budget.frameMilliseconds(), 4.4);
  }

  void a_person_who_comes_back_is_told_of_once() {
    PersonWatch watch;
    const QSignalSpy began(&watch, &PersonWatch::began);
    QKeyEvent key(QEvent::KeyPress, Qt::Key_A, Qt::NoModifier);
    QVERIFY(!watch.interacts());
    QCoreApplication::sendEvent(this, &key);
    QVERIFY(watch.interacts());
    QCoreApplication::sendEvent(this, &key);
    QCOMPARE(began.count(), 1);
  }
};

QTEST_GUILESS_MAIN(DrawingBudgetTests)
#include "drawing_budget_tests.moc"
