#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how much more an implementation's nonblocking forms cost than its blocking ones.

Runs each collective that the MPI standard has in both forms, and messages between two processes, as a blocking call
and as a start directly followed by its wait. The forms alternate in one run, in batches; the fastest batch of each
counts, because it is disturbed least on a busy machine. A block is `bytes` long: the first count times the size of its
datatype. Uses 1, 2 and 4 processes, over shared memory and over a network (TCP on one node). Also finds the eager
limit: the longest message that arrives while its sender, after starting it, computes without calling MPI.

  chrt -f 1 costs.py --name openmpi4 --wrapper mpicc --shared "mpirun --oversubscribe" \\
    --eager "mpirun --oversubscribe --mca btl_vader_single_copy_mechanism none" \\
    --network "mpirun --oversubscribe --mca btl tcp,self" -o lib/MPI/Costs/openmpi4.json

On a machine with other load, run it several times with --again.

The result is a measurement of one machine. lib/MPI/Bindings/generate.py turns it into tables, which mpi::ABI uses.
Needs the packages of requirements.txt.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib", "MPI"))
import generate_standard

BYTES = (8, 64, 512, 4096, 16384, 65536, 262144)
PROCESSES = (1, 2, 4)
TIME_LIMIT_S = 1200

# The argument for a parameter, by its name in the standard. Each process has a block of `n` integers for each other.
ARGUMENTS = {
    "buffer": "in",
    "sendbuf": "in",
    "recvbuf": "out",
    "count": "n",
    "sendcount": "n",
    "recvcount": "n",
    "sendcounts": "counts",
    "recvcounts": "counts",
    "displs": "places",
    "sdispls": "places",
    "rdispls": "places",
    "datatype": "MPI_INT",
    "sendtype": "MPI_INT",
    "recvtype": "MPI_INT",
    "sendtypes": "types",
    "recvtypes": "types",
    "op": "MPI_MAX",
    "root": "0",
}

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MOST_PROCESSES 64
#ifdef FEW_BATCHES // of calls that take long
enum { BATCHES = 3, MOST_CALLS = 2000 };
#else
enum { BATCHES = 25, MOST_CALLS = 2000 };
#endif
static const double BATCH_S = 400e-6, COMPUTATION_S = 20e-3;
static int rank, size, n, counts[MOST_PROCESSES], places[MOST_PROCESSES], places_bytes[MOST_PROCESSES];
static MPI_Aint places_address[MOST_PROCESSES];
static MPI_Datatype types[MOST_PROCESSES];
static char *in, *out;
static MPI_Comm world, ring;
static MPI_Request request;

