// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/chart_content.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/report/plain_words.h"
#include "core/spec/parse.h"
#include "ui/measured_text.h"
#include "ui/models/record_words.h"
#include "ui/models/trial_list.h"
#include "ui/plot/plot_numbers.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::run {
namespace {

QString say(const char* text) { return QCoreApplication::translate("RunCharts", text); }
QString count(qint64 value) { return models::figure(report::count_words(value)); }

/// What never changes of a chart.
struct Facts {
  Chart chart;
  const char* id;
  const char* menu;   ///< in the menu
  const char* title;  ///< above the chart
  const char* unit;   ///< behind its title
  plot::YScale scale;
  bool isSmoothed;
  bool hasReference;
};

#define TEXT(words) QT_TRANSLATE_NOOP("RunCharts", words)

constexpr qint64 kWeightSteps = 10;  // the engine compares weights that often, and after the last step

constexpr auto kLinear = plot::YScale::Linear;
constexpr auto kLog = plot::YScale::Log10;

constexpr std::array<Facts, 20> kFacts = {{
    {Chart::Loss, "loss", TEXT("Loss"), TEXT("Loss"), "", kLog, true, true},
    {Chart::Scale, "scale", TEXT("Loss scale and skipped steps"), TEXT("Loss scale"), TEXT("log2; skipped steps below"),
     plot::YScale::Log2, false, false},
    {Chart::Tracker, "tracker", TEXT("Growth tracker"), TEXT("Growth tracker"), TEXT("clean steps"), kLinear, false,
     false},
    {Chart::OutputRmse, "deviation", TEXT("Outputs, RMSE"), TEXT("Output deviation"), TEXT("RMSE"), kLog, true, false},
    {Chart::OutputMax, "output_max", TEXT("Outputs, largest difference"), TEXT("Output deviation"), TEXT("largest"),
     kLog, true, false},
    {Chart::OutputRelative, "output_relative", TEXT("Outputs, relative norm"), TEXT("Output deviation"),
     TEXT("relative norm"), kLog, true, false},
    {Chart::OutputCosine, "output_cosine", TEXT("Outputs, 1 − cosine"), TEXT("Output deviation"), TEXT("1 − cosine"),
     kLog, true, false},
    {Chart::OutputUlp, "output_ulp", TEXT("Outputs, ULP of FP32"), TEXT("Output deviation"), TEXT("ULP of FP32"), kLog,
     true, false},
    {Chart::LossDeviation, "loss_deviation", TEXT("Loss, minus reference"), TEXT("Loss deviation"),
     TEXT("minus reference"), kLinear, true, false},
    {Chart::GradientRelative, "gradient_relative", TEXT("Gradients, relative norm"), TEXT("Gradient deviation"),
     TEXT("relative norm"), kLog, true, false},
    {Chart::GradientCosine, "gradient_cosine", TEXT("Gradients, 1 − cosine"), TEXT("Gradient deviation"),
     TEXT("1 − cosine"), kLog, true, false},
    {Chart::Weights, "weights", TEXT("Weights, relative distance"), TEXT("Weight deviation"), TEXT("relative distance"),
     kLog, true, false},
    {Chart::GradientNorm, "gradient", TEXT("Gradient norm, unscaled"), TEXT("Gradient norm"), TEXT("unscaled"), kLog,
     true, true},
    {Chart::ScaledGradientNorm, "gradient_scaled", TEXT("Gradient norm, scaled"), TEXT("Gradient norm"), TEXT("scaled"),
     kLog, true, true},
    {Chart::LearningRate, "rate", TEXT("Learning rate"), TEXT("Learning rate"), TEXT("against applied updates"),
     kLinear, false, true},
    {Chart::Quality, "quality", TEXT("Quality on the frozen cases"), TEXT("Quality"), TEXT("frozen cases"), kLinear,
     false, true},
    {Chart::StepRate, "steps_rate", TEXT("Steps per second"), TEXT("Speed"), TEXT("steps/s"), kLinear, true, true},
    {Chart::SampleRate, "samples_rate", TEXT("Samples per second"), TEXT("Speed"), TEXT("samples/s"), kLinear, true,
     true},
    {Chart::LiveMemory, "live_memory", TEXT("Live tensor memory"), TEXT("Live memory"), "", kLinear, false, true},
    {Chart::PeakMemory, "peak_memory", TEXT("Peak tensor memory"), TEXT("Peak memory"), "", kLinear, false, true},
}};

#undef TEXT

const Facts& factsOf(Chart chart) {
  return *std::find_if(kFacts.begin(), kFacts.end(), [chart](const Facts& it) { return it.chart == chart; });
}

std::optional<Measure> measureOf(Chart chart) {
  switch (chart) {
    case Chart::OutputMax:
      return Measure::OutputMax;
    case Chart::OutputRmse:
      return Measure::OutputRmse;
    case Chart::OutputRelative:
      return Measure::OutputRelative;
    case Chart::OutputCosine:
      return Measure::OutputCosine;
    case Chart::OutputUlp:
      return Measure::OutputUlp;
    case Chart::LossDeviation:
      return Measure::Loss;
    case Chart::GradientRelative:
      return Measure::GradientRelative;
    case Chart::GradientCosine:
      return Measure::GradientCosine;
    case Chart::Weights:
      return Measure::WeightRelative;
    default:
      return std::nullopt;
  }
}

bool isOfOutputs(Measure measure) { return measure <= Measure::OutputUlp; }

bool hasScaler(const record::TrialRow& arm) {
  const QJsonObject policy = QJsonDocument::fromJson(QByteArray::fromStdString(arm.start.policy)).object();
  return policy[QLatin1String("scaler")][QLatin1String("enabled")].toBool();
}

bool isReference(const ArmData& arm) { return arm.arm().start.kind == record::TrialKind::Reference; }

/// What the quality of the frozen cases is measured by; empty: not known.
std::string metricOf(const std::vector<const ArmData*>& arms) {
  for (const ArmData* const arm : arms) {
    if (arm->evaluation()) return arm->evaluation()->metric;
    if (!arm->arm().end.quality_metric.empty()) return arm->arm().end.quality_metric;
  }
  return {};
}

class ContentMaker {
 public:
  ContentMaker(Chart chart, const ChartSubject& subject, const ChartChoices& choices, std::optional<plot::YScale> scale)
      : m_facts(factsOf(chart)), m_subject(subject), m_choices(choices), m_measure(measureOf(chart)) {
    m_content.scale = scale.value_or(m_facts.scale);
    if (subject.data != nullptr) m_arms = subject.data->shown();
  }

