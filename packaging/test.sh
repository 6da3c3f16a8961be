#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs every test through ctest, whose closing line is the last one printed.
#
# packaging/test.sh [--full] [CTEST ARGS]
#   --full   the checks of the CI besides: format, static analysis of the changed files, sanitizers, the official
#            Python package as oracle. Adds about 20 minutes.
# packaging/test.sh -R scaler runs the tests with "scaler" in their names.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/packaging/lib.sh"

need=test
checks=OFF
if [ "${1:-}" = --full ]; then
  need=full checks=ON
  shift
fi

look_first "$need"
install_packages
[ -n "${MANTISSA_TORCH:-}" ] || wheels_complete || fetch_wheels "$wheel_list" "$wheel_folder"
[ "$need" != full ] || bash "$root/packaging/oracle-environment.sh"

release="$root/build/release"
configure "$release" -DCMAKE_BUILD_TYPE=Release -DMANTISSA_BUILD_TESTS=ON -DMANTISSA_CHECKS="$checks"
build "$release"

[ "${MANTISSA_PACKAGES:-}" = present ] || export MANTISSA_DISPLAY_REQUIRED=1

# ctest goes on after its closing line (summary of labels, total time); repeated here, it is where one looks for it.
output=$(mktemp)
trap 'rm -f -- "$output"' EXIT
result=0
ctest --test-dir "$release" --output-on-failure --no-tests=error --no-label-summary --parallel "$(nproc)" "$@" 2>&1 |
  tee -- "$output" || result=$?
closing=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$output" | tail -n 1) || true
[ "$result" = 0 ] && nothing="No test was run." || nothing="ctest ended with exit code $result before it ran a test."
printf '\n%s\n' "${closing:-$nothing}"
exit "$result"
