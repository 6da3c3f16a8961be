// SPDX-License-Identifier: GPL-3.0-or-later
// Where the layout puts widgets of known sizes.
#include <QTest>
#include <QWidget>

#include <memory>

#include "ui/shell/flow_layout.h"

using mantissa::ui::shell::FlowLayout;

class FlowLayoutTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    m_parent = std::make_unique<QWidget>();
    m_layout = new FlowLayout(m_parent.get());
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(10);
  }

  void what_fits_stands_in_one_row() {
    const auto widgets = addThree();
    place(320);  // 3 · 100 + 2 · 10
    QCOMPARE(widgets[2]->geometry(), QRect(220, 0, 100, 20));
    QCOMPARE(m_layout->heightForWidth(320), 20);
  }

  void what_does_not_fit_gets_a_row_of_its_own() {
    const auto widgets = addThree();
    place(319);
    QCOMPARE(widgets[1]->geometry(), QRect(110, 0, 100, 20));
    QCOMPARE(widgets[2]->geometry(), QRect(0, 30, 100, 20));
    QCOMPARE(m_layout->heightForWidth(319), 50);
  }

  void it_needs_no_more_width_than_its_widest_widget() {
    addThree();
    QCOMPARE(m_layout->minimumSize().width(), 100);
  }

  void filled_rows_reach_the_right_edge() {
    const auto widgets = addThree();
    m_layout->setFilling(true);
    place(250);
    QCOMPARE(widgets[0]->geometry(), QRect(0, 0, 120, 20));  // (250 - 10) / 2
    QCOMPARE(widgets[1]->geometry(), QRect(130, 0, 120, 20));
    QCOMPARE(widgets[2]->geometry(), QRect(0, 30, 250, 20));
  }

  void hidden_widgets_take_no_room() {
    const auto widgets = addThree();
    widgets[1]->hide();
    place(210);
    QCOMPARE(widgets[2]->geometry(), QRect(110, 0, 100, 20));
  }

  void an_optional_widget_is_there_only_where_there_is_room() {
    addThree();
    auto* const hint = new QWidget;
    m_layout->addOptional(hint);
    place(500);
    QCOMPARE(hint->geometry(), QRect(340, 0, 160, 20));
    place(350);
    QVERIFY(hint->geometry().isEmpty());
    QCOMPARE(m_layout->heightForWidth(350), 20);
  }

 private:
  QVector<QWidget*> addThree() {
    QVector<QWidget*> widgets;
    for (int i = 0; i < 3; ++i) {
      auto* const widget = new QWidget;
      widget->setFixedHeight(20);
      widget->setMinimumWidth(100);
      widgets << widget;
      m_layout->addWidget(widget);
    }
    return widgets;
  }

  void place(int width) { m_layout->setGeometry({0, 0, width, m_layout->heightForWidth(width)}); }

  std::unique_ptr<QWidget> m_parent;
  FlowLayout* m_layout = nullptr;
};

QTEST_MAIN(FlowLayoutTests)
#include "flow_layout_tests.moc"
