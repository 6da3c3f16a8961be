// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/policies_view.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/editor/toml_text.h"
#include "ui/models/record_words.h"
#include "ui/plain_tip.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::editor {
namespace {

constexpr int kMarker = 16;

/// The colour and shape that the trial has on every page.
class TrialMarker : public QWidget {
 public:
  explicit TrialMarker(int trial) : m_trial(trial) { setFixedSize(kMarker, kMarker); }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const plot::SeriesStyle style = plot::trialStyle(shell::Theme::colors(), m_trial);
    plot::drawMarker(painter, style.marker, QRectF(rect()).center(), 10, style.color);
  }

 private:
  int m_trial;
};

QLabel* boldLabel(const QString& text) {
  auto* const label = new QLabel(text);
  QFont bold = label->font();
  bold.setBold(true);
  label->setFont(bold);
  label->setTextFormat(Qt::PlainText);
  return label;
}

/// A name of any length makes no card wider.
QLabel* nameLabel(const QString& name) {
  auto* const label = new shell::ElidedLabel(name);
  label->setMode(Qt::ElideMiddle);
  label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  label->setToolTip(plainTip(name));
  QFont bold = label->font();
  bold.setBold(true);
  label->setFont(bold);
  return label;
}

QLabel* plainLabel(const QString& text) {
  auto* const label = new QLabel(text);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

QLabel* faintLabel(const QString& text) {
  auto* const label = new QLabel(text);
  label->setForegroundRole(QPalette::PlaceholderText);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

QString word(const TomlText& toml, const QString& path) { return wordOf(toml.value(path)); }

QString scalerTitle(const QString& preset) {
  if (preset == QLatin1String("deepspeed")) return PoliciesView::tr("DeepSpeed scaler");
  if (preset == QLatin1String("megatron")) return PoliciesView::tr("Megatron scaler");
  return PoliciesView::tr("PyTorch scaler");
}

}  // namespace

const QVector<PolicyPreset>& policyPresets() {
  static const QVector<PolicyPreset> presets = {
      {PoliciesView::tr("FP16, PyTorch scaler"),
       models::figuresIn(PoliciesView::tr("As torch.amp.GradScaler: 2^16, grows every 2,000 clean steps")),
       QStringLiteral("fp16"),
       QStringLiteral("float16"),
       {},
       {}},
      {PoliciesView::tr("FP16, DeepSpeed scaler"),
       models::figuresIn(
           PoliciesView::tr("2^16, grows every 1,000 clean steps, tolerates an overflow, stops at its floor of 1")),
       QStringLiteral("fp16-deepspeed"),
       QStringLiteral("float16"),
       QStringLiteral("deepspeed"),
       {}},
      {PoliciesView::tr("FP16, Megatron scaler"),
       models::figuresIn(
           PoliciesView::tr("2^32, grows every 1,000 clean steps, tolerates an overflow, stays at its floor of 1")),
       QStringLiteral("fp16-megatron"),
       QStringLiteral("float16"),
       QStringLiteral("megatron"),
       {}},
      {PoliciesView::tr("FP16, loss in FP32"),
       PoliciesView::tr("PyTorch's scaler; the loss is computed in FP32"),
       QStringLiteral("fp16-loss32"),
       QStringLiteral("float16"),
       {},
       QStringLiteral("float32_regions = [\"loss\"]")},
      {PoliciesView::tr("BF16"),
       PoliciesView::tr("FP32's range without a scaler"),
       QStringLiteral("bf16"),
       QStringLiteral("bfloat16"),
       {},
       {}},
  };
  return presets;
}

QString policyLines(const PolicyPreset& preset, const QString& name, bool inBraces) {
  QString lines = QStringLiteral("name = %1\nautocast = %2").arg(tomlText(name), tomlText(preset.autocast));
  if (!preset.more.isEmpty()) lines += QLatin1Char('\n') + preset.more;
  if (!preset.scaler.isEmpty()) {
    lines += inBraces ? QStringLiteral("\nscaler.preset = ") : QStringLiteral("\n[trial.scaler]\npreset = ");
    lines += tomlText(preset.scaler);
  }
  return lines;
}

QString policyTitle(const TomlText& toml, const QString& trial) {
  const QString autocast = word(toml, trial + QStringLiteral(".autocast"));
  const QString enabled = toml.value(trial + QStringLiteral(".scaler.enabled"));
  const bool isHalf = autocast == QLatin1String("float16");
  const bool hasScaler = enabled.isEmpty() ? isHalf : enabled == QLatin1String("true");
  QString title = isHalf                                  ? QStringLiteral("FP16")
                  : autocast == QLatin1String("bfloat16") ? QStringLiteral("BF16")
                  : autocast == QLatin1String("off")      ? PoliciesView::tr("No autocast")
                                                          : PoliciesView::tr("No policy yet");
  if (hasScaler) {
    title += QStringLiteral(", ") + scalerTitle(word(toml, trial + QStringLiteral(".scaler.preset")));
  } else if (isHalf) {
    title += QStringLiteral(", ") + PoliciesView::tr("no scaler");
  }
  return title;
}

QString policyDetails(const TomlText& toml, const QString& trial) {
  QStringList parts;
  for (const TomlEntry& entry : toml.entries()) {
    if (parentPath(entry.path) != trial + QStringLiteral(".scaler")) continue;
    const QString name = lastName(entry.path);
    if (name == QLatin1String("preset") || name == QLatin1String("enabled")) continue;
    parts << QStringLiteral("%1 %2").arg(QString(name).replace(QLatin1Char('_'), QLatin1Char(' ')),
                                         word(toml, entry.path));
  }
  const QString regions = toml.value(trial + QStringLiteral(".float32_regions"));
  QStringList kept;
  for (const QString& item : listItems(regions).value_or(QStringList())) kept << decodedText(item).value_or(item);
  if (!kept.isEmpty()) parts << PoliciesView::tr("kept in FP32: %1").arg(kept.join(QStringLiteral(", ")));
  return parts.join(QStringLiteral(", "));
}

PoliciesView::PoliciesView(QWidget* parent)
    : QWidget(parent),
      m_cards(new QVBoxLayout),
      m_none(faintLabel(tr("No trial yet: the reference alone would run."))) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 8, 0);
  layout->setSpacing(8);
  m_cards->setSpacing(8);
  layout->addWidget(m_none);
  layout->addLayout(m_cards);
  layout->addSpacing(8);
  layout->addWidget(boldLabel(tr("Add a trial")));
  for (const PolicyPreset& preset : policyPresets()) {
    auto* const row = new QHBoxLayout;
    auto* const words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(plainLabel(preset.title));
    words->addWidget(faintLabel(preset.help));
    auto* const add = new QToolButton;
    add->setText(tr("Add"));
    add->setFocusPolicy(Qt::StrongFocus);
    add->setObjectName(QStringLiteral("add ") + preset.name);
    add->setAccessibleName(tr("Add a trial: %1").arg(preset.title));
    connect(add, &QToolButton::clicked, this, [this, preset] { Q_EMIT presetRequested(preset); });
    row->addLayout(words, 1);
    row->addWidget(add, 0, Qt::AlignTop);
    layout->addLayout(row);
  }
  layout->addStretch(1);
}