  plot::PlotContent make() {
    m_content.title = say(m_facts.title);
    m_content.experiment = experimentName();
    m_content.run = runWords();
    m_content.laneColumns = m_arms.size();
    m_content.live = m_choices.live;
    if (m_facts.isSmoothed) m_content.smoothing = m_choices.smoothing;
    m_content.markRow = hasMarks(m_facts.chart);
    m_content.isCount = m_facts.chart == Chart::Tracker;
    m_content.isSigned = m_measure == Measure::Loss;
    if (m_facts.chart == Chart::Scale) {
      m_content.about = say("What each step used; the record of a skipped step says what it left to the next one.");
    }
    if (m_facts.chart == Chart::Tracker) m_content.about = say("As each step left it.");
    setAxis();
    addSeries();
    if (m_facts.unit[0] != '\0') m_unit << say(m_facts.unit);
    if (m_measure) addYardstick();
    addLimits();
    addUnit();
    m_content.unit = m_unit.join(QStringLiteral(", "));
    m_content.emptyText = whyEmpty();
    return std::move(m_content);
  }

 private:
  QString experimentName() const {
    if (m_subject.experiment != nullptr) return QString::fromStdString(m_subject.experiment->name);
    return m_arms.empty() ? QString() : QString::fromStdString(m_arms.front()->arm().experiment);
  }

  /// Of the arms that are shown; with digits alone, for files. Empty: none has begun.
  QString runWords() const {
    if (m_arms.empty()) return {};
    const record::TrialRow& first = m_arms.front()->arm();
    const QDate day = models::startOf(first).date();
    const QString number = QString::number(first.experiment_id);
    return day.isValid() ? say("run %1, %2").arg(number, day.toString(Qt::ISODate)) : say("run %1").arg(number);
  }

