#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The build for GPUs: it must compile, link and start, and say what it finds: cuda.sh SOURCE_FOLDER
#
# Exit code 77, which ctest shows as skipped, where there is no CUDA toolkit. Without a GPU the program is expected to say
# so and to refuse training on one; with one, it trains on it.
set -euo pipefail
root=$(cd -- "$1" && pwd)
. "$root/packaging/lib.sh"

if ! cuda_toolkit >/dev/null; then
  say "Skipped: no CUDA toolkit (nvcc) on this machine."
  exit 77
fi
look_for_cuda
[ ${#problems[@]} -eq 0 ] || { printf -- '- %s\n' "${problems[@]}" >&2; exit 1; }
[ -n "${MANTISSA_TORCH:-}" ] || fetch_cuda_wheels
folder="$root/build/cuda"
configure "$folder" -DCMAKE_BUILD_TYPE=Release -DMANTISSA_BUILD_TESTS=OFF -DMANTISSA_CUDA=ON -DCUDAToolkit_ROOT="$(cuda_toolkit)"
build "$folder" mantissa-cli

scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
"$folder/bin/mantissa-cli" doctor --json >"$scratch/doctor.json"
devices=$(python3 - "$scratch/doctor.json" <<'PYTHON'
import json, sys
environment = json.load(open(sys.argv[1]))["environment"]
devices = environment["devices"]
assert environment["backend"] in ("CUDA", "ROCm"), environment["backend"]
assert devices["toolkit"] and devices["runtime"], devices
assert bool(devices["list"]) != bool(devices["problem"]), devices
print(len(devices["list"]))
PYTHON
)
result=0
"$folder/bin/mantissa-cli" run "$root/experiments/amp-step.toml" --set training.device='"cuda"' --set training.steps=50 \
  --archive "$scratch/cuda.db" -q 2>"$scratch/words" || result=$?
if [ "$devices" = 0 ]; then
  say "Skipped on this machine: everything that needs a GPU. $(cat "$scratch/words")"
  [ "$result" = 4 ] && grep -q 'training.device' "$scratch/words"
else
  [ "$result" -le 2 ] || { cat "$scratch/words" >&2; exit 1; }
fi
