#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C++ file stands as .clang-format says. `clang-format -i FILE` puts it right.
set -euo pipefail
cd -- "${1:-$(dirname -- "${BASH_SOURCE[0]}")/../..}"
folders=()
for folder in app core tests ui; do [ ! -d "$folder" ] || folders+=("$folder"); done
find "${folders[@]}" \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 clang-format --dry-run -Werror
