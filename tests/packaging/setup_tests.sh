#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh on machines that lack something: what it says, and that it changed nothing before it said it.
# Each machine is a PATH of a few real tools and of stand-ins that write down how they were called.
set -uo pipefail
repository=$(cd -- "${1:-$(dirname -- "${BASH_SOURCE[0]}")/../..}" && pwd)
unset MANTISSA_TORCH MANTISSA_PACKAGES QT_QPA_PLATFORM http_proxy https_proxy HTTP_PROXY HTTPS_PROXY PIP_PROXY DISPLAY WAYLAND_DISPLAY
failed=0 count=0 case_name=

fail() {
  printf 'FAIL %s: %s\n' "$case_name" "$1"
  [ ! -s "$machine/words" ] || sed 's/^/     | /' "$machine/words"
  failed=$((failed + 1))
}

# A clone in a folder with a space, a home, and a machine that has everything and is run by root.
new_machine() {
  machine=$(mktemp -d "${TMPDIR:-/tmp}/mantissa setup.XXXXXX")
  clone="$machine/a clone" tools="$machine/tools" calls="$machine/calls"
  mkdir -p "$clone" "$tools" "$machine/home"
  cp -r "$repository/packaging" "$repository/CMakeLists.txt" "$clone/"
  local tool
  for tool in awk bash cat cmp cp cut dirname env flock getent grep head mkdir mktemp mv nproc paste rm sed sleep tail timeout tr; do
    ln -s "$(command -v "$tool")" "$tools/$tool"
  done
  # The interpreter itself: a launcher of versions would not find its way with this PATH.
  ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$tools/python3"
  : >"$calls"
  stand_in id 'echo 0'
  stand_in uname '[ "$1" = -s ] && echo Linux || echo x86_64'
  stand_in df 'echo header; echo "/dev/x 99999 1 99998 1% /"'
  stand_in dpkg-query 'shift 3; for name; do echo "installed $name"; done'
  stand_in apt-get '[ "$1" != --print-uris ] || echo "'"'http://unreachable.invalid/debian/InRelease'"' x 0"'
  stand_in apt-config 'true'
  stand_in cmake 'exit 1'
  export PIP_INDEX_URL=https://unreachable.invalid/simple
}

stand_in() {
  printf '#!/bin/bash\necho "%s $*" >>"%s"\n%s\n' "$1" "$calls" "$2" >"$tools/$1"
  chmod +x "$tools/$1"
}

run_sh() {
  (cd / && HOME="$machine/home" XDG_CACHE_HOME="" PATH="$tools" bash "$clone/packaging/run.sh" "$@") >"$machine/words" 2>&1 </dev/null
}

# refused_with TEXT…: exit code 4, every text in the words, nothing installed, fetched, made or configured.
refused_with() {
  run_sh
  local code=$? text
  [ "$code" = 4 ] || fail "exit code $code, expected 4"
  for text; do grep -qF -- "$text" "$machine/words" || fail "the words lack: $text"; done
  if grep -E '^(apt-get|sudo .*apt-get)' "$calls" | grep -vq -- --print-uris; then fail "apt-get was called"; fi
  if grep -q '^cmake' "$calls"; then fail "cmake was called"; fi
  [ -z "$(ls -A "$machine/home")" ] || fail "the home was touched"
  [ ! -e "$clone/build" ] || fail "the clone was touched"
}

# own_torch FOLDER VERSION: a folder that looks like LibTorch.
own_torch() {
  mkdir -p "$1/lib" "$1/include/ATen" "$1/include/torch/headeronly"
  : >"$1/lib/libtorch_cpu.so"
  : >"$1/include/ATen/ATen.h"
  local major minor patch
  IFS=. read -r major minor patch <<<"$2"
  printf '#define TORCH_VERSION_MAJOR %s\n#define TORCH_VERSION_MINOR %s\n#define TORCH_VERSION_PATCH %s\n#define TORCH_VERSION "x"\n' \
    "$major" "$minor" "$patch" >"$1/include/torch/headeronly/version.h"
}

# small_wheel NAME: a wheel with one file, and its line for the list of pins.
small_wheel() {
  mkdir -p "$machine/index"
  python3 - "$machine/index" "$1" <<'PYTHON'
import hashlib, pathlib, sys, zipfile
folder, name = pathlib.Path(sys.argv[1]), sys.argv[2]
wheel = folder / f"{name}-1.0-py3-none-any.whl"
with zipfile.ZipFile(wheel, "w") as archive:
    archive.writestr(f"{name}/content.txt", name)
    archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    archive.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
    archive.writestr(f"{name}-1.0.dist-info/RECORD", "")
print(f"{name}==1.0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}")
PYTHON
}