  void setAxis() {
    const XAxis axis = m_facts.chart == Chart::LearningRate ? XAxis::AppliedUpdate : m_choices.axis;
    const std::array<QString, kXAxes> names = {say("step"), say("update"), say("samples"), say("time")};
    m_content.xName = names[static_cast<std::size_t>(axis)];
    m_content.xKind = axis == XAxis::Seconds ? plot::XAxisKind::Seconds : plot::XAxisKind::Count;
  }

  void addSeries() {
    const plot::PlotColors& colors = shell::Theme::colors();
    const std::optional<Quantity> quantity = quantityOf(m_facts.chart, m_choices.comparison);
    const bool isStepped = m_facts.chart == Chart::Scale || m_facts.chart == Chart::Tracker;
    std::vector<record::TrialRow> rows;
    for (const ArmData* const arm : m_arms) rows.push_back(arm->arm());
    for (const ArmData* const arm : m_arms) {
      const int place = models::placeOf(arm->arm(), rows);
      // The reference has no scaler, and deviates from nothing.
      if (place == 0 && !m_facts.hasReference) continue;
      plot::PlotSeries series;
      series.id = QString::number(arm->arm().id);
      series.name = QString::fromStdString(arm->arm().start.name);
      series.style = place == 0 ? plot::referenceStyle(colors) : plot::trialStyle(colors, place - 1);
      series.data = quantity ? arm->series(*quantity) : arm->quality();
      series.isReference = place == 0;
      series.steps = isStepped;
      if (isStepped && !hasScaler(arm->arm())) series.note = say("no scaler");
      m_content.series.push_back(std::move(series));
    }
  }

  void addYardstick() {
    const bool trajectory = m_choices.comparison == Comparison::Trajectory;
    m_unit << (trajectory ? say("trajectory") : say("shadow"));
    if (m_subject.data == nullptr) return;
    m_yardstick = m_subject.data->yardstick(deviation(*m_measure, m_choices.comparison));
    if (!m_yardstick) {
      if (m_choices.multiples && m_subject.data->steps() > 0) m_unit << say("no yardstick: as measured");
      return;
    }
    if (!m_yardstick->isUsable()) {
      m_unit << (trajectory ? say("run-to-run spread %1") : say("rounding floor %1"))
                    .arg(plot::valueText(m_yardstick->size));
      m_yardstick.reset();
      return;
    }
    const int repeats = m_yardstick->repeats;
    const QString name =
        trajectory ? (repeats == 1 ? say("run-to-run spread: 1 repeat") : say("run-to-run spread: %1 repeats"))
                   : (repeats == 1 ? say("rounding floor: 1 repeat") : say("rounding floor: %1 repeats"));
    const double size = m_yardstick->size;
    const bool isSigned = *m_measure == Measure::Loss;
    m_content.bands.push_back({isSigned ? -size : 0, size, repeats == 1 ? name : name.arg(repeats), {}});
    if (!m_choices.multiples) return;
    m_content.valueUnit = size;
    m_content.isMultiple = true;
    m_content.valueSuffix = QStringLiteral(" ×");
    m_content.valueName = trajectory ? say("× spread") : say("× rounding floor");
    m_unit << m_content.valueName;
  }

  void limit(double value, const QString& label) {
    const plot::PlotLimit line{value, label};
    if (std::find(m_content.limits.begin(), m_content.limits.end(), line) == m_content.limits.end()) {
      m_content.limits.push_back(line);
    }
  }

  void addLimits() {
    if (m_subject.experiment == nullptr) return;
    const spec::Experiment& experiment = *m_subject.experiment;
    if (m_measure && isOfOutputs(*m_measure) && experiment.rules) addOutputLimits(*experiment.rules);
    if (m_facts.chart == Chart::Quality && experiment.rules) addQualityLimits(*experiment.rules);
    if (m_facts.chart == Chart::Scale || m_facts.chart == Chart::Tracker) addScalerLimits(experiment);
    if (m_facts.chart == Chart::GradientNorm) {
      // With several optimizers each clips its own gradients, whose norms are not what is drawn.
      if (experiment.training.clip_norm && experiment.training.optimizers.size() == 1) {
        limit(*experiment.training.clip_norm, say("clip at %1").arg(numberText(*experiment.training.clip_norm)));
      }
      if (experiment.training.skip_norm) {
        limit(*experiment.training.skip_norm, say("skipped above %1").arg(numberText(*experiment.training.skip_norm)));
      }
    }
  }

