#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures which nonblocking collectives make progress while the program computes without calling MPI.

An implementation without threads of its own sends what it can when an operation is started; answers and forwarding wait
for the next MPI call. Over a wire that delays each message far longer than anything else takes, each collective is
started, no MPI call follows until many latencies have passed, and then a wait: its latencies are those that passed
without progress.

  progress.py --name openmpi4 --wrapper mpicc -o lib/MPI/Progress/openmpi4.json
  progress.py --name openmpi4 --wrapper mpicc --ranks 1 2 --again -o lib/MPI/Progress/openmpi4.json

A wait that is late by chance finds a message that another process's MPI call moved: two measurements detect more.

Needs root, like benchmarks/wire/two-nodes, Open MPI, and the packages of requirements.txt. lib/MPI/Progress explains
the use of the result.
"""

import argparse
import json
import os
import shlex
import tempfile

from costs import find_collectives, run, write_call
from latencies import TWO_NODES

BYTES = (8, 1024, 8192, 32768, 65536, 262144)
RANKS_PER_NODE = (1, 2, 4)
DELAY_US = 8000
MBIT_PER_S = 10000

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { MOST_PROCESSES = 64, ATTEMPTS = 3, PAUSE_LATENCIES = 10 };
static int rank, size, n, counts[MOST_PROCESSES], places[MOST_PROCESSES], places_bytes[MOST_PROCESSES];
static MPI_Aint places_address[MOST_PROCESSES];
static MPI_Datatype types[MOST_PROCESSES];
static char *in, *out;
static MPI_Comm world, ring;
@FUNCTIONS@
static const struct {
  const char *name;
  void (*start)(MPI_Request *request);
} all[] = {
@TABLE@
};

/// Seconds of the wait, of the slowest process.
static double measure(void (*start)(MPI_Request *), double latency) {
  double least = 1e9;
  for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
    MPI_Request request;
    if (attempt == 0) { // connections, schedules
      start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    double pause = PAUSE_LATENCIES * latency, taken, most;
    MPI_Barrier(world);
    start(&request);
    nanosleep(&(struct timespec){.tv_sec = (time_t)pause, .tv_nsec = (long)((pause - (time_t)pause) * 1e9)}, NULL);
    taken = MPI_Wtime();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    taken = MPI_Wtime() - taken;
    MPI_Allreduce(&taken, &most, 1, MPI_DOUBLE, MPI_MAX, world);
    least = most < least ? most : least;
  }
  return least;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  int periodic = 1, most = 0;
  MPI_Cart_create(world, 1, &size, &periodic, 0, &ring);
  double latency = atof(argv[1]) * 1e-6;
  for (int arg = 2; arg < argc; ++arg)
    most = atoi(argv[arg]) > most ? atoi(argv[arg]) : most;
  in = calloc((size_t)most, (size_t)size);
  out = calloc((size_t)most, (size_t)size);
  for (int arg = 2; arg < argc; ++arg) {
    int bytes = atoi(argv[arg]);
    n = bytes / (int)sizeof(int);
    for (int i = 0; i < MOST_PROCESSES; ++i) {
      counts[i] = n, places[i] = n * i, places_bytes[i] = bytes * i, places_address[i] = (MPI_Aint)bytes * i;
      types[i] = MPI_INT;
    }
    for (int f = 0; f < (int)(sizeof all / sizeof *all); ++f) {
      double taken = measure(all[f].start, latency);
      if (rank == 0)
        printf("left %s %d %.1f\n", all[f].name, bytes, taken / latency);
    }
  }
  MPI_Finalize();
  return 0;
}
"""


def write_program(collectives):
    """Returns the program that measures these functions."""
    functions, table = "", ""
    for name, function in sorted(collectives.items()):
        functions += (
            f"static void start_{name}(MPI_Request *request) {{\n"
            f"  {function.nonblocking}({write_call(function)}, request);\n}}\n"
        )
        table += f'    {{"{name}", start_{name}}},\n'
    return PROGRAM.replace("@FUNCTIONS@", functions).replace("@TABLE@\n", table)


def measure(result, program, ranks, sizes):
    command = [TWO_NODES, str(DELAY_US), str(MBIT_PER_S), str(ranks), program, str(DELAY_US), *map(str, sizes)]
    for line in run(command).splitlines():
        if line.startswith("left "):
            _, name, size, latencies = line.split()
            row = result["left"].setdefault(name, {}).setdefault(str(2 * ranks), {})
            row[size] = max(float(latencies), row.get(size, 0))


def write(result, path):
    """Returns JSON with one line for each function and number of processes."""
    functions = []
    for name, processes in sorted(result["left"].items()):
        rows = ",\n  ".join(f"{json.dumps(count)}: {json.dumps(row)}" for count, row in processes.items())
        functions.append(f" {json.dumps(name)}: {{\n  {rows}\n }}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'{{"name": {json.dumps(result["name"])},\n"left": {{\n' + ",\n".join(functions) + "\n}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--name", required=True, help="the binding that the measurement is of")
    parser.add_argument("--wrapper", default="mpicc", help="the implementation's C compiler")
    parser.add_argument("--again", action="store_true", help="measure once more: the higher figures stay")
    parser.add_argument("--ranks", type=int, nargs="+", default=RANKS_PER_NODE, help="numbers of processes on a node")
    parser.add_argument("--bytes", type=int, nargs="+", default=BYTES, help="sizes of a block")
    parser.add_argument("-o", "--output", required=True, help="JSON file to write")
    args = parser.parse_args()
    result = {"name": args.name, "left": {}}
    if args.again:
        with open(args.output, encoding="utf-8") as file:
            result = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "progress.c"), os.path.join(folder, "progress")
        with open(source, "w", encoding="utf-8") as file:
            file.write(write_program(find_collectives()))
        run([*shlex.split(args.wrapper), "-O2", source, "-o", program])
        for ranks in args.ranks:
            measure(result, program, ranks, args.bytes)
            print(f"{2 * ranks} processes measured", flush=True)
    write(result, args.output)


if __name__ == "__main__":
    main()
