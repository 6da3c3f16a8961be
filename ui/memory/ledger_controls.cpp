// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/ledger_controls.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/memory/outside_table.h"
#include "core/memory/size_text.h"
#include "ui/memory/ledger_choice.h"
#include "ui/memory/ledger_field.h"
#include "ui/plain_tip.h"
#include "ui/shell/shape_icon.h"

namespace mantissa::ui::memory {
namespace {

constexpr int kWidth = 300;
constexpr int kLeastWidth = 240;  // px: in a window as small as a small screen at 150 %
constexpr int kLongestName = 60;  // letters: it heads a column
constexpr int kMostReserve = 90;  // %, of the slider
constexpr std::int64_t kLeastSlider = 64;
constexpr std::int64_t kMostSlider = 1 << 20;

std::int64_t powerOfTwoFrom(std::int64_t count) {
  std::int64_t power = kLeastSlider;
  while (power < count && power < kMostSlider) power *= 2;
  return power;
}

/// A box whose longest text does not make the column wider.
QComboBox* choiceBox(const QString& name) {
  auto* const box = new QComboBox;
  box->setAccessibleName(name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(6);
  box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  box->setFocusPolicy(Qt::StrongFocus);
  return box;
}

/// A text that the box has no room for stands in its tip.
void addChoice(QComboBox* box, const QString& text) {
  box->addItem(text);
  box->setItemData(box->count() - 1, plainTip(text), Qt::ToolTipRole);
}

}  // namespace

LedgerControls::LedgerControls(QWidget* parent)
    : QWidget(parent),
      m_buttons(new QHBoxLayout),
      m_form(new QFormLayout),
      m_area(new QScrollArea),
      m_ledgerBox(choiceBox(tr("Ledger"))),
      m_compare(new LedgerChoice),
      m_source(choiceBox(tr("From"))),
      m_arm(choiceBox(tr("Arm"))),
      m_state(choiceBox(tr("Optimizer"))),
      m_policy(choiceBox(tr("Policy"))),
      m_limit(choiceBox(tr("Largest value of"))),
      m_limitAnswer(new QLineEdit),
      m_limitSentence(new QLabel) {
  setMinimumWidth(kLeastWidth);
  setMaximumWidth(kWidth);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  m_buttons->setSpacing(4);
  layout->addLayout(m_buttons);
  auto* const body = new QWidget;
  m_form->setContentsMargins(0, 4, 8, 8);
  m_form->setHorizontalSpacing(12);
  m_form->setVerticalSpacing(1);  // the fields have a line for words below them
  m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  m_form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  body->setLayout(m_form);
  m_area->setWidget(body);
  m_area->setWidgetResizable(true);
  m_area->setFrameShape(QFrame::NoFrame);
  m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_area->setAccessibleName(tr("Fields of the ledger"));
  m_area->setFocusPolicy(Qt::NoFocus);  // its fields have the keyboard, and bring themselves into view
  layout->addWidget(m_area, 1);

  m_ledgerBox->setEditable(true);
  m_ledgerBox->setInsertPolicy(QComboBox::NoInsert);
  m_ledgerBox->lineEdit()->setPlaceholderText(tr("name to keep it"));
  m_ledgerBox->lineEdit()->setAccessibleName(tr("Ledger"));
  m_ledgerBox->lineEdit()->setMaxLength(kLongestName);
  m_ledgerBox->setToolTip(tr("A kept ledger, or the name to keep this one under."));
  addRow(tr("Ledger"), m_ledgerBox);
  m_compare->setToolTip(tr("Kept ledgers that stand beside this one, figure by figure. Space checks several."));
  m_compare->setAccessibleName(tr("Compare with"));
  addRow(tr("Compare"), m_compare);
  m_source->setToolTip(
      tr("What the ledger is made of: what is typed here, or traced steps of the experiment that is "
         "open."));
  addRow(tr("From"), m_source);
  m_arm->setToolTip(tr("The arm that is looked at."));
  addRow(tr("Arm"), m_arm);
  using Kind = TextSpin::Kind;
  const auto kind = [](Kind one) { return static_cast<int>(one); };
  addHeading(tr("Device"));
  addField(FieldId::Capacity, kind(Kind::Size),
           tr("Memory of the device. GB is 10^9 bytes, GiB is 2^30: what is sold as 24 GB may be either."));
  addField(FieldId::Reserve, kind(Kind::Share), tr("Part of the capacity that stays free, such as 10 %."));
  m_reserveSlider = addSlider(tr("Reserve in percent"));
  m_reserveSlider->setRange(0, kMostReserve);
  addField(FieldId::Outside, kind(Kind::Size),
           tr("What the process takes beside PyTorch's allocator: the context, workspaces of libraries. The device's "
              "own tool shows it. Left empty, a table's figure stands in for it beside traced steps of a GPU; "
              "otherwise it is "
              "told to be missing."));
  m_fields[placeOf(FieldId::Outside)]->spin()->setPlaceholder(tr("not known"));
  m_outsideOffer = new QPushButton;
  m_outsideOffer->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  m_outsideOffer->setAutoDefault(true);  // Enter presses it, too
  m_form->addRow(static_cast<QWidget*>(nullptr), m_outsideOffer);
  addHeading(tr("Step"));
  addField(FieldId::Parameters, kind(Kind::Parameters), tr("How many: 25557032, 200 million, 1.5 billion."));
  for (std::size_t i = 0; i < kFixedStates; ++i) addChoice(m_state, fixedStateText(static_cast<FixedState>(i)));
  m_state->setToolTip(tr("What is held for each parameter; or the fixed state typed as one sum."));
  addRow(tr("Optimizer"), m_state);
  addField(FieldId::Fixed, kind(Kind::Size),
           tr("What is held whatever the microbatch: parameters, gradients, state of the optimizer, buffers."));
  for (std::size_t i = 0; i < kTypedPolicies; ++i) addChoice(m_policy, policyText(static_cast<TypedPolicy>(i)));
  m_policy->setToolTip(tr("The precision policy whose activations are typed below."));
  addRow(tr("Policy"), m_policy);
  addField(FieldId::PerSample, kind(Kind::Size), tr("Activations of one sample under this policy."));
  addField(FieldId::Microbatch, kind(Kind::Count), tr("Samples of one forward and backward."));
  m_microbatchSlider = addSlider(tr("Microbatch in samples"));
  addField(FieldId::Accumulation, kind(Kind::Count),
           tr("Microbatches of one optimizer step. It needs no memory of its own."));
  addField(FieldId::Blocks, kind(Kind::Count), tr("Equal parts of the model, from its input."));
  m_othersHeading = addHeading(tr("Other policies, per sample"));
  addField(FieldId::Fp32, kind(Kind::Size), tr("Activations of one sample in FP32. May be left empty."));
  addField(FieldId::Checkpointed, kind(Kind::Size),
           tr("Activations of one sample under the policy above, with activation checkpointing. May be left empty."));
  addHeading(tr("Time and cost"));
  addField(FieldId::Updates, kind(Kind::Count), tr("Optimizer steps of the whole training. May be left empty."));
  addField(FieldId::Deadline, kind(Kind::Duration), tr("When it has to be finished: 8 h, 30 min. May be left empty."));
  addField(FieldId::Price, kind(Kind::Price),
           tr("Price of an hour of the device, in any currency. May be left empty."));
  for (const FieldId one :
       {FieldId::Fp32, FieldId::Checkpointed, FieldId::Updates, FieldId::Deadline, FieldId::Price}) {
    m_fields[placeOf(one)]->spin()->setPlaceholder(tr("not said"));
  }
  addHeading(tr("Largest that fits"));
  m_limit->setToolTip(tr("The largest value of this field that fits, all others as they are."));
  addRow(tr("Value of"), m_limit);
  m_limitAnswer->setReadOnly(true);
  m_limitAnswer->setAlignment(Qt::AlignRight);
  m_limitAnswer->setAccessibleName(tr("Largest value that fits"));
  addRow(tr("Answer"), m_limitAnswer);
  m_limitSentence->setWordWrap(true);
  m_limitSentence->setTextFormat(Qt::PlainText);
  m_limitSentence->setForegroundRole(QPalette::PlaceholderText);
  m_limitSentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_form->addRow(m_limitSentence);
  listen();
  offerLedgers({}, {});
  offerExperiment({});
}

QSize LedgerControls::sizeHint() const { return {kWidth, QWidget::sizeHint().height()}; }

void LedgerControls::addAction(QAction* action) {
  auto* const button = new shell::ActionButton(action);
  button->setAutoDefault(true);  // Enter presses it, too
  button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  if (!m_hasPrimary) {
    button->setIcon(shell::shapeIcon(shell::IconShape::Play));  // as Run has
    button->setPrimary();
  }
  m_buttons->addWidget(button, m_hasPrimary ? 0 : 1);
  m_hasPrimary = true;
}

QLabel* LedgerControls::addHeading(const QString& text) {
  auto* const label = new QLabel(text);
  label->setTextFormat(Qt::PlainText);
  QFont bold = label->font();
  bold.setBold(true);
  label->setFont(bold);
  label->setContentsMargins(0, 12, 0, 0);
  m_form->addRow(label);
  return label;
}

void LedgerControls::addRow(const QString& text, QWidget* widget) {
  auto* const label = new QLabel(text);
  label->setTextFormat(Qt::PlainText);
  label->setBuddy(widget);
  m_form->addRow(label, widget);
}

LedgerField* LedgerControls::addField(FieldId field, int kind, const QString& help) {
  auto* const one = new LedgerField(static_cast<TextSpin::Kind>(kind), fieldText(field), help);
  m_fields[placeOf(field)] = one;
  addRow(fieldText(field), one);
  return one;
}

QSlider* LedgerControls::addSlider(const QString& name) {
  auto* const slider = new QSlider(Qt::Horizontal);
  slider->setAccessibleName(name);
  slider->setMinimum(1);
  slider->setPageStep(8);
  slider->setFocusPolicy(Qt::StrongFocus);
  m_form->addRow(static_cast<QWidget*>(nullptr), slider);
  return slider;
}

void LedgerControls::listen() {
  for (LedgerField* const field : m_fields) {
    connect(field, &LedgerField::edited, this, [this] {
      followTexts();
      Q_EMIT edited();
    });
  }
  connect(m_state, &QComboBox::currentIndexChanged, this, [this](int state) {
    // What was derived goes on as it is, to the byte; its words were rounded, and in the window's language.
    const bool isTyped = static_cast<FixedState>(state) == FixedState::Typed;
    if (isTyped && field(FieldId::Fixed)->spin()->isReadOnly() && m_fixedBytes > 0) {
      field(FieldId::Fixed)->setText(typedSize(m_fixedBytes));
    }
    Q_EMIT edited();
  });
  connect(m_policy, &QComboBox::currentIndexChanged, this, &LedgerControls::edited);
  connect(m_arm, &QComboBox::currentIndexChanged, this, &LedgerControls::edited);
  connect(m_compare, &LedgerChoice::changed, this, &LedgerControls::edited);
  connect(m_ledgerBox, &QComboBox::activated, this,
          [this](int place) { Q_EMIT ledgerChosen(m_ledgerBox->itemText(place)); });
  connect(m_ledgerBox, &QComboBox::editTextChanged, this, &LedgerControls::ledgerNameEdited);
  connect(m_source, &QComboBox::currentIndexChanged, this, [this] {
    m_mostSamples = 0;
    showRows();
    Q_EMIT sourceChosen();
  });
  connect(m_limit, &QComboBox::currentIndexChanged, this, [this] {
    if (source() == Source::Typed) return showLimit();
    Q_EMIT edited();  // it takes replays, which others make
  });
  connect(m_outsideOffer, &QPushButton::clicked, this, [this] {
    field(FieldId::Outside)->setFocus(Qt::OtherFocusReason);  // the button goes
    field(FieldId::Outside)->setText(m_offered);
    Q_EMIT edited();
  });
  connect(m_reserveSlider, &QSlider::valueChanged, this, [this](int percent) {
    field(FieldId::Reserve)->setText(tr("%1 %").arg(percent));
    Q_EMIT edited();
  });
  connect(m_microbatchSlider, &QSlider::valueChanged, this, [this](int samples) {
    field(FieldId::Microbatch)->setText(QString::number(samples));
    Q_EMIT edited();
  });
  connect(m_microbatchSlider, &QSlider::sliderReleased, this, &LedgerControls::fitSliderRange);
}

void LedgerControls::offerLedgers(const QStringList& names, const QString& shown) {
  const QSignalBlocker quiet(m_ledgerBox);
  m_ledgerBox->clear();
  for (const QString& name : names) addChoice(m_ledgerBox, name);
  m_compare->offer(names);
  m_ledgerBox->setCurrentIndex(static_cast<int>(names.indexOf(shown)));
  m_ledgerBox->setEditText(shown);
  showRows();
}

QString LedgerControls::ledgerName() const { return m_ledgerBox->currentText().trimmed(); }

QStringList LedgerControls::comparedLedgers() const { return m_compare->chosen(); }

void LedgerControls::compareWith(const QString& name) { m_compare->choose(name); }

LimitOf LedgerControls::limit() const { return static_cast<LimitOf>(m_limit->currentData().toInt()); }

/// Typed sums and traced steps have other fields.
void LedgerControls::offerLimits() {
  const bool isTyped = source() == Source::Typed;
  const std::vector<LimitOf> limits = isTyped ? std::vector{LimitOf::Microbatch, LimitOf::PerSample,
                                                            LimitOf::FixedState, LimitOf::Reserve, LimitOf::Capacity}
                                              : std::vector{LimitOf::Microbatch, LimitOf::Accumulation,
                                                            LimitOf::Reserve, LimitOf::Outside, LimitOf::Capacity};
  if (m_limit->count() > 1 && m_limit->itemData(1).toInt() == static_cast<int>(limits[1])) return;
  const QSignalBlocker quiet(m_limit);
  const int before = m_limit->currentData().toInt();
  m_limit->clear();
  for (const LimitOf limit : limits) {
    addChoice(m_limit, limitName(limit));
    m_limit->setItemData(m_limit->count() - 1, static_cast<int>(limit));
  }
  m_limit->setCurrentIndex(std::max(0, m_limit->findData(before)));
}

LedgerControls::Source LedgerControls::source() const {
  return m_source->currentIndex() == 1 ? Source::Experiment : Source::Typed;
}

void LedgerControls::offerExperiment(const QString& experiment) {
  const QSignalBlocker quiet(m_source);
  const Source before = source();
  m_source->clear();
  addChoice(m_source, tr("typed values"));
  if (!experiment.isEmpty()) addChoice(m_source, tr("experiment %1").arg(experiment));
  m_source->setCurrentIndex(before == Source::Experiment && !experiment.isEmpty() ? 1 : 0);
  showRows();
}

void LedgerControls::setSource(Source source) {
  const QSignalBlocker quiet(m_source);
  m_source->setCurrentIndex(source == Source::Experiment ? 1 : 0);
  showRows();
}

void LedgerControls::setArms(const QStringList& arms, int chosen) {
  const QSignalBlocker quiet(m_arm);
  m_arm->clear();
  for (const QString& arm : arms) addChoice(m_arm, arm);
  m_arm->setCurrentIndex(chosen);
  showRows();
}

int LedgerControls::chosenArm() const { return m_arm->currentIndex(); }

void LedgerControls::chooseArm(const QString& arm) {
  const QSignalBlocker quiet(m_arm);
  if (const int place = m_arm->findText(arm); place >= 0) m_arm->setCurrentIndex(place);
}

/// Of a model that was traced nobody has to type what it needs.
void LedgerControls::showRows() {
  const bool isTyped = source() == Source::Typed;
  offerLimits();
  m_form->setRowVisible(m_compare, !m_compare->isEmpty());
  m_form->setRowVisible(m_arm, !isTyped && m_arm->count() > 0);
  for (QWidget* const one : std::initializer_list<QWidget*>{m_state, m_policy, m_othersHeading}) {
    m_form->setRowVisible(one, isTyped);
  }
  for (const FieldId one : {FieldId::Parameters, FieldId::Fixed, FieldId::PerSample, FieldId::Blocks, FieldId::Fp32,
                            FieldId::Checkpointed}) {
    m_form->setRowVisible(field(one), isTyped);
  }
}

void LedgerControls::showAnswer(const CommonFields& fields, const LimitAnswer& limit) {
  for (std::size_t i = 0; i < kFields; ++i) {
    const auto problem = fields.problems.find(static_cast<FieldId>(i));
    m_fields[i]->setProblem(problem == fields.problems.end() ? QString() : problem->second);
  }
  if (fields.capacityBytes > 0) {
    field(FieldId::Capacity)
        ->setMeaning(tr("%1 = %2").arg(byteCount(fields.capacityBytes), sizeText(fields.capacityBytes)));
  }
  m_ledger.reset();
  if (limit.largestMicrobatch) m_mostSamples = *limit.largestMicrobatch;
  if (fields.problems.empty())
    offerOutside(fields.capacityBytes);  // else it stays: nothing moves under a hand that types
  fitSliderRange();
  m_limitAnswer->setText(limit.value);
  m_limitSentence->setText(limit.sentence);
}

TypedValues LedgerControls::values() const {
  TypedValues values;
  for (std::size_t i = 0; i < kFields; ++i) values.texts[i] = m_fields[i]->text();
  values.state = static_cast<FixedState>(std::max(0, m_state->currentIndex()));
  values.policy = static_cast<TypedPolicy>(std::max(0, m_policy->currentIndex()));
  // What is derived stands in the field to be read; what was typed there before is not forgotten.
  return values;
}

void LedgerControls::setValues(const TypedValues& values) {
  const QSignalBlocker quietState(m_state);
  const QSignalBlocker quietPolicy(m_policy);
  for (std::size_t i = 0; i < kFields; ++i) m_fields[i]->setText(values.texts[i]);
  m_state->setCurrentIndex(static_cast<int>(values.state));
  m_policy->setCurrentIndex(static_cast<int>(values.policy));
  followTexts();
}

/// The sliders stand where the texts say, as far as they can be read.
void LedgerControls::followTexts() {
  const QSignalBlocker quietReserve(m_reserveSlider);
  const QSignalBlocker quietMicrobatch(m_microbatchSlider);
  try {
    const std::int64_t parts = engine::reserve_from_text("", field(FieldId::Reserve)->text().trimmed().toStdString());
    m_reserveSlider->setValue(
        static_cast<int>(std::min<std::int64_t>(kMostReserve, parts * 100 / engine::kWholeReserve)));
  } catch (const Error&) {
    // The field says what is wrong with it.
  }
  fitSliderRange();
}

void LedgerControls::fitSliderRange() {
  if (m_microbatchSlider->isSliderDown()) return;
  const std::optional<std::int64_t> count = countOf(field(FieldId::Microbatch)->text());
  if (!count || *count < 1) return;
  const QSignalBlocker quiet(m_microbatchSlider);
  m_microbatchSlider->setMaximum(
      static_cast<int>(powerOfTwoFrom(std::max(*count, std::min(m_mostSamples, kMostSlider)))));
  m_microbatchSlider->setValue(static_cast<int>(std::min(*count, kMostSlider)));
}

void LedgerControls::showAnswer(const TypedAnswer& answer) {
  for (std::size_t i = 0; i < kFields; ++i) {
    const auto problem = answer.problems.find(static_cast<FieldId>(i));
    m_fields[i]->setProblem(problem == answer.problems.end() ? QString() : problem->second);
  }
  const bool isTyped = static_cast<FixedState>(m_state->currentIndex()) == FixedState::Typed;
  LedgerField* const fixed = field(FieldId::Fixed);
  fixed->setDerived(!isTyped, tr("Derived from parameters and optimizer."));
  m_fixedBytes = isTyped || !answer.parameters ? 0 : answer.fixedBytes;
  if (!isTyped) fixed->setText(answer.parameters ? sizeText(answer.fixedBytes) : QString());
  field(FieldId::Parameters)->setDerived(isTyped, tr("The fixed state is typed as a sum."));
  const bool isFp32 = static_cast<TypedPolicy>(m_policy->currentIndex()) == TypedPolicy::Fp32;
  field(FieldId::Fp32)->setDerived(isFp32, tr("The policy is FP32: its activations are those per sample."));
  m_ledger = answer.ledger;
  m_mostSamples = m_ledger ? m_ledger->limits.microbatch.value_or(0) : 0;
  if (m_ledger) {
    const engine::LedgerInput& input = m_ledger->input;
    field(FieldId::Capacity)
        ->setMeaning(tr("%1 = %2").arg(byteCount(input.capacity_bytes), sizeText(input.capacity_bytes)));
    field(FieldId::Reserve)->setMeaning(byteCount(m_ledger->reserve_bytes));
    field(FieldId::PerSample)->setMeaning(byteCount(input.per_sample_bytes));
    field(FieldId::Fixed)->setMeaning(byteCount(answer.fixedBytes));
  }
  offerOutside(m_ledger ? m_ledger->input.capacity_bytes : 0);
  fitSliderRange();
  showLimit();
}

QString LedgerControls::outsideWords() {
  QStringList lines{tr("From a table, not measured:")};
  for (const engine::OutsideFigure& figure : engine::outside_figures()) {
    const auto words = [](std::string_view text) {
      return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    };
    lines << tr("%1, %2: %3. Source: %4")
                 .arg(words(figure.what), typedSize(figure.bytes), words(figure.applies), words(figure.source));
  }
  return lines.join(u'\n');
}

void LedgerControls::offerOutside(std::int64_t capacity) {
  const std::optional<std::int64_t> bytes = engine::outside_from_table(capacity);
  const bool isMissing = field(FieldId::Outside)->text().trimmed().isEmpty();
  const bool isTaken = bytes && isMissing && source() == Source::Experiment;
  const bool isOffered = bytes && isMissing && !isTaken;
  m_form->setRowVisible(m_outsideOffer, isOffered);
  field(FieldId::Outside)
      ->spin()
      ->setPlaceholder(isTaken ? tr("%1, of a table").arg(typedSize(*bytes)) : tr("not known"));
  field(FieldId::Outside)->setMeaning(isTaken ? outsideWords() : QString());
  if (!isOffered) return;
  const QString offered = typedSize(*bytes);
  if (offered == m_offered) return;
  m_offered = offered;
  m_outsideOffer->setText(tr("Take %1 of a table").arg(offered));
  m_outsideOffer->setToolTip(plainTip(outsideWords()));
  m_outsideOffer->setWhatsThis(m_outsideOffer->toolTip());
}

void LedgerControls::showLimit() {
  if (!m_ledger) {
    m_limitAnswer->clear();
    m_limitSentence->clear();
    return;
  }
  m_limitAnswer->setText(limitText(limit(), *m_ledger));
  m_limitSentence->setText(limitSentence(limit(), *m_ledger));
}

}  // namespace mantissa::ui::memory
