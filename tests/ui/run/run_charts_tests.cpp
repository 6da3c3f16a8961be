// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of the Run page: what each shows, by the pixels, and what mouse and keyboard do with them.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDeadlineTimer>
#include <QDoubleSpinBox>
#include <QHeaderView>
#include <QHelpEvent>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/archive/writer.h"
#include "core/spec/parse.h"
#include "ui/models/trial_list.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_header.h"
#include "ui/plot/plot_table.h"
#include "ui/run/counters_table.h"
#include "ui/run/glance.h"
#include "ui/run/layout_menu.h"
#include "ui/run/run_charts.h"
#include "ui/run/step_panel.h"
#include "ui/shell/elided_label.h"

using namespace mantissa;
using namespace mantissa::ui;
using namespace mantissa::ui::run;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kSteps = 200;

enum Arm : std::int64_t { Reference = 1, Fp16, Bf16, RepeatOne, RepeatTwo, Rounding };

record::TrialRow row(std::int64_t id, const char* name, record::TrialKind kind, const char* policy = "") {
  record::TrialRow made;
  made.id = id;
  made.experiment_id = 1;
  made.start.name = name;
  made.start.kind = kind;
  made.start.policy = policy;
  return made;
}

std::vector<record::TrialRow> arms() {
  return {row(Reference, "reference", record::TrialKind::Reference),
          row(Fp16, "fp16", record::TrialKind::Trial, R"({"scaler": {"enabled": true, "growth_interval": 100}})"),
          row(Bf16, "bf16", record::TrialKind::Trial),
          row(RepeatOne, "repeat-1", record::TrialKind::Repeat),
          row(RepeatTwo, "repeat-2", record::TrialKind::Repeat),
          row(Rounding, "rounding-1", record::TrialKind::Rounding)};
}

/// Every deviation of a comparison, `size` at the cosine's distance as everywhere.
void deviate(record::StepRecord& step, double size) {
  step.deviation_output_max = step.deviation_output_rmse = step.deviation_output_relative = size;
  step.deviation_output_ulp = step.deviation_loss = size;
  step.deviation_gradient_relative = step.deviation_weight_relative = size;
  step.deviation_output_cosine = step.deviation_gradient_cosine = 1.0 - size;
}
void shade(record::StepRecord& step, double size) {
  step.shadow_output_max = step.shadow_output_rmse = step.shadow_output_relative = size;
  step.shadow_output_ulp = step.shadow_loss = step.shadow_gradient_relative = size;
  step.shadow_output_cosine = step.shadow_gradient_cosine = 1.0 - size;
}

record::StepRecord stepOf(std::int64_t arm, std::int64_t number) {
  record::StepRecord step;
  step.trial = arm;
  step.step = step.iteration = number;
  step.applied_updates = number;
  step.samples = 64 * number;
  step.wall_seconds = 0.5 * static_cast<double>(number);
  step.step_seconds = 0.02 * static_cast<double>(arm);
  const double level = static_cast<double>(arm) * (1.0 + 10.0 / static_cast<double>(number));
  step.loss = level;
  step.grad_norm = 2 * level;
  step.lr = 1e-3 * static_cast<double>(arm) / static_cast<double>(number);
  step.live_bytes = 100'000'000 + arm * 1'000'000;
  step.peak_bytes = 200'000'000 + arm * 1'000'000;
  return step;
}

/// 200 steps of a reference and two trials. fp16 deviates by 3/128 and bf16 by 10/128; of the repeats the larger one
/// by 2/128 (trajectory), the rounding repeat by 1/128 (shadow, every tenth step). fp16 skips steps 1 to 3 and step 50.
std::vector<record::StepRecord> steps() {
  std::vector<record::StepRecord> all;
  for (std::int64_t number = 1; number <= kSteps; ++number) {
    const bool isTenth = number % 10 == 0;
    all.push_back(stepOf(Reference, number));
    record::StepRecord fp16 = stepOf(Fp16, number);
    deviate(fp16, 0.0234375);
    if (isTenth) shade(fp16, 0.0234375);
    fp16.scale_before = fp16.scale_after = number < 100 ? 1024.0 : 2048.0;
    fp16.growth_tracker = number % 100;
    fp16.grad_norm_scaled = *fp16.grad_norm * 1024;
    fp16.skipped = number <= 3 || number == 50;
    fp16.applied_updates = number - (number < 50 ? std::min<std::int64_t>(number, 3) : 4);
    if (fp16.skipped) {
      fp16.skip_cause = number <= 3 ? record::SkipCause::Calibration : record::SkipCause::Overflow;
      fp16.scale_before = 2048;
      fp16.overflow_optimizer = 0;
      fp16.overflow_parameter = "fc1.weight";
      fp16.largest_finite_gradient = 65000;
      fp16.grad_norm = kInfinity;
    }
    all.push_back(fp16);
    record::StepRecord bf16 = stepOf(Bf16, number);
    deviate(bf16, 0.078125);
    if (isTenth) shade(bf16, 0.078125);
    bf16.grad_norm_scaled = bf16.grad_norm;
    if (number == 120) bf16.loss = kNaN;
    all.push_back(bf16);
    if (!isTenth) continue;
    for (const std::int64_t repeat : {RepeatOne, RepeatTwo}) {
      record::StepRecord step = stepOf(repeat, number);
      deviate(step, repeat == RepeatOne ? 0.0078125 : 0.015625);
      all.push_back(step);
    }
    record::StepRecord rounding = stepOf(Rounding, number);
    shade(rounding, 0.0078125);
    all.push_back(rounding);
  }
  return all;
}

ui::worker::StepBatch batch(std::vector<record::StepRecord> steps) {
  ui::worker::StepBatch made;
  made.chunks = {std::make_shared<const std::vector<record::StepRecord>>(std::move(steps))};
  return made;
}

std::shared_ptr<const spec::Experiment> experiment() {
  return std::make_shared<const spec::Experiment>(spec::parse_experiment(R"(mantissa = 1
name = "digits"
[data]
source = "digits"
[model]
kind = "mlp"
[training]
steps = 200
clip_norm = 4.0
loss = "cross_entropy"
evaluate_every = 100
[reference]
repeats = 2
rounding_repeats = 1
[[trial]]
name = "fp16"
autocast = "float16"
[trial.scaler]
init_scale = 1024
growth_interval = 100
floor = 512
ceiling = 4096
[[trial]]
name = "bf16"
autocast = "bfloat16"
[rules]
output = [{ name = "end", of = "trained", max_spread = 4 }, { name = "rounding", max_rounding = 8 }]
quality = { of = "trained", metric = "accuracy", min = 0.9 }
)",
                                                                         "digits.toml"));
}

int pixelsLike(const QImage& image, const QColor& color, const QRect& where, int tolerance) {
  int count = 0;
  for (int y = std::max(0, where.top()); y <= std::min(image.height() - 1, where.bottom()); ++y) {
    for (int x = std::max(0, where.left()); x <= std::min(image.width() - 1, where.right()); ++x) {
      const QColor pixel = image.pixelColor(x, y);
      const int distance = std::abs(pixel.red() - color.red()) + std::abs(pixel.green() - color.green()) +
                           std::abs(pixel.blue() - color.blue());
      if (distance <= tolerance) ++count;
    }
  }
  return count;
}

/// How a value is drawn: its height in the canvas of a plot.
int pixelOf(const plot::PlotView& view, double value) {
  const plot::PlotGeometry& geometry = view.canvas()->frame().geometry;
  return qRound(geometry.toPixelY(plot::toAxis(geometry.scale, value)));
}

}  // namespace

class RunChartsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QLocale::setDefault(QLocale::c());
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    QPalette light(Qt::white);
    light.setColor(QPalette::Base, Qt::white);
    light.setColor(QPalette::Text, Qt::black);
    light.setColor(QPalette::WindowText, Qt::black);
    QApplication::setPalette(light);
    // The same run in an archive: what is not kept is read from there.
    archive::Writer writer(archive().toStdString());
    const std::int64_t experiment = writer.begin_experiment({});
    for (record::TrialRow arm : arms()) {
      arm.start.experiment = experiment;
      if (arm.id != Reference) arm.start.reference = Reference;
      QCOMPARE(writer.begin_trial(arm.start), arm.id);
    }
    for (const record::StepRecord& step : steps()) writer.append(step);
    for (const record::TrialRow& arm : arms()) writer.finish_trial(arm.id, {});
    writer.close();
  }

  void init() {
    m_data = std::make_unique<RunData>();
    m_data->setArms(arms());
    m_data->take({batch(steps())});
    for (const std::int64_t arm : {Reference, Fp16, Bf16}) {
      for (const std::int64_t step : {100, 200}) {
        record::Evaluation evaluation;
        evaluation.trial = arm;
        evaluation.step = step;
        evaluation.metric = "accuracy";
        evaluation.value = 0.9 + 0.01 * static_cast<double>(arm) + 0.0001 * static_cast<double>(step);
        QVERIFY(m_data->takeEvaluation(evaluation));
      }
    }
    m_charts = std::make_unique<RunCharts>();
    m_charts->resize(1000, 700);
    m_charts->setArchive(archive());
    m_charts->setData(m_data.get());
    m_charts->setExperiment(experiment());
    m_charts->setPlannedSteps(kSteps);
    m_charts->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_charts.get()));
    m_charts->redraw();
  }
  void cleanup() { m_charts.reset(); }

  void every_chart_draws_its_series_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<bool>("hasReference");
    QTest::addColumn<bool>("hasBf16");
    for (const ChartGroup& group : chartGroups()) {
      for (const Chart chart : group.charts) {
        const bool isOfScaler = chart == Chart::Scale || chart == Chart::Tracker;
        const std::optional<Quantity> quantity = quantityOf(chart, Comparison::Trajectory);
        const bool isDeviating = quantity && isDeviation(*quantity);
        const bool isScaled = chart == Chart::ScaledGradientNorm;
        QTest::newRow(qPrintable(idOf(chart)))
            << idOf(chart) << !(isOfScaler || isDeviating || isScaled) << !isOfScaler;
      }
    }
  }
  void every_chart_draws_its_series() {
    QFETCH(QString, id);
    QFETCH(bool, hasReference);
    QFETCH(bool, hasBf16);
    plot::PlotView* const view = show({*chartOfId(id)});
    const QImage picture = view->canvas()->grab().toImage();
    const QRect area = view->canvas()->frame().geometry.lines.toRect();
    const plot::PlotColors& colors = plot::plotColors(false);
    QVERIFY(pixelsLike(picture, colors.trials[0], area, 60) > 40);
    QCOMPARE(pixelsLike(picture, colors.trials[1], area, 60) > 40, hasBf16);
    // Words and limits are nearly as dark as the reference: where it must not be, its series is looked for.
    const auto& series = view->content().series;
    const bool isListed = std::any_of(series.begin(), series.end(), [](const auto& it) { return it.isReference; });
    if (hasReference) {
      QVERIFY(pixelsLike(picture, colors.reference, area, 30) > 40);
    } else {
      QVERIFY(!isListed || id == QLatin1String("gradient_scaled"));  // listed, and without a scaler not measured
    }
    QVERIFY(!view->canvas()->frame().isEmpty);
    // Its table twin and its files hold the same.
    view->setTableShown(true);
    QVERIFY(view->table()->model()->rowCount() > 0);
    QCOMPARE(view->table()->model()->columnCount(), static_cast<int>(series.size()) + 1);
    QVERIFY(view->csv().find("fp16") != std::string::npos);
    QVERIFY(view->svg({600, 300}).contains("<path"));
    QVERIFY(pixelsLike(view->image({600, 300}, 1.0), colors.trials[0], QRect(0, 0, 600, 300), 60) > 40);
    view->setTableShown(false);
  }

  void every_shadow_chart_draws_its_series() {
    m_charts->deviationChooser()->setCurrentIndex(1);
    for (const Chart chart : {Chart::OutputRmse, Chart::OutputMax, Chart::OutputRelative, Chart::OutputCosine,
                              Chart::OutputUlp, Chart::LossDeviation, Chart::GradientRelative, Chart::GradientCosine}) {
      plot::PlotView* const view = show({chart});
      const QRect area = view->canvas()->frame().geometry.lines.toRect();
      QVERIFY2(pixelsLike(view->canvas()->grab().toImage(), plot::plotColors(false).trials[0], area, 60) > 40,
               qPrintable(idOf(chart)));
      QCOMPARE(view->content().series.at(0).data->size(), std::size_t{20});  // every tenth of 200 steps
    }
  }

  void deviation_stands_in_multiples_of_the_run_to_run_spread_with_band_and_limit() {
    plot::PlotView* const view = m_charts->plot(Chart::OutputRmse);
    const plot::PlotContent& content = view->content();
    QCOMPARE(content.title, QStringLiteral("Output deviation"));
    QCOMPARE(content.unit, QStringLiteral("RMSE, trajectory, × spread"));
    QCOMPARE(content.valueUnit, 0.015625);  // of the repeat that deviates more
    QCOMPARE(content.bands.at(0).label, QStringLiteral("run-to-run spread: 2 repeats"));
    QCOMPARE(content.limits.at(0).label, QStringLiteral("limit: 4 × spread"));
    QCOMPARE(content.limits.at(0).value, 0.0625);  // 4 · 2/128
    QCOMPARE(plot::shownText(content, 0.0234375), QStringLiteral("1.5 ×"));

    const QImage picture = view->canvas()->grab().toImage();
    const QRect area = view->canvas()->frame().geometry.area.toRect();
    const auto rowOf = [&](int y) { return QRect(area.left() + 4, y, area.width() / 3, 1); };
    // Dashes in the text colour cover about half of the limit's row, and nothing of the rows around it.
    const int limit = static_cast<int>(std::floor(view->canvas()->frame().geometry.toPixelY(std::log10(0.0625))));
    int dashed = 0;
    for (int y = limit - 1; y <= limit + 1; ++y)
      dashed = std::max(dashed, pixelsLike(picture, Qt::black, rowOf(y), 150));
    QVERIFY2(10 * dashed > area.width(), qPrintable(QString::number(dashed)));
    // Below the spread the ground is grey, above it white.
    const QColor below = picture.pixelColor(area.left() + 9, pixelOf(*view, 0.015625) + 8);
    const QColor above = picture.pixelColor(area.left() + 9, pixelOf(*view, 0.015625) - 8);
    QVERIFY(below.red() < 245 && below.red() == below.blue());
    QCOMPARE(above, QColor(Qt::white));
  }

  void multiples_are_for_reading_and_units_for_whoever_wants_them() {
    plot::PlotView* const view = m_charts->plot(Chart::OutputRmse);
    QVERIFY2(view->csv().find("fp16 [\u00D7 spread]") != std::string::npos, view->csv().substr(0, 80).c_str());
    QVERIFY(view->csv().find("\n1,1.5,5\n") != std::string::npos);  // 3/2 and 10/2
    view->setTableShown(true);
    QCOMPARE(view->table()->model()->index(0, 1).data().toString(), QStringLiteral("1.5"));
    m_charts->unitChooser()->setCurrentIndex(1);
    QCOMPARE(view->content().unit, QStringLiteral("RMSE, trajectory"));
    QCOMPARE(view->content().bands.at(0).high, 0.015625);
    QVERIFY(view->csv().find("\n1,0.0234375,0.078125\n") != std::string::npos);
    QCOMPARE(view->table()->model()->index(0, 1).data().toString(), QStringLiteral("0.0234375"));
  }

  /// case_relative is of frozen cases: no line in a chart of training batches, but the title says that the rule exists.
  void an_absolute_limit_of_outputs_is_told_and_not_drawn_where_no_step_measures_it() {
    spec::Experiment ruled = *experiment();
    spec::OutputRule rule;  // same_weights, case_relative
    rule.max = {{"float16", 0.002}, {"bfloat16", 0.02}};
    ruled.rules->output = {rule};
    m_charts->setExperiment(std::make_shared<const spec::Experiment>(ruled));
    const plot::PlotView* const view = m_charts->plot(Chart::OutputRmse);
    QVERIFY(view->content().about.isEmpty());  // trajectory: nothing of it is of the same weights
    m_charts->deviationChooser()->setCurrentIndex(1);
    QVERIFY(view->content().limits.empty());
    QCOMPARE(view->content().remarks,
             QStringList("rule: at most 0.02 (bfloat16), 0.002 (float16) in case_relative, judged at the end"));
    QCOMPARE(
        view->content().about,
        QStringLiteral("Rule: at most 0.02 (bfloat16), 0.002 (float16) in case_relative. It is judged on the frozen "
                       "cases at the end; steps do not measure it."));
    QVERIFY(view->findChild<plot::PlotHeader*>()->toolTip().endsWith(view->content().about));
  }

  void files_and_pictures_say_which_run_they_are_of() {
    std::vector<record::TrialRow> numbered = arms();
    for (record::TrialRow& arm : numbered) {
      arm.experiment_id = 12;
      arm.started_at = "2026-11-30T12:00:00Z";  // noon: the same day wherever the test runs, but for the far east
    }
    const QString day = models::startOf(numbered.front()).date().toString(Qt::ISODate);
    m_data->setArms(numbered);
    m_charts->setExperiment(std::make_shared<const spec::Experiment>(*experiment()));
    plot::PlotView* const view = m_charts->plot(Chart::Loss);
    const QString run = QStringLiteral("run 12, %1").arg(day);
    // A comma is quoted.
    QVERIFY2(view->csv().find("\"fp16 (" + run.toStdString() + ")\"") != std::string::npos,
             view->csv().substr(0, 120).c_str());
    QString suggested;
    plot::PlotView::setFileChooser([&](QWidget*, const QString&, const QString& name, const QString&) {
      suggested = name;
      return QString();
    });
    for (QAction* const action : view->findChild<plot::PlotHeader*>()->menu()->actions()) {
      if (action->text().contains(QStringLiteral("CSV"))) action->trigger();
    }
    QCOMPARE(suggested, QStringLiteral("digits-run-12-%1-loss.csv").arg(day));
    const QString file = m_folder.filePath(QStringLiteral("loss.svg"));
    view->exportTo(file);
    QFile svg(file);
    QVERIFY(svg.open(QIODevice::ReadOnly));
    QVERIFY(QString::fromUtf8(svg.readAll()).contains(QStringLiteral("digits, ") + run));
  }

  void plots_of_one_column_end_at_one_place_whatever_they_show() {
    settle();
    std::map<int, std::set<double>> ends;  // of the plots of each column, by its left edge
    for (const plot::PlotView* const view : m_charts->plots()) {
      ends[view->x()].insert(view->width() - view->canvas()->frame().geometry.area.right());
    }
    QVERIFY(!ends.empty());
    for (const auto& [column, rights] : ends) QCOMPARE(rights.size(), std::size_t{1});
  }

  void shadow_is_measured_by_the_rounding_floor() {
    m_charts->deviationChooser()->setCurrentIndex(1);
    settle();
    const plot::PlotContent& content = m_charts->plot(Chart::OutputRmse)->content();
    QCOMPARE(content.unit, QStringLiteral("RMSE, shadow, × rounding floor"));
    QCOMPARE(content.valueUnit, 0.0078125);
    QCOMPARE(content.bands.at(0).label, QStringLiteral("rounding floor: 1 repeat"));
    QCOMPARE(content.limits.at(0).label, QStringLiteral("limit: 8 × rounding floor"));
    QCOMPARE(content.limits.at(0).value, 0.0625);
  }

  void a_yardstick_that_is_zero_is_named_and_divides_nothing() {
    m_data->truncate(Rounding, 0);
    record::StepRecord equal = stepOf(Rounding, 10);
    shade(equal, 0.0);
    m_data->take({batch({equal})});
    m_charts->deviationChooser()->setCurrentIndex(1);
    m_charts->redraw();
    const plot::PlotContent& content = m_charts->plot(Chart::OutputRmse)->content();
    QCOMPARE(content.unit, QStringLiteral("RMSE, shadow, rounding floor 0"));
    QCOMPARE(content.valueUnit, 1.0);
    QVERIFY(content.bands.empty());
  }

  void a_yardstick_grows_while_its_repeats_train() {
    record::StepRecord next = stepOf(RepeatTwo, 210);
    deviate(next, 0.3175);
    m_data->take({batch({next})});
    m_charts->redraw();
    // (20 · 2/128 + 0.3175) / 21 = 0.63 / 21
    QVERIFY(std::abs(m_charts->plot(Chart::OutputRmse)->content().valueUnit - 0.03) < 1e-15);
  }

  void a_chart_without_values_says_why_and_has_no_numbers_on_its_axis() {
    RunData data;
    data.keep(Quantities().set());
    std::vector<record::StepRecord> bare;
    for (record::StepRecord step : steps()) {
      if (step.trial != Reference && step.trial != Fp16) continue;
      shade(step, 0);
      step.shadow_output_rmse.reset();
      step.live_bytes.reset();
      bare.push_back(step);
    }
    data.setArms({arms()[0], arms()[1]});
    m_charts->deviationChooser()->setCurrentIndex(1);
    plot::PlotView* view = show({Chart::OutputRmse, Chart::LiveMemory, Chart::Quality});
    m_charts->setData(&data);
    data.take({batch(bare)});
    m_charts->redraw();
    QCOMPARE(view->content().emptyText,
             QStringLiteral("Shadow deviation was not measured: set shadow_every of a trial, for instance to 10."));
    QVERIFY(view->canvas()->frame().isEmpty);
    QVERIFY(view->canvas()->frame().yTicks.empty());
    const QRect middle = view->canvas()->frame().geometry.area.toRect().adjusted(60, 40, -60, -40);
    QVERIFY(pixelsLike(view->canvas()->grab().toImage(), QColor(70, 70, 70), middle, 200) > 100);  // the words
    view = m_charts->plot(Chart::LiveMemory);
    QCOMPARE(view->content().emptyText, QStringLiteral("Tensor memory was not measured."));
    view = m_charts->plot(Chart::Quality);
    QCOMPARE(view->content().emptyText,
             QStringLiteral("The frozen cases are evaluated every 100 steps: the first evaluation is to come."));
    m_charts->setData(nullptr);
  }

  void an_empty_chart_keeps_no_range_of_what_was_shown_before() {
    plot::PlotView* const view = m_charts->plot(Chart::Loss);
    QVERIFY(!view->canvas()->frame().yTicks.empty());
    RunData empty;
    m_charts->setData(&empty);
    m_charts->redraw();
    QVERIFY(view->canvas()->frame().yTicks.empty());
    QCOMPARE(view->content().emptyText, QStringLiteral("No step has been made yet."));
    m_charts->setData(m_data.get());
  }

  void scale_shows_floor_ceiling_and_skips_and_the_norm_its_clip_line() {
    const plot::PlotContent& scale = m_charts->plot(Chart::Scale)->content();
    QCOMPARE(scale.limits.size(), std::size_t{2});
    QCOMPARE(scale.limits[0].label, QStringLiteral("floor 2^9"));
    QCOMPARE(scale.limits[1].label, QStringLiteral("ceiling 2^12"));
    QCOMPARE(scale.marks.size(), std::size_t{4});
    QCOMPARE(scale.marks[0].label, QStringLiteral("3 calibration"));
    const plot::PlotView& view = *m_charts->plot(Chart::Scale);
    const QImage picture = view.canvas()->grab().toImage();
    const plot::PlotFrame& frame = view.canvas()->frame();
    for (const double x : frame.markPixels) {
      const QRect tick(qRound(x) - 2, static_cast<int>(frame.geometry.area.bottom()) - 8, 5, 8);
      QVERIFY(pixelsLike(picture, plot::plotColors(false).bad, tick, 60) >= 6);
    }
    const plot::PlotContent& norm = m_charts->plot(Chart::GradientNorm)->content();
    QCOMPARE(norm.limits.at(0).value, 4.0);
    QCOMPARE(norm.limits.at(0).label, QStringLiteral("clip at 4"));
  }

  void every_skip_of_a_long_run_has_its_tick_and_says_how_many_share_it() {
    RunData data;
    data.setArms({arms()[0], arms()[1]});
    constexpr int kLong = 20'000;
    std::vector<record::StepRecord> many;
    for (std::int64_t number = 1; number <= kLong; ++number) {
      record::StepRecord step = stepOf(Fp16, number);
      step.scale_before = step.scale_after = 1024.0;
      step.skipped = number % 2 == 0;
      if (step.skipped) step.skip_cause = record::SkipCause::Overflow;
      many.push_back(step);
    }
    data.take({batch(many)});
    m_charts->setPlannedSteps(kLong);
    m_charts->setData(&data);
    m_charts->redraw();
    const plot::PlotView& view = *m_charts->plot(Chart::Scale);
    QCOMPARE(view.content().marks.size(), std::size_t{kLong / 2});
    const plot::PlotGeometry& geometry = view.canvas()->frame().geometry;
    const QImage picture = view.canvas()->grab().toImage();
    // From the first step on, at every tenth of the axis.
    for (int tenth = 1; tenth < 10; ++tenth) {
      const int x = qRound(geometry.toPixelX(kLong / 10.0 * tenth));
      const QRect tick(x - 2, static_cast<int>(geometry.area.bottom()) - 8, 5, 8);
      QVERIFY2(pixelsLike(picture, plot::plotColors(false).bad, tick, 60) >= 6, qPrintable(QString::number(tenth)));
    }
    const QPoint at(qRound(geometry.toPixelX(1000)), qRound(geometry.area.bottom()) - 3);
    QHelpEvent asks(QEvent::ToolTip, at, view.canvas()->mapToGlobal(at));
    QApplication::sendEvent(view.canvas(), &asks);
    const QStringList told = QToolTip::text().split(u'\n');
    QVERIFY2(told.size() == 10 && told[0].endsWith(QStringLiteral(" skipped steps here. The first of them:")),
             qPrintable(QToolTip::text()));
    QVERIFY(told[1].startsWith(QStringLiteral("fp16, step ")));
    QToolTip::hideText();
    QSignalSpy chosen(m_charts.get(), &RunCharts::stepChosen);
    click(view, at);
    QCOMPARE(chosen.count(), 1);
    QVERIFY(std::abs(chosen.at(0).at(0).toLongLong() - 1000) < 100);  // an old one: the newest 2,000 begin at 16,001
    m_charts->setData(m_data.get());
  }

  void new_skips_join_those_that_are_shown_in_the_order_of_the_axis() {
    RunData data;
    data.setArms({arms()[0], arms()[1], arms()[2]});
    const auto skipped = [](std::int64_t arm, std::int64_t number, record::SkipCause cause) {
      record::StepRecord step = stepOf(arm, number);
      step.skipped = true;
      step.skip_cause = cause;
      return step;
    };
    const plot::PlotView& view = *m_charts->plot(Chart::Scale);
    const auto places = [&view] {
      std::vector<double> all;
      for (const plot::PlotMark& mark : view.content().marks) all.push_back(mark.x);
      return all;
    };
    using Places = std::vector<double>;
    m_charts->setData(&data);
    m_charts->redraw();
    QCOMPARE(places(), Places{});
    data.take({batch({skipped(Bf16, 3, record::SkipCause::Overflow), skipped(Bf16, 8, record::SkipCause::Overflow)})});
    m_charts->redraw();
    QCOMPARE(places(), (Places{3, 8}));
    // An arm that is behind: its skips stand between those that are shown.
    data.take({batch({skipped(Fp16, 2, record::SkipCause::Overflow), skipped(Fp16, 5, record::SkipCause::Overflow)})});
    m_charts->redraw();
    QCOMPARE(places(), (Places{2, 3, 5, 8}));
    m_charts->redraw();
    QCOMPARE(places(), (Places{2, 3, 5, 8}));
    // The first calibration says how many there are.
    data.take({batch({skipped(Fp16, 6, record::SkipCause::Calibration)})});
    m_charts->redraw();
    QCOMPARE(view.content().marks.at(3).label, QStringLiteral("1 calibration"));
    data.take({batch({skipped(Fp16, 7, record::SkipCause::Calibration), stepOf(Fp16, 8)})});
    m_charts->redraw();
    QCOMPARE(places(), (Places{2, 3, 5, 6, 7, 8}));
    QCOMPARE(view.content().marks.at(3).label, QStringLiteral("2 calibration"));
    // What a resume takes back goes.
    data.truncate(Fp16, 5);
    m_charts->redraw();
    QCOMPARE(places(), (Places{2, 3, 5, 8}));
    m_charts->setData(m_data.get());
  }

  void a_chart_that_is_added_late_shows_the_run_from_its_first_step() {
    QCOMPARE(m_data->arm(Fp16)->series(Quantity::PeakMemory)->size(), std::size_t{0});
    plot::PlotView* const view = show({Chart::PeakMemory});
    QCOMPARE(view->content().series.at(1).data->size(), std::size_t{kSteps});
    m_data->take({batch({stepOf(Fp16, kSteps + 1)})});
    QCOMPARE(view->content().series.at(1).data->size(), std::size_t{kSteps + 1});
    show({Chart::Loss});
    QCOMPARE(m_data->arm(Fp16)->series(Quantity::PeakMemory)->size(), std::size_t{0});  // memory goes to what is seen
  }

  void a_past_that_cannot_be_read_is_told_and_the_chart_goes_on() {
    QSignalSpy failed(m_charts.get(), &RunCharts::pastFailed);
    m_charts->setArchive(m_folder.filePath(QStringLiteral("gone.db")));
    plot::PlotView* const view = show({Chart::PeakMemory});
    QCOMPARE(failed.count(), 1);
    QVERIFY(failed.at(0).at(0).toString().contains(QStringLiteral("gone.db")));
    m_data->take({batch({stepOf(Fp16, kSteps + 1)})});
    QCOMPARE(view->content().series.at(1).data->size(), std::size_t{1});
  }

  void learning_rate_stands_against_applied_updates_on_every_axis() {
    plot::PlotView* const view = show({Chart::LearningRate});
    const auto fp16 = view->content().series.at(1).data;
    QCOMPARE(view->content().xName, QStringLiteral("update"));
    QCOMPARE(fp16->x(3), 1.0);  // after three skipped steps
    m_charts->axisChooser()->setCurrentIndex(static_cast<int>(XAxis::Seconds));
    QCOMPARE(view->content().xName, QStringLiteral("update"));
    QCOMPARE(fp16->x(3), 1.0);
  }

  void quality_stands_where_it_was_evaluated() {
    plot::PlotView* const view = show({Chart::Quality});
    QCOMPARE(view->content().unit, QStringLiteral("accuracy, frozen cases"));
    QCOMPARE(view->content().limits.at(0).label, QStringLiteral("limit: at least 0.9"));
    const auto fp16 = view->content().series.at(1).data;
    QCOMPARE(fp16->size(), std::size_t{2});
    QCOMPARE(fp16->x(0), 100.0);
    QCOMPARE(fp16->y(1), 0.94);
    m_charts->axisChooser()->setCurrentIndex(static_cast<int>(XAxis::AppliedUpdate));
    QCOMPARE(view->content().series.at(1).data->x(0), 96.0);  // four of them were skipped
  }

  void speed_comes_from_the_duration_of_steps_and_memory_in_readable_units() {
    const plot::PlotView* view = show({Chart::StepRate});
    QVERIFY(std::abs(view->content().series.at(1).data->y(0) - 25.0) < 1e-12);  // 1 / 0.04 s
    view = show({Chart::SampleRate});
    QVERIFY(std::abs(view->content().series.at(1).data->y(7) - 1600.0) < 1e-9);  // 64 / 0.04 s
    view = show({Chart::PeakMemory});
    QCOMPARE(view->content().unit, QStringLiteral("MB"));
    QCOMPARE(plot::shownText(view->content(), 202'000'000), QStringLiteral("202.0 MB"));
  }

  void charts_are_chosen_in_a_menu_that_stays_open_and_keeps_the_last() {
    LayoutMenu* const menu = m_charts->layoutMenu();
    menu->popup(m_charts->mapToGlobal(QPoint(20, 20)));
    QVERIFY(QTest::qWaitForWindowExposed(menu));
    QAction* const tracker = menu->findChild<QAction*>(QStringLiteral("tracker"));
    QTest::mouseClick(menu, Qt::LeftButton, Qt::NoModifier, menu->actionGeometry(tracker).center());
    QVERIFY(menu->isVisible());
    QVERIFY(tracker->isChecked());
    QVERIFY(m_charts->plot(Chart::Tracker) != nullptr);
    QCOMPARE(m_charts->plots().size(), std::size_t{5});
    QTest::keyClick(menu, Qt::Key_Space);
    QVERIFY(!tracker->isChecked());
    QVERIFY(m_charts->plot(Chart::Tracker) == nullptr);
    for (const char* const id : {"loss", "scale", "deviation"}) menu->findChild<QAction*>(QLatin1String(id))->trigger();
    QCOMPARE(m_charts->plots().size(), std::size_t{1});
    QVERIFY(!menu->findChild<QAction*>(QStringLiteral("gradient"))->isEnabled());
    menu->close();
  }

  void a_layout_is_kept_and_an_empty_one_is_that_of_a_new_page() {
    m_charts->layoutMenu()->choose({Chart::Loss, Chart::PeakMemory}, 3);
    m_charts->deviationChooser()->setCurrentIndex(1);
    m_charts->unitChooser()->setCurrentIndex(1);
    const QByteArray layout = m_charts->saveLayout();
    RunCharts other;
    other.restoreLayout(layout);
    QCOMPARE(other.plots().size(), std::size_t{2});
    QVERIFY(other.plot(Chart::PeakMemory) != nullptr);
    QCOMPARE(other.layoutMenu()->columns(), 3);
    QCOMPARE(other.deviationChooser()->currentIndex(), 1);
    QCOMPARE(other.unitChooser()->currentIndex(), 1);
    other.restoreLayout({});
    QCOMPARE(other.plots().size(), std::size_t{4});
    QCOMPARE(other.layoutMenu()->columns(), 2);
    QCOMPARE(other.deviationChooser()->currentIndex(), 0);
    other.restoreLayout("{\"charts\": [\"of another version\"], \"columns\": 99, \"axis\": -7}");
    QCOMPARE(other.plots().size(), std::size_t{4});
    QCOMPARE(other.layoutMenu()->columns(), 3);
  }

  void wheel_box_double_click_and_history_move_all_charts() {
    plot::PlotView* const view = m_charts->plot(Chart::Loss);
    const auto widthOf = [this](Chart chart) {
      m_charts->redraw();
      return m_charts->plot(chart)->canvas()->frame().geometry.x.length();
    };
    const double whole = widthOf(Chart::GradientNorm);
    const QPoint middle = view->canvas()->frame().geometry.area.center().toPoint();
    QWheelEvent wheel(middle, view->canvas()->mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(view->canvas(), &wheel);
    const double zoomed = widthOf(Chart::GradientNorm);
    QVERIFY(zoomed < whole);
    drag(*view, middle - QPoint(40, 30), middle + QPoint(40, 30));
    const double boxed = widthOf(Chart::GradientNorm);
    QVERIFY(boxed < zoomed);
    QTest::keyClick(view->canvas(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(widthOf(Chart::Scale), zoomed);
    QTest::keyClick(view->canvas(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(widthOf(Chart::Scale), boxed);
    QTest::mouseDClick(view->canvas(), Qt::LeftButton, Qt::NoModifier, middle);
    QCOMPARE(widthOf(Chart::Scale), whole);
  }

  void a_zoom_stays_while_a_run_goes_on_and_follows_it_from_a_press_on() {
    m_charts->setLive(true);
    settle();
    plot::PlotNavigation* const navigation = m_charts->plot(Chart::Loss)->navigation();
    QPushButton* const follow = m_charts->followButton();
    QVERIFY(!follow->isVisible());
    navigation->zoomX({20, 60}, plot::PlotNavigation::Gesture::New);
    const QRect chart = m_charts->plot(Chart::Loss)->geometry();
    settle();
    QVERIFY(follow->isVisible());
    QCOMPARE(m_charts->plot(Chart::Loss)->geometry(), chart);
    QVERIFY(navigation->xRange() == (plot::Range{20, 60}));
    follow->click();
    settle();
    // As long as before, with the newest step in sight and a tenth of room: kSteps + 4 - 40 to kSteps + 4.
    QCOMPARE(navigation->xRange().high, static_cast<double>(kSteps) + 4);
    QCOMPARE(navigation->xRange().length(), 40.0);
    QVERIFY(!follow->isVisible());
    record::StepRecord step = stepOf(Reference, kSteps + 10);
    m_data->take({batch({step})});
    settle();
    QCOMPARE(navigation->xRange().high, static_cast<double>(kSteps) + 14);
    // Who chooses another range is left there.
    navigation->zoomX({20, 60}, plot::PlotNavigation::Gesture::New);
    step = stepOf(Reference, kSteps + 20);
    m_data->take({batch({step})});
    settle();
    QVERIFY(navigation->xRange() == (plot::Range{20, 60}));
    QVERIFY(follow->isVisible());
    m_charts->setLive(false);
    QVERIFY(!follow->isVisible());
  }

  void the_cursor_reads_all_charts_at_one_step() {
    plot::PlotView* const view = m_charts->plot(Chart::Loss);
    const plot::PlotGeometry& geometry = view->canvas()->frame().geometry;
    const QPoint at(qRound(geometry.toPixelX(120)), qRound(geometry.area.center().y()));
    QMouseEvent move(QEvent::MouseMove, at, view->canvas()->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QApplication::sendEvent(view->canvas(), &move);
    m_charts->redraw();
    QCOMPARE(*m_charts->plot(Chart::GradientNorm)->plotCursor()->position(), *view->plotCursor()->position());
    QVERIFY(std::abs(*view->plotCursor()->position() - 120) <= 1);
  }

  void the_legend_of_a_live_run_says_the_newest_values_once_the_pointer_has_left() {
    m_charts->setLive(true);
    plot::PlotView* const view = m_charts->plot(Chart::Loss);
    const plot::PlotGeometry& geometry = view->canvas()->frame().geometry;
    const QPoint at(qRound(geometry.toPixelX(120)), qRound(geometry.area.center().y()));
    const QString usual = m_charts->hint()->text();
    view->canvas()->setFocus();  // as after a click
    QMouseEvent move(QEvent::MouseMove, at, view->canvas()->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QApplication::sendEvent(view->canvas(), &move);
    m_charts->redraw();
    const double read = *view->plotCursor()->position();
    QCOMPARE(m_charts->hint()->text(), QStringLiteral("Cursor at step %1 on all charts: measured values").arg(read));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(view->canvas(), &leave);
    QCOMPARE(m_charts->hint()->text(), usual);
    record::StepRecord next = stepOf(Bf16, kSteps + 1);
    next.loss = 7.5;
    m_data->take({batch({next})});
    m_charts->redraw();
    const auto items = view->findChildren<plot::LegendItem*>();
    QVERIFY(std::any_of(items.begin(), items.end(), [](const plot::LegendItem* item) {
      return item->accessibleName() == QLatin1String("bf16: 7.500");
    }));
  }

  void a_chart_that_scrolls_into_view_shows_the_run_that_is_shown() {
    m_charts->restoreLayout("{\"columns\": 1}");
    m_charts->resize(800, 400);
    settle();
    auto* const area = m_charts->findChild<QScrollArea*>();
    QScrollBar* const bar = area->verticalScrollBar();
    QVERIFY(bar->maximum() > 0);
    bar->setValue(bar->maximum());
    m_charts->redraw();
    bar->setValue(0);
    plot::PlotView* const view = m_charts->plot(Chart::GradientNorm);
    QVERIFY(view->visibleRegion().isEmpty());
    RunData other;  // a reference alone, without a trial
    m_charts->setData(&other);
    other.setArms({arms()[0]});
    std::vector<record::StepRecord> few;
    for (std::int64_t number = 1; number <= 50; ++number) few.push_back(stepOf(Reference, number));
    other.take({batch(few)});
    m_charts->redraw();
    bar->setValue(bar->maximum());
    QVERIFY(!view->visibleRegion().isEmpty());
    const QImage picture = area->viewport()->grab().toImage();
    const plot::PlotColors& colors = plot::plotColors(false);
    QCOMPARE(pixelsLike(picture, colors.trials[0], picture.rect(), 30), 0);
    QCOMPARE(pixelsLike(picture, colors.trials[1], picture.rect(), 30), 0);
    QVERIFY(pixelsLike(picture, colors.reference, picture.rect(), 30) > 40);
    m_charts->setData(m_data.get());
  }

  void a_click_on_a_skip_or_a_nan_chooses_its_step() {
    QSignalSpy chosen(m_charts.get(), &RunCharts::stepChosen);
    const plot::PlotView* view = m_charts->plot(Chart::Scale);
    const plot::PlotFrame& scale = view->canvas()->frame();
    click(*view, QPoint(qRound(scale.markPixels.at(3)), qRound(scale.geometry.area.bottom()) - 3));
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.takeFirst().at(0).toLongLong(), 50LL);
    view = m_charts->plot(Chart::Loss);
    const plot::PlotFrame& loss = view->canvas()->frame();
    QCOMPARE(loss.nonFinite.size(), std::size_t{1});
    click(*view, QPoint(qRound(loss.nonFinite[0].pixel), qRound(loss.geometry.area.top()) + 4));
    QCOMPARE(chosen.takeFirst().at(0).toLongLong(), 120LL);
  }

  void the_record_of_a_step_is_read_walked_through_and_copied() {
    StepPanel panel(m_charts.get());
    panel.showStep(*m_data, 50);
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const QString text = panel.text();
    for (const char* const words :
         {"Step 50", "fp16", "Skipped\toverflow: a gradient was not finite", "First non-finite gradient\tfc1.weight",
          "Largest finite gradient, scaled\t65000", "Loss scale before\t2^11 = 2048", "Loss scale after\t2^10 = 1024",
          "Gradient norm, unscaled\t+∞"}) {
      QVERIFY2(text.contains(QString::fromUtf8(words)), qPrintable(text));
    }
    QVERIFY2(!text.contains(QStringLiteral("bf16")), "bf16 did nothing remarkable there");
    QTest::keyClick(&panel, Qt::Key_Left);
    QCOMPARE(panel.step(), qint64{3});
    QTest::keyClick(&panel, Qt::Key_Right);
    QCOMPARE(panel.step(), qint64{50});
    QTest::keyClick(&panel, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), text);
    panel.showStep(*m_data, 120);
    QVERIFY2(panel.text().contains(QStringLiteral("bf16\nSkipped\tno\nLoss\tNaN")), qPrintable(panel.text()));
    QTest::keyClick(&panel, Qt::Key_Escape);
    QVERIFY(!panel.isVisible());
  }

  void skips_of_one_of_several_optimizers_can_be_looked_at_alone() {
    QVERIFY(!m_charts->optimizerChooser()->isVisible());
    record::StepRecord step = stepOf(Fp16, 201);
    step.skipped = true;
    step.skip_cause = record::SkipCause::Overflow;
    step.optimizers.resize(2);
    step.optimizers[1].skipped = true;
    step.optimizers[1].skip_cause = record::SkipCause::Overflow;
    step.optimizers[1].overflow_parameter = "head.weight";
    m_data->truncate(Fp16, 0);
    m_data->take({batch({step})});
    m_charts->redraw();
    QVERIFY(m_charts->optimizerChooser()->isVisible());
    QCOMPARE(m_charts->optimizerChooser()->count(), 3);
    QCOMPARE(m_charts->optimizerChooser()->itemText(1), QStringLiteral("optimizer 0 (adamw)"));  // the default kind
    QCOMPARE(m_charts->optimizerChooser()->itemText(2), QStringLiteral("optimizer 1"));  // the experiment knows one
    const auto marks = [this] { return m_charts->plot(Chart::Scale)->content().marks.size(); };
    QCOMPARE(marks(), std::size_t{1});
    m_charts->optimizerChooser()->setCurrentIndex(1);
    QCOMPARE(marks(), std::size_t{0});
    m_charts->optimizerChooser()->setCurrentIndex(2);
    QCOMPARE(marks(), std::size_t{1});
  }

  void optimizers_are_counted_from_one_and_named_by_their_kind() {
    spec::Experiment two = *experiment();
    two.training.optimizers.resize(2);
    two.training.optimizers[0].kind = spec::OptimizerKind::Sgd;
    two.training.optimizers[1].kind = spec::OptimizerKind::AdamW;
    m_charts->setExperiment(std::make_shared<const spec::Experiment>(two));
    record::StepRecord step = stepOf(Fp16, 201);
    step.skipped = true;
    step.skip_cause = record::SkipCause::Overflow;
    step.overflow_optimizer = 1;
    step.optimizers.resize(2);
    step.optimizers[1].skipped = true;
    step.optimizers[1].skip_cause = record::SkipCause::Overflow;
    m_data->take({batch({step})});
    m_charts->redraw();
    QCOMPARE(m_charts->optimizerChooser()->itemText(1), QStringLiteral("optimizer 0 (sgd)"));
    QCOMPARE(m_charts->optimizerChooser()->itemText(2), QStringLiteral("optimizer 1 (adamw)"));
    StepPanel panel(m_charts.get());
    panel.showStep(*m_data, 201);
    QVERIFY2(panel.text().contains(QStringLiteral("First in\toptimizer 1 (adamw)")), qPrintable(panel.text()));
    QVERIFY2(panel.text().contains(QStringLiteral("Skipped by optimizer 1 (adamw)\toverflow")),
             qPrintable(panel.text()));
    // Whose learning rate it is that is shown.
    const plot::PlotView* const view = show({Chart::LearningRate});
    QVERIFY2(view->content().unit.endsWith(QStringLiteral("of optimizer 0 (sgd), the first of 2")),
             qPrintable(view->content().unit));
    CountersTable table;
    table.setData(m_data.get());
    QCOMPARE(table.model()->headerData(CountersModel::RateColumn, Qt::Horizontal, Qt::ToolTipRole).toString(),
             QStringLiteral("Of optimizer 0 (sgd), the first of 2"));
    const QString rate = table.model()->index(1, CountersModel::RateColumn).data(Qt::ToolTipRole).toString();
    QVERIFY2(rate.endsWith(QStringLiteral(", of optimizer 0 (sgd), the first of 2")), qPrintable(rate));
    const QString skips = table.model()->index(1, CountersModel::SkippedColumn).data(Qt::ToolTipRole).toString();
    QVERIFY2(skips.contains(QStringLiteral("optimizer 1 (adamw) skipped 1")), qPrintable(skips));
  }

  void a_deviation_without_a_yardstick_says_that_it_stands_as_measured() {
    m_data->truncate(RepeatOne, 0);
    m_data->truncate(RepeatTwo, 0);
    m_charts->redraw();
    const plot::PlotContent& content = m_charts->plot(Chart::OutputRmse)->content();
    QCOMPARE(content.unit, QStringLiteral("RMSE, trajectory, no yardstick: as measured"));
    QCOMPARE(content.valueUnit, 1.0);
  }

  void multiples_are_offered_where_there_is_a_yardstick_and_otherwise_it_is_said_how_to_get_one() {
    QComboBox* const units = m_charts->unitChooser();
    QVERIFY(units->isEnabled());
    QCOMPARE(units->currentIndex(), 0);
    m_data->truncate(RepeatOne, 0);
    m_data->truncate(RepeatTwo, 0);
    m_charts->redraw();
    QVERIFY(!units->isEnabled());
    QCOMPARE(units->currentText(), QStringLiteral("As measured"));
    QVERIFY2(units->toolTip().contains(QStringLiteral("repeats = 2 under [reference]")), qPrintable(units->toolTip()));
    // The rounding repeat is still there: shadow has its floor, and the choice that was made holds.
    m_charts->deviationChooser()->setCurrentIndex(1);
    QVERIFY(units->isEnabled());
    QCOMPARE(units->currentIndex(), 0);
    m_data->truncate(Rounding, 0);
    m_charts->redraw();
    QVERIFY(!units->isEnabled());
    QVERIFY2(units->toolTip().contains(QStringLiteral("rounding_repeats = 1 under [reference]")),
             qPrintable(units->toolTip()));
    // A layout keeps what was chosen, not what could not be shown.
    const QJsonObject layout = QJsonDocument::fromJson(m_charts->saveLayout()).object();
    QCOMPARE(layout[QStringLiteral("units")].toInt(), 0);
  }

  void a_run_that_will_measure_its_yardstick_offers_multiples_before_its_first_step() {
    RunData waiting;
    m_charts->setData(&waiting);
    QVERIFY(m_charts->unitChooser()->isEnabled());  // repeats = 2
    spec::Experiment none = *experiment();
    none.reference.repeats = 0;
    m_charts->setExperiment(std::make_shared<const spec::Experiment>(none));
    QVERIFY(!m_charts->unitChooser()->isEnabled());
    m_charts->setData(m_data.get());
  }

  // Losses 1 and 3, weight 0.5: averages 0.5 and 1.75, without the bias 0.5/0.5 = 1 and 1.75/0.75 = 2.333.
  void a_smoothed_line_is_called_so_and_the_legend_says_which_value_it_tells() {
    m_data->clear();
    m_data->setArms({arms()[0]});
    record::StepRecord first = stepOf(Reference, 1);
    record::StepRecord second = stepOf(Reference, 2);
    first.loss = 1.0;
    second.loss = 3.0;
    m_data->take({batch({first, second})});
    auto* const weight = m_charts->findChild<QDoubleSpinBox*>();
    weight->setValue(0.5);
    settle();
    const plot::PlotView* const view = m_charts->plot(Chart::Loss);
    QCOMPARE(plot::unitText(view->content()), QStringLiteral("cross-entropy, log, line smoothed"));
    const plot::LegendItem* const item = view->findChild<plot::LegendItem*>();
    QCOMPARE(item->accessibleName(), QStringLiteral("reference: 3.000"));
    QCOMPARE(item->toolTip(), QStringLiteral("3.000 measured, 2.333 smoothed (the line)\nHide reference"));
    QCOMPARE(glance(*m_data, {})[3].answer, QStringLiteral("mean loss 2.000, rising"));  // (1 + 3)/2
    CountersTable table;
    table.setData(m_data.get());
    QCOMPARE(table.model()->headerData(CountersModel::LossColumn, Qt::Horizontal, Qt::ToolTipRole).toString(),
             QStringLiteral("Of the last step, as measured"));
    // Without smoothing there is one value, and nothing to tell apart.
    auto* const chooser = m_charts->findChildren<QComboBox*>().at(1);
    QCOMPARE(chooser->accessibleName(), QStringLiteral("Smoothing"));
    chooser->setCurrentIndex(0);
    m_charts->redraw();
    QCOMPARE(plot::unitText(view->content()), QStringLiteral("cross-entropy, log"));
    QCOMPARE(item->toolTip(), QStringLiteral("Hide reference"));
  }

  // fp16 skips step 201 at 2^11 and halves its scale: the chart says what the step used, the counters what it left,
  // with the tracker that belongs to it; who asks is told the other one, too.
  void counters_say_the_scale_that_belongs_to_the_tracker() {
    record::StepRecord step = stepOf(Fp16, 201);
    step.skipped = true;
    step.skip_cause = record::SkipCause::Overflow;
    step.scale_before = 2048;
    step.scale_after = 1024;
    m_data->take({batch({step})});
    m_charts->redraw();
    const plot::PlotView* const view = m_charts->plot(Chart::Scale);
    QCOMPARE(view->findChildren<plot::LegendItem*>().at(0)->accessibleName(), QStringLiteral("fp16: 2^11"));
    QVERIFY(view->content().about.startsWith(QStringLiteral("What each step used")));
    CountersTable table;
    table.setData(m_data.get());
    QCOMPARE(table.model()->index(1, CountersModel::ScaleColumn).data().toString(), QStringLiteral("2^10"));
    QCOMPARE(table.model()->index(1, CountersModel::TrackerColumn).data().toString(), QStringLiteral("0 of 100"));
    QCOMPARE(table.model()->index(1, CountersModel::ScaleColumn).data(Qt::ToolTipRole).toString(),
             QStringLiteral("2^10 = 1,024; the last step used 2^11 = 2,048"));
    QCOMPARE(table.model()->headerData(CountersModel::ScaleColumn, Qt::Horizontal, Qt::ToolTipRole).toString(),
             QStringLiteral("As the last step left it; the chart shows what each step used"));
    // Step 202 is the last clean one of an interval: it leaves twice the scale, and a tracker of 0.
    step = stepOf(Fp16, 202);
    step.scale_before = 1024;
    step.scale_after = 2048;
    step.growth_tracker = 0;
    m_data->take({batch({step})});
    table.refresh();
    QCOMPARE(table.model()->index(1, CountersModel::ScaleColumn).data().toString(), QStringLiteral("2^11"));
    QCOMPARE(table.model()->index(1, CountersModel::TrackerColumn).data().toString(), QStringLiteral("0 of 100"));
  }

  void a_legend_of_many_rows_takes_no_height_from_its_chart() {
    m_charts->resize(560, 420);
    settle();
    const plot::PlotView* const view = m_charts->plot(Chart::Loss);
    const auto items = view->findChildren<plot::LegendItem*>();
    QCOMPARE(items.size(), 3);
    QVERIFY(view->canvas()->height() >= 88);
    for (const plot::LegendItem* const item : items) {
      const QRect place(item->mapTo(view, QPoint(0, 0)), item->size());
      QVERIFY(!place.intersects(QRect(view->canvas()->mapTo(view, QPoint(0, 0)), view->canvas()->size())));
    }
  }

  void a_reset_of_the_layout_closes_the_tables() {
    m_charts->plot(Chart::Loss)->setTableShown(true);
    const auto actions = m_charts->layoutMenu()->actions();
    const auto reset = std::find_if(actions.begin(), actions.end(),
                                    [](const QAction* it) { return it->text() == QLatin1String("Reset"); });
    QVERIFY(reset != actions.end());
    (*reset)->trigger();
    QVERIFY(!m_charts->plot(Chart::Loss)->isTableShown());
  }

  void counters_say_deviation_as_a_multiple_and_quality_and_open_the_last_skip() {
    CountersTable table;
    table.setData(m_data.get());
    const auto text = [&table](int line, int column) { return table.model()->index(line, column).data().toString(); };
    QCOMPARE(text(1, CountersModel::DeviationColumn), QStringLiteral("1.5 ×"));
    QCOMPARE(text(2, CountersModel::DeviationColumn), QStringLiteral("5.0 ×"));
    QCOMPARE(text(1, CountersModel::QualityColumn), QStringLiteral("0.9400"));
    QCOMPARE(text(1, CountersModel::TrackerColumn), QStringLiteral("0 of 100"));
    const QString heading =
        table.model()->headerData(CountersModel::QualityColumn, Qt::Horizontal, Qt::DisplayRole).toString();
    QCOMPARE(heading, QStringLiteral("Accuracy"));
    QCOMPARE(table.counters().qualityNote(), QStringLiteral("Accuracy on the frozen cases, evaluated at step 200"));
    RunData other;  // another experiment, before it has measured anything
    table.setData(&other);
    QCOMPARE(table.counters().qualityNote(), QString());
    table.setData(m_data.get());
    const QString skips = table.model()->index(1, CountersModel::SkippedColumn).data(Qt::ToolTipRole).toString();
    QCOMPARE(skips, QStringLiteral("4 of 200 steps skipped (2 %): 3 calibration, 1 overflow"));
    QSignalSpy chosen(&table, &CountersTable::skipChosen);
    table.setCurrentIndex(table.model()->index(1, 0));
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.takeFirst().at(0).toLongLong(), 50LL);
    table.setCurrentIndex(table.model()->index(0, 0));
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(chosen.count(), 0);  // the reference skips nothing
  }

  void a_deviation_that_the_last_step_has_not_measured_is_none() {
    RunData data;
    record::TrialRow arm;
    arm.id = 1;
    arm.start.kind = record::TrialKind::Trial;
    data.setArms({arm});
    CountersTable table;
    table.setData(&data);
    const auto deviation = [&] { return table.model()->index(0, CountersModel::DeviationColumn).data().toString(); };
    const auto take = [&](std::int64_t number, double loss, std::optional<double> measured) {
      record::StepRecord step;
      step.trial = 1;
      step.step = step.iteration = step.applied_updates = number;
      step.loss = loss;
      step.deviation_output_rmse = measured;
      ui::worker::StepBatch batch;
      batch.chunks = {std::make_shared<const std::vector<record::StepRecord>>(1, step)};
      data.take({batch});
      table.refresh();
    };
    take(1, 1, 0.25);
    QCOMPARE(deviation(), QStringLiteral("0.2500"));
    take(2, std::numeric_limits<double>::quiet_NaN(), std::nullopt);
    QCOMPARE(deviation(), QStringLiteral("–"));
    data.truncate(1, 1);
    table.refresh();
    QCOMPARE(deviation(), QStringLiteral("0.2500"));
  }

  void all_counters_are_seen_at_the_first_size_of_the_window() {
    CountersTable table;
    table.resize(780, 150);
    table.show();
    QVERIFY(QTest::qWaitForWindowExposed(&table));
    table.setData(m_data.get());
    int width = 0;
    for (int column = 0; column < CountersModel::kColumns; ++column) width += table.columnWidth(column);
    QVERIFY2(width <= table.viewport()->width(), qPrintable(QString::number(width)));
    // And none of them is cut.
    const QFontMetrics words(table.horizontalHeader()->font());
    for (int column = 0; column < CountersModel::kColumns; ++column) {
      const QString title = table.model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
      QVERIFY2(words.horizontalAdvance(title) + 6 <= table.columnWidth(column), qPrintable(title));
    }
  }

  void columns_of_counters_keep_their_width_while_a_run_comes_to_its_end() {
    CountersTable table;
    table.resize(780, 150);
    table.show();
    QVERIFY(QTest::qWaitForWindowExposed(&table));
    m_data->clear();
    m_data->setArms({arms()[0], arms()[1]});
    table.setPlanned(20'000, 20'000);
    table.setData(m_data.get());
    const auto take = [&](std::int64_t number, double loss) {
      std::vector<record::StepRecord> both = {stepOf(Reference, number), stepOf(Fp16, number)};
      for (record::StepRecord& step : both) step.loss = loss;
      both[1].scale_before = 65536;
      both[1].growth_tracker = number % 100;
      m_data->take({batch(both)});
      table.refresh();
      return QTest::qWaitFor([&] { return !table.isFitting(); });
    };
    QVERIFY(take(1, 2.0));
    std::vector<int> before;
    for (int column = 0; column < CountersModel::CauseColumn; ++column) before.push_back(table.columnWidth(column));
    QVERIFY(take(19'999, 0.0005491));
    for (int column = 0; column < CountersModel::CauseColumn; ++column) {
      QCOMPARE(table.columnWidth(column), before[static_cast<std::size_t>(column)]);
    }
  }

  void no_number_of_the_counters_is_cut_at_the_moment_when_a_wider_one_comes() {
    CountersTable table;
    table.resize(600, 150);  // too narrow for all that may come
    table.show();
    QVERIFY(QTest::qWaitForWindowExposed(&table));
    std::vector<record::TrialRow> scaled = {arms()[0], arms()[1]};
    scaled[1].start.policy = R"({"scaler":{"enabled":true,"growth_interval":2000}})";
    m_data->clear();
    m_data->setArms(scaled);
    table.setPlanned(20'000, 20'000);
    table.setData(m_data.get());
    const auto take = [&](std::int64_t number, double value, std::int64_t tracker) {
      std::vector<record::StepRecord> both = {stepOf(Reference, number), stepOf(Fp16, number)};
      for (record::StepRecord& step : both) step.loss = value;
      both[1].growth_tracker = tracker;
      both[1].deviation_output_rmse = value;
      m_data->take({batch(both)});
      table.refresh();
    };
    const auto isWhole = [&](int column) {
      for (int row = 0; row < table.model()->rowCount(); ++row) {
        const QModelIndex cell = table.model()->index(row, column);
        if (table.sizeHintForIndex(cell).width() > table.columnWidth(column)) return false;
      }
      return true;
    };
    take(1, 2.0, 1);
    take(2, 0.0005491, 1888);
    for (int column = CountersModel::CauseColumn + 1; column < CountersModel::kColumns; ++column) {
      QVERIFY2(isWhole(column), qPrintable(QString::number(column)));
    }
    const int width = table.columnWidth(CountersModel::LossColumn);
    take(3, 3.0, 2);
    QTRY_VERIFY(!table.isFitting());
    QCOMPARE(table.columnWidth(CountersModel::LossColumn), width);  // and none jumps back
  }

  /// fp16 with a wide tracker, a wide scale and a long cause: no column is out of sight, and only the cause is cut.
  void all_columns_of_counters_are_in_sight_in_a_narrow_window() {
    CountersTable table;
    table.resize(690, 150);
    table.show();
    QVERIFY(QTest::qWaitForWindowExposed(&table));
    std::vector<record::TrialRow> scaled = {arms()[0], arms()[1]};
    scaled[1].start.policy = R"({"scaler":{"enabled":true,"growth_interval":2000}})";
    m_data->clear();
    m_data->setArms(scaled);
    table.setPlanned(20'000, 20'000);
    record::StepRecord step = stepOf(Fp16, 19'999);
    step.skipped = true;
    step.skip_cause = record::SkipCause::ScaleTooSmall;
    step.growth_tracker = 1888;
    step.scale_before = step.scale_after = 1'953'125;
    step.deviation_output_rmse = 1.234e-7;
    m_data->take({batch({stepOf(Reference, 19'999), step})});
    table.setData(m_data.get());
    QTRY_VERIFY(!table.isFitting());
    QCOMPARE(table.horizontalScrollBar()->maximum(), 0);
    const QFontMetrics words(table.horizontalHeader()->font());
    for (int column = 0; column < CountersModel::kColumns; ++column) {
      const QString title = table.model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
      QVERIFY2(words.horizontalAdvance(title) + 6 <= table.columnWidth(column), qPrintable(title));
    }
    // Where there is scrolling anyway, cutting the cause would spare nothing.
    table.resize(480, 150);
    QTRY_VERIFY(table.horizontalScrollBar()->maximum() > 0);
    const QString cause = table.model()->index(1, CountersModel::CauseColumn).data().toString();
    QTRY_VERIFY(table.fontMetrics().horizontalAdvance(cause) <= table.columnWidth(CountersModel::CauseColumn));
  }

  void the_glance_measures_by_the_spread_and_the_rules_limit() {
    const auto locked = experiment();
    Standing standing;
    standing.experiment = locked.get();
    const Statement beyond = glance(*m_data, standing)[2];
    QCOMPARE(beyond.answer, QStringLiteral("bf16 at 5.0 × spread"));
    QCOMPARE(
        beyond.detail,
        QStringLiteral("Output RMSE of the trajectory, mean of 50 steps, beyond the limit, 4 × spread. fp16 at 1.5."));
    QCOMPARE(beyond.state, Statement::State::Bad);
    const Statement finite = glance(*m_data, standing)[0];
    QCOMPARE(finite.answer, QStringLiteral("1 NaN loss in bf16"));
    QCOMPARE(finite.detail, QStringLiteral("Step 120. reference and fp16 are finite."));
    standing.experiment = nullptr;
    QCOMPARE(glance(*m_data, standing)[2].detail,
             QStringLiteral("Output RMSE of the trajectory, mean of 50 steps, beyond what 2 repeats do. fp16 at 1.5."));
  }

  void the_glance_counts_one_step_as_one() {
    Standing standing;
    standing.paused = standing.running = true;
    standing.plannedSteps = kSteps + 1;
    QVERIFY2(glance(*m_data, standing)[4].detail.startsWith(QStringLiteral("1 step left, ")),
             qPrintable(glance(*m_data, standing)[4].detail));
  }

  // shared/cases 33: losses 1, 2, NaN, 3, infinity, 6. (1 + 2 + 3 + 6)/4 = 3.
  void case_33_a_mean_leaves_non_finite_losses_out_and_says_how_many() {
    m_data->clear();
    m_data->setArms({arms()[0]});
    std::vector<record::StepRecord> six;
    for (const double loss : {1.0, 2.0, kNaN, 3.0, kInfinity, 6.0}) {
      six.push_back(stepOf(Reference, static_cast<std::int64_t>(six.size()) + 1));
      six.back().loss = loss;
    }
    m_data->take({batch(six)});
    QCOMPARE(*m_data->arm(Reference)->finiteMean(Quantity::Loss), 3.0);
    const Statement learning = glance(*m_data, {})[3];
    QCOMPARE(learning.answer, QStringLiteral("mean loss 3.000, rising"));
    QVERIFY2(learning.detail.endsWith(QStringLiteral("; over finite steps, 2 non-finite of 6")),
             qPrintable(learning.detail));
    CountersTable table;
    table.setData(m_data.get());
    QCOMPARE(table.model()->index(0, CountersModel::LossColumn).data(Qt::ToolTipRole).toString(),
             QStringLiteral("6; mean 3.000 over finite steps, 2 non-finite of 6"));
    // The running mean in the chart ends at 3, and both marks stand at the top.
    plot::PlotView* const view = show({Chart::Loss});
    QCOMPARE(plot::runningMean({1.0, 2.0, kNaN, 3.0, kInfinity, 6.0}, 6).back(), 3.0);
    QCOMPARE(view->canvas()->frame().nonFinite.size(), std::size_t{2});
  }

 private:
  /// \return the first of them
  plot::PlotView* show(const std::vector<Chart>& charts) {
    QJsonArray ids;
    for (const Chart chart : charts) ids << idOf(chart);
    QJsonObject layout = QJsonDocument::fromJson(m_charts->saveLayout()).object();
    layout[QStringLiteral("charts")] = ids;
    m_charts->restoreLayout(QJsonDocument(layout).toJson());
    settle();
    return m_charts->plot(charts.front());
  }

  /// The grid has placed the charts, and their past is here.
  void settle() {
    QDeadlineTimer limit(10'000);
    do {
      QTest::qWait(5);
    } while (m_charts->isLoading() && !limit.hasExpired());
    m_charts->redraw();
  }

  QString archive() const { return m_folder.filePath(QStringLiteral("run.db")); }

  static void click(const plot::PlotView& view, const QPoint& at) {
    QTest::mouseClick(view.canvas(), Qt::LeftButton, Qt::NoModifier, at);
  }

  static void drag(const plot::PlotView& view, const QPoint& from, const QPoint& to) {
    const auto send = [&](QEvent::Type type, const QPoint& where, Qt::MouseButtons held) {
      const Qt::MouseButton which = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
      QMouseEvent event(type, where, view.canvas()->mapToGlobal(where), which, held, Qt::NoModifier);
      QApplication::sendEvent(view.canvas(), &event);
    };
    send(QEvent::MouseButtonPress, from, Qt::LeftButton);
    send(QEvent::MouseMove, (from + to) / 2, Qt::LeftButton);
    send(QEvent::MouseMove, to, Qt::LeftButton);
    send(QEvent::MouseButtonRelease, to, Qt::NoButton);
  }

  QTemporaryDir m_folder;
  std::unique_ptr<RunData> m_data;
  std::unique_ptr<RunCharts> m_charts;
};

QTEST_MAIN(RunChartsTests)
#include "run_charts_tests.moc"