fetch() {
  (
    root="$clone"
    export HOME="$machine/home" XDG_CACHE_HOME="" PIP_NO_INDEX=1 PIP_FIND_LINKS="file://${machine// /%20}/index"
    . "$clone/packaging/lib.sh"
    fetch_wheels "$wheel_list" "$wheel_folder"
  ) >"$machine/words" 2>&1 </dev/null
}
kept() { printf '%s\n' "$machine/home/.cache/mantissa/wheels/torch-$(sed -n 's/^set(MANTISSA_TORCH_VERSION \([0-9.]*\).*/\1/p' "$clone/CMakeLists.txt")"; }

# --- the tests -------------------------------------------------------------------------------------------------------

machine_without_apt_is_told_which_packages_are_missing() {
  rm "$tools/apt-get"
  stand_in dpkg-query 'shift 3; for name; do [ "$name" = libsqlite3-dev ] || echo "installed $name"; done; exit 1'
  refused_with "No apt-get" "missing: libsqlite3-dev." "MANTISSA_PACKAGES=present"
}

user_without_sudo_is_given_the_command_for_an_administrator() {
  stand_in id 'echo 1000'
  stand_in dpkg-query 'exit 1'
  refused_with "neither root nor is there sudo" "apt-get update && apt-get install -y --no-install-recommends build-essential cmake"
}

sudo_that_wants_a_password_is_not_asked_without_a_terminal() {
  stand_in id 'echo 1000'
  stand_in sudo 'exit 1'
  stand_in dpkg-query 'exit 1'
  refused_with "sudo wants a password" "An administrator must run: apt-get update"
}

unreachable_package_mirror_is_named() {
  stand_in dpkg-query 'exit 1'
  refused_with "No network: unreachable.invalid, from which apt-get would install build-essential"
}

unreachable_wheel_index_is_named() { refused_with "No network: unreachable.invalid, which holds LibTorch"; }

too_little_disk_names_the_need_of_wheels_and_build_together() {
  stand_in df 'echo header; echo "/dev/x 99999 1 1900 1% /small disk"'
  # 1800 for the wheels + 450 for the build = 2250 > 1900
  refused_with "Too little disk on /small disk: 1900 MB free, 2250 MB needed (wheels 1800 MB, build 450 MB)"
}

machine_of_another_kind_is_told_of_MANTISSA_TORCH() {
  stand_in uname '[ "$1" = -s ] && echo Linux || echo aarch64'
  refused_with "this is Linux on aarch64" "Set MANTISSA_TORCH"
}

all_that_is_in_the_way_is_said_at_once() {
  rm "$tools/apt-get"
  stand_in dpkg-query 'exit 1'
  stand_in df 'echo header; echo "/dev/x 99999 1 10 1% /"'
  refused_with "nothing was changed" "No apt-get" "No network" "Too little disk"
}

missing_folder_of_own_torch_is_refused() {
  export MANTISSA_TORCH="$machine/nowhere"
  refused_with "MANTISSA_TORCH=$machine/nowhere: there is no such folder"
}

folder_without_torch_is_refused() {
  mkdir "$machine/empty"
  export MANTISSA_TORCH="$machine/empty"
  refused_with "no LibTorch in it" "lib/libtorch_cpu.so"
}

own_torch_of_another_version_is_refused() {
  own_torch "$machine/old" 2.5.1
  export MANTISSA_TORCH="$machine/old"
  refused_with "found LibTorch 2.5.1, expected 2.11.0"
}

own_torch_with_its_version_in_another_header_is_named() {
  # In older releases it stood elsewhere.
  own_torch "$machine/old" 2.5.1
  mkdir -p "$machine/old/include/torch/csrc/api/include/torch"
  mv "$machine/old/include/torch/headeronly/version.h" "$machine/old/include/torch/csrc/api/include/torch/"
  export MANTISSA_TORCH="$machine/old"
  refused_with "found LibTorch 2.5.1, expected 2.11.0"
}

own_torch_without_a_version_is_refused() {
  own_torch "$machine/old" 2.5.1
  rm "$machine/old/include/torch/headeronly/version.h"
  export MANTISSA_TORCH="$machine/old"
  refused_with "found LibTorch of unknown version, expected 2.11.0"
}

own_torch_is_found_in_every_layout() {
  local layout
  for layout in "" /torch /libtorch /lib/python3.11/site-packages/torch; do
    own_torch "$machine/own$layout" 2.11.0
    export MANTISSA_TORCH="$machine/own"
    run_sh
    grep -qF -- "-DMANTISSA_TORCH_DIR=$machine/own$layout " "$calls" || fail "layout '$layout' did not reach cmake"
    rm -rf "$machine/own"
    : >"$calls"
  done
}

