// SPDX-License-Identifier: GPL-3.0-or-later
// The room that charts have on the Run page, and what they say where they cannot show a curve.
#include <QApplication>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyleFactory>
#include <QTest>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_header.h"
#include "ui/run/layout_menu.h"
#include "ui/run/run_charts.h"
#include "ui/shell/elided_label.h"

using namespace mantissa;
using namespace mantissa::ui;
using namespace mantissa::ui::run;

namespace {

record::TrialRow row(std::int64_t id, const char* name, record::TrialKind kind) {
  record::TrialRow made;
  made.id = id;
  made.experiment_id = 1;
  made.experiment = "digits";
  made.start.name = name;
  made.start.kind = kind;
  return made;
}

record::StepRecord stepOf(std::int64_t arm, std::int64_t number) {
  record::StepRecord step;
  step.trial = arm;
  step.step = step.iteration = step.applied_updates = number;
  step.samples = number;
  step.loss = 1.0 / static_cast<double>(number);
  return step;
}

ui::worker::StepBatch batch(std::vector<record::StepRecord> steps) {
  ui::worker::StepBatch made;
  made.chunks = {std::make_shared<const std::vector<record::StepRecord>>(std::move(steps))};
  return made;
}

void settle(RunCharts& charts) {
  QTest::qWait(20);
  charts.redraw();
}

}  // namespace

class RunChartsLayoutTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QLocale::setDefault(QLocale::c());
    QApplication::setStyle(QStyleFactory::create("Fusion"));
  }

  void init() {
    m_data = std::make_unique<RunData>();
    m_data->setArms({row(1, "reference", record::TrialKind::Reference), row(2, "fp16", record::TrialKind::Trial)});
  }

  void nothing_of_a_chart_lies_under_the_scroll_bar_or_beyond_the_edge_data() {
    QTest::addColumn<int>("width");
    for (const int width : {240, 300, 439, 452, 460, 470, 600, 1000}) QTest::addRow("%d", width) << width;
  }
  void nothing_of_a_chart_lies_under_the_scroll_bar_or_beyond_the_edge() {
    QFETCH(int, width);
    RunCharts charts;
    charts.resize(width, 420);
    charts.setData(m_data.get());
    charts.show();
    QVERIFY(QTest::qWaitForWindowExposed(&charts));
    settle(charts);
    const auto* const scroll = charts.findChild<QScrollArea*>();
    for (const plot::PlotView* const view : charts.plots()) {
      const QRect place(view->mapTo(scroll->widget(), QPoint(0, 0)), view->size());
      QVERIFY2(place.right() < scroll->viewport()->width(), qPrintable(QString::number(place.right())));
    }
    charts.setData(nullptr);
  }

  void no_row_of_charts_is_cut_at_the_lower_edge_data() {
    QTest::addColumn<QSize>("size");
    for (const int width : {300, 460, 666, 900}) {
      for (int height = 300; height <= 900; height += 60) {
        QTest::addRow("%d x %d", width, height) << QSize(width, height);
      }
    }
  }
  void no_row_of_charts_is_cut_at_the_lower_edge() {
    QFETCH(QSize, size);
    RunCharts charts;
    charts.resize(size);
    charts.setData(m_data.get());
    charts.show();
    QVERIFY(QTest::qWaitForWindowExposed(&charts));
    settle(charts);
    const QScrollArea* const scroll = charts.findChild<QScrollArea*>();
    const int edge = scroll->viewport()->height();
    for (const plot::PlotView* const view : charts.plots()) {
      const QRect place(view->mapTo(scroll->viewport(), QPoint(0, 0)), view->size());
      // The first one is as high as it has to be.
      const bool isWhole = place.bottom() < edge || place.top() >= edge || place.top() == 0;
      QVERIFY2(isWhole, qPrintable(QStringLiteral("%1 to %2 of %3").arg(place.top()).arg(place.bottom()).arg(edge)));
      QVERIFY2(place.top() > 0 || place.bottom() < edge || edge < 230, qPrintable(QString::number(place.height())));
    }
    // All rows are as high as each other, and one notch of the wheel goes from one to the next.
    const int row = charts.plots().front()->height();
    for (const plot::PlotView* const view : charts.plots()) QVERIFY(std::abs(view->height() - row) <= 1);
    const int notch = QApplication::wheelScrollLines() * scroll->verticalScrollBar()->singleStep();
    QVERIFY2(std::abs(notch - (row + 8)) <= 3, qPrintable(QString::number(notch)));
    charts.setData(nullptr);
  }

  void no_chart_changes_its_height_or_leaves_the_sight_when_the_first_steps_fill_its_legend() {
    RunCharts charts;
    RunData empty;
    charts.resize(770, 460);  // what a window of 1400 x 900 leaves them
    charts.setData(&empty);
    charts.show();
    QVERIFY(QTest::qWaitForWindowExposed(&charts));
    settle(charts);
    std::vector<QRect> before;
    for (const plot::PlotView* const view : charts.plots()) {
      QCOMPARE(view->visibleRegion().boundingRect(), view->rect());
      before.push_back(view->geometry());
    }
    QCOMPARE(before.size(), std::size_t{4});
    std::vector<record::TrialRow> arms = {row(1, "reference", record::TrialKind::Reference)};
    std::vector<record::StepRecord> steps = {stepOf(1, 1)};
    for (std::int64_t trial = 2; trial <= 7; ++trial) {
      const std::string name = "fp16-growth-interval-" + std::to_string(trial);
      arms.push_back(row(trial, name.c_str(), record::TrialKind::Trial));
      record::StepRecord step = stepOf(trial, 1);
      step.scale_before = 65536;
      step.grad_norm = step.deviation_output_rmse = 0.25;
      steps.push_back(step);
    }
    empty.setArms(arms);
    empty.take({batch(steps)});
    settle(charts);
    settle(charts);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const plot::PlotView* const view = charts.plots()[i];
      QVERIFY(!view->findChildren<plot::LegendItem*>().isEmpty());
      QCOMPARE(view->geometry(), before[i]);
      QCOMPARE(view->visibleRegion().boundingRect(), view->rect());
      QVERIFY2(view->canvas()->height() >= 88, qPrintable(QString::number(view->canvas()->height())));
    }
    charts.setData(nullptr);
  }

  void charts_stand_in_as_many_columns_as_have_room() {
    RunCharts charts;
    charts.setData(m_data.get());
    charts.resize(1000, 700);
    charts.show();
    QVERIFY(QTest::qWaitForWindowExposed(&charts));
    settle(charts);
    const plot::PlotView* const loss = charts.plot(Chart::Loss);
    const plot::PlotView* const scale = charts.plot(Chart::Scale);
    QCOMPARE(scale->y(), loss->y());
    charts.resize(440, 700);
    settle(charts);
    QCOMPARE(scale->x(), loss->x());
    QVERIFY(scale->y() > loss->y());
    charts.resize(1000, 700);
    settle(charts);
    QCOMPARE(scale->y(), loss->y());
    charts.setData(nullptr);
  }

  void the_hint_is_shorter_rather_than_cut_off() {
    shell::ElidedLabel hint(QStringLiteral("Drag selects, wheel zooms, double click resets"));
    hint.setShorter({QStringLiteral("Drag selects")});
    const QFontMetrics metrics(hint.font());
    hint.resize(metrics.horizontalAdvance(hint.text()), 20);
    QCOMPARE(hint.shownText(), hint.text());
    hint.resize(metrics.horizontalAdvance(hint.text()) - 1, 20);
    QCOMPARE(hint.shownText(), QStringLiteral("Drag selects"));
    hint.resize(metrics.horizontalAdvance(QStringLiteral("Drag selects")) - 1, 20);
    QCOMPARE(hint.shownText(), QString());
  }

  void a_run_whose_reference_failed_says_that_nothing_was_compared_because_of_it() {
    record::TrialRow reference = row(1, "reference", record::TrialKind::Reference);
    reference.end.status = record::Status::Failed;
    reference.end.failure = "non-finite";
    reference.end.failure_text = "The loss is NaN at step 1.";
    m_data->setArms({reference, row(2, "fp16", record::TrialKind::Trial)});
    m_data->take({batch({stepOf(1, 1), stepOf(2, 1)})});
    QCOMPARE(emptyText(Chart::OutputRmse),
             QStringLiteral("Nothing was compared, because the reference failed. The loss is NaN at step 1."));
  }

  void a_trial_that_failed_before_it_was_compared_is_named() {
    record::TrialRow trial = row(2, "fp16", record::TrialKind::Trial);
    trial.end.status = record::Status::Failed;
    trial.end.failure_text = "forward ran out of memory.";
    m_data->setArms({row(1, "reference", record::TrialKind::Reference), trial});
    m_data->take({batch({stepOf(1, 1), stepOf(1, 2)})});
    QCOMPARE(emptyText(Chart::OutputRmse),
             QStringLiteral("No step of fp16 was compared before it failed. forward ran out of memory."));
  }

  void weights_are_waited_for_until_the_step_that_compares_them() {
    m_data->take({batch({stepOf(1, 1), stepOf(2, 1)})});
    ChartChoices live;
    QCOMPARE(emptyText(Chart::Weights, live),
             QStringLiteral("Weights are compared at every 10th step: the first one is to come."));
    ChartChoices over;
    over.live = false;
    QVERIFY(!emptyText(Chart::Weights, over).contains(QStringLiteral("to come")));
  }

  void a_chart_knows_the_experiment_for_pictures_that_leave_the_window() {
    QCOMPARE(chartContent(Chart::Loss, {m_data.get(), nullptr}, {}, std::nullopt).experiment, QStringLiteral("digits"));
  }

 private:
  QString emptyText(Chart chart, const ChartChoices& choices = {}) const {
    return chartContent(chart, {m_data.get(), nullptr}, choices, std::nullopt).emptyText;
  }

  std::unique_ptr<RunData> m_data;
};

QTEST_MAIN(RunChartsLayoutTests)
#include "run_charts_layout_tests.moc"
