// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive/process_identity.h"
#include "core/archive/sqlite.h"

namespace mantissa::archive {

/// What stands in the archive of who runs an arm: another process that goes on with it changes both.
struct ArmOwner {
  std::int64_t trial = 0;
  ProcessIdentity who;
  std::int64_t resumption = 0;  ///< id of its newest resumption; 0: none
};

/// Within the transaction that began the arm or went on with it.
ArmOwner owner_of(Connection& connection, std::int64_t trial);

/// The arms that a writer began or went on with, until it ends. A process that was held up for long is taken for dead,
/// and another one may go on with its run: then this one must not write a row any more.
class Ownership {
 public:
  /// `connection` must outlive it.
  explicit Ownership(Connection& connection);

  /// Takes the place of what was known of the arm.
  void add(const ArmOwner& owner);

  /// Within each transaction, before its first write. \throws Error WriteFailed where an arm is another process's.
  void check();

  /// Whether `check` has found an arm to be another process's: nothing of this one will be written any more.
  bool is_lost() const { return lost_; }

 private:
  [[noreturn]] void fail(const ArmOwner& owner);

  Connection& connection_;
  Statement select_;
  std::vector<ArmOwner> arms_;
  bool lost_ = false;
};

}  // namespace mantissa::archive
