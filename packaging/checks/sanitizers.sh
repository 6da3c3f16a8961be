#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tests of core once more, built with AddressSanitizer and UndefinedBehaviorSanitizer:
# sanitizers.sh SOURCE_FOLDER [CTEST ARGS]
#
# LibTorch itself is not instrumented: what it allocates at its start and keeps is no leak of ours, and containers that
# cross its border cannot be checked for overflow within their capacity. Tests that ask for more memory than there is
# want an exception, not the sanitizer's opinion.
set -euo pipefail
root=$(cd -- "$1" && pwd)
shift
. "$root/packaging/lib.sh"

folder="$root/build/sanitize"
configure "$folder" -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1" \
  -DMANTISSA_SANITIZE=address,undefined -DMANTISSA_BUILD_TESTS=ON
build "$folder" tests/core/all

export ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=1:strict_string_checks=1
export LSAN_OPTIONS="suppressions='$root/packaging/checks/leaks.txt':print_suppressions=0"  # quoted: the folder may have blanks
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
ctest --test-dir "$folder/tests/core" --output-on-failure --no-tests=error --no-label-summary --parallel "$(nproc)" "$@"
