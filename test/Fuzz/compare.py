#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random MPI programs, built by a reference compiler, with the same
programs built by candidates, under mpirun. Exit code 0: all equal; 1: a
failure; 2: bad usage."""

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
from typing import NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzzgen.check import Failure, Setup, check_file  # noqa: E402
from fuzzgen.files import KINDS, SUFFIX, Options  # noqa: E402
from fuzzgen.program import program  # noqa: E402
from fuzzgen.reduce import plain, reduce_text  # noqa: E402
from fuzzgen.runner import cxx_command, split_command  # noqa: E402

# A reduced program must be well-defined C, or the compilers may legitimately differ.
GUARD = "mpicc -O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all"


def usage(message: str) -> NoReturn:
    print(f"compare.py: {message}", file=sys.stderr)
    sys.exit(2)


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        usage(message)


class Progress:
    """A line that updates on a terminal; otherwise an occasional plain line."""

    def __init__(self, total: int) -> None:
        self.total, self.passed, self.failed = total, 0, 0
        self.live = sys.stderr.isatty()
        self.start = self.last = time.monotonic()
        self.lock = threading.Lock()

    def add(self, passed: bool) -> None:
        with self.lock:
            self.passed += passed
            self.failed += not passed
            now, done = time.monotonic(), self.passed + self.failed
            text = f"{done}/{self.total} files, {self.failed} failed, {now - self.start:.0f} s"
            if self.live:
                print(f"\r{text}", end="", file=sys.stderr, flush=True)
            elif now - self.last > 20:
                print(text, file=sys.stderr, flush=True)
                self.last = now

    def note(self, text: str) -> None:
        with self.lock:
            if self.live:
                print("\r\033[K", end="", file=sys.stderr)
            print(text, flush=True)

    def close(self) -> None:
        if self.live:
            print("\r\033[K", end="", file=sys.stderr)


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    p = Parser(description=__doc__)
    p.add_argument("--count", type=int, default=10, help="files (default 10)")
    p.add_argument("--seed", type=int, default=1, help="first seed")
    p.add_argument("--cases", type=int, default=30, help="cases in a file (default 30)")
    p.add_argument("--kind", choices=KINDS, default="mixed", help="what the cases are (default mixed)")
    p.add_argument("--lang", choices=("c", "c++", "both"), default="both")
    p.add_argument("--openmp", action="store_true", help="with OpenMP; the commands need -fopenmp")
    p.add_argument(
        "--no-errors", dest="errors", action="store_false", help="without calls that MPI answers with an error"
    )
    p.add_argument(
        "--no-outside", dest="outside", action="store_false", help="without ranks that wait for files and FIFOs"
    )
    p.add_argument(
        "--mpmd", action="store_true", help="run each candidate as one half of the ranks, the reference as the other"
    )
    p.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="files at a time")
    p.add_argument("--ranks", default="2,3,4", help="default 2,3,4")
    p.add_argument(
        "--reference", default="mpicc -O2", metavar="CMD", help="reference compiler for C (default: mpicc -O2)"
    )
    p.add_argument(
        "--candidate",
        action="append",
        default=[],
        metavar="CMD",
        help="compiler to test; may be repeated. For C++ files "
        "mpicc, commcc, clang, gcc become mpicxx, commc++, "
        "clang++, g++",
    )
    p.add_argument("--mpirun", default="mpirun", metavar="PROGRAM")
    p.add_argument(
        "--keep", default="fuzz-failures", metavar="DIR", help="where failing programs go (default fuzz-failures)"
    )
    p.add_argument("--timeout", type=float, default=60.0, metavar="SEC", help="limit of one run (default 60)")
    p.add_argument("--reduce", action="store_true", help="shrink each failing file")
    p.add_argument("--reduce-file", metavar="FILE", help="shrink this file, generate nothing")
    p.add_argument(
        "--reduce-time", type=float, default=600.0, metavar="SEC", help="limit of one reduction (default 600)"
    )
    a = p.parse_args(argv)
    if min(a.count, a.cases, a.jobs) < 1:
        usage("--count, --cases and --jobs must be at least 1")
    if a.timeout <= 0 or a.reduce_time <= 0:
        usage("a time limit must be positive")
    try:
        a.ranks = [int(x) for x in a.ranks.split(",")]
    except ValueError:
        usage(f"--ranks takes numbers with commas, not '{a.ranks}'")
    if not a.ranks or min(a.ranks) < 1 or max(a.ranks) > 4:
        usage("--ranks must be from 1 to 4: buffers are made for 4 shares")
    # Ranks that are threads of one process must not block it outside MPI, and one process cannot run two programs.
    threaded = any("-fcomm-ranks" in candidate for candidate in a.candidate)
    if threaded and a.mpmd:
        usage("--mpmd cannot be combined with -fcomm-ranks")
    a.outside &= not threaded
    if not a.candidate:
        usage("no --candidate to compare with")
    for command in [a.reference] + a.candidate:
        try:
            name = split_command(command)[1][0]
        except ValueError as error:
            usage(str(error))
        if not shutil.which(name):
            usage(f"no such compiler: '{name}'")
    if not shutil.which(a.mpirun):
        usage(f"no such command: '{a.mpirun}'")
    return a


def setup_for(a: argparse.Namespace, lang: str) -> Setup:
    both = [a.reference] + a.candidate
    if lang == "c++":
        both = [cxx_command(c) for c in both]
    return Setup(both[0], both[1:], a.ranks, a.timeout, a.mpirun, a.mpmd)


def shrink(a: argparse.Namespace, source: Path, lang: str, failure: Failure, work: Path) -> Path:
    """Writes the smallest file that still fails as `failure` does."""
    setup = setup_for(a, lang)
    ranks = [failure.ranks] if failure.ranks else [a.ranks[0]]
    limit = min(a.timeout, 20.0)
    bad = Setup(setup.reference, [failure.candidate], ranks, limit, a.mpirun)
    guard = cxx_command(GUARD) if lang == "c++" else GUARD
    if a.openmp:
        guard += " -fopenmp"
    # An invalid program also differs between the reference and the guard.
    good = Setup(setup.reference, [guard], ranks, limit, a.mpirun)
    trial = work / f"reduce_{source.name}"
    kind = failure.what.split()[0]

    def fails(text: str) -> bool:
        trial.write_text(text)
        found = check_file(trial, bad, work)
        if not any(f.candidate == failure.candidate and f.what.split()[0] == kind for f in found):
            return False
        return not check_file(trial, good, work)

    text = reduce_text(source.read_text(), fails, a.reduce_time, lambda m: print(f"  {m}", file=sys.stderr))
    small = source.with_name(f"{source.stem}.reduced{source.suffix}")
    small.write_text(plain(text))
    return small


def one_seed(a: argparse.Namespace, seed: int, work: Path, progress: Progress) -> bool:
    lang = a.lang if a.lang != "both" else ("c", "c++")[seed % 2]
    source = work / f"fuzz_{seed}{SUFFIX[lang]}"
    source.write_text(program(Options(seed, a.cases, lang, a.openmp, a.errors, a.outside, a.kind)))
    failures = check_file(source, setup_for(a, lang), work)
    for f in failures:
        kept = keep(Path(a.keep), source, seed, f)
        progress.note(f"FAILED seed {seed} ({lang}), {f.ranks} ranks: {f.what}: {f.candidate}\n  kept in {kept.parent}")
        if a.reduce and f.candidate != "reference":
            progress.note(f"  reduced: {shrink(a, kept, lang, f, work)}")
    for path in work.glob(f"fuzz_{seed}.*"):
        path.unlink()
    progress.add(not failures)
    return not failures


def keep(directory: Path, source: Path, seed: int, f: Failure) -> Path:
    folder = directory / f"seed_{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "why.txt").open("a") as why:
        why.write(f"seed {seed}, {f.ranks} ranks, {f.candidate}\n{f.what}\n{f.detail}\n\n")
    return Path(shutil.copy(source, folder / source.name))


def reduce_only(a: argparse.Namespace) -> int:
    source = Path(a.reduce_file)
    if not source.is_file():
        usage(f"no such file: '{source}'")
    lang = "c" if source.suffix == ".c" else "c++"
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        work = Path(name)
        copy = Path(shutil.copy(source, work / source.name))
        failures = check_file(copy, setup_for(a, lang), work)
        if not failures:
            print(f"{source}: no difference")
            return 0
        if failures[0].candidate == "reference":
            print(f"{source}: the reference fails: {failures[0].what}")
            return 1
        print(f"{source}: {failures[0].what}")
        print(f"reduced: {shrink(a, source, lang, failures[0], work)}")
    return 1


def main() -> int:
    a = parse()
    if a.reduce_file:
        return reduce_only(a)
    progress = Progress(a.count)
    pool = concurrent.futures.ThreadPoolExecutor(a.jobs)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        work = Path(name)
        jobs = [pool.submit(one_seed, a, seed, work, progress) for seed in range(a.seed, a.seed + a.count)]
        try:
            for job in concurrent.futures.as_completed(jobs):
                job.result()
        except KeyboardInterrupt:
            for job in jobs:
                job.cancel()
            pool.shutdown()
            progress.close()
            print("interrupted", file=sys.stderr)
            return 130
        pool.shutdown()
    progress.close()
    print(f"{progress.passed} passed, {progress.failed} failed ({a.count} files of {a.cases} cases)")
    return 1 if progress.failed else 0


if __name__ == "__main__":
    sys.exit(main())
