#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs MPICH's own test programs as ranks that are user-level threads, or as plain MPI processes.

    git clone --depth 1 https://github.com/pmodels/mpich
    utils/mpich_tests.py --source mpich --comm build/bin --out results.ranks
    utils/mpich_tests.py --source mpich --plain --out results.plain       # mpicc and mpirun of the path
    utils/mpich_tests.py --summary results.ranks results.plain

Each line of a folder's testlist is a test: program, number of ranks, arguments. Tests for accelerators, with more than
16 ranks, for options of MPICH alone, or that must fail are left out. A test passes if it exits with 0 and says "No
Errors".
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

FOLDERS = ("attr", "coll", "comm", "topo", "group", "datatype", "pt2pt", "info", "errhan", "rma", "io")
FOLDERS += tuple(
    f"errors/{name}" for name in ("attr", "coll", "comm", "datatype", "group", "io", "pt2pt", "rma", "topo")
)
FOLDERS += tuple(f"threads/{name}" for name in ("coll", "comm", "init", "pt2pt", "rma"))
# The results of configure.
CONFIGURATION = """
#define HAVE_STDARG_H 1
#define HAVE_STRING_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_UNISTD_H 1
#define HAVE_GETRUSAGE 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_LONG 1
#define HAVE_LONG_LONG_INT 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define HAVE__BOOL 1
#define HAVE_MPI_INIT_THREAD 1
#define HAVE_MPI_TYPE_CREATE_STRUCT 1
#define HAVE_MPI2_COMBINERS 1
#define USE_STRICT_MPI 1
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
"""
LIBRARY = tuple(
    f"util/{name}.c" for name in ("mtest", "mtest_thread", "mtest_common", "mtest_single", "dtypes", "run_mpitests")
)


