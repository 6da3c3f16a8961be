// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plot/picture_view.h"
#include "ui/verdict/verdict_data.h"

namespace mantissa::ui::verdict {

/// What the decisions of reference and trial are worth by the gains and losses that the experiment declares: over all
/// cases first, then slice by slice. Hidden where the experiment declares none.
class UtilityTable : public plot::PictureView {
  Q_OBJECT

 public:
  explicit UtilityTable(QWidget* parent = nullptr);

  void showUtility(const VerdictData& verdict, const QString& subject);

  enum class Column { Cases, Count, Reference, SameWeights, Trained, Change };
};

}  // namespace mantissa::ui::verdict
