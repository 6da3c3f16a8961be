#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The threads between engine, archive and window, built with ThreadSanitizer: threads.sh SOURCE_FOLDER [CTEST ARGS]
#
# LibTorch is no part of these programs (a stub stands for the engine): it is not instrumented, and its own threads would
# look like races.
set -euo pipefail
root=$(cd -- "$1" && pwd)
shift
. "$root/packaging/lib.sh"

programs=(step_feed_tests training_controller_tests job_queue_tests look_ahead_tests archive_follower_tests)

folder="$root/build/threads"
configure "$folder" -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1" \
  -DMANTISSA_SANITIZE=thread -DMANTISSA_BUILD_TESTS=ON
build "$folder" "${programs[@]}"

# One test starts a process to be killed.
export TSAN_OPTIONS="die_after_fork=0:suppressions='$root/packaging/checks/races.txt':print_suppressions=0:second_deadlock_stack=1"
ctest --test-dir "$folder" --output-on-failure --no-tests=error --no-label-summary \
  -R "^($(IFS='|' && printf '%s' "${programs[*]}"))\$" "$@"