class Runner:
    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.tests = (args.source / "test" / "mpi").resolve()
        self.out = args.out.resolve()
        self.headers = self.out / "include"
        self.objects: list[str] = []
        self.environment = os.environ | {
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1",
        }

    def shell(self, command: list[str], limit: int, folder: Path | None = None) -> tuple[int, str]:
        """Returns exit code and output; 124 after a timeout."""
        done = subprocess.run(
            ["timeout", "-k", "5", str(limit), *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=self.environment,
            cwd=folder or self.out,
        )
        return done.returncode, done.stdout

    def compiler(self) -> list[str]:
        tests = self.tests
        flags = ["-w", "-O1", "-std=gnu11", f"-I{self.headers}", f"-I{tests}/include", f"-I{tests}/dtpools/include"]
        return (["mpicc"] if self.args.plain else [str(self.args.comm / "commcc"), "-fcomm-ranks"]) + flags

    def prepare(self) -> None:
        """Writes the headers that configure would write, and builds the library of all tests as an archive: one member
        has main."""
        for folder in (self.headers, self.headers / "sub"):
            folder.mkdir(parents=True, exist_ok=True)
        (self.headers / "mpitestconf.h").write_text(CONFIGURATION)
        (self.headers / "mtest_mpix.h").write_text("")
        # Included as "../dtpoolsconf.h" from a folder of the include path.
        (self.headers / "dtpoolsconf.h").write_text(CONFIGURATION)
        objects = []
        for source in [*LIBRARY, *sorted(f"dtpools/src/{p.name}" for p in self.tests.glob("dtpools/src/*.c"))]:
            target = str(self.out / (source.replace("/", "_") + ".o"))
            command = [*self.compiler(), f"-I{self.headers}/sub", "-c", str(self.tests / source), "-o", target]
            code, text = self.shell(command, 120)
            if code:
                sys.exit(f"mpich_tests.py: error: {source} does not compile:\n{text}")
            objects.append(target)
        archive = self.out / "libtests.a"
        archive.unlink(missing_ok=True)
        self.shell(["ar", "rc", str(archive), *objects], 60)
        self.objects = [str(archive), "-lm", "-lpthread"]

    def list_tests(self) -> list[tuple[str, str, int, list[str]]]:
        tests = []
        for folder in self.args.folders:
            lists = [self.tests / folder / name for name in ("testlist.in", "testlist")]
            text = next(path.read_text() for path in lists if path.exists())
            for line in text.splitlines():
                words = re.sub(r"@\w*@", "", line.split("#")[0]).split()
                if len(words) < 2 or not words[1].isdigit() or int(words[1]) > 16:
                    continue
                arguments = [word[4:] for word in words[2:] if word.startswith("arg=")]
                ends = any(word.startswith("resultTest=") for word in words)  # it must fail in a certain way
                accelerator = re.search(r"mem(type)?=(device|reg_host|shared|random|all)", " ".join(arguments))
                test = (folder, words[0], int(words[1]), arguments)
                wanted = not self.args.only or re.fullmatch(self.args.only, f"{folder}/{words[0]}")
                if wanted and not ends and not accelerator and test not in tests:
                    tests.append(test)
        return tests

    def binary(self, folder: str, name: str) -> str:
        return str(self.out / f"{folder.replace('/', '_')}_{name}")

    def build(self, program: tuple[str, str]) -> str:
        """Returns "" if the program builds, and otherwise the reason."""
        folder, name = program
        sources, flags = self.find_sources(folder, name)
        target = self.binary(folder, name)
        code, text = self.shell([*self.compiler(), *flags, *sources, *self.objects, "-o", target], 180)
        return text or "it does not build" if code else ""

    def find_sources(self, folder: str, name: str) -> tuple[list[str], list[str]]:
        """Returns the sources of a program and its macros. Several programs share a source: `fetch_and_op_char_SOURCES
        = fetch_and_op.c`."""
        makefile = self.tests / folder / "Makefile.am"
        text = makefile.read_text().replace("\\\n", " ") if makefile.exists() else ""

        def read(variable: str) -> list[str]:
            found = re.search(rf"^{name}_{variable}\s*=(.*)$", text, re.MULTILINE)
            return found[1].split() if found else []

        sources = [word for word in read("SOURCES") if word.endswith(".c")] or [f"{name}.c"]
        macros = [word for word in read("CPPFLAGS") if word.startswith("-D")]
        return [str(self.tests / folder / source) for source in sources], macros

    def launch(self, folder: str, ranks: int) -> list[str]:
        if self.args.plain:
            return ["mpirun", "-n", str(ranks)]
        nodes = self.args.nodes if ranks % self.args.nodes == 0 else 1
        threads = self.args.threads if ranks % (nodes * self.args.threads) == 0 else 1
        if folder.startswith("threads/"):  # MPI_THREAD_MULTIPLE needs a kernel thread for each rank
            threads = ranks // nodes
        command = [str(self.args.comm / "commrun"), "-nn", str(nodes), "-nc", str(threads)]
        return [*command, "-nv", str(ranks // nodes // threads)]

    def run(self, test: tuple[str, str, int, list[str]], problem: str) -> dict[str, object]:
        folder, name, ranks, arguments = test
        result: dict[str, object] = {"test": f"{folder}/{name}", "ranks": ranks, "arguments": arguments}
        if problem:
            return result | {"state": "not built", "output": problem[-4000:]}
        program = self.binary(folder, name)
        # Many write a file of the same name.
        with tempfile.TemporaryDirectory(dir=self.out) as scratch:
            command = [*self.launch(folder, ranks), program, *arguments]
            code, text = self.shell(command, self.args.limit, Path(scratch))
        passed = code == 0 and re.search(r"^\s*No [Ee]rrors\s*$", text, re.MULTILINE) is not None
        state = "passed" if passed else "timeout" if code in (124, 137) else "failed"
        return result | {"state": state, "output": "" if passed else f"exit code {code}\n{text[-4000:]}"}

    def run_all(self) -> list[dict[str, object]]:
        self.prepare()
        tests = self.list_tests()
        programs = sorted({test[:2] for test in tests})
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            problems = dict(zip(programs, pool.map(self.build, programs)))
            return list(pool.map(lambda test: self.run(test, problems[test[:2]]), tests))


def summarize(results: list[dict[str, object]], others: list[dict[str, object]]) -> None:
    """Prints states by folder, and for each test that did not pass its first lines and its state in `others`."""

    def key(result: dict[str, object]) -> tuple[object, ...]:
        return (result["test"], result["ranks"], tuple(result["arguments"]))  # type: ignore[arg-type]

    known = {key(result): result["state"] for result in others}
    for folder in ("", *sorted({str(result["test"]).rsplit("/", 1)[0] for result in results})):
        states = Counter(str(r["state"]) for r in results if not folder or str(r["test"]).startswith(f"{folder}/"))
        built = sum(states.values()) - states["not built"]
        if built:
            print(
                f"{folder or 'all':9} {states['passed']} of {built} passed ({100 * states['passed'] / built:.1f}%),",
                end=" ",
            )
            print(f"{states['failed']} failed, {states['timeout']} timed out, {states['not built']} not built")
    for result in results:
        if result["state"] == "passed":
            continue
        text = str(result["output"])
        errors = re.findall(r"error: (.*)", text) or [line for line in text.splitlines()[1:] if line.strip()]
        other = f" (plain: {known[key(result)]})" if key(result) in known else ""
        words = " ".join([str(result["test"]), str(result["ranks"]), *result["arguments"]])  # type: ignore[misc]
        print(f"{result['state']}: {words}{other}: {errors[0][:160] if errors else ''}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, help="a checkout of MPICH")
    parser.add_argument("--comm", type=Path, default=Path("build/bin"), help="where commcc and commrun are (build/bin)")
    parser.add_argument("--plain", action="store_true", help="mpicc and mpirun instead")
    parser.add_argument("--out", type=Path, default=Path("mpich-tests"), help="folder for programs and result.json")
    parser.add_argument("--nodes", type=int, default=1, help="processes, where the number of ranks divides (1)")
    parser.add_argument("--threads", type=int, default=2, help="kernel threads of each, likewise (2)")
    parser.add_argument("--limit", type=int, default=60, help="seconds for a test (60)")
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time (2)")
    parser.add_argument(
        "--folders", nargs="+", default=FOLDERS, help="folders of mpich/test/mpi (" + " ".join(FOLDERS) + ")"
    )
    parser.add_argument("--only", help="regular expression for folder/program")
    parser.add_argument("--summary", nargs="+", type=Path, metavar="OUT", help="print a result, next to another one")
    args = parser.parse_args()
    if args.summary:
        loaded = [json.loads((path / "result.json").read_text()) for path in args.summary]
        summarize(loaded[0], loaded[1] if len(loaded) > 1 else [])
        return 0
    if not args.source or not (args.source / "test" / "mpi").is_dir():
        parser.error("--source needs a checkout of MPICH")
    args.comm = args.comm.resolve()
    args.out.mkdir(parents=True, exist_ok=True)
    results = Runner(args).run_all()
    (args.out / "result.json").write_text(json.dumps(results, indent=1))
    summarize(results, [])
    return 0


if __name__ == "__main__":
    sys.exit(main())
