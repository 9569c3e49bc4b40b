#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how many latencies of a network the two forms of each reduction take.

An implementation may use another algorithm for the nonblocking form: one that adds in one place and sends the result
back takes twice the latencies of one that exchanges halves. The program of costs.py runs over a wire that delays each
message far longer than anything else takes; the time of a call divided by that delay is its number of latencies.

  latencies.py --name openmpi4 --wrapper mpicc -o lib/MPI/Latencies/openmpi4.json

Needs root, like benchmarks/wire/two-nodes, Open MPI, and the packages of requirements.txt. lib/MPI/Latencies explains
the use of the result.
"""

import argparse
import json
import os
import shlex
import tempfile

from costs import find_collectives, run, write_program

BYTES = tuple(4 << i for i in range(18))
RANKS_PER_NODE = (1, 2, 4)
DELAY_US = 4000
MBIT_PER_S = 10000
TWO_NODES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "benchmarks", "wire", "two-nodes")


def find_reductions():
    """Returns the collectives that have an operator and a nonblocking form."""
    return {name: f for name, f in find_collectives().items() if any(p.name == "op" for p in f.params)}


def measure(result, program, ranks, sizes):
    command = [TWO_NODES, str(DELAY_US), str(MBIT_PER_S), str(ranks), program, *map(str, sizes)]
    for line in run(command).splitlines():
        if not line.startswith("cost "):
            continue
        _, name, size, *nanoseconds = line.split()
        if name in result["latencies"]:
            rows = result["latencies"][name].setdefault(str(2 * ranks), {})
            rows[size] = [round(int(time) / (DELAY_US * 1000), 1) for time in nanoseconds]


def write(result, path):
    """Returns JSON with one line for each function and number of processes."""
    functions = []
    for name, processes in sorted(result["latencies"].items()):
        rows = ",\n  ".join(f"{json.dumps(count)}: {json.dumps(row)}" for count, row in processes.items())
        functions.append(f" {json.dumps(name)}: {{\n  {rows}\n }}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'{{"name": {json.dumps(result["name"])},\n"latencies": {{\n' + ",\n".join(functions) + "\n}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--name", required=True, help="the binding that the latencies are of")
    parser.add_argument("--wrapper", default="mpicc", help="the implementation's C compiler")
    parser.add_argument("--ranks", type=int, nargs="+", default=RANKS_PER_NODE, help="numbers of processes on a node")
    parser.add_argument("--bytes", type=int, nargs="+", default=BYTES, help="sizes of a block")
    parser.add_argument("-o", "--output", required=True, help="JSON file to write")
    args = parser.parse_args()
    reductions = find_reductions()
    result = {"name": args.name, "latencies": {name: {} for name in reductions}}
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "latencies.c"), os.path.join(folder, "latencies")
        with open(source, "w", encoding="utf-8") as file:
            file.write(write_program(reductions))
        # A call takes milliseconds, so few of them are enough.
        run([*shlex.split(args.wrapper), "-DFEW_BATCHES", "-O2", source, "-o", program])
        for ranks in args.ranks:
            measure(result, program, ranks, args.bytes)
            print(f"{2 * ranks} processes measured", flush=True)
    write(result, args.output)


if __name__ == "__main__":
    main()
