#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every page of the workbench as a picture, in light and dark, at 100 % and at 150 %:
# screenshots.sh FOLDER [ARCHIVE]
#
# Without an archive it shows that of two small experiments, which it runs. Takes the programs of build/release, or those
# in MANTISSA_BIN.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
programs=${MANTISSA_BIN:-$root/build/release/bin}

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "screenshots.sh FOLDER [ARCHIVE]: found $# words, expected one or two." >&2
  exit 3
fi
[ -x "$programs/mantissa" ] || {
  echo "There is no $programs/mantissa. Build it with packaging/run.sh, or name its folder in MANTISSA_BIN." >&2
  exit 3
}
mkdir -p -- "$1"
folder=$(cd -- "$1" && pwd)

# Settings of their own: the pictures look alike on every machine.
home=$(mktemp -d)
trap 'rm -rf -- "$home"' EXIT
export HOME="$home" XDG_CONFIG_HOME="$home" XDG_STATE_HOME="$home" XDG_DATA_HOME="$home" XDG_RUNTIME_DIR="$home" LC_ALL=C.UTF-8
chmod 700 "$home"

archive=${2:-$home/archive.db}
if [ $# -eq 1 ]; then
  for experiment in amp-step digits-mlp; do
    # Some trials of these experiments are rejected, which is no reason to stop.
    "$programs/mantissa-cli" run "$root/experiments/$experiment.toml" --archive "$archive" --gains off >/dev/null || [ $? -le 2 ]
  done
fi

for page in archive run editor compare memory diagnose verdict report gains; do
  for theme in light dark; do
    for scale in 1 1.5; do
      picture="$folder/$page-$theme-$(awk "BEGIN { print 100 * $scale }").png"
      QT_SCALE_FACTOR=$scale "$programs/mantissa" --screenshot "$page" --archive "$archive" --theme "$theme" --out "$picture" 2>&1 |
        grep -v propagateSizeHints || [ "${PIPESTATUS[0]}" = 0 ]
      printf '%s\n' "$picture"
    done
  done
done
