#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The desktop file against its specification: desktop.sh SOURCE_FOLDER. Skipped (77) where desktop-file-validate is missing.
set -euo pipefail
command -v desktop-file-validate >/dev/null || {
  echo "desktop-file-validate is not installed (package desktop-file-utils)"
  exit 77
}
desktop-file-validate "$1/packaging/mantissa.desktop"
