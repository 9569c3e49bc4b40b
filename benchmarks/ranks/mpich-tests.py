#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run MPICH's own test programs on ranks that are user-level threads.

    mpich-tests.py --tests mpich/test/mpi --cc build/bin/commcc [--work DIR] [--processes N] [--threads C]
                   [DIR[/TEST] ...]

The tests come from https://github.com/pmodels/mpich (test/mpi); nothing of them is kept here. Each program of a
directory's testlist is built with `commcc -fcomm-ranks` and run with the number of ranks that the list asks for
(rounded up to a multiple of processes times threads). A program that does not compile because it uses what the
ranks do not cover, or what MPI removed, is counted apart. Prints each test that does not pass with the first line
that says why, and a table.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys

DIRECTORIES = ["pt2pt", "coll", "comm", "topo", "attr", "group", "datatype"]
# What the tests' configure script would find out on Linux.
CONFIGURATION = """
#define STDC_HEADERS 1
#define HAVE_STDARG_H 1
#define HAVE_STRING_H 1
#define HAVE_UNISTD_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDINT_H 1
#define HAVE_PTHREAD_H 1
#define HAVE_GETRUSAGE 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_LONG 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define HAVE_MPI_INIT_THREAD 1
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
"""
LIBRARY = ["util/mtest.c", "util/mtest_common.c", "util/mtest_single.c", "util/dtypes.c"]


class Suite:
    def __init__(self, args):
        self.tests = pathlib.Path(args.tests).resolve()
        self.work = pathlib.Path(args.work).resolve()
        self.processes, self.threads, self.limit = args.processes, args.threads, args.limit
        self.compiler = [*shlex.split(args.cc), "-fcomm-ranks", "-O1", "-w", "-std=gnu11"]
        self.work.mkdir(parents=True, exist_ok=True)
        include = self.work / "include"
        (include / "sub").mkdir(parents=True, exist_ok=True)
        (include / "mpitestconf.h").write_text(CONFIGURATION)
        (include / "mtest_mpix.h").write_text("")
        # The sources say "../dtpoolsconf.h", relative to a folder of include paths.
        (include / "dtpoolsconf.h").write_text("#define HAVE_STDLIB_H 1\n")
        self.flags = [
            f"-I{include}",
            f"-I{include}/sub",
            f"-I{self.tests}/include",
            f"-I{self.tests}/dtpools/include",
        ]
        self.library: list[str] = []

    def compile(self, source: pathlib.Path) -> tuple[str, str]:
        """The object file, or an empty name and what the compiler said."""
        output = self.work / (re.sub(r"\W", "_", str(source.relative_to(self.tests))) + ".o")
        run = subprocess.run(
            [*self.compiler, *self.flags, "-c", str(source), "-o", str(output)],
            capture_output=True, text=True, timeout=300, errors="replace",
        )  # fmt: skip
        return ("", run.stderr) if run.returncode else (str(output), "")

    def prepare(self) -> None:
        sources = [self.tests / name for name in LIBRARY]
        sources += sorted((self.tests / "dtpools/src").glob("*.c"))
        for source in sources:
            output, said = self.compile(source)
            if not output:
                sys.exit(f"error: {source} does not compile:\n{said}")
            self.library.append(output)
        self.driver, said = self.compile(self.tests / "util/run_mpitests.c")

    def build(self, directory: str, name: str) -> tuple[str, str]:
        """The program, or an empty name and why there is none."""
        source = self.tests / directory / f"{name}.c"
        if not source.exists():
            return "", "no source of its own"
        output, said = self.compile(source)
        if not output:
            return "", "not compiled: " + first(re.findall(r"error: (.*)", said), said)
        symbols = subprocess.run(["nm", output], capture_output=True, text=True).stdout
        # Some tests are a function that a common main runs.
        driver = [] if re.search(r" T (comm_ranks_)?main\b", symbols) else [self.driver]
        program = self.work / f"{directory}_{name}"
        run = subprocess.run(
            [*self.compiler, output, *driver, *self.library, "-o", str(program), "-lm"],
            capture_output=True, text=True, timeout=300, errors="replace",
        )  # fmt: skip
        if run.returncode:
            return "", "not linked: " + first(run.stderr.splitlines(), "?")
        return str(program), ""

    def run(self, directory: str, program: str, ranks: int, arguments: list[str]) -> str:
        """Why it failed; empty when it passed."""
        places = self.processes * self.threads
        environment = dict(
            os.environ,
            COMM_RANKS_PER_THREAD=str((ranks + places - 1) // places),
            COMM_RANKS_THREADS=str(self.threads),
            OMPI_MCA_ess_singleton_isolated="1",
        )
        command = [program, *arguments]
        if self.processes > 1:
            command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(self.processes), *command]
        run = subprocess.run(
            ["timeout", "-k", "2", str(self.limit), *command], cwd=self.tests / directory, env=environment,
            capture_output=True, text=True, errors="replace",
        )  # fmt: skip
        text = run.stdout + run.stderr
        if run.returncode == 0 and re.search("no errors", text, re.IGNORECASE):
            return ""
        if run.returncode in (124, 137):
            return f"longer than {self.limit} s, or out of memory"
        return f"status {run.returncode}: " + first([t for t in text.splitlines() if t.strip()], "no output")