  /// Of the yardstick's multiples. Absolute limits are about frozen cases (case_relative), and no step measures those:
  /// a line would promise what the verdict does not look at.
  void addOutputLimits(const spec::Rules& rules) {
    const bool trajectory = m_choices.comparison == Comparison::Trajectory;
    for (const spec::OutputRule& rule : rules.output) {
      if ((rule.of == spec::Of::Trained) != trajectory || !rule.output.empty())
        continue;  // steps measure the prediction
      if (!rule.max.empty()) tellAbsoluteLimits(rule);
      const std::optional<double> times = trajectory ? rule.max_spread : rule.max_rounding;
      if (!times || !m_yardstick) continue;
      limit(*times * m_yardstick->size,
            (trajectory ? say("limit: %1 × spread") : say("limit: %1 × rounding floor")).arg(numberText(*times)));
    }
  }

  /// "At most 0.002 (float16), 0.02 (bfloat16) in case_relative: judged on the frozen cases at the end, …"
  void tellAbsoluteLimits(const spec::OutputRule& rule) {
    QStringList limits;
    for (const auto& [dtype, value] : rule.max) {
      limits << (dtype.empty() ? numberText(value)
                               : say("%1 (%2)").arg(numberText(value), QString::fromStdString(dtype)));
    }
    const QString all = limits.join(QStringLiteral(", "));
    m_content.remarks
        << say("rule: at most %1 in %2, judged at the end").arg(all, QString::fromStdString(rule.measure));
    if (!m_content.about.isEmpty()) m_content.about += u'\n';
    m_content.about +=
        say("Rule: at most %1 in %2. It is judged on the frozen cases at the end; steps do not measure it.")
            .arg(all, QString::fromStdString(rule.measure));
  }

  void addQualityLimits(const spec::Rules& rules) {
    for (const spec::QualityRule& rule : rules.quality) {
      if (rule.of != spec::Of::Trained) continue;
      if (rule.min) limit(*rule.min, say("limit: at least %1").arg(numberText(*rule.min)));
      if (rule.max) limit(*rule.max, say("limit: at most %1").arg(numberText(*rule.max)));
    }
  }

  void addScalerLimits(const spec::Experiment& experiment) {
    const auto scalers = std::count_if(experiment.trials.begin(), experiment.trials.end(),
                                       [](const spec::Trial& trial) { return trial.scaler.enabled; });
    for (const spec::Trial& trial : experiment.trials) {
      if (!trial.scaler.enabled) continue;
      const auto line = [&](double value, const QString& words) {
        if (value <= 0) return;
        const QString name = QString::fromStdString(trial.name);
        limit(value, scalers > 1 ? say("%1, %2").arg(words, name) : words);
      };
      if (m_facts.chart == Chart::Tracker) {
        const auto interval = static_cast<double>(trial.scaler.growth_interval);
        line(interval, say("grows at %1").arg(count(trial.scaler.growth_interval)));
        continue;
      }
      const auto scale = [](double value) { return models::figure(report::scale_words(value)); };
      line(trial.scaler.floor, say("floor %1").arg(scale(trial.scaler.floor)));
      line(trial.scaler.ceiling, say("ceiling %1").arg(scale(trial.scaler.ceiling)));
    }
  }

  void addUnit() {
    switch (m_facts.chart) {
      case Chart::Loss:
        if (const QString loss = lossName(); !loss.isEmpty()) m_unit << loss;
        m_content.scaleWord = say("log");
        break;
      case Chart::LearningRate:
        if (m_subject.experiment != nullptr && countsIterations(m_subject.experiment->training)) {
          m_unit << say("scheduled per iteration");
        }
        if (const std::size_t most = optimizers(); most > 1) {
          m_unit << say("of %1, the first of %2")
                        .arg(m_subject.data->optimizerName(0), wholeText(static_cast<qlonglong>(most)));
        }
        break;
      case Chart::Quality:
        if (const std::string metric = metricOf(m_arms); !metric.empty())
          m_unit.prepend(QString::fromStdString(metric));
        break;
      case Chart::LiveMemory:
      case Chart::PeakMemory:
        addBytes();
        break;
      default:
        break;
    }
  }

