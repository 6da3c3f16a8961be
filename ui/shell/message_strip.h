// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QFrame>
#include <QString>

class QAction;
class QLabel;
class QVBoxLayout;

namespace mantissa::ui::shell {

/// A sentence in the page with the ways out beside it; stays until it is dismissed.
///
/// It may come under a mouse that is about to press something else: what is pressed in it within `kDeafMilliseconds` of
/// its first appearance does nothing. Keys are not held back.
class MessageStrip : public QFrame {
  Q_OBJECT

 public:
  enum class Kind { Note, Warning, Failure };
  static constexpr int kDeafMilliseconds = 500;

  MessageStrip(Kind kind, const QString& sentence, QWidget* parent = nullptr);

  /// A button beside the sentence, left of those before it.
  void addWayOut(QAction* action);

  Kind kind() const { return m_kind; }
  QString sentence() const;
  void setSentence(const QString& sentence);
  /// Whether it has been on the screen.
  bool wasSeen() const { return m_seen.isValid(); }

 Q_SIGNALS:
  void dismissed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitWords();

  Kind m_kind;
  QString m_sentence;
  QLabel* m_label;       ///< has the sentence, with dots in words that are longer than a line
  QElapsedTimer m_seen;  ///< since its first appearance
};

/// The message strips of a page or of the window, newest at the bottom; hidden while there is none. They stand in a
/// StripPlace.
///
/// Whoever shows a strip takes it away when what it says has come to an end. One that tells that something could not be
/// done goes when the same is tried again, if it has been seen by then: `dismissSeen`.
class MessageStrips : public QWidget {
  Q_OBJECT

 public:
  explicit MessageStrips(QWidget* parent = nullptr);

  /// Shows a strip. One with the same `topic` (empty: none) takes the place of the one before.
  MessageStrip* show(MessageStrip::Kind kind, const QString& sentence, const QString& topic = {});
  void dismiss(const QString& topic);
  /// Those that have been on the screen and whose topic begins so.
  void dismissSeen(const QString& beginning);
  int count() const;

 Q_SIGNALS:
  /// One has come or gone.
  void countChanged();

 protected:
  void childEvent(QChildEvent* event) override;

 private:
  QVBoxLayout* m_layout;
};

}  // namespace mantissa::ui::shell
