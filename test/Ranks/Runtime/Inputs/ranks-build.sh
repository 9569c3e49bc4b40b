#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds a program for the runtime without the compiler side: renames symbols in the object files as the pass would.
# Globals stay shared.
#
#   ranks-build.sh BUILD_TREE CC OUTPUT SOURCE... [FLAG...]
set -e
build=$1 cc=$2 output=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
headers=$build/include/comm-ranks
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
objects= flags=
for argument; do
  case $argument in
  *.c | *.cpp) ;;
  *) flags="$flags $argument" ;;
  esac
done
number=0
for argument; do
  case $argument in
  *.c | *.cpp)
    number=$((number + 1))
    # shellcheck disable=SC2086
    $cc $flags -I"$headers" -c "$argument" -o "$work/$number.o"
    {
      nm -u "$work/$number.o" | sed -n 's/^ *U \(P\{0,1\}\)\(MPI_[A-Z].*\)$/\1\2 comm_ranks_\2/p'
      printf 'main comm_ranks_main\nexit comm_ranks_exit\natexit comm_ranks_atexit\n'
    } > "$work/names"
    objcopy --redefine-syms="$work/names" "$work/$number.o"
    objects="$objects $work/$number.o"
    ;;
  esac
done
cc -I"$here/../../../../runtime/include" -c "$here/start.c" -o "$work/start.o"
# shellcheck disable=SC2086
$cc $flags $objects "$work/start.o" -o "$output" -L"$build/lib" -lCommRanks \
  -Wl,-rpath,"$build/lib" -lm
