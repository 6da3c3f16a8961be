// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThread>

#include <atomic>
#include <cstdint>
#include <functional>

namespace mantissa::ui::models {

/// Pieces of work on a thread of its own, one after another, whose answers come to the window's thread. The thread
/// begins with the first piece; the destructor waits for the one at work.
class BackgroundWork : public QObject {
  Q_OBJECT

 public:
  /// What tells of a result; called on the window's thread.
  using Answer = std::function<void()>;
  /// Called on the work's thread; must not throw, and touches nothing of the window. `isWanted` turns false where a
  /// newer piece or `drop` has made it needless.
  using Piece = std::function<Answer(const std::function<bool()>& isWanted)>;

  /// \param name  of the thread, for debuggers
  explicit BackgroundWork(const QString& name, QObject* parent = nullptr);
  ~BackgroundWork() override;

  /// Answers of older pieces do not come any more; those that have not begun are left out.
  void start(Piece piece);
  /// Nobody waits for the answer any more.
  void drop();
  bool isBusy() const { return m_isBusy; }

 private:
  QThread m_thread;
  QObject* m_worker;  // lives on m_thread
  std::atomic<std::uint64_t> m_job{0};
  bool m_isBusy = false;
};

}  // namespace mantissa::ui::models
