#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random C programs whose functions spell out collectives, or nearly.

Each function is a loop of sends and receives over all processes, or a ring, with random orders, strides, tags, counts
and roots: many are collectives, many are not by one detail. The program prints a hash of all memory of all processes
after each function, so that what it prints with `-fcomm-detect` can be compared with what it prints without.

    collectives.py SEED [--functions N] > program.c
    collectives.py SEED --count 10 --compare "mpicc -O2" --with "commcc -O2 -fcomm-detect=ahead -Rcomm"

The second form builds and runs as many programs as `--count` says with both compilers at 1 to 4 processes, and tells
how many of their functions the second one made collectives of. Exit code 1: a difference.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

PROLOGUE = """\
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
#define WORLD MPI_COMM_WORLD
#define ME int rank, size; MPI_Comm_rank(WORLD, &rank); MPI_Comm_size(WORLD, &size)
enum { most = 8, length = 16 * most };
static int a[length], b[length];
static volatile int opaque = 0;
"""

EPILOGUE = """\
static void fill(int rank, int test) {
  for (int i = 0; i < length; ++i) {
    a[i] = rank * 1000000 + test * 1000 + i;
    b[i] = -a[i];
  }
}
static void print(int rank, int size, int test) {
  uint64_t hash = 14695981039346656037u, all[most];
  for (int i = 0; i < length; ++i) {
    hash = (hash ^ (uint32_t)a[i]) * 1099511628211u;
    hash = (hash ^ (uint32_t)b[i]) * 1099511628211u;
  }
  MPI_Gather(&hash, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, WORLD);
  for (int p = 0; rank == 0 && p < size; ++p)
    printf("test %d, process %d: %016llx\\n", test, p, (unsigned long long)all[p]);
}
"""


class Generator:
    """Draws one function after the other."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def draw(self, *choices: str) -> str:
        return self.random.choice(choices)

    def often(self, usual: str, *others: str) -> str:
        """Returns mostly the usual choice: functions are then near misses in one detail, not in all."""
        return usual if self.random.random() < 0.8 or not others else self.random.choice(others)

    def loop(self, first: str, skip: str) -> tuple[str, str]:
        """Returns the head of a loop over all processes, and its peer."""
        order = self.often("up", "down", "from the next one")
        skipping = f"if ({skip}) " if skip else ""
        if order == "down":
            return f"for (int p = size - 1; p >= {first}; --p) {skipping}", "p"
        if order == "up" or first != "0":
            return f"for (int p = {first}; p < size; ++p) {skipping}", "p"
        skipping = skipping.replace("p ", "(rank + i) % size ")
        return f"for (int i = 0; i < size; ++i) {skipping}", "((rank + i) % size)"

    def rooted(self, name: str) -> str:
        """One process with all others."""
        root = self.often("0", "size - 1", "(n - 2)")
        first = "1" if root == "0" and self.random.random() < 0.7 else "0"
        skip = "" if first == "1" else f"p != {root}"
        loop, peer = self.loop(first, skip)
        count = self.often("3", "n", "size")
        theirs = count if self.random.random() < 0.9 else f"{count} + 1"
        tag, other_tag = self.draw("5 5", "p+7 rank+7").split()
        tag = tag.replace("p", peer)
        kind = self.draw("bcast", "gather", "scatter")
        stride = "0" if kind == "bcast" else self.often(f"({count})", f"({count} + 1)")
        block = f"{stride} * {self.often(peer, f'(size - 1 - {peer})')}"
        types = self.often("MPI_INT", "MPI_FLOAT")
        receive = "MPI_Recv({buffer}, {count}, {type}, {peer}, {tag}, WORLD, MPI_STATUS_IGNORE);"
        send = "MPI_Send({buffer}, {count}, {type}, {peer}, {tag}, WORLD);"
        mine = self.draw("b", "b + 3", f"b + {count} * rank")
        at_root, elsewhere = (receive, send) if kind == "gather" else (send, receive)
        # The receiver may provide more space.
        at_count, else_count = (theirs, count) if kind == "gather" else (count, theirs)
        return f"""\
NOINLINE static void {name}(int *a, int *b, int n) {{
  ME;
  if (rank == {root}) {{
    {loop}
      {at_root.format(buffer=f"a + {block}", count=at_count, type=types, peer=peer, tag=tag)}
  }} else
    {elsewhere.format(buffer=mine, count=else_count, type=types, peer=root, tag=other_tag)}
}}
"""

    def exchange(self, name: str) -> str:
        """All processes with all."""
        count = self.often("3", "n", "(rank % 1 + 2)")
        skip = self.draw("", "p != rank")
        pairwise = self.random.random() < 0.4
        restrict = self.often("restrict", "")
        stride = self.often(count, f"({count} + 1)")
        first = self.often("0", "1")
        copy = self.draw("", f"memcpy(b + {stride} * rank, a + {stride} * rank, {count} * sizeof(int));", "")
        gathers = self.random.random() < 0.4
        in_place = gathers and self.random.random() < 0.5
        if in_place:
            # A process must not send a buffer into which it receives.
            first, skip, restrict = ("1" if pairwise else "0"), "p != rank", ""
        if pairwise:
            loop = f"for (int i = {first}; i < size; ++i)"
            to, source = (
                self.draw(
                    "((rank + i) % size) ((rank - i + size) % size)",
                    "((rank - i + size) % size) ((rank + i) % size)",
                )
                .replace(") (", ")|(")
                .split("|")
            )
            tag, other_tag = self.draw("4|4", "i|i", "i|i").split("|")
        else:
            start = first if not skip else "0"
            loop = f"for (int p = {start}; p < size; ++p) {f'if ({skip})' if skip else ''}"
            to = source = "p"
            tag, other_tag = self.often("4|4", "p * size + rank|rank * size + p").split("|")
            if start == "1":
                # Process 0 is skipped by the others, and skips them.
                loop = "if (rank >= 1) " + loop
        out = "a" if gathers else f"a + {stride} * {to}"
        into = f"b + {stride} * {self.often(source, f'(size - 1 - {source})')}"
        if in_place:
            out, into = f"b + {stride} * rank", f"b + {stride} * {source}"
        return f"""\
