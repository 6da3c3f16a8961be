// SPDX-License-Identifier: Apache-2.0
// A process of its own for the archive's tests: something to kill, to compete with, and to run without privileges.
//
//   archive_process write ARCHIVE EXPERIMENT STEPS MICROSECONDS COUNTER
//       writes a reference and a trial of STEPS steps, pausing between steps; COUNTER is a file of 8 bytes that always
//       holds the number of steps appended. Exit 0 when all is committed.
//   archive_process create-when-told ARCHIVE
//       says "ready", opens the archive to write once a byte comes on standard input, and closes it. Exit 0 when that
//       went well.
//   archive_process open-writer|open-reader ARCHIVE
//       gives up root's privileges first, then opens; prints the kind of the error as a number, or "ok".
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "tests/core/archive/sample_records.h"

namespace {

using namespace mantissa;

volatile std::int64_t* shared_counter(const char* path) {
  const int file = ::open(path, O_RDWR | O_CREAT, 0644);
  if (file < 0 || ::ftruncate(file, sizeof(std::int64_t)) != 0) return nullptr;
  void* const memory = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return memory == MAP_FAILED ? nullptr : static_cast<volatile std::int64_t*>(memory);
}

int write(const char* path, const char* name, std::int64_t steps, std::int64_t pause, const char* counter_path) {
  volatile std::int64_t* const counter = shared_counter(counter_path);
  if (counter == nullptr) return 2;
  archive::Writer writer(path);
  const std::int64_t experiment = writer.begin_experiment(test::sample_experiment(name));
  const std::int64_t reference = writer.begin_trial(test::sample_trial(experiment, "reference"));
  const std::int64_t trial = writer.begin_trial(test::sample_trial(experiment, "fp16", reference));
  for (std::int64_t step = 1; step <= steps; ++step) {
    writer.append(test::awkward_step(reference, step, static_cast<std::size_t>(step)));
    writer.append(test::awkward_step(trial, step, static_cast<std::size_t>(step)));
    *counter = step;
    if (pause > 0) ::usleep(static_cast<useconds_t>(pause));
  }
  record::TrialEnd end;
  end.counts.attempted = steps;
  writer.finish_trial(reference, end);
  writer.finish_trial(trial, end);
  writer.close();
  return 0;
}

int create_when_told(const char* path) {
  std::puts("ready");
  std::fflush(stdout);
  if (std::getchar() == EOF) return 2;
  archive::Writer(path).close();
  return 0;
}

template <class Opener>
int open_unprivileged(const char* path) {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 2;
  try {
    const Opener opener{std::string(path)};
    std::puts("ok");
  } catch (const Error& error) {
    std::printf("%d\n", static_cast<int>(error.kind()));
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 7 && std::strcmp(argv[1], "write") == 0) {
      return write(argv[2], argv[3], integer_from_text(argv[4]).value(), integer_from_text(argv[5]).value(), argv[6]);
    }
    if (argc == 3 && std::strcmp(argv[1], "create-when-told") == 0) return create_when_told(argv[2]);
    if (argc == 3 && std::strcmp(argv[1], "open-writer") == 0) return open_unprivileged<archive::Writer>(argv[2]);
    if (argc == 3 && std::strcmp(argv[1], "open-reader") == 0) return open_unprivileged<archive::Reader>(argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 2;
}
