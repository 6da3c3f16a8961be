// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QVector>

namespace mantissa::ui::run {

/// A sentence and what belongs to it, a line each; those that are too many for a strip are counted, the log has them.
QString withLines(const QString& head, const QStringList& lines);

/// What has failed of the runs that were made one after another: it is told together, so that none hides another.
///
/// The runs are counted from the first that began until none comes after it: none waits any more, or a person has
/// stopped the queue. What has failed stays until it is forgotten, and runs that come after it count on. A run that was
/// stopped has not failed.
class RunFailures {
 public:
  /// \param name  what people know the run by
  void begin(const QString& name);
  /// The run that began last has failed.
  void addRun(const QString& reason);
  /// One of its arms has failed. \return whether it is news: an arm ends twice where its gains are measured
  bool addArm(const QString& arm, const QString& reason);
  /// It has ended, in whatever way. \param waiting  how many come after it by themselves
  void end(int waiting);
  /// What a run failed of is over: that alone is told no longer. \return whether it was told
  bool forget(const QString& reason);
  /// A person knows of what has failed.
  void forget() { m_failed.clear(); }

  bool isEmpty() const { return m_failed.isEmpty(); }
  /// \param waiting  how many come after the run that began last
  int runs(int waiting) const { return m_begun + waiting; }
  QString sentence(int waiting) const;

 private:
  struct Failed {
    int run;
    QString name;
    QStringList reasons;
    bool isWhole;
  };
  void add(const QString& reason, bool isWhole);

  QVector<Failed> m_failed;
  QString m_name;
  int m_begun = 0;
  bool m_isOver = true;  ///< nothing came after the run that ended last
};

}  // namespace mantissa::ui::run
