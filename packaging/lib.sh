# SPDX-License-Identifier: Apache-2.0
# What run.sh and test.sh share: look first and say in words what is in the way, then install, fetch and build.
# Sourced by bash with -euo pipefail; `root` is the repository's folder. (No grep -q behind a pipe: what it cuts short
# would count as failed.)
#
# Settings from outside:
#   MANTISSA_TORCH=DIR          use the LibTorch in DIR, fetch none
#   MANTISSA_PACKAGES=present   take the Debian packages for granted (for systems without apt)
#   XDG_CACHE_HOME              where the wheels are kept (default ~/.cache)

torch_version=$(sed -n 's/^set(MANTISSA_TORCH_VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
cache="${XDG_CACHE_HOME:-$HOME/.cache}/mantissa"
wheel_folder="$cache/wheels/torch-$torch_version"
wheel_list="$root/packaging/wheels.txt"
cuda_wheel_list="$root/packaging/cuda-wheels.txt"
cuda_wheel_folder="$cache/wheels/cuda-for-torch-$torch_version"

# Megabytes, measured. The wheels: 544 to download and 1,200 unpacked, both there for a moment.
wheels_need=1800
cuda_wheels_need=1000
declare -A packages_need=([run]=1100 [test]=1200 [full]=1700)
declare -A build_need=([run]=450 [test]=1500 [full]=3500)

say() { printf '%s\n' "$*" >&2; }

# --- what is missing -------------------------------------------------------------------------------------------------

# packages_for run|test|full: the Debian packages that this needs.
packages_for() {
  local sets=run
  case $1 in test) sets='run|test' ;; full) sets='run|test|full' ;; esac
  awk -v sets="^($sets)\$" '!/^#/ && $2 ~ sets { print $1 }' "$root/packaging/apt-packages.txt"
}

missing_packages() {
  [ "${MANTISSA_PACKAGES:-}" != present ] || return 0
  local wanted installed
  wanted=$(packages_for "$1")
  # shellcheck disable=SC2086
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p') || true
  grep -vxF "${installed:-none}" <<<"$wanted" | paste -sd' ' || true
}

# The wheels are complete when the marker holds the very list of pins that stands here now.
wheels_complete() { cmp -s "$wheel_list" "$wheel_folder/.complete"; }

cuda_wheels_complete() { cmp -s "$cuda_wheel_list" "$cuda_wheel_folder/.complete"; }

# The folder of the CUDA toolkit: where nvcc is in the PATH, else the usual place.
cuda_toolkit() {
  local compiler
  compiler=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || return 1
  dirname -- "$(dirname -- "$(readlink -f -- "$compiler")")"
}

oracle="$cache/oracle"
oracle_pins() { cat -- "$wheel_list" "$root/packaging/oracle-wheels.txt"; }
oracle_complete() { oracle_pins | cmp -s - "$oracle/.complete"; }

# --- what may be in the way ------------------------------------------------------------------------------------------

problems=()
problem() { problems+=("$*"); }

# The nearest folder that exists: where a folder to be made will lie.
existing_parent() {
  local folder=$1
  while [ ! -e "$folder" ]; do folder=$(dirname -- "$folder"); done
  printf '%s\n' "$folder"
}

# need_space FOLDER MEGABYTES WHAT: noted by file system, so that two needs on one disk add up.
declare -A space_need space_free space_for
need_space() {
  local folder mount free
  folder=$(existing_parent "$1")
  read -r free mount < <(df -Pm -- "$folder" 2>/dev/null | awk 'NR == 2 { free = $4; for (i = 0; i < 5; i++) sub(/^[^ ]+ +/, ""); print free, $0 }') || true
  [ -n "${mount:-}" ] || return 0
  space_need[$mount]=$((${space_need[$mount]:-0} + $2))
  space_free[$mount]=$free
  space_for[$mount]="${space_for[$mount]:+${space_for[$mount]}, }$3 $2 MB"
}