void PoliciesView::showText(const TomlText& toml) {
  const int count = toml.count(QStringLiteral("trial"));
  QString shown;
  for (int i = 0; i < count; ++i) {
    const QString path = QStringLiteral("trial[%1]").arg(i);
    shown += word(toml, path + QStringLiteral(".name")) + QLatin1Char('\n') + policyTitle(toml, path) +
             QLatin1Char('\n') + policyDetails(toml, path) + QLatin1Char('\n');
  }
  m_none->setVisible(count == 0);
  if (shown == m_shown) return;
  m_shown = shown;
  while (QLayoutItem* const item = m_cards->takeAt(0)) {
    item->widget()->hide();
    item->widget()->deleteLater();
    delete item;
  }
  for (int i = 0; i < count; ++i) addCard(toml, i);
}

void PoliciesView::addCard(const TomlText& toml, int place) {
  const QString path = QStringLiteral("trial[%1]").arg(place);
  const QString name = word(toml, path + QStringLiteral(".name"));
  auto* const card = new QFrame;
  card->setFrameShape(QFrame::StyledPanel);
  card->setObjectName(path);
  auto* const row = new QHBoxLayout(card);
  row->setContentsMargins(8, 8, 8, 8);
  row->setSpacing(8);
  row->addWidget(new TrialMarker(place), 0, Qt::AlignTop);
  auto* const words = new QVBoxLayout;
  words->setSpacing(0);
  words->addWidget(nameLabel(name.isEmpty() ? tr("Trial %1").arg(place) : name));
  words->addWidget(plainLabel(policyTitle(toml, path)));
  const QString details = policyDetails(toml, path);
  if (!details.isEmpty()) words->addWidget(faintLabel(details));
  auto* const buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  const auto addButton = [&](const QString& text, const QString& accessible,
                             void (PoliciesView::*signal)(const QString&)) {
    auto* const button = new QToolButton;
    button->setText(text);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setAccessibleName(accessible);
    button->setObjectName(QStringLiteral("%1 %2").arg(text, path));
    connect(button, &QToolButton::clicked, this, [this, signal, path] { Q_EMIT(this->*signal)(path); });
    buttons->addWidget(button);
  };
  addButton(tr("Edit"), tr("Edit the trial %1").arg(name), &PoliciesView::openRequested);
  addButton(tr("Duplicate"), tr("Duplicate the trial %1").arg(name), &PoliciesView::copyRequested);
  addButton(tr("Remove"), tr("Remove the trial %1").arg(name), &PoliciesView::removalRequested);
  buttons->addStretch(1);
  words->addSpacing(4);
  words->addLayout(buttons);
  row->addLayout(words, 1);
  m_cards->addWidget(card);
}

}  // namespace mantissa::ui::editor
