#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thousands of random MPI programs, many in one executable: each case runs as plain mpicc compiles it and as commcc
does in one of several modes, at 1 to 4 ranks, and both must leave the same memory. What was done is in the log; the
same command goes on where the last one ended. Exit code 0: no trouble; 1: some; 2: bad usage."""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzzgen.batch import Batch, modes_of  # noqa: E402
from fuzzgen.files import KINDS, SUFFIX  # noqa: E402
from fuzzgen.program import program  # noqa: E402


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--kind", choices=KINDS, default="halo")
    p.add_argument("--seed", type=int, default=1, help="first seed (default 1)")
    p.add_argument("--count", type=int, default=8, help="files (default 8)")
    p.add_argument("--cases", type=int, default=25, help="cases in a file (default 25)")
    p.add_argument("--files", type=int, default=4, help="files in an executable (default 4)")
    p.add_argument("--lang", choices=("c", "c++", "both"), default="both")
    p.add_argument("--mode", action="append", default=[], metavar="NAME", help="only these modes (default: in turn)")
    p.add_argument("--ranks", default="1,2,3,4", help="default 1,2,3,4")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="executables at a time")
    p.add_argument("--log", default="fuzz.log", metavar="FILE", help="what was done (default fuzz.log)")
    p.add_argument("--keep", default="fuzz-failures", metavar="DIR", help="where failing files go")
    p.add_argument("--seconds", type=float, default=1e9, help="begin nothing new after that time")
    p.add_argument("--mpirun", default="mpirun", metavar="PROGRAM")
    p.add_argument("--commcc", default="commcc", metavar="PROGRAM")
    a = p.parse_args()
    known = [mode.name for mode in modes_of(a.kind)]
    if min(a.count, a.cases, a.files, a.jobs) < 1 or not set(a.mode) <= set(known):
        p.error(f"numbers must be positive, and modes of {a.kind} are {', '.join(known)}")
    a.ranks = [int(x) for x in a.ranks.split(",")]
    if min(a.ranks) < 1 or max(a.ranks) > 4:
        p.error("--ranks must be from 1 to 4")
    for name in (a.mpirun, a.commcc.split()[0], "mpicc"):
        if not shutil.which(name):
            p.error(f"no such command: '{name}'")
    return a


class Log:
    """A line for each batch: its parameters, and the numbers of equal and different cases."""

    def __init__(self, path: Path) -> None:
        self.path, self.lock = path, threading.Lock()
        self.lines = path.read_text().splitlines() if path.exists() else []
        self.done = {line.split(":")[0] for line in self.lines}

    def add(self, line: str) -> None:
        with self.lock:
            self.lines.append(line)
            self.done.add(line.split(":")[0])
            with self.path.open("a") as out:
                out.write(line + "\n")

    def sums(self) -> tuple[int, int]:
        equal = bad = 0
        for line in self.lines:
            words = line.split()
            equal += int(words[words.index("equal,") - 1]) if "equal," in words else 0
            bad += int(words[words.index("not,") - 1]) if "not," in words else 0
        return equal, bad


def one_batch(a: argparse.Namespace, first: int, number: int, log: Log, begin: float) -> None:
    modes = [m for m in modes_of(a.kind) if not a.mode or m.name in a.mode]
    mode = modes[number % len(modes)]
    lang = a.lang if a.lang != "both" else ("c", "c", "c++")[number % 3]
    seeds = range(first, min(first + a.files, a.seed + a.count))
    name = f"{a.kind} {seeds[0]} to {seeds[-1]}, {lang}, {mode.name}"
    if name in log.done or time.monotonic() - begin > a.seconds:
        return
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        batch = Batch(a.kind, lang, seeds, a.cases, mode, Path(folder), a.ranks, a.mpirun, a.commcc)
        started = time.monotonic()
        equal = batch.run()
        for t in batch.troubles:
            kept = Path(a.keep) / f"{a.kind}_{t.seed}_{t.case}_{mode.name}"
            kept.mkdir(parents=True, exist_ok=True)
            if t.seed >= 0:
                (kept / f"fuzz_{t.seed}{SUFFIX[lang]}").write_text(program(batch.options(t.seed)))
            what = f"seed {t.seed}, case {t.case}, {t.ranks} ranks: {t.what}"
            (kept / "why.txt").write_text(f"{name}\n{mode.flags}\n{what}\n{t.detail}\n")
            print(f"{name}: {what}", flush=True)
        log.add(f"{name}: {equal} equal, {len(batch.troubles)} not, {time.monotonic() - started:.0f} s")


def main() -> int:
    a = parse()
    log, begin = Log(Path(a.log)), time.monotonic()
    starts = list(range(a.seed, a.seed + a.count, a.files))
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        jobs = [pool.submit(one_batch, a, first, number, log, begin) for number, first in enumerate(starts)]
        for job in jobs:
            job.result()
    equal, bad = log.sums()
    print(f"{equal} programs equal, {bad} not (all of {a.log})")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
