// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/rules/rules_explainer.h"

#include <QComboBox>
#include <QDateTime>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTextCursor>
#include <QTextEdit>
#include <QVBoxLayout>

#include <algorithm>
#include <exception>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/spec/parse.h"
#include "ui/models/error_words.h"
#include "ui/models/name_words.h"
#include "ui/plain_tip.h"
#include "ui/shell/flow_layout.h"

namespace mantissa::ui::rules {
namespace {

constexpr std::size_t kMostRuns = 40;
constexpr int kLeastHeight = 72;  // px of the words
constexpr int kExperimentRole = Qt::UserRole;
constexpr int kTrialRole = Qt::UserRole + 1;

QString momentText(const QString& utc) {
  const QDateTime moment = QDateTime::fromString(utc, Qt::ISODate).toLocalTime();
  return moment.isValid() ? moment.toString(QStringLiteral("yyyy-MM-dd HH:mm")) : utc;
}

/// "fp16, bf16 (digits, 2026-11-30 14:05)": the trials first, a narrow form cuts the end.
QString wordsOf(const RunChoice& choice) {
  QStringList trials;
  for (const QString& trial : choice.trials) trials << models::isolated(trial);
  return QStringLiteral("%1 (%2, %3)")
      .arg(trials.join(QStringLiteral(", ")), models::isolated(choice.name), momentText(choice.startedAt));
}

QString problemOf(const std::exception& error) {
  if (const auto* const known = dynamic_cast<const Error*>(&error)) return models::errorText(*known);
  return QString::fromUtf8(error.what());
}

/// What stands beside the rules and says what may stand in them. Where it cannot be read, rules may name every output:
/// what is wrong with the text is told beside it.
spec::Experiment experimentIn(const std::string& text, const std::string& file) {
  try {
    return spec::parse_experiment(text, file);
  } catch (const Error&) {
    spec::Experiment unknown;
    unknown.model.kind = spec::ModelKind::TorchScript;
    return unknown;
  }
}

/// The rules of a text, of whatever else it says. \param run  of the same experiment, for its task; null: none
spec::Experiment rulesIn(const std::string& text, const std::string& file, const RunFacts* run) {
  spec::Experiment experiment = experimentIn(text, file);
  if (run != nullptr) {
    for (const RunFacts::Trial& trial : run->trials) {
      if (trial.problem.empty()) experiment.data.task = trial.evidence.task;
    }
  }
  return spec::with_rules_of_text(text, file, std::move(experiment));
}

}  // namespace

/// What the thread found.
struct RulesExplainer::Answer {
  std::vector<RunChoice> choices;
  std::optional<RunChoice> shown;  ///< what is spoken of
  QString status;
  std::optional<std::vector<ExplainedRule>> rules;  ///< nothing: the text cannot be read
};

/// The run that was read last: typing reads it once.
struct RulesExplainer::Cache {
  std::string archive;
  std::vector<std::pair<std::int64_t, record::Status>> trials;
  SharedRun run;