  /// "cross-entropy": of the experiment, or the one that belongs to its task; empty: not known.
  QString lossName() const {
    if (m_subject.experiment == nullptr) return {};
    std::string name;
    if (m_subject.experiment->training.loss) {
      name = to_text(*m_subject.experiment->training.loss);
    } else if (const std::string metric = metricOf(m_arms); !metric.empty()) {
      name = to_text(metric == "rmse" || metric == "mae" ? spec::Loss::Mse : spec::Loss::CrossEntropy);
    }
    return QString::fromStdString(name).replace(u'_', u'-');
  }

  static bool countsIterations(const spec::Training& training) {
    return training.schedule.per == spec::SchedulePer::Iteration;
  }

  void addBytes() {
    double most = 0;
    for (const plot::PlotSeries& series : m_content.series) {
      if (!series.data->empty()) most = std::max(most, series.data->y(series.data->size() - 1));
    }
    const bool kilo = most < 1e6;
    const bool giga = most >= 1e9;
    m_content.valueUnit = giga ? 1e9 : kilo ? 1e3 : 1e6;
    m_content.valueName = giga ? QStringLiteral("GB") : kilo ? QStringLiteral("kB") : QStringLiteral("MB");
    m_content.valueSuffix = u' ' + m_content.valueName;
    m_unit << m_content.valueName;
  }

  std::size_t optimizers() const {
    std::size_t most = 0;
    for (const ArmData* const arm : m_arms) most = std::max(most, arm->optimizers());
    return most;
  }

  bool hasTrials() const {
    return std::any_of(m_arms.begin(), m_arms.end(), [](const ArmData* arm) { return !isReference(*arm); });
  }

  QString whyEmpty() const {
    if (m_subject.data == nullptr || m_subject.data->steps() == 0) {
      const bool isOver = !m_arms.empty() && m_arms.front()->arm().end.status != record::Status::Running;
      return isOver ? say("No step was made.") : say("No step has been made yet.");
    }
    const std::optional<Quantity> quantity = quantityOf(m_facts.chart, m_choices.comparison);
    if (quantity && m_subject.data->isMissing(*quantity)) return say("Reading the steps so far from the archive\u2026");
    if (!m_facts.hasReference && !hasTrials()) return say("The experiment has no trial beside its reference.");
    if (m_measure) return m_choices.comparison == Comparison::Shadow ? whyNoShadow() : whyNoTrajectory();
    switch (m_facts.chart) {
      case Chart::Scale:
      case Chart::Tracker:
        return say("No trial of this experiment has a loss scaler.");
      case Chart::Quality:
        return whyNoQuality();
      case Chart::GradientNorm:
      case Chart::ScaledGradientNorm:
        return say("Gradient norms were not measured.");
      case Chart::LearningRate:
        return say("Learning rates were not recorded.");
      case Chart::StepRate:
      case Chart::SampleRate:
        return say("The duration of steps was not measured.");
      case Chart::LiveMemory:
      case Chart::PeakMemory:
        return say("Tensor memory was not measured.");
      default:
        return say("Nothing of this was measured.");
    }
  }

  QString whyNoTrajectory() const {
    if (*m_measure == Measure::WeightRelative && m_choices.live && m_subject.data->steps() < kWeightSteps) {
      return say("Weights are compared at every %1th step: the first one is to come.").arg(count(kWeightSteps));
    }
    const auto hasFailed = [](const ArmData* arm) { return arm->arm().end.status == record::Status::Failed; };
    for (const ArmData* const arm : m_arms) {
      if (isReference(*arm) && hasFailed(arm)) {
        return failure(say("Nothing was compared, because the reference failed."), *arm);
      }
    }
    for (const ArmData* const arm : m_arms) {
      if (!isReference(*arm) && hasFailed(arm)) {
        const QString name = QString::fromStdString(arm->arm().start.name);
        return failure(say("No step of %1 was compared before it failed.").arg(name), *arm);
      }
    }
    return *m_measure == Measure::WeightRelative
               ? say("The weights were not compared: that is done at every %1th step.").arg(count(kWeightSteps))
               : say("No step was compared: that needs the same step of the reference and of a trial.");
  }

