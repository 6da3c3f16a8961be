#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C++ file stands as .clang-format says. `clang-format -i FILE` puts it right.
set -euo pipefail
cd -- "${1:-$(dirname -- "${BASH_SOURCE[0]}")/../..}"
find app core tests ui \( -name '*.h' -o -name '*.cpp' \) -print0 2>/dev/null | xargs -0 clang-format --dry-run -Werror
