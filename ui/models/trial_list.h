// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QMetaType>
#include <QString>

#include <memory>
#include <vector>

#include "core/record/trial.h"

namespace mantissa::ui::models {

/// An archive's arms as they were read at one moment, oldest first; shared by all models that show them.
using TrialList = std::shared_ptr<const std::vector<record::TrialRow>>;

/// Of repeats: they measure the reference against itself, have no line of their own, and are not the reference.
inline constexpr int kYardstickPlace = -2;

/// Where an arm stands among the trials of its experiment: it decides colour and marker on every page. The reference
/// has place 0, trials 1, 2, …
int placeOf(const record::TrialRow& arm, const std::vector<record::TrialRow>& arms);

/// What people know an experiment by, on every page: its name, and where others have the same name, its number in the
/// archive, too: "sweep · #12".
QString experimentTitle(const QString& name, std::int64_t id, bool isOneOfSeveral);
/// The same of an experiment whose archive this is. \param id  0: none yet, which is told apart from none
QString experimentTitle(const QString& name, std::int64_t id, const TrialList& trials);
QString experimentTitle(const record::TrialRow& arm, const TrialList& trials);

/// When an arm began, in the person's time zone.
QDateTime startOf(const record::TrialRow& arm);

/// "running", "finished", "✓ accepted" …: one word for where an arm stands; "failed (no space left)" where why it
/// failed is told in a few words, and not in a sentence.
QString stateWords(const record::TrialRow& arm);

/// Of the newest experiment, the first arm whose process is gone without an end; null: there is none. Of older ones
/// people know, and would be told at every start.
const record::TrialRow* interruptedArm(const TrialList& trials);

/// Of the newest experiment, an arm that a person has stopped after its first step; null: there is none. What can be
/// gone on with is known where its checkpoints are read.
const record::TrialRow* stoppedArm(const TrialList& trials);

/// Of an arm and how far it came, for remembering that this was told: where it goes on and ends once more, it is
/// another end.
QString endKey(const QString& archive, const record::TrialRow& arm);

/// Whether two lists have the same arms in the same states: at most counts of arms that run differ.
bool standAlike(const TrialList& one, const TrialList& other);

}  // namespace mantissa::ui::models

Q_DECLARE_METATYPE(mantissa::ui::models::TrialList)