// Messages: to the other process and back.
static void send_there(int nonblocking) {
  if (!nonblocking) {
    MPI_Send(in, n, MPI_INT, !rank, 0, world);
    return;
  }
  MPI_Isend(in, n, MPI_INT, !rank, 0, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void receive_there(int nonblocking) {
  if (!nonblocking) {
    MPI_Recv(out, n, MPI_INT, !rank, 0, world, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Irecv(out, n, MPI_INT, !rank, 0, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void both_ways(int send_nonblocking, int receive_nonblocking) {
  for (int turn = 0; turn < 2; ++turn)
    if (turn == rank)
      send_there(send_nonblocking);
    else
      receive_there(receive_nonblocking);
}
static void message_Send(int nonblocking) { both_ways(nonblocking, 0); }
static void message_Recv(int nonblocking) { both_ways(0, nonblocking); }
static void message_Sendrecv(int nonblocking) {
  MPI_Request requests[2];
  if (!nonblocking) {
    MPI_Sendrecv(in, n, MPI_INT, !rank, 0, out, n, MPI_INT, !rank, 0, world, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Irecv(out, n, MPI_INT, !rank, 0, world, &requests[0]);
  MPI_Isend(in, n, MPI_INT, !rank, 0, world, &requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}
@FUNCTIONS@
static const struct {
  const char *name;
  void (*run)(int nonblocking);
  int message;
} all[] = {
@TABLE@
    {"MPI_Send", message_Send, 1},
    {"MPI_Recv", message_Recv, 1},
    {"MPI_Sendrecv", message_Sendrecv, 1},
};

/// Seconds a call, of the slowest process.
static double batch(void (*run)(int), int nonblocking, int calls) {
  double taken, most;
  MPI_Barrier(world);
  taken = MPI_Wtime();
  for (int i = 0; i < calls; ++i)
    run(nonblocking);
  taken = (MPI_Wtime() - taken) / calls;
  MPI_Allreduce(&taken, &most, 1, MPI_DOUBLE, MPI_MAX, world);
  return most;
}

static void measure(const char *name, void (*run)(int), int bytes, int scale) {
  double best[2] = {1e9, 1e9};
  batch(run, 0, 2);
  double once = batch(run, 1, 3);
  int calls = once * MOST_CALLS < BATCH_S ? MOST_CALLS : (int)(BATCH_S / once);
  calls = calls < 4 ? 4 : calls;
  for (int i = 0; i < 2 * BATCHES; ++i) {
    int form = (i ^ i / 2) & 1; // 0 1 1 0: neither always comes first
    double taken = batch(run, form, calls);
    best[form] = taken < best[form] ? taken : best[form];
  }
  if (rank == 0)
    printf("cost %s %d %.0f %.0f\n", name, bytes, best[0] * 1e9 / scale, best[1] * 1e9 / scale);
}

/// Whether a message of that many bytes arrives while its sender, which has started it, computes.
static int is_eager(int bytes) {
  double best = 1e9;
  for (int attempt = 0; attempt < 4; ++attempt) {
    MPI_Barrier(world);
    double begin = MPI_Wtime();
    if (rank == 0) {
      MPI_Isend(in, bytes, MPI_BYTE, 1, 1, world, &request);
      while (MPI_Wtime() - begin < COMPUTATION_S)
        continue;
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, bytes, MPI_BYTE, 0, 1, world, MPI_STATUS_IGNORE);
      double taken = MPI_Wtime() - begin;
      best = taken < best ? taken : best;
    }
  }
  int eager = best < COMPUTATION_S / 2;
  MPI_Bcast(&eager, 1, MPI_INT, 1, world);
  return eager;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  int periodic = 1, most = 4 << 20;
  MPI_Cart_create(world, 1, &size, &periodic, 0, &ring);
  for (int arg = 1; arg < argc; ++arg)
    most = atoi(argv[arg]) > most ? atoi(argv[arg]) : most;
  in = calloc((size_t)most, (size_t)(size < 2 ? 2 : size));
  out = calloc((size_t)most, (size_t)(size < 2 ? 2 : size));
  for (int arg = 1; arg < argc && argv[arg][0] != '-'; ++arg) {
    int bytes = atoi(argv[arg]);
    n = bytes / (int)sizeof(int);
    for (int i = 0; i < MOST_PROCESSES; ++i) {
      counts[i] = n, places[i] = n * i, places_bytes[i] = bytes * i, places_address[i] = (MPI_Aint)bytes * i;
      types[i] = MPI_INT;
    }
    for (int f = 0; f < (int)(sizeof all / sizeof *all); ++f)
      if (!all[f].message || size == 2)
        measure(all[f].name, all[f].run, bytes, all[f].message == 1 && all[f].run != message_Sendrecv ? 2 : 1);
  }
  if (argc == 2 && strcmp(argv[1], "--eager") == 0) {
    int low = 0, high = 4 << 20;
    while (low < high) {
      int middle = low + (high - low + 1) / 2;
      if (is_eager(middle))
        low = middle;
      else
        high = middle - 1;
    }
    if (rank == 0)
      printf("eager %d\n", low);
  }
  MPI_Finalize();
  return 0;
}
"""


def fail(text):
    print(f"costs.py: error: {text}", file=sys.stderr)
    sys.exit(1)


def find_collectives():
    """Returns the collective functions of the standard that have a nonblocking form."""
    found = {}
    for name, function in generate_standard.load().items():
        names = {p.name for p in function.params}
        if (
            function.nonblocking
            and not name.endswith("_c")
            and "comm" in names
            and not names & {"dest", "source", "message"}
        ):
            found[name] = function
    return found


def write_call(function):
    """Returns the arguments of a call, or raises an error if the standard has an unknown parameter."""
    arguments = []
    is_bytes = any(p.name == "sendtypes" for p in function.params)
    for param in function.params:
        if param.name == "comm":
            arguments.append("ring" if "eighbor" in function.name else "world")
        elif param.name not in ARGUMENTS:
            fail(f"{function.name} has the parameter '{param.name}', for which ARGUMENTS says nothing")
        elif ARGUMENTS[param.name] == "places" and is_bytes:
            arguments.append("places_address" if param.c_type == "MPI_Aint" else "places_bytes")
        else:
            arguments.append(ARGUMENTS[param.name])
    return ", ".join(arguments)


def write_program(collectives):
    """Returns the program that measures these functions, and messages."""
    functions, table = "", ""
    for name, function in sorted(collectives.items()):
        call = write_call(function)
        functions += (
            f"static void run_{name}(int nonblocking) {{\n"
            f"  if (!nonblocking) {{\n    {name}({call});\n    return;\n  }}\n"
            f"  {function.nonblocking}({call}, &request);\n"
            "  MPI_Wait(&request, MPI_STATUS_IGNORE);\n}\n"
        )
        table += f'    {{"{name}", run_{name}, 0}},\n'
    return PROGRAM.replace("@FUNCTIONS@", functions).replace("@TABLE@\n", table)


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT_S, stdin=subprocess.DEVNULL)
    except OSError as error:
        fail(f"cannot run {command[0]}: {error}")
    except subprocess.TimeoutExpired:
        fail(f"{shlex.join(command)} took more than {TIME_LIMIT_S} s")
    if done.returncode:
        fail(f"{shlex.join(command)} failed with code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def measure(result, program, launcher, transport, processes, sizes):
    lines = run([*shlex.split(launcher), "-n", str(processes), program, *map(str, sizes)]).splitlines()
    costs = [line.split() for line in lines if line.startswith("cost ")]
    if not costs:
        fail(f"the program printed no cost among {processes} processes")
    for _, name, size, blocking, nonblocking in costs:
        rows = result["costs"].setdefault(name, {}).setdefault(transport, {}).setdefault(str(processes), {})
        before = rows.get(size, [sys.maxsize, sys.maxsize])
        rows[size] = [min(before[0], int(blocking)), min(before[1], int(nonblocking))]


def find_eager_limit(result, program, launcher, transport):
    for line in run([*shlex.split(launcher), "-n", "2", program, "--eager"]).splitlines():
        if line.startswith("eager "):
            result["eager_limit"][transport] = int(line.split()[1])
            return
    fail("the program printed no eager limit")


def write(result, path):
    """Returns JSON with one line for each function, transport and number of processes."""
    lines = []
    for name, transports in sorted(result["costs"].items()):
        inner = []
        for transport, processes in sorted(transports.items()):
            rows = ",\n   ".join(f"{json.dumps(p)}: {json.dumps(r)}" for p, r in processes.items())
            inner.append(f"  {json.dumps(transport)}: {{\n   {rows}\n  }}")
        lines.append(f" {json.dumps(name)}: {{\n" + ",\n".join(inner) + "\n }")
    head = {key: value for key, value in result.items() if key != "costs"}
    text = json.dumps(head, sort_keys=True)[:-1] + ',\n"costs": {\n' + ",\n".join(lines) + "\n}}\n"
    json.loads(text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--name", required=True, help="the binding that the costs are of")
    parser.add_argument("--wrapper", default="mpicc", help="the implementation's C compiler")
    parser.add_argument("--shared", default="mpirun --oversubscribe", help="starts processes that share memory")
    parser.add_argument("--network", help="starts processes that use the network between each other")
    parser.add_argument("--eager", help="as --shared, for the eager limit: without what needs permissions (CMA)")
    parser.add_argument("--again", action="store_true", help="measure once more: the lower figures stay")
    parser.add_argument("--ranks", type=int, nargs="+", default=PROCESSES, help="numbers of processes")
    parser.add_argument("--bytes", type=int, nargs="+", default=BYTES, help="sizes of a block")
    parser.add_argument("-o", "--output", required=True, help="JSON file to write")
    args = parser.parse_args()
    result = {"name": args.name, "eager_limit": {}, "costs": {}}
    if args.again:
        try:
            with open(args.output, encoding="utf-8") as file:
                result = json.load(file)
        except (OSError, ValueError) as error:
            fail(f"cannot read {args.output}: {error}")
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "costs.c"), os.path.join(folder, "costs")
        with open(source, "w", encoding="utf-8") as file:
            file.write(write_program(find_collectives()))
        run([*shlex.split(args.wrapper), "-O2", source, "-o", program])
        for processes in args.ranks:
            measure(result, program, args.shared, "shared", processes, args.bytes)
            if args.network and processes > 1:
                measure(result, program, args.network, "network", processes, args.bytes)
            print(f"{processes} processes measured", flush=True)
        find_eager_limit(result, program, args.eager or args.shared, "shared")
        if args.network:
            find_eager_limit(result, program, args.network, "network")
    write(result, args.output)


if __name__ == "__main__":
    main()
