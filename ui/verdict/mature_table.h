// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "core/record/outcomes.h"
#include "ui/plot/picture_view.h"
#include "ui/verdict/verdict_data.h"

namespace mantissa::ui::verdict {

/// The quality that outcomes give which came after the verdict, beside the one of the run. Hidden while there are none.
class MatureTable : public plot::PictureView {
  Q_OBJECT

 public:
  explicit MatureTable(QWidget* parent = nullptr);

  /// \param mature  nothing: no outcome is known
  void showMature(const VerdictData& verdict, const std::optional<record::MatureQuality>& mature,
                  const QString& subject);

  enum class Column { Weights, AtVerdict, Mature, Change, Outcomes };
};

}  // namespace mantissa::ui::verdict
