#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The cost of user-level ranks compared with the targets, in one run. Takes about 20 seconds.
#
#   run.sh BUILD_TREE
#
# Prints a table. On a shared machine, use the minimum of several runs: two kernel threads that wait for each other need
# two free cores.
set -e
build=$(cd "${1:?usage: run.sh BUILD_TREE}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -x "$build/bin/commcc" ]; then
  "$build/bin/commcc" -fcomm-ranks -O2 "$here/ranks-bench.c" -o "$work/bench"
else # without the compiler side: the benchmark has no globals
  sh "$here/../../test/Ranks/Runtime/Inputs/ranks-build.sh" "$build" clang-22 "$work/bench" "$here/ranks-bench.c" -O2
fi
clang++-22 -O2 "$here/jump.cpp" -o "$work/jump" -lboost_context
export OMPI_MCA_ess_singleton_isolated=1

# ranks V C ARGUMENT...: V ranks on each of C kernel threads of one process.
ranks() {
  v=$1 c=$2
  shift 2
  COMM_RANKS_PER_THREAD=$v COMM_RANKS_THREADS=$c timeout 120 "$work/bench" "$@"
}
value() { awk -v name="$1" '$1 == name { print $2; exit }'; }
row() { printf '| %s | %s | %s |\n' "$1" "$2" "$3"; }
# start V C: prints the seconds of the whole program, and its output.
start() {
  from=$(date +%s.%N)
  ranks "$1" "$2" start > "$work/start"
  to=$(date +%s.%N)
  seconds=$(awk "BEGIN { printf \"%.2f\", $to - $from }")
  resident=$(awk '{ print $6 }' "$work/start")
  wrong=$(awk '{ print $4 }' "$work/start")
}

row what measured bar
row --- --- ---
jump=$("$work/jump" | value jump)
switch=$(ranks 2 1 switch | value switch)
row 'bare fcontext jump, ns' "$jump" ''
row 'switch through the scheduler, MPI_Test included, ns' "$switch" '40'
test=$(ranks 1 1 switch | value switch)
row 'the same without MPI_Test and beyond the bare jump, ns' \
  "$(awk "BEGIN { printf \"%.1f\", $switch - $test - $jump }")" '15'
row 'ping-pong 8 B, one core, ns one way' "$(ranks 2 1 pingpong | value pingpong)" '80'
row 'ping-pong 8 B, two cores, ns one way' "$(ranks 1 2 pingpong | value pingpong)" '250'
for c in 1 2; do
  ranks $((3 - c)) $c bandwidth > "$work/bandwidth"
  row "1 MiB, $c core(s), GB/s (memcpy $(value memcpy < "$work/bandwidth"))" \
    "$(value bandwidth < "$work/bandwidth")" '0.9 of memcpy'
done
row 'allreduce 8 B, 1,024 ranks, 2 cores, us' "$(ranks 512 2 allreduce | value allreduce)" '60'
start 8192 2
row "start of 16,384 ranks, s ($wrong wrong)" "$seconds" '0.5'
start 50000 2
row "start of 100,000 ranks, s ($wrong wrong)" "$seconds" 'works'
row 'resident memory a rank, kB' "$resident" '16'