  static QString failure(const QString& sentence, const ArmData& arm) {
    const std::string& text = arm.arm().end.failure_text;
    return text.empty() ? sentence : sentence + u' ' + QString::fromStdString(text);
  }

  QString whyNoShadow() const {
    if (*m_measure == Measure::WeightRelative) {
      return say("A shadow runs on the reference's own weights: they do not differ.");
    }
    std::int64_t every = 0;
    if (m_subject.experiment != nullptr) {
      for (const spec::Trial& trial : m_subject.experiment->trials) every = std::max(every, trial.shadow_every);
    }
    if (every > m_subject.data->steps()) {
      return say("Shadow deviation is measured at every %1th step: the first one is to come.").arg(count(every));
    }
    return say("Shadow deviation was not measured: set shadow_every of a trial, for instance to 10.");
  }

  QString whyNoQuality() const {
    if (m_subject.experiment != nullptr && m_subject.experiment->training.evaluate_every) {
      return say("The frozen cases are evaluated every %1 steps: the first evaluation is to come.")
          .arg(count(*m_subject.experiment->training.evaluate_every));
    }
    return say("The frozen cases are evaluated at the end only: set training.evaluate_every.");
  }

  const Facts& m_facts;
  const ChartSubject& m_subject;
  const ChartChoices& m_choices;
  std::optional<Measure> m_measure;
  std::vector<const ArmData*> m_arms;
  std::optional<Yardstick> m_yardstick;  // usable
  plot::PlotContent m_content;
  QStringList m_unit;
};

}  // namespace

QString idOf(Chart chart) { return QString::fromLatin1(factsOf(chart).id); }

std::optional<Chart> chartOfId(const QString& id) {
  for (const Facts& facts : kFacts) {
    if (id == QLatin1String(facts.id)) return facts.chart;
  }
  return std::nullopt;
}

QString menuText(Chart chart) { return say(factsOf(chart).menu); }

std::vector<ChartGroup> chartGroups() {
  return {
      {say("Training"), {Chart::Loss, Chart::LearningRate, Chart::Quality}},
      {say("Loss scale"), {Chart::Scale, Chart::Tracker}},
      {say("Deviation from the reference"),
       {Chart::OutputRmse, Chart::OutputMax, Chart::OutputRelative, Chart::OutputCosine, Chart::OutputUlp,
        Chart::LossDeviation, Chart::GradientRelative, Chart::GradientCosine, Chart::Weights}},
      {say("Gradients"), {Chart::GradientNorm, Chart::ScaledGradientNorm}},
      {say("Machine"), {Chart::StepRate, Chart::SampleRate, Chart::LiveMemory, Chart::PeakMemory}},
  };
}

bool hasOwnAxis(Chart chart, XAxis axis) { return chart == Chart::LearningRate && axis != XAxis::AppliedUpdate; }

bool hasMarks(Chart chart) { return chart == Chart::Scale || chart == Chart::Tracker; }

std::optional<Quantity> quantityOf(Chart chart, Comparison comparison) {
  if (const std::optional<Measure> measure = measureOf(chart)) return deviation(*measure, comparison);
  switch (chart) {
    case Chart::Loss:
      return Quantity::Loss;
    case Chart::Scale:
      return Quantity::Scale;
    case Chart::Tracker:
      return Quantity::GrowthTracker;
    case Chart::GradientNorm:
      return Quantity::GradientNorm;
    case Chart::ScaledGradientNorm:
      return Quantity::ScaledGradientNorm;
    case Chart::LearningRate:
      return Quantity::LearningRate;
    case Chart::StepRate:
      return Quantity::StepsPerSecond;
    case Chart::SampleRate:
      return Quantity::SamplesPerSecond;
    case Chart::LiveMemory:
      return Quantity::LiveMemory;
    case Chart::PeakMemory:
      return Quantity::PeakMemory;
    default:
      return std::nullopt;
  }
}

plot::PlotContent chartContent(Chart chart, const ChartSubject& subject, const ChartChoices& choices,
                               std::optional<plot::YScale> scale) {
  return ContentMaker(chart, subject, choices, scale).make();
}

}  // namespace mantissa::ui::run
