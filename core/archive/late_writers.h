// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace mantissa::archive {

class WriterThread;

/// Keeps a writer whose run has ended while its archive could not be written (a full disk, another process that holds
/// it), and tries every second to end it: then its last records are kept, its arms are `interrupted`, and the run can
/// go on from its last checkpoint. Given up where there is no hope of it. What still waits when the process ends is
/// tried once more then; from the next process on the arms are those of a dead one.
///
/// \param finish  its last call; throws where it has to be tried again
void finish_later(std::unique_ptr<WriterThread> writer, std::function<void(WriterThread&)> finish);

/// How many such writers wait. From any thread.
std::size_t writers_that_wait();

}  // namespace mantissa::archive
