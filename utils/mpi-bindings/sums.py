#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the reductions whose blocking and nonblocking forms add in one order.

Runs each reduction of doubles and floats in both forms on the same random numbers, of many counts, and compares bits:
among 2, 4, 8 and 16 processes with all counts, among 32 and 64 with up to 8 elements (the limits of comm/MPI/Sums.h).
Reductions that never differ are written to `ordered_sums` of the binding. This is a measurement of one machine with one
node: an implementation that chooses differently elsewhere (for example, across nodes) must not be in the list.

  sums.py --wrapper mpicc --launcher "mpirun --oversubscribe" lib/MPI/Bindings/openmpi4.json

With --check nothing is written: the script fails if a reduction in the list differs.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

SMALL = (1, 2, 3, 5, 8)
COUNTS = (*SMALL, 9, 15, 16, 17, 31, 33, 64, 100, 127, 129, 255, 300, 512, 513, 1000, 1025, 1300, 2000, 2049)
COUNTS = (*COUNTS, 4000, 4097, 5000, 8191, 8193, 12000, 16385, 20000, 32769, 50000, 65537, 100000)
MOST_PROCESSES = 16
TIME_LIMIT_S = 300

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define BOTH(name, Name, ...)                                                   \
  static void name(void *in, void *x, void *y, int n, MPI_Datatype type) {      \
    MPI_Request r;                                                              \
    MPI_##Name(in, x, n, type, MPI_SUM, __VA_ARGS__);                           \
    MPI_I##name(in, y, n, type, MPI_SUM, __VA_ARGS__, &r);                      \
    MPI_Wait(&r, MPI_STATUS_IGNORE);                                            \
  }
BOTH(allreduce, Allreduce, MPI_COMM_WORLD)
BOTH(reduce, Reduce, 0, MPI_COMM_WORLD)
BOTH(reduce_scatter_block, Reduce_scatter_block, MPI_COMM_WORLD)
BOTH(scan, Scan, MPI_COMM_WORLD)
BOTH(exscan, Exscan, MPI_COMM_WORLD)
static const struct {
  const char *name;
  void (*run)(void *, void *, void *, int, MPI_Datatype);
} all[] = {{"MPI_Allreduce", allreduce},
           {"MPI_Reduce", reduce},
           {"MPI_Reduce_scatter_block", reduce_scatter_block},
           {"MPI_Scan", scan},
           {"MPI_Exscan", exscan}};
int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int f = 0; f < (int)(sizeof all / sizeof *all); ++f)
    for (int arg = 1; arg < argc; ++arg)
      for (int single = 0; single < 2; ++single) {
        size_t n = (size_t)atoi(argv[arg]), bytes = n * (single ? sizeof(float) : sizeof(double));
        size_t blocks = all[f].run == reduce_scatter_block ? (size_t)size : 1;
        char *in = malloc(bytes * blocks), *x = calloc(bytes, 1), *y = calloc(bytes, 1);
        srand((unsigned)(rank * 977 + arg));
        for (size_t i = 0; i < n * blocks; ++i) {
          double value = (rand() / (double)RAND_MAX - 0.5) * (rand() & 7 ? 1 : 1e6);
          if (single)
            ((float *)in)[i] = (float)value;
          else
            ((double *)in)[i] = value;
        }
        all[f].run(in, x, y, (int)n, single ? MPI_FLOAT : MPI_DOUBLE);
        int differs = memcmp(x, y, bytes) != 0, any = 0;
        MPI_Allreduce(&differs, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (rank == 0 && any)
          printf("differs %s %zu\n", all[f].name, n);
        free(in), free(x), free(y);
      }
  for (int f = 0; rank == 0 && f < (int)(sizeof all / sizeof *all); ++f)
    printf("tried %s\n", all[f].name);
  MPI_Finalize();
  return 0;
}
"""


def fail(text):
    print(f"sums.py: error: {text}", file=sys.stderr)
    sys.exit(1)


def run(command, limit=TIME_LIMIT_S):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL)
    except OSError as error:
        fail(f"cannot run {command[0]}: {error}")
    except subprocess.TimeoutExpired:
        fail(f"{shlex.join(command)} took more than {limit} s")
    if done.returncode:
        fail(f"{shlex.join(command)} failed with code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def measure(program, launcher, processes, counts):
    """Names of the reductions that were tried, and of those that differed for some count."""
    words = [
        line.split() for line in run([*launcher, "-n", str(processes), program, *map(str, counts)]).splitlines() if line
    ]
    tried = {word[1] for word in words if word[0] == "tried"}
    differing = {word[1] for word in words if word[0] == "differs"}
    if not tried:
        fail(f"the program printed nothing among {processes} processes")
    return tried, differing


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("binding", help="JSON file of the implementation")
    parser.add_argument("--wrapper", default="mpicc", help="the implementation's C compiler")
    parser.add_argument("--launcher", default="mpirun --oversubscribe", help="what starts processes")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 8, 16, 32, 64], help="numbers of processes")
    parser.add_argument("--check", action="store_true", help="only see whether the binding is right")
    args = parser.parse_args()
    try:
        with open(args.binding, encoding="utf-8") as file:
            binding = json.load(file)
    except (OSError, ValueError) as error:
        fail(f"cannot read {args.binding}: {error}")
    ordered = None
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "sums.c"), os.path.join(folder, "sums")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        run([*shlex.split(args.wrapper), "-O1", source, "-o", program])
        for processes in args.ranks:
            counts = COUNTS if processes <= MOST_PROCESSES else SMALL
            tried, differing = measure(program, shlex.split(args.launcher), processes, counts)
            print(f"{processes} processes: differing: {', '.join(sorted(differing)) or 'none'}", flush=True)
            ordered = (tried if ordered is None else ordered) - differing
    known = set(binding.get("ordered_sums", []))
    if args.check:
        if known - ordered:
            fail(f"{args.binding} lists {', '.join(sorted(known - ordered))}, which differed")
        print(f"{args.binding}: right")
        return
    binding["ordered_sums"] = sorted(ordered)
    with open(args.binding, "w", encoding="utf-8") as file:
        json.dump(binding, file, indent=1, sort_keys=True)
        file.write("\n")
    print(f"{args.binding}: {', '.join(sorted(ordered)) or 'none'}")


if __name__ == "__main__":
    main()
