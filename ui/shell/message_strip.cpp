// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/message_strip.h"

#include <QAction>
#include <QApplication>
#include <QChildEvent>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/models/name_words.h"
#include "ui/plain_tip.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/strip_layout.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::shell {
namespace {

constexpr int kPadding = 8;
constexpr char kTopic[] = "topic";

QColor colourOf(MessageStrip::Kind kind) {
  const plot::PlotColors& colors = Theme::colors();
  switch (kind) {
    case MessageStrip::Kind::Failure:
      return colors.bad;
    case MessageStrip::Kind::Warning:
      return colors.warn;
    case MessageStrip::Kind::Note:
      return colors.undecided;
  }
  return {};
}

QString signOf(MessageStrip::Kind kind) {
  switch (kind) {
    case MessageStrip::Kind::Failure:
      return QStringLiteral("✕");
    case MessageStrip::Kind::Warning:
      return QStringLiteral("!");
    case MessageStrip::Kind::Note:
      return QStringLiteral("i");
  }
  return {};
}

constexpr char16_t kLeftToRightMark = 0x200E;

/// What is copied of it has no marks that are there for its looks, and all of it is the whole sentence.
class SentenceLabel : public QLabel {
 public:
  explicit SentenceLabel(MessageStrip* strip) : QLabel(strip), m_strip(*strip) {}

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    if (event->matches(QKeySequence::Copy)) return copy();
    QLabel::keyPressEvent(event);
  }

  void contextMenuEvent(QContextMenuEvent* event) override {
    QMenu menu;
    menu.addAction(MessageStrip::tr("&Copy"), this, [this] { copy(); })->setEnabled(hasSelectedText());
    menu.addAction(MessageStrip::tr("Select &all"), this, [this] { setSelection(0, static_cast<int>(text().size())); });
    menu.exec(event->globalPos());
  }

 private:
  void copy() const {
    const bool isWhole = selectedText().size() == text().size();
    const QString words = isWhole ? m_strip.sentence() : selectedText();
    QApplication::clipboard()->setText(models::withoutIsolates(words).remove(QChar(kLeftToRightMark)));
  }

  const MessageStrip& m_strip;
};

}  // namespace

MessageStrip::MessageStrip(Kind kind, const QString& sentence, QWidget* parent)
    : QFrame(parent), m_kind(kind), m_sentence(sentence), m_label(new SentenceLabel(this)) {
  m_label->setText(sentence);
  m_label->setTextFormat(Qt::PlainText);
  m_label->setWordWrap(true);
  m_label->setMinimumWidth(1);  // a long path in it makes no window wider
  m_label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setAccessibleName(sentence);
  m_label->setAccessibleName(sentence);
  auto* const layout = new StripLayout(this);
  layout->setContentsMargins(3 * kPadding, kPadding / 2, kPadding / 2, kPadding / 2);
  layout->setSpacing(kPadding);
  layout->setSentence(m_label);
  auto* const dismiss = new QToolButton(this);
  dismiss->setObjectName(QStringLiteral("dismiss"));
  dismiss->installEventFilter(this);
  dismiss->setText(QStringLiteral("✕"));
  dismiss->setAutoRaise(true);
  dismiss->setAccessibleName(tr("Dismiss the message"));
  dismiss->setToolTip(tr("Dismiss the message"));
  connect(dismiss, &QToolButton::clicked, this, [this] {
    Q_EMIT dismissed();
    deleteLater();
  });
  layout->setDismiss(dismiss);
}

void MessageStrip::addWayOut(QAction* action) {
  auto* const button = new QToolButton(this);
  button->installEventFilter(this);
  button->setDefaultAction(action);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  static_cast<StripLayout*>(layout())->addWayOut(button);
}

bool MessageStrip::eventFilter(QObject* watched, QEvent* event) {
  const bool isPress = event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonDblClick ||
                       event->type() == QEvent::TouchBegin;
  if (isPress && (!m_seen.isValid() || !m_seen.hasExpired(kDeafMilliseconds))) return true;
  return QFrame::eventFilter(watched, event);
}

QString MessageStrip::sentence() const { return m_sentence; }

void MessageStrip::setSentence(const QString& sentence) {
  m_sentence = sentence;
  m_label->setAccessibleName(sentence);
  layout()->invalidate();
  layout()->activate();
  fitWords();
  setAccessibleName(sentence);
}

/// A name without blanks may be longer than a line, and a label breaks no word.
void MessageStrip::fitWords() {
  const QString words = withShortWords(m_sentence, m_label->fontMetrics(), std::max(1, m_label->width() - kPadding));
  // A label that can be selected takes its direction from the first letter, also of a name in isolates.
  const bool beginsWithName = models::withoutIsolates(words) != words && layoutDirection() == Qt::LeftToRight;
  const QString shown = beginsWithName ? QChar(kLeftToRightMark) + words : words;
  if (shown == m_label->text()) return;
  m_label->setText(shown);
  m_label->setToolTip(words == m_sentence ? QString() : plainTip(m_sentence));
}

void MessageStrip::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  layout()->activate();  // the label has its new width
  fitWords();
}

void MessageStrip::paintEvent(QPaintEvent* /*event*/) {
  if (!m_seen.isValid()) m_seen.start();
  QPainter painter(this);
  const QColor colour = colourOf(m_kind);
  QColor ground = colour;
  ground.setAlphaF(0.12F);
  painter.fillRect(rect(), ground);
  painter.setPen(colour);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
  QFont bold = font();
  bold.setBold(true);
  painter.setFont(bold);
  painter.drawText(QRect(0, 0, 3 * kPadding, height()), Qt::AlignCenter, signOf(m_kind));
}

MessageStrips::MessageStrips(QWidget* parent) : QWidget(parent), m_layout(new QVBoxLayout(this)) {
  m_layout->setContentsMargins(0, 0, 0, 0);
  m_layout->setSpacing(kPadding / 2);
  hide();
}

MessageStrip* MessageStrips::show(MessageStrip::Kind kind, const QString& sentence, const QString& topic) {
  dismiss(topic);
  auto* const strip = new MessageStrip(kind, sentence, this);
  strip->setProperty(kTopic, topic);
  m_layout->addWidget(strip);
  setVisible(true);
  Q_EMIT countChanged();
  return strip;
}

void MessageStrips::dismiss(const QString& topic) {
  if (topic.isEmpty()) return;
  for (MessageStrip* const strip : findChildren<MessageStrip*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (strip->property(kTopic).toString() != topic) continue;
    strip->setParent(nullptr);
    strip->deleteLater();
  }
}

void MessageStrips::dismissSeen(const QString& beginning) {
  for (const MessageStrip* const strip : findChildren<MessageStrip*>(QString(), Qt::FindDirectChildrenOnly)) {
    const QString topic = strip->property(kTopic).toString();
    if (strip->wasSeen() && topic.startsWith(beginning)) dismiss(topic);
  }
}

void MessageStrips::childEvent(QChildEvent* event) {
  QWidget::childEvent(event);
  if (!event->removed()) return;
  if (count() == 0) hide();
  Q_EMIT countChanged();
}

int MessageStrips::count() const {
  return static_cast<int>(findChildren<MessageStrip*>(QString(), Qt::FindDirectChildrenOnly).size());
}

}  // namespace mantissa::ui::shell
