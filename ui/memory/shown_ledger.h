// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/memory/plans.h"
#include "ui/memory/ledger_words.h"
#include "ui/plot/rows_table.h"
#include "ui/plot/series_data.h"
#include "ui/shell/statement.h"

namespace mantissa::ui::memory {

inline constexpr std::size_t kStatements = 6;

/// A stretch of the stacked bar.
struct StackPart {
  QString name;
  std::int64_t bytes = 0;
  bool isActivation = false;  ///< depends on the microbatch
};

/// The need of one step against the device.
struct ShownStack {
  std::vector<StackPart> parts;  ///< from the left
  QString fixedWords;            ///< below the bar: "Fixed state 3.20 GB: parameters, gradients, optimizer"
  QString fixedShort;            ///< where those have no room: "Fixed state 3.20 GB"
  QString activationWords;       ///< above it: "Activations 5.44 GB: 16 samples × 340 MB"
  std::int64_t total = 0;
  std::int64_t capacity = 0;  ///< 0: no device was named
  std::int64_t reserve = 0;
  std::int64_t usable = 0;
  QString deviceText;  ///< as it was typed: "24 GiB"
};

/// A bar for each block or module, cumulative.
struct ShownBlocks {
  QString title;
  QString unit;
  QString column;  ///< "Block"
  struct Bar {
    std::int64_t activations = 0;  ///< up to here
    std::int64_t total = 0;        ///< with the fixed state
    std::int64_t exceeds = 0;      ///< what is usable; 0: resident
  };
  std::vector<Bar> bars;
  std::function<QString(std::size_t)> name;
  std::int64_t fixed = 0;
  std::int64_t usable = 0;  ///< 0: no device was named
};

/// What is allocated from event to event of one step.
struct ShownTimeline {
  QString unit;
  QString emptyText;
  std::shared_ptr<const plot::SeriesData> allocated;  ///< bytes by event; null: nothing to show
  std::int64_t events = 0;
  std::int64_t peakEvent = 0;
  std::int64_t peak = 0;
  QString peakWords;  ///< "peak 8.64, end of forward"
  struct Part {
    double from = 0;  ///< event
    QString name;
  };
  std::vector<Part> parts;
};

/// Rows for a table.
struct ShownTable {
  QString title;
  QString unit;
  QString note;
  QString emptyText;
  std::vector<plot::RowsColumn> columns;
  int rows = 0;
  plot::RowsModel::MakeCell cell;
};

/// The plans, and what each of them is.
struct ShownPlans : ShownTable {
  std::vector<engine::Plan> plans;
  std::vector<bool> checkpointing;  ///< of each option
  std::vector<QString> names;       ///< of each option: "FP16 autocast", or "fp16, FP16 autocast"
  std::optional<std::size_t> best;
};

/// All that the right side of the page shows. What cannot be shown says why in its place.
struct ShownLedger {
  QString why;      ///< a sentence: there is no ledger, and every picture says this instead; empty: there is one
  QString subject;  ///< for files: the ledger's name, or the experiment's
  QString sentence;
  QString oldText;  ///< what is shown is of values that were typed before; empty: of those that stand in the fields
  ByteScale scale;
  std::vector<shell::Statement> statements;  ///< kStatements of them
  ShownStack stack;
  ShownBlocks blocks;
  ShownTimeline timeline;
  ShownPlans plans;
  ShownTable categories;
};

}  // namespace mantissa::ui::memory
