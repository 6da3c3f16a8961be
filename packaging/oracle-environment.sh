#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Python environment of the oracle: the official package, from the very wheel that Mantissa links.
#
# It lies in ${XDG_CACHE_HOME:-~/.cache}/mantissa/oracle, bin/python is its interpreter. The tests run without it, and
# then say what they left out; test.sh --full calls this. Needs LibTorch there already (run.sh) and Python 3.11.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/packaging/lib.sh"

oracle_complete && exit 0

torch=$(torch_root "${MANTISSA_TORCH:-$wheel_folder}") || {
  say "No LibTorch in ${MANTISSA_TORCH:-$wheel_folder}. Run packaging/run.sh first."
  exit 4
}
[ -e "$torch/__init__.py" ] || {
  say "$torch is LibTorch without Python. The oracle needs the Python package: unset MANTISSA_TORCH, or set it to an installed torch."
  exit 3
}

for python in python3.11 python3 /usr/bin/python3 ''; do
  [ -n "$python" ] || {
    say "The oracle needs Python 3.11 with venv (the wheel of torch is made for it); found $(python3 --version 2>&1 || echo none)."
    exit 4
  }
  "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null && break
done

say "Making the oracle's Python environment in $oracle"
rm -rf -- "$oracle"
"$python" -m venv -- "$oracle"
install() {
  "$oracle/bin/python" -m pip install --quiet --no-cache-dir --disable-pip-version-check --require-hashes --no-deps \
    --only-binary :all: --requirement "$1" >&2 || {
    say "The oracle's packages could not be installed (pip's words are above). Call again."
    exit 4
  }
}
install <(grep -v '^torch==' "$wheel_list")
install "$root/packaging/oracle-wheels.txt"
# The linked torch itself. Hard links, because its libraries look for nvidia/ beside their own folder; a copy where the
# file system has none.
packages=$("$oracle/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
for folder in torch torchgen functorch "torch-$torch_version.dist-info"; do
  [ ! -e "$torch/../$folder" ] || cp -al -- "$torch/../$folder" "$packages/" 2>/dev/null || cp -a -- "$torch/../$folder" "$packages/"
done

works() { "$oracle/bin/python" -c 'import torch; print("The oracle is PyTorch", torch.__version__)' >&2; }
if ! works 2>/dev/null; then
  say "import torch misses CUDA libraries, and no CUDA 13.0 toolkit has them: fetching their wheels (about 1.5 GB)."
  install "$root/packaging/oracle-cuda-wheels.txt"
  works
fi
oracle_pins >"$oracle/.complete"