def first(texts: list[str], otherwise: str) -> str:
    return (texts[0] if texts else otherwise).strip()[:160]


def listed(folder: pathlib.Path):
    """What a testlist asks for: name, ranks, arguments, whether MPICH expects it to fail."""
    path = next((folder / n for n in ("testlist", "testlist.in") if (folder / n).exists()), None)
    seen = set()
    for line in path.read_text().splitlines() if path else []:
        words = line.split()
        if len(words) < 2 or line.startswith("#") or not words[1].isdigit():
            continue
        arguments = [w[4:] for w in words[2:] if w.startswith("arg=")]
        key = (words[0], words[1], *arguments)
        if key not in seen:
            seen.add(key)
            yield words[0], int(words[1]), arguments, "xfail" in line


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", required=True, help="test/mpi of a copy of MPICH's sources")
    parser.add_argument("--cc", default="commcc", help="Comm's compiler driver")
    parser.add_argument("--work", default="mpich-tests", help="where to build")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=int, default=30, help="seconds for each run")
    parser.add_argument("what", nargs="*", default=DIRECTORIES, help="directories, or directory/test")
    args = parser.parse_args()
    suite = Suite(args)
    suite.prepare()
    table: dict[str, dict[str, int]] = {}
    for what in args.what:
        directory, _, only = what.partition("/")
        count = table.setdefault(directory, {"passed": 0, "failed": 0, "expected to fail": 0, "not covered": 0})
        programs: dict[str, tuple[str, str]] = {}
        for name, ranks, arguments, expected in listed(suite.tests / directory):
            if only and name != only:
                continue
            if name not in programs:
                programs[name] = suite.build(directory, name)
            program, why = programs[name]
            kind = "not covered"
            if program:
                why = suite.run(directory, program, ranks, arguments)
                kind = "passed" if not why else "expected to fail" if expected else "failed"
            count[kind] += 1
            if why:
                print(f"{directory}/{name} {ranks} {' '.join(arguments)}: {kind}: {why}", flush=True)
    print(f"\n| {'tests':10} | passed | failed | fail in MPICH too | not covered |\n| --- | --- | --- | --- | --- |")
    for directory, count in table.items():
        print(f"| {directory:10} | " + " | ".join(str(n) for n in count.values()) + " |")
    passed = sum(c["passed"] for c in table.values())
    covered = passed + sum(c["failed"] + c["expected to fail"] for c in table.values())
    if covered:
        print(f"\n{passed} of {covered} whose functions are covered pass: {100 * passed / covered:.1f}%")
    return 0


if __name__ == "__main__":
    sys.exit(main())
