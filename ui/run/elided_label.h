// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace mantissa::ui::run {

/// A line of text that ends in dots where there is no room for all of it.
class ElidedLabel : public QLabel {
  Q_OBJECT

 public:
  explicit ElidedLabel(const QString& text = {}, QWidget* parent = nullptr);

  /// What to say instead, the longest first, where there is no room for all of the text; nothing where none of them
  /// fits: words that are a help and nothing more are not cut off.
  void setShorter(const QStringList& shorter);
  /// The same for words that have to be said: where none of them fits, the shortest of them ends in dots.
  void setShorterOrCut(const QStringList& shorter);

  /// What is seen of it.
  QString shownText() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QStringList m_shorter;
  bool m_cuts = false;
};

}  // namespace mantissa::ui::run
