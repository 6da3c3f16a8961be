// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QStringList>

namespace mantissa::ui::shell {

/// A text whose words can be put on lines of this width: a longer one has dots in its middle. For labels that wrap,
/// which would otherwise be as wide as the longest name in them.
QString withShortWords(const QString& text, const QFontMetrics& metrics, int width);

/// The same for a question in a box of its own, in the window's font.
QString inLinesOfABox(const QString& sentence);

/// A name that takes no more room than this, with dots in its middle: what tells long names apart stands at their ends.
QString shortName(const QString& name, const QFontMetrics& metrics, int width);

/// A line of text that has dots where there is no room for all of it.
class ElidedLabel : public QLabel {
  Q_OBJECT

 public:
  explicit ElidedLabel(const QString& text = {}, QWidget* parent = nullptr);

  /// What to say instead, the longest first, where there is no room for all of the text; nothing where none of them
  /// fits: words that are a help and nothing more are not cut off.
  void setShorter(const QStringList& shorter);
  /// The same for words that have to be said: where none of them fits, the shortest of them ends in dots.
  void setShorterOrCut(const QStringList& shorter);

  /// Where the dots stand; at the end, unless it is a name that is told apart by its end, too.
  void setMode(Qt::TextElideMode mode);

  /// What is seen of it.
  QString shownText() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QStringList m_shorter;
  bool m_cuts = false;
  Qt::TextElideMode m_mode = Qt::ElideRight;
};

}  // namespace mantissa::ui::shell
