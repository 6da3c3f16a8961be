// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThread>

#include <cstdint>

namespace mantissa::ui::editor {

/// Reads the text of an archived experiment on a thread of its own.
class ArchivedText : public QObject {
  Q_OBJECT

 public:
  explicit ArchivedText(QObject* parent = nullptr);
  ~ArchivedText() override;

  /// The text of an experiment by its id, or, of 0, of the newest one. Drops the result of a reading under way.
  void read(const QString& archive, std::int64_t experiment);

  bool isPending() const { return m_isPending; }

 Q_SIGNALS:
  /// \param file  the path of the file that was run, as it was given
  void arrived(const QString& name, const QString& file, const QString& text);
  void failed(const QString& sentence);

 private:
  QThread m_thread;
  QObject* m_worker;
  std::uint64_t m_job = 0;
  bool m_isPending = false;
};

}  // namespace mantissa::ui::editor
