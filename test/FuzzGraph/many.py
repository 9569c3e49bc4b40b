#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graph programs, many in one executable: compiled, at 1 to 4 processes, they leave the same values in all
properties as the interpreter. Exit code 0: no difference; 1: some; 2: bad usage.

A program is a function with properties of its own; a file has several of them, and a main function that calls all. It
runs on random graphs: directed or not, with loops and lone vertices, of 1 to 3000 vertices. Some files are compiled
without one or two of the transforms, or all without those that --without names. With --races, loops with races run in
order, in smaller graphs."""

from __future__ import annotations

import argparse
import concurrent.futures
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent))

from blocks import function  # noqa: E402

REFUSED = "refused"


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--seed", type=int, default=1, help="first seed (default 1)")
    p.add_argument("--count", type=int, default=4, help="files (default 4)")
    p.add_argument("--cases", type=int, default=20, help="programs in a file (default 20)")
    p.add_argument("--graphs", type=int, default=2, help="graphs that a file runs on (default 2)")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="files at a time")
    p.add_argument("--races", action="store_true", help="programs with races, by --serialize")
    p.add_argument("--overlap", action="store_true", help="each file by --overlap; else one of four")
    p.add_argument("--exchange", choices=("messages", "window"), help="each file by --overlap with this exchange")
    p.add_argument("--without", action="append", default=[], metavar="NAME", help="a transform that is switched off")
    p.add_argument("--keep", type=Path, default=Path("fuzz-graph-failures"), metavar="DIR", help="where failures go")
    p.add_argument("--seconds", type=float, default=1e9, help="begin nothing new after that time")
    p.add_argument("--mpirun", default="mpirun", metavar="PROGRAM")
    p.add_argument("--commgraph", default="commgraph", metavar="PROGRAM")
    p.add_argument("--translate", default="comm-translate", metavar="PROGRAM")
    p.add_argument("--opt", default="comm-opt", metavar="PROGRAM")
    p.add_argument("--interpreter", default="comm-graph-interpret", metavar="PROGRAM")
    args = p.parse_args()
    if min(args.count, args.cases, args.graphs, args.jobs) < 1:
        p.error("numbers must be positive")

    def names(*options: str) -> list[str]:
        command = [*args.commgraph.split(), "transforms", *options]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    args.transforms, args.overlaps = names(), names("--overlap")
    return args


def program(seed: int, cases: int, has_races: bool = False) -> str:
    draw = Random(seed)
    functions, parameters, calls = [], [], []
    is_outward = not has_races and draw.random() < 0.2
    for number in range(cases):
        text, types = function(f"case{number}", draw, has_races, is_outward)
        functions.append(text)
        names = [f"{each.rsplit(' ', 1)[1]}{number}" for each in types]
        parameters += [f"{each.rsplit(' ', 1)[0]} {name}" for each, name in zip(types, names, strict=True)]
        calls.append(f"  case{number}(g, {', '.join(names)}, weight, some, src);\n")
    given = f"Graph g, {', '.join(parameters)}, propEdge<int> weight, SetN<g> some, node src"
    main = f"function all({given}) {{\n{''.join(calls)}}}\n"
    return "".join(functions) + main


def write_graph(path: Path, draw: Random, is_small: bool) -> list[str]:
    """Returns options of the graph."""
    count = draw.choice((1, 2, 5, 12, 12, 25) if is_small else (1, 2, 5, 12, 40, 40, 150, 150, 3000))
    shape = draw.choice(("random", "random", "path", "grid", "stars"))
    edges = set()
    if shape == "random":
        for _ in range(int(count * draw.choice((0.5, 1.5, 4, 8)))):
            edges.add((draw.randrange(count), draw.randrange(count)))
    elif shape == "stars":
        for v in range(count):
            edges.add((draw.randrange(1 + count // 20), v))
    else:
        side = 1 if shape == "path" else math.isqrt(count)
        edges = {(v, v + 1) for v in range(count - 1)} | {(v, v + side) for v in range(count - side)}
        if draw.random() < 0.5:
            edges |= {(b, a) for a, b in edges}
    if draw.random() < 0.25:
        # Edges in one direction: processes at the end have no copies, and others have copies of theirs.
        edges = {(min(edge), max(edge)) for edge in edges}
    top = draw.choice((1, 3, 20))
    path.write_text("".join(f"{a} {b} {draw.randint(0, top)}\n" for a, b in sorted(edges)), encoding="ascii")
    options = [f"--graph={path}", f"--vertices={count}", f"--arg=src={draw.randrange(count)}"]
    options.append(f"--arg=some={','.join(str(draw.randrange(count)) for _ in range(4))}")
    return options + (["--undirected"] if draw.random() < 0.5 else [])


def is_same(line: str, other: str) -> bool:
    if line == other:
        return True
    words, others = line.split(), other.split()
    try:
        return words[:-1] == others[:-1] and math.isclose(float(words[-1]), float(others[-1]), rel_tol=1e-9)
    except (ValueError, IndexError):
        return False


def where(wanted: list[str], got: list[str]) -> str:
    name = ""
    for line, other in zip(wanted, got, strict=False):
        if line.startswith("property"):
            name = line
        if not is_same(line, other):
            return f"{name}: wanted '{line}', got '{other}'"
    return "" if len(wanted) == len(got) else f"{len(wanted)} lines wanted, {len(got)} there"


def run_file(args: argparse.Namespace, seed: int) -> str:
    """Returns the failure, or nothing."""
    draw = Random(-seed)
    with tempfile.TemporaryDirectory(prefix="fuzz-graph-") as folder:
        source, binary = Path(folder) / f"seed{seed}.sp", str(Path(folder) / "program")
        source.write_text(program(seed, args.cases, args.races), encoding="ascii")
        names = args.without or draw.sample(args.transforms, draw.choice((0, 0, 0, 0, 1, 1, 2)))
        off = [f"--without={name}" for name in names]
        overlap = bool(draw.choice(([], [], [], ["--overlap"]))) or args.overlap or args.exchange
        exchange = args.exchange or Random(seed).choice(("messages", "window"))
        if overlap:
            off += ["--overlap", f"--exchange={exchange}"]
            # Each of them may leave a loop to another one.
            left = [] if args.without else Random(seed).sample(args.overlaps, Random(seed).choice((0, 0, 0, 1)))
            off += [f"--without={name}" for name in left]
        # Otherwise nothing is exchanged in messages within a node.
        env = {**os.environ, "COMM_REDUCE_TRANSPORT": "messages"} if overlap and exchange == "messages" else None
        off += ["--serialize"] if args.races else []

        def call(command: list[str]) -> list[str]:
            done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=env)
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[-800:]}")
            return done.stdout.splitlines()

        wrong, command = "", []
        try:
            call([*args.commgraph.split(), "build", str(source), "--function", "all", "-o", binary, *off])
            interpreted = source
            if args.races:
                # The interpreter gets the loops in the compiler's order.
                interpreted, read = source.with_suffix(".mlir"), Path(folder) / "read.mlir"
                call([*args.translate.split(), "--import-starplat", str(source), "-o", str(read)])
                call([*args.opt.split(), "--graph-check-races=serialize", str(read), "-o", str(interpreted)])
            for number in range(args.graphs):
                options = write_graph(Path(folder) / f"graph{number}.wel", draw, args.races)
                wanted = call([args.interpreter, str(interpreted), "--function=all", *options])
                for processes in draw.sample((1, 2, 3, 4), 2):
                    command = [*args.mpirun.split(), "-n", str(processes), binary, *options, "--print", "--quiet"]
                    wrong = wrong or where(wanted, call(command))
                if wrong:
                    break
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            wrong = str(error)
            if args.races and "does not support: use two loops" in wrong:
                return REFUSED  # a limitation that docs/graph.md lists
        if not wrong:
            return ""
        kept = args.keep / f"seed{seed}"
        kept.mkdir(parents=True, exist_ok=True)
        for file in Path(folder).glob("*.*"):
            (kept / file.name).write_bytes(file.read_bytes())
        (kept / "why.txt").write_text(f"{' '.join(off)}\n{' '.join(command)}\n{wrong}\n", encoding="utf-8")
        return wrong


def main() -> int:
    args = parse()
    begin, equal, failed, refused = time.monotonic(), 0, 0, 0

    def one(seed: int) -> str | None:
        return None if time.monotonic() - begin > args.seconds else run_file(args, seed)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        seeds = range(args.seed, args.seed + args.count)
        for seed, wrong in zip(seeds, pool.map(one, seeds), strict=True):
            if wrong == REFUSED:
                refused += 1
            elif wrong:
                print(f"seed {seed}: {wrong}", flush=True)
                failed += 1
            elif wrong is not None:
                equal += args.cases
    print(f"{equal} programs equal, {failed} files not" + (f", {refused} refused" if refused else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