NOINLINE static void {name}(int *{restrict} a, int *{restrict} b, int n) {{
  ME;
  {copy}
  {loop}
    MPI_Sendrecv({out}, {count}, MPI_INT, {to}, {tag}, {into}, {count}, MPI_INT, {source}, {other_tag}, WORLD,
                 MPI_STATUS_IGNORE);
}}
"""

    def ring(self, name: str) -> str:
        """Blocks are passed to a neighbor one after another."""
        count = self.often("3", "n")
        steps = self.often("size - 1", "size - 1 + size / 4", "size / 2")
        right, left = "(rank + 1) % size", "(rank + size - 1) % size"
        sign = self.draw("-", "+")
        to, source = (right, left) if sign == "-" else (left, right)
        # Not a multiple of 2, 3 or 4, or a process would send a buffer into which it receives.
        distance = self.often("1", "5")
        out = f"(rank + size {sign} s) % size"
        into = f"(rank + 8 * size {sign} s {sign} {distance}) % size"
        tag = self.draw("6", "s")
        return f"""\
NOINLINE static void {name}(int *a, int *b, int n) {{
  ME;
  for (int s = 0; s < {steps}; ++s)
    MPI_Sendrecv(b + {out} * {count}, {count}, MPI_INT, {to}, {tag}, b + {into} * {count}, {count}, MPI_INT, {source},
                 {tag}, WORLD, MPI_STATUS_IGNORE);
}}
"""

    def program(self, functions: int) -> str:
        """Returns a whole program."""
        parts, calls = [PROLOGUE], []
        for i in range(functions):
            name = f"f{i}"
            draw = self.random.choice((self.rooted, self.rooted, self.exchange, self.exchange, self.ring))
            parts.append(draw(name))
            calls.append(f"  fill(rank, {i});\n  {name}(a, b, 2 + opaque);\n  print(rank, size, {i});\n")
        parts.append(EPILOGUE)
        parts.append("int main(int argc, char **argv) {\n  MPI_Init(&argc, &argv);\n  ME;\n")
        parts += calls
        parts.append("  MPI_Finalize();\n  return 0;\n}\n")
        return "".join(parts)


def run(command: list[str], what: str) -> subprocess.CompletedProcess[str]:
    """Returns the command's output, and its errors if it failed."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env={"COMM_IN_PROCESS": "1", **os.environ}
    )
    if done.returncode != 0:
        sys.exit(f"collectives: error: {what}: exit code {done.returncode}\n{done.stderr}")
    return done


def compare(seed: int, arguments: argparse.Namespace) -> tuple[int, bool]:
    """Returns the functions that became collectives, and whether both programs print the same."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / f"seed{seed}.c"
        source.write_text(Generator(seed).program(arguments.functions))
        programs = []
        for i, compiler in enumerate((arguments.compare, arguments.candidate)):
            programs.append(str(source.with_suffix(f".{i}")))
            built = run([*shlex.split(compiler), str(source), "-o", programs[-1]], f"seed {seed}: {compiler}")
        found = built.stderr.count("for any number of processes")
        for ranks in ("1", "2", "3", "4"):
            launch = [*shlex.split(arguments.mpirun), "-n", ranks]
            texts = [run([*launch, program], f"seed {seed}, {ranks} processes").stdout for program in programs]
            if texts[0] != texts[1]:
                lines = zip(texts[0].splitlines(), texts[1].splitlines())
                first = next((a for a, b in lines if a != b), "the number of lines")
                print(f"seed {seed}, {ranks} processes: differs: {first}")
                return found, False
    return found, True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("seed", type=int, help="the same number gives the same program")
    parser.add_argument("--functions", type=int, default=12, help="how many functions (12)")
    parser.add_argument("--count", type=int, default=1, help="how many programs to compare (1)")
    parser.add_argument("--compare", metavar="COMMAND", help="compiler of the program as it is")
    parser.add_argument("--with", dest="candidate", metavar="COMMAND", help="compiler that detects collectives")
    parser.add_argument("--mpirun", default="mpirun", metavar="COMMAND", help="without -n (mpirun)")
    arguments = parser.parse_args()
    if bool(arguments.compare) != bool(arguments.candidate):
        parser.error("--compare and --with go together")
    if not arguments.compare:
        print(Generator(arguments.seed).program(arguments.functions), end="")
        return
    results = [compare(seed, arguments) for seed in range(arguments.seed, arguments.seed + arguments.count)]
    failed = sum(not equal for _, equal in results)
    print(
        f"{len(results) - failed} passed, {failed} failed; {sum(found for found, _ in results)} of "
        f"{arguments.count * arguments.functions} functions are collectives"
    )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