  /// Trials that have ended do not change.
  bool has(const std::string& wantedArchive, const std::vector<record::TrialRow>& wanted) const {
    return run && archive == wantedArchive &&
           std::equal(trials.begin(), trials.end(), wanted.begin(), wanted.end(),
                      [](const auto& one, const record::TrialRow& row) {
                        return one.first == row.id && one.second == row.end.status;
                      });
  }
  void keep(const std::string& ofArchive, const std::vector<record::TrialRow>& rows, const SharedRun& read) {
    archive = ofArchive;
    run = read;
    trials.clear();
    for (const record::TrialRow& row : rows) trials.emplace_back(row.id, row.end.status);
  }
};

RulesExplainer::RulesExplainer(QWidget* parent)
    : QWidget(parent),
      m_runs(new QComboBox),
      m_presets(new QMenu(this)),
      m_words(new QTextEdit),
      m_status(new QLabel),
      m_cache(std::make_shared<Cache>()),
      m_work(QStringLiteral("rules explainer")) {
  makeLayout();
  connect(m_runs, &QComboBox::activated, this, [this](int row) {
    m_chosen = m_runs->itemData(row, kExperimentRole).toLongLong();
    m_chosenTrial = m_runs->itemData(row, kTrialRole).toLongLong();
    refresh();
  });
}

void RulesExplainer::makeLayout() {
  const std::tuple<const char*, QString, QString> kPresets[] = {
      {"default", tr("Default: for a network as a whole"),
       tr("Calibrated on the shipped experiments: 0.99 of the cases within 2e-3 (FP16) or 2e-2 (BF16), no ordinary "
          "case "
          "decided otherwise, at most 0.5 % of the quality lost, 98 % of the updates applied")},
      {"assert_close", tr("assert_close: per operator"),
       tr("The tolerances of torch.testing.assert_close. Made per operator: they reject sound networks")},
      {"onnx", tr("onnx: per operator"),
       tr("The tolerances of ONNX's backend tests. Made per operator: they reject sound networks")},
      {"torchdynamo", tr("torchdynamo: per operator"),
       tr("The rule of torchdynamo against outputs in FP64. Made per operator; needs reference.float64")}};
  m_presets->setToolTipsVisible(true);
  for (const auto& [name, words, help] : kPresets) {
    const QString preset = QString::fromLatin1(name);
    QAction* const action = m_presets->addAction(words);
    action->setObjectName(QStringLiteral("preset_") + preset);
    action->setToolTip(help);
    action->setWhatsThis(help);
    connect(action, &QAction::triggered, this, [this, preset] { Q_EMIT presetRequested(preset); });
  }
  auto* const preset = new QPushButton(tr("Take a preset"));
  preset->setObjectName(QStringLiteral("take_preset"));
  preset->setAutoDefault(false);
  preset->setMenu(m_presets);
  preset->setToolTip(tr("Writes rules that others have made into the text; undo takes them back"));
  auto* const title = new QLabel(tr("What the rules mean"));
  QFont bold = title->font();
  bold.setBold(true);
  title->setFont(bold);
  auto* const head = new shell::FlowLayout;
  head->setSpacing(8);
  head->addWidget(title);
  head->addWidget(preset);
  m_runs->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_runs->setMinimumContentsLength(8);
  m_runs->setAccessibleName(tr("Trials by whose outputs the rules are explained"));
  auto* const of = new QLabel(tr("Outputs of"));
  of->setBuddy(m_runs);
  auto* const row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(of);
  row->addWidget(m_runs, 1);
  m_words->setReadOnly(true);
  m_words->setAcceptRichText(false);
  m_words->setTabChangesFocus(true);
  m_words->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  m_words->setMinimumHeight(kLeastHeight);
  m_words->setAccessibleName(tr("What the rules mean"));
  for (QLabel* const label : {title, of, m_status}) label->setTextFormat(Qt::PlainText);
  m_status->setWordWrap(true);
  m_status->setForegroundRole(QPalette::PlaceholderText);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(head);
  layout->addLayout(row);
  layout->addWidget(m_words, 1);
  layout->addWidget(m_status);
}

void RulesExplainer::setArchive(const QString& archive, const EvidenceReader& read) {
  if (archive != m_archive) m_chosen = m_chosenTrial = 0;
  m_archive = archive;
  m_read = read;
  refresh();
}

void RulesExplainer::setText(const QString& text, const QString& file, const QString& name, bool hasRules) {
  m_text = text;
  m_file = file;
  m_name = name;
  m_hasRules = hasRules;
  refresh();
}

void RulesExplainer::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();  // the archive may have another run
}

void RulesExplainer::refresh() {
  m_isStale = true;
  if (!isVisible()) return;
  m_isStale = false;
  if (m_words->document()->isEmpty()) m_status->setText(tr("Reading…"));
  m_work.start([this, cache = m_cache, archive = m_archive.toStdString(), read = m_read, text = m_text.toStdString(),
                file = m_file.toStdString(), name = m_name.toStdString(), hasRules = m_hasRules, chosen = m_chosen,
                chosenTrial = m_chosenTrial](const std::function<bool()>& isWanted) -> models::BackgroundWork::Answer {
    Answer answer;
    SharedRun run;
    try {
      if (archive.empty() || !read) {
        answer.status = tr("No archive is open, so everything is said of outputs of size 1.");
      } else if (!QFileInfo::exists(QString::fromStdString(archive))) {
        answer.status = tr("Nothing is archived yet, so everything is said of outputs of size 1.");
      } else {
        const archive::Reader reader(archive);
        const std::vector<record::TrialRow> arms = reader.trials();
        answer.choices = runChoices(arms, name, kMostRuns);
        const auto wanted = std::find_if(answer.choices.begin(), answer.choices.end(), [&](const RunChoice& one) {
          return chosen != 0 ? one.experiment == chosen && one.trial == chosenTrial : one.name.toStdString() == name;
        });
        if (wanted == answer.choices.end()) {
          answer.status = answer.choices.empty()
                              ? tr("Nothing is archived yet, so everything is said of outputs of size 1.")
                              : tr("Nothing of this experiment is archived yet, so everything is said of outputs of "
                                   "size 1. Another run can be chosen above.");
        } else {
          answer.shown = *wanted;
          const std::vector<record::TrialRow> trials = trialsOf(arms, wanted->experiment, wanted->trial);
          if (!cache->has(archive, trials)) {
            const SharedRun found = readRun(reader, archive, wanted->experiment, trials, read, isWanted);
            if (!found) return [] {};
            cache->keep(archive, trials, found);
          }
          run = cache->run;
        }
      }
    } catch (const std::exception& error) {
      answer.status = tr("The run cannot be read: %1").arg(problemOf(error));
    }
    try {
      if (!hasRules) {
        answer.rules.emplace();
        answer.rules->push_back(
            {tr("No rules"), {tr("Only non-finite values are judged, and a clean trial is undecided.")}, {}});
      } else {
        const spec::Experiment experiment = rulesIn(text, file, run && run->name == name ? run.get() : nullptr);
        answer.rules = explain(*experiment.rules, run.get());
        if (run) {
          const bool isSame = spec::canonical_json_of_rules(experiment) == run->rules;
          answer.status = isSame ? tr("These are the rules of that run, fixed since %1.").arg(momentText(run->fixedAt))
                                 : tr("Other rules than those of that run, which are fixed since %1: judging it by "
                                      "these would be post hoc.")
                                       .arg(momentText(run->fixedAt));
        }
      }
    } catch (const std::exception& error) {
      answer.status = tr("%1 What stands above was read last.").arg(problemOf(error));
    }
    return [this, answer] { take(answer); };
  });
}