check_space() {
  local mount
  for mount in "${!space_need[@]}"; do
    if [ "${space_free[$mount]}" -lt "${space_need[$mount]}" ]; then
      problem "Too little disk on $mount: ${space_free[$mount]} MB free, ${space_need[$mount]} MB needed (${space_for[$mount]})." \
        "Free some, or set XDG_CACHE_HOME to a folder on another disk for the wheels."
    fi
  done
}

reaches() { timeout 15 bash -c ': <"/dev/tcp/$1/$2"' _ "$1" "$2" 2>/dev/null; }

# reaches_url URL: whether its host answers. Behind a proxy only the proxy can tell: taken for granted.
reaches_url() {
  local host port=443
  [[ $1 == http:* ]] && port=80
  host=${1#*://} host=${host%%/*} host=${host##*@}
  [[ $host == *:* ]] && port=${host##*:} host=${host%:*}
  reaches "$host" "$port"
}

check_apt_network() {
  [ -z "${http_proxy:-}${https_proxy:-}${HTTP_PROXY:-}${HTTPS_PROXY:-}" ] || return 0
  apt-config dump 2>/dev/null | grep -iE '^Acquire::(https?|ftp)::Proxy(::[^ ]*)? "[^"]' >/dev/null && return 0
  local url
  url=$(apt-get --print-uris update 2>/dev/null | sed -n "s/^'\(https\?:[^']*\)'.*/\1/p" | head -n 1) || true
  [ -n "$url" ] || return 0  # sources on a disk
  reaches_url "$url" || problem "No network: $(cut -d/ -f3 <<<"$url"), from which apt-get would install $1, does not answer." \
    "Connect this machine, or install these packages from a medium of your own."
}

check_pip_network() {
  [ -z "${https_proxy:-}${HTTPS_PROXY:-}${PIP_PROXY:-}${PIP_NO_INDEX:-}" ] || return 0
  local url=${PIP_INDEX_URL:-}
  [ -n "$url" ] || url=$(python_with_pip -m pip config get global.index-url 2>/dev/null) || url=https://pypi.org/simple
  reaches_url "$url" || problem "No network: $(cut -d/ -f3 <<<"$url"), which holds LibTorch $torch_version (544 MB), does not answer." \
    "Connect this machine, or set MANTISSA_TORCH to a folder that holds LibTorch $torch_version."
}

# The first Python that has pip; a Python of the user's own may stand before Debian's.
python_with_pip() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then
      "$python" "$@"
      return
    fi
  done
  return 127
}

# torch_root DIR: the folder with lib/ and include/ in DIR, in the layouts that MantissaTorch.cmake accepts.
torch_root() {
  local candidate
  for candidate in "$1/torch" "$1" "$1/libtorch" "$1"/lib/python3*/site-packages/torch; do
    if [ -e "$candidate/lib/libtorch_cpu.so" ] && [ -e "$candidate/include/ATen/ATen.h" ]; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  return 1
}

check_own_torch() {
  local found version header
  if [ ! -d "$MANTISSA_TORCH" ]; then
    problem "MANTISSA_TORCH=$MANTISSA_TORCH: there is no such folder."
  elif ! found=$(torch_root "$MANTISSA_TORCH"); then
    problem "MANTISSA_TORCH=$MANTISSA_TORCH: no LibTorch in it. Expected lib/libtorch_cpu.so and include/ATen/ATen.h there," \
      "in torch/ (an installed Python torch, or its site-packages) or in libtorch/ (an unpacked archive)."
  else
    for header in torch/headeronly/version.h torch/csrc/api/include/torch/version.h; do
      version=$(sed -n 's/^#define TORCH_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\).*/\2/p' "$found/include/$header" 2>/dev/null | paste -sd.) || true
      [ -z "$version" ] || break
    done
    [ "$version" = "$torch_version" ] || problem "MANTISSA_TORCH=$MANTISSA_TORCH: found LibTorch ${version:-of unknown version}," \
      "expected $torch_version, the only version whose bits the tests confirm. Unset MANTISSA_TORCH to have it fetched."
  fi
}

# check_packages NAMES: who would install these, and from where.
check_packages() {
  local command="apt-get update && apt-get install -y --no-install-recommends $1"
  if ! command -v apt-get >/dev/null; then
    problem "No apt-get on this machine, and these Debian packages are missing: $1." \
      "Install what corresponds to them here (packaging/apt-packages.txt says what each is for), then call again with MANTISSA_PACKAGES=present."
    return
  fi
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      problem "Packages are missing, and you are neither root nor is there sudo. An administrator must run: $command"
      return
    elif ! sudo -n true 2>/dev/null && [ ! -t 0 ]; then
      problem "Packages are missing, and sudo wants a password that cannot be typed here. An administrator must run: $command"
      return
    fi
    as_root=(sudo)
  fi
  check_apt_network "$1"
}

# look_for_cuda: a toolkit that the pinned LibTorch fits to.
look_for_cuda() {
  local toolkit version
  if ! toolkit=$(cuda_toolkit); then
    problem "--cuda needs a CUDA 13.0 toolkit with cuDNN and NCCL, and there is no nvcc in the PATH nor in /usr/local/cuda/bin." \
      "Install one, or leave --cuda out to compute on the CPU."
    return
  fi
  version=$(sed -n 's/^#define CUDART_VERSION *\([0-9]*\).*/\1/p' "$toolkit/include/cuda_runtime_api.h" 2>/dev/null) || true
  [ "${version:-0}" -ge 13000 ] && [ "${version:-0}" -lt 14000 ] ||
    problem "--cuda needs a CUDA 13 toolkit (LibTorch $torch_version is built for it); $toolkit is version ${version:-unknown} (13000 is 13.0)."
  [ -n "${MANTISSA_TORCH:-}" ] || cuda_wheels_complete || need_space "$cache" "$cuda_wheels_need" "CUDA wheels"
}

# look_first run|test|full [cuda]: finds out what is to be done and what is in the way, and changes nothing.
look_first() {
  packages=$(missing_packages "$1")
  [ -z "$packages" ] || check_packages "$packages"
  if [ -n "${MANTISSA_TORCH:-}" ]; then
    check_own_torch
  elif ! wheels_complete; then
    if [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ]; then
      problem "The wheels of LibTorch are pinned for Linux on x86-64; this is $(uname -s) on $(uname -m)." \
        "Set MANTISSA_TORCH to a folder that holds LibTorch $torch_version for this machine."
    else
      check_pip_network
    fi
    [ -w "$(existing_parent "$cache")" ] || problem "Cannot write to $(existing_parent "$cache"), where $cache is to be. Set XDG_CACHE_HOME to a folder of yours."
    need_space "$cache" "$wheels_need" "wheels"
  fi
  [ -w "$(existing_parent "$root/build/release")" ] || problem "Cannot write to $(existing_parent "$root/build/release"), where the build is to be. Take a clone of your own."
  [ "${2:-}" != cuda ] || look_for_cuda
  if [ "$1" = full ] && ! oracle_complete; then
    # With the CUDA libraries of a toolkit, and without.
    if ldconfig -p 2>/dev/null | grep libcublas.so.13 >/dev/null; then need_space "$cache" 700 "oracle"; else need_space "$cache" 4300 "oracle"; fi
  fi
  # Only what is not there yet counts, so that a machine that is set up already is never turned away.
  [ -z "$packages" ] || need_space /usr "${packages_need[$1]}" "packages"
  [ -e "$root/build/release/bin/mantissa-cli" ] || need_space "$root/build" "${build_need[$1]}" "build"
  check_space
  [ ${#problems[@]} -eq 0 ] && return
  say "Mantissa cannot be installed here yet; nothing was changed."
  printf -- '- %s\n' "${problems[@]}" >&2
  exit 4
}

# --- doing it --------------------------------------------------------------------------------------------------------

install_packages() {
  [ -n "$packages" ] || return 0
  say "Installing Debian packages: $packages"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update -q >&2 || say "apt-get update had errors; trying with the lists that are there."
  # shellcheck disable=SC2086
  "${apt[@]}" install -qy --no-install-recommends $packages >&2 || {
    say "apt-get could not install the packages (its words are above). Nothing else was changed; call again when it can."
    exit 4
  }
}

# fetch_wheels LIST FOLDER: downloads, checks and unpacks beside FOLDER, then renames: FOLDER is complete or not there.
# What was downloaded before an interruption is used again.
fetch_wheels() {
  local list=$1 folder=$2 work="$2.fetching" wheel platform platforms=() quiet=()
  mkdir -p -- "$work"
  exec 8>"$work.lock"
  flock -n 8 || { say "Another call is fetching $folder; waiting for it."; flock 8; }
  if cmp -s "$list" "$folder/.complete"; then exec 8>&-; return 0; fi
  for platform in manylinux_2_28 manylinux_2_27 manylinux_2_25 manylinux_2_24 manylinux_2_17 manylinux2014; do
    platforms+=(--platform "${platform}_x86_64")
  done
  rm -rf -- "$work/temporary" "$work/unpacked"
  mkdir -p -- "$work/temporary" "$work/wheels" "$work/unpacked"
  [ -t 2 ] || quiet=(--quiet)
  say "Fetching $(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' "$list" | paste -sd' ') into $folder"
  # pip's own cache and /tmp would each hold the half gigabyte once more.
  TMPDIR="$work/temporary" python_with_pip -m pip download "${quiet[@]}" --no-cache-dir --disable-pip-version-check \
    --require-hashes --no-deps --only-binary :all: --implementation cp --python-version 3.11 \
    "${platforms[@]}" --dest "$work/wheels" --requirement "$list" >&2 || {
    say "The wheels could not be fetched (pip's words are above). Call again: what is there already is not fetched twice."
    exit 4
  }
  for wheel in "$work/wheels"/*.whl; do
    python_with_pip -m zipfile -e "$wheel" "$work/unpacked" && rm -f -- "$wheel" || {
      say "$wheel could not be unpacked into $work/unpacked. Call again when there is room for it."
      exit 4
    }
  done
  cp -- "$list" "$work/unpacked/.complete"
  rm -rf -- "$folder"
  mv -T -- "$work/unpacked" "$folder"
  rm -rf -- "$work"
  exec 8>&-
  rm -f -- "$work.lock"
}

# fetch_cuda_wheels: and puts them where libtorch_cuda looks for them, beside its own folder.
fetch_cuda_wheels() {
  local file
  cuda_wheels_complete || fetch_wheels "$cuda_wheel_list" "$cuda_wheel_folder"
  for file in cusparselt nvshmem; do ln -sfn -- "$cuda_wheel_folder/nvidia/$file" "$wheel_folder/nvidia/$file"; done
  for file in "$cuda_wheel_folder"/nvidia/cu13/lib/*; do ln -sf -- "$file" "$wheel_folder/nvidia/cu13/lib/"; done
}

# One process a core, but no more than memory allows: a file with ATen in it takes 1.2 GB to compile.
build_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ { print int($2 / 1500000) }' /proc/meminfo)
  [ "${memory:-1}" -lt 1 ] && memory=1
  echo $((memory < cores ? memory : cores))
}

# configure FOLDER CMAKE OPTION…: only when there is something new to say.
configure() {
  local folder=$1 torch=${MANTISSA_TORCH:-$wheel_folder} fresh=() settings
  shift
  torch=$(torch_root "$torch")
  settings=$(printf '%s\n' "$root" "$torch" "$@")
  [ -e "$folder/build.ninja" ] && [ "$(cat "$folder/.settings" 2>/dev/null)" = "$settings" ] && return
  # A build folder that was moved, or made for another LibTorch, must not mix with the new one.
  [ ! -e "$folder/CMakeCache.txt" ] || fresh=(--fresh)
  cmake "${fresh[@]}" -S "$root" -B "$folder" -G Ninja -DMANTISSA_TORCH_DIR="$torch" "$@" >&2 || {
    say "CMake could not configure $folder (its words are above)."
    exit 4
  }
  printf '%s\n' "$settings" >"$folder/.settings"
}

# build FOLDER [TARGET…]
build() {
  local folder=$1
  shift
  cmake --build "$folder" --parallel "$(build_jobs)" "${@/#/--target=}" >&2 || {
    say "The build failed (the compiler's words are above)."
    exit 4
  }
}
