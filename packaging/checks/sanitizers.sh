#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tests of core and of the window once more, built with AddressSanitizer and UndefinedBehaviorSanitizer:
# sanitizers.sh SOURCE_FOLDER [CTEST ARGS]
#
# LibTorch itself is not instrumented: what it allocates at its start and keeps is no leak of ours, and containers that
# cross its border cannot be checked for overflow within their capacity. Tests that ask for more memory than there is
# want an exception, not the sanitizer's opinion. Strict checks of strings are for core alone: libxkbcommon hands
# strndup the text of an X reply, which has a length and no end, and strict means that it must have one.
set -euo pipefail
root=$(cd -- "$1" && pwd)
shift
. "$root/packaging/lib.sh"

folder="$root/build/sanitize"
configure "$folder" -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1" \
  -DMANTISSA_SANITIZE=address,undefined -DMANTISSA_BUILD_TESTS=ON
build "$folder" tests/core/all tests/ui/all

asan_options=detect_container_overflow=0:allocator_may_return_null=1
export LSAN_OPTIONS="suppressions='$root/packaging/checks/leaks.txt':print_suppressions=0"  # quoted: the folder may have blanks
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
result=0
for part in core ui; do
  case $part in core) strict=1 ;; ui) strict=0 ;; esac
  export ASAN_OPTIONS="$asan_options:strict_string_checks=$strict"
  ctest --test-dir "$folder/tests/$part" --output-on-failure --no-label-summary --parallel "$(nproc)" "$@" || result=$?
done
exit "$result"