void RulesExplainer::take(const Answer& answer) {
  showChoices(answer);
  m_status->setText(answer.status);
  if (!answer.rules) return;
  m_rules = *answer.rules;
  m_hasAnswer = true;
  showRules();
}

/// A list that is open stays as it is unless there is another one.
void RulesExplainer::showChoices(const Answer& answer) {
  if (m_runs->count() > 0 && answer.choices == m_choices && answer.shown == m_shown) return;
  m_choices = answer.choices;
  m_shown = answer.shown;
  const QSignalBlocker blocker(m_runs);
  m_runs->clear();
  if (!m_shown) {
    m_runs->addItem(tr("no run: size 1"));
    m_runs->setItemData(0, m_runs->itemText(0), Qt::ToolTipRole);
  }
  for (const RunChoice& one : m_choices) {
    m_runs->addItem(wordsOf(one));
    const int row = m_runs->count() - 1;
    m_runs->setItemData(row, static_cast<qlonglong>(one.experiment), kExperimentRole);
    m_runs->setItemData(row, static_cast<qlonglong>(one.trial), kTrialRole);
    m_runs->setItemData(row, plainTip(wordsOf(one)), Qt::ToolTipRole);  // a narrow form cuts it
    if (m_shown && *m_shown == one) m_runs->setCurrentIndex(row);
  }
  m_runs->setToolTip(m_runs->currentData(Qt::ToolTipRole).toString());
  m_runs->setEnabled(!m_choices.empty());
}

void RulesExplainer::showPage(const QString& page) {
  if (page == m_page) return;
  m_page = page;
  m_words->verticalScrollBar()->setValue(0);
  if (m_hasAnswer) showRules();
}

std::vector<ExplainedRule> RulesExplainer::rulesOfPage() const {
  std::vector<ExplainedRule> found;
  bool hasOne = false;
  for (const ExplainedRule& rule : m_rules) {
    const bool isOfPage = rule.path.isEmpty() || m_page == QLatin1String("rules") || rule.path == m_page ||
                          rule.path.startsWith(m_page + u'[');
    if (!isOfPage) continue;
    found.push_back(rule);
    hasOne = hasOne || !rule.path.isEmpty();
  }
  if (m_page != QLatin1String("rules") && !hasOne && m_hasRules) {
    found.push_back({tr("No such rule"), {tr("The text states no rule of this kind, so none is judged.")}, {}});
  }
  return found;
}

/// Where a person reads stays where it is while the words change.
void RulesExplainer::showRules() {
  const std::vector<ExplainedRule> rules = rulesOfPage();
  if (rules == m_said) return;  // nor does what is selected go
  m_said = rules;
  const int place = m_words->verticalScrollBar()->value();
  m_words->clear();
  QTextCursor cursor(m_words->document());
  QTextCharFormat plain;
  QTextCharFormat bold;
  bold.setFontWeight(QFont::Bold);
  QTextBlockFormat block;
  bool isFirst = true;
  const auto add = [&](const QString& words, const QTextCharFormat& format, double above) {
    block.setTopMargin(isFirst ? 0 : above);
    if (isFirst) {
      cursor.setBlockFormat(block);
    } else {
      cursor.insertBlock(block);
    }
    isFirst = false;
    cursor.insertText(words, format);
  };
  constexpr double kBetweenRules = 8;  // px
  for (const ExplainedRule& rule : rules) {
    add(rule.heading, bold, kBetweenRules);
    for (const QString& sentence : rule.sentences) add(sentence, plain, 2);
  }
  m_words->verticalScrollBar()->setValue(place);
}

}  // namespace mantissa::ui::rules
