// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSyntaxHighlighter>

namespace mantissa::ui::editor {

/// Colours tables, keys, texts, numbers and comments of TOML with the semantic colours of the theme.
class TomlHighlighter : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  explicit TomlHighlighter(QTextDocument* document);

 protected:
  void highlightBlock(const QString& line) override;
};

}  // namespace mantissa::ui::editor
