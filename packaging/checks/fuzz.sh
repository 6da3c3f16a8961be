#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Feeds the readers of text that people write with made-up input, under AddressSanitizer and UndefinedBehaviorSanitizer:
# fuzz.sh SOURCE_FOLDER BUILD_FOLDER [LIBFUZZER ARGS]
#
# By default as many inputs as the tests of the CI have time for; `-max_total_time=3600` searches for an hour. What
# stops a program is left as crash-… in the build folder.
set -euo pipefail
root=$(cd -- "$1" && pwd)
mkdir -p -- "$2/fuzz/seeds"
folder=$(cd -- "$2/fuzz" && pwd)
shift 2
[ $# -gt 0 ] || set -- -runs=300000
command -v clang++ >/dev/null || {
  echo "Skipped: libFuzzer needs clang++, which is not installed." >&2
  exit 77
}

cd -- "$folder"
clang++ -std=c++17 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all "-I$root" \
  "$root/tests/core/spec/expression_fuzz.cpp" "$root/core/spec/expression.cpp" "$root/core/base/error.cpp" "$root/core/base/plain_text.cpp" -o expression_fuzz
printf '%s' 'trial.autocast == "float16" and not (`Lot Area` <= -1.5e3 or x[0].y is missing)' >seeds/1
printf '%s' "a is non_finite or b != 'c\\n'" >seeds/2
./expression_fuzz -seed=1 -max_len=400 -print_final_stats=0 "$@" seeds