own_torch_needs_no_network() {
  own_torch "$machine/own" 2.11.0
  export MANTISSA_TORCH="$machine/own"
  run_sh
  if grep -q "No network" "$machine/words"; then fail "it asked for the network"; fi
  grep -q '^cmake' "$calls" || fail "cmake was not called"
}

# built_clone: everything is there and builds; the programs write down how they were called.
built_clone() {
  own_torch "$machine/own" 2.11.0
  export MANTISSA_TORCH="$machine/own"
  stand_in cmake 'exit 0'
  mkdir -p "$clone/build/release/bin"
  local program
  for program in mantissa mantissa-cli; do
    printf '#!/bin/bash\necho "%s $*" >>"%s"\n' "$program" "$calls" >"$clone/build/release/bin/$program"
    chmod +x "$clone/build/release/bin/$program"
  done
}

without_arguments_the_workbench_opens() {
  built_clone
  DISPLAY=:0 run_sh || fail "exit code $?"
  grep -q '^mantissa $' "$calls" || fail "it was not opened"
}

without_a_display_the_command_for_the_terminal_is_named() {
  built_clone
  run_sh
  local code=$?
  [ "$code" = 4 ] || fail "exit code $code, expected 4"
  grep -qF "packaging/run.sh run $clone/experiments/digits-mlp.toml" "$machine/words" || fail "the words lack the command"
  if grep -q '^mantissa ' "$calls"; then fail "the workbench was opened"; fi
}

arguments_go_to_the_command_line_program() {
  built_clone
  run_sh list --json || fail "exit code $?"
  grep -qx 'mantissa-cli list --json' "$calls" || fail "it was not called"
}

wheels_are_fetched_into_place_and_leave_nothing_beside() {
  { small_wheel torch; small_wheel nvidia; } >"$clone/packaging/wheels.txt"
  fetch || fail "exit code $?"
  [ "$(cat "$(kept)/torch/content.txt" "$(kept)/nvidia/content.txt")" = torchnvidia ] || fail "the wheels are not in place"
  [ "$(ls -A "$machine/home/.cache/mantissa/wheels")" = "$(basename "$(kept)")" ] || fail "something was left beside them"
}

wheel_with_another_hash_is_refused() {
  small_wheel torch | sed 's/sha256:...../sha256:00000/' >"$clone/packaging/wheels.txt"
  fetch && fail "it was accepted"
  grep -qi "do not match the hashes" "$machine/words" || fail "the words lack the reason"
  [ ! -e "$(kept)" ] || fail "something is in place"
}

interrupted_fetch_is_repaired_by_the_next_call() {
  { small_wheel torch; small_wheel nvidia; } >"$clone/packaging/wheels.txt"
  # Killed while unpacking: one wheel still there, half of the other unpacked, no marker; and an unmarked folder of old.
  mkdir -p "$(kept).fetching/wheels" "$(kept).fetching/unpacked/torch" "$(kept)/torch"
  cp "$machine/index"/nvidia-*.whl "$(kept).fetching/wheels/"
  echo half >"$(kept).fetching/unpacked/torch/content.txt"
  echo old >"$(kept)/torch/content.txt"
  fetch || fail "exit code $?"
  [ "$(cat "$(kept)/torch/content.txt" "$(kept)/nvidia/content.txt")" = torchnvidia ] || fail "the wheels are not in place"
}

changed_pins_are_fetched_again() {
  small_wheel torch >"$clone/packaging/wheels.txt"
  fetch || fail "exit code $?"
  small_wheel nvidia >>"$clone/packaging/wheels.txt"
  fetch || fail "exit code $?"
  [ -e "$(kept)/nvidia/content.txt" ] || fail "the new wheel is not in place"
}

for case_name in $(sed -n 's/^\([a-zA-Z_]*_[a-zA-Z_]*\)() {.*/\1/p' "${BASH_SOURCE[0]}" |
  grep -vxE 'new_machine|stand_in|run_sh|refused_with|own_torch|small_wheel|built_clone'); do
  count=$((count + 1)) before=$failed
  new_machine
  "$case_name"
  [ "$failed" != "$before" ] || printf 'ok   %s\n' "$case_name"
  rm -rf -- "$machine"
  unset MANTISSA_TORCH
done
printf '%s tests, %s failures\n' "$count" "$failed"
[ "$failed" = 0 ]
