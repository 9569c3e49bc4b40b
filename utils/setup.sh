#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs everything to build, test and run Comm on a fresh Debian 12 (as root, or with sudo), and creates .venv with
# the Python packages of requirements.txt. It can be interrupted and repeated, and takes only a moment if everything is
# there.
#
#   utils/setup.sh            packages and .venv
#   utils/setup.sh --tests    also .venv-embedding: other projects' compilers, which tests run
#   utils/setup.sh --packages prints the Debian packages and exits
set -eu

# Compiler, linker, MLIR and LLVM. The CMake packages of LLVM and MLIR require the development packages of zlib, zstd,
# libedit, libxml2 and curl.
packages="clang-22 clang-format-22 clang-tidy-22 flang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  libclang-rt-22-dev libomp-22-dev zlib1g-dev libzstd-dev libedit-dev libxml2-dev libcurl4-openssl-dev
  libc6-dev libstdc++-12-dev libgtest-dev libopenmpi-dev openmpi-bin libboost-context1.81-dev graphviz
  cmake ninja-build make ccache git ca-certificates python3 python3-dev python3-venv"

if [ "${1:-}" = --packages ]; then
  echo $packages
  exit 0
fi
for_tests=""
if [ "${1:-}" = --tests ]; then
  for_tests=yes
  shift
fi
if [ $# -gt 0 ]; then
  echo "usage: utils/setup.sh [--packages | --tests]" >&2
  exit 2
fi

cd "$(dirname "$0")/.."
say() { echo "setup: $*"; }
die() {
  echo "setup: error: $*" >&2
  exit 1
}

install_packages() {
  missing=""
  # Query all at once; apt prints nothing for an unknown package.
  installed=" $(dpkg-query -W -f '${Package}/${db:Status-Status} ' $packages 2>/dev/null || true)"
  for package in $packages; do
    case "$installed" in
    *" $package/installed "*) ;;
    *) missing="$missing $package" ;;
    esac
  done
  [ -n "$missing" ] || return 0

  if [ "$(id -u)" = 0 ]; then
    as_root=""
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
  else
    die "these Debian packages are missing, and installing them needs root, or sudo without a password. Run:
  sudo apt-get update && sudo apt-get install --no-install-recommends$missing
and then utils/setup.sh again"
  fi
  apt="$as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a apt-get -q -o DPkg::Lock::Timeout=300
    -o Acquire::Retries=3 -o APT::Get::Assume-Yes=true"
  say "installing Debian packages:$missing"
  # An interrupted installation leaves packages half configured.
  if [ -n "$(dpkg --audit)" ]; then
    $as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a </dev/null
    $apt --fix-broken install </dev/null
  fi
  $apt update </dev/null || die "apt-get update failed (above): is there a network?"
  unknown=""
  for package in $missing; do
    apt-cache show "$package" >/dev/null 2>&1 || unknown="$unknown $package"
  done
  [ -z "$unknown" ] || die "apt knows no package$unknown. Debian 12 has version 22 of clang, LLVM and MLIR among its
security updates: see that the apt sources name bookworm-security. On another system, install the like by hand"
  $apt install --no-install-recommends $missing </dev/null ||
    die "apt-get install failed (above); run utils/setup.sh again once that is mended"
}

# Prefer Debian's Python: another one that is earlier on PATH may lack venv, or be removed later.
find_python() {
  for python in /usr/bin/python3 python3; do
    if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
      return 0
    fi
  done
  die "no Python 3.9 or later that has the module venv: install python3 and python3-venv"
}

# make_venv FOLDER REQUIREMENTS
make_venv() {
  stamp=$1/.comm-setup
  wanted=$(cat utils/setup.sh "$2" | sha256sum | cut -d' ' -f1)
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && "$1/bin/python3" -c '' 2>/dev/null; then
    return 0
  fi
  find_python
  # Recreate an incomplete virtual environment, or one whose Python was removed.
  if ! "$1/bin/python3" -m pip --version >/dev/null 2>&1; then
    say "making the Python environment $1"
    rm -rf "$1"
    "$python" -m venv "$1"
  fi
  say "installing the Python packages of $2"
  "$1/bin/python3" -m pip install --quiet --disable-pip-version-check --no-input -r "$2" ||
    die "pip could not install $2 (above): is there a network?"
  echo "$wanted" >"$stamp"
}

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
  install_packages
else
  say "this is not Debian: not installing packages. These or similar ones are needed:" $packages
fi
make_venv .venv requirements.txt
if [ -n "$for_tests" ]; then
  make_venv .venv-embedding requirements-embedding.txt
fi
