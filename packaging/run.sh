#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and opens the workbench, at its first start with an experiment to run.
# packaging/run.sh ARGS runs mantissa-cli ARGS.
# packaging/run.sh --cuda [ARGS] the same for GPUs: needs a CUDA 13.0 toolkit with cuDNN and NCCL.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/packaging/lib.sh"

cuda=
if [ "${1:-}" = --cuda ]; then
  cuda=cuda
  shift
fi

look_first run $cuda
install_packages
[ -n "${MANTISSA_TORCH:-}" ] || wheels_complete || fetch_wheels "$wheel_list" "$wheel_folder"

release="$root/build/release"
# A build that test.sh configured knows the tests too: it stays as it is.
options=(-DMANTISSA_BUILD_TESTS=OFF)
if [ -n "$cuda" ]; then
  [ -n "${MANTISSA_TORCH:-}" ] || fetch_cuda_wheels
  release="$root/build/cuda"
  options+=(-DMANTISSA_CUDA=ON -DCUDAToolkit_ROOT="$(cuda_toolkit)")
elif grep -qs MANTISSA_BUILD_TESTS=ON "$release/.settings"; then
  readarray -t -s 3 options <"$release/.settings"
fi
configure "$release" -DCMAKE_BUILD_TYPE=Release "${options[@]}"
build "$release" mantissa-cli mantissa

[ $# -eq 0 ] || exec "$release/bin/mantissa-cli" "$@"
if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ]; then
  say "Mantissa is built, but the workbench needs a display and there is none here (DISPLAY and WAYLAND_DISPLAY are not set)."
  say "The first experiment runs without one: $0 run $root/experiments/digits-mlp.toml"
  exit 4
fi
exec "$release/bin/mantissa"
