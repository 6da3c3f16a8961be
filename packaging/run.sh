#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs: the workbench where there is a display, otherwise the first experiment.
# packaging/run.sh ARGS runs mantissa-cli ARGS.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/packaging/lib.sh"

look_first run
install_packages
[ -n "${MANTISSA_TORCH:-}" ] || wheels_complete || fetch_wheels "$wheel_list" "$wheel_folder"

release="$root/build/release"
# A build that test.sh configured knows the tests too: it stays as it is.
tests=(-DMANTISSA_BUILD_TESTS=OFF)
grep -qs MANTISSA_BUILD_TESTS=ON "$release/.settings" && readarray -t -s 3 tests <"$release/.settings"
configure "$release" -DCMAKE_BUILD_TYPE=Release "${tests[@]}"
build "$release" mantissa-cli

if [ $# -gt 0 ]; then
  exec "$release/bin/mantissa-cli" "$@"
elif [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && [ -x "$release/bin/mantissa" ]; then
  exec "$release/bin/mantissa"
else
  exec "$release/bin/mantissa-cli" run "$root/experiments/digits-mlp.toml"
fi
