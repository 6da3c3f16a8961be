#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy on the changed files: tidy.sh SOURCE_FOLDER BUILD_FOLDER [FILE…]
#
# Changed is what differs from where this branch left origin/main; on main itself, what the last commit (or merge)
# brought; without git, everything. A changed header stands for the source file of its name. Files without torch come
# first (2 s each, with torch 10 s); after MANTISSA_TIDY_SECONDS (default 900) the rest is listed and left out.
set -euo pipefail
cd -- "$1"
export build=$2
shift 2

changed_files() {
  local git=(git -c safe.directory='*') base
  base=$("${git[@]}" merge-base HEAD origin/main 2>/dev/null) || base=
  [ "$base" != "$("${git[@]}" rev-parse HEAD 2>/dev/null)" ] || base=
  [ -n "$base" ] || base=$("${git[@]}" rev-parse --verify -q 'HEAD^') || { find app core tests ui -name '*.cpp' 2>/dev/null; return 0; }
  { "${git[@]}" diff --name-only --diff-filter=d "$base" -- '*.cpp' '*.h'; "${git[@]}" ls-files -o --exclude-standard -- '*.cpp' '*.h'; } |
    sed 's/\.h$/.cpp/' | sort -u
}

# Only what is built here can be checked: its flags are known.
files=()
while IFS= read -r file; do
  [ -e "$file" ] && grep -qF "\"$PWD/$file\"" "$build/compile_commands.json" && files+=("$file")
done < <(if [ $# -gt 0 ]; then printf '%s\n' "$@"; else changed_files; fi)
[ ${#files[@]} -gt 0 ] || { echo "No changed source files."; exit 0; }
echo "${#files[@]} changed source files"

# Clang cannot read GCC's precompiled header; sources include what they use, so it is left out.
database=$(mktemp -d)
trap 'rm -rf -- "$database"' EXIT
sed -E 's# -Winvalid-pch##g; s# -include (\\"[^"]*cmake_pch\.hxx\\"|[^ "]*cmake_pch\.hxx)##g' "$build/compile_commands.json" >"$database/compile_commands.json"
export database

export until=$(($(date +%s) + ${MANTISSA_TIDY_SECONDS:-900}))
check() {
  if [ "$(date +%s)" -ge "$until" ]; then echo "$1: left out, the time is up"; return; fi
  # Warnings of clang's compiler are not asked for; what is counted in system headers is no news.
  clang-tidy -p "$database" --quiet --extra-arg=-Wno-error "$1" 2> >(grep -vE '^[0-9]+ (warnings?|errors?)( and [0-9]+ errors?)? generated|^Suppressed|^Use -header-filter' >&2)
}
export -f check
{
  grep -LE '#include <(ATen|torch|c10)/|core/torch_headers' "${files[@]}" || true
  grep -lE '#include <(ATen|torch|c10)/|core/torch_headers' "${files[@]}" || true
} | tr '\n' '\0' | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$1"' _
