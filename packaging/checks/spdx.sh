#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every source file names its licence in its first line (after a #! line in its second), and it is the folder's licence.
set -euo pipefail
cd -- "${1:-$(dirname -- "${BASH_SOURCE[0]}")/../..}"

wrong=0
while IFS= read -r -d '' file; do
  case $file in
    ./ui/* | ./app/workbench/* | ./tests/ui/*) licence=GPL-3.0-or-later ;;
    *) licence=Apache-2.0 ;;
  esac
  if ! head -n 2 -- "$file" | grep -qE "^(//|#|--|/\*|;;) *SPDX-License-Identifier: $licence( |$)"; then
    printf '%s: found "%s", expected "SPDX-License-Identifier: %s" in the first line\n' "$file" "$(head -n 1 -- "$file" | cut -c 1-60)" "$licence"
    wrong=1
  fi
done < <(find . \( -name .git -o -path './build*' -o -path ./shared \) -prune -o -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.sql' \
  -o -name '*.py' -o -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt -o -path ./.ci/run \) -print0)
exit "$wrong"
