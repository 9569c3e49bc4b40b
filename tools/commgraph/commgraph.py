#!/usr/bin/env -S python3 -IS
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""commgraph: graph programs in StarPlat's language, compiled for any number of MPI processes.

commgraph build PROGRAM -o FILE [options]
commgraph run PROGRAM --graph GRAPH [-n PROCESSES] [options]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

LLVM_BIN = "@LLVM_TOOLS_BINARY_DIR@"
HERE = os.path.dirname(os.path.realpath(__file__))
LIB = os.path.join(os.path.dirname(HERE), "lib")
ARCHIVES = ("libCommGraphRun.a", "libCommGraph.a", "libCommReduce.a")
# Options of the pipeline graph-to-llvm: include/Comm/Pipelines/GraphTransforms.def.
TRANSFORMS = "@GRAPH_TRANSFORMS@".split()  # noqa: SIM905
# Those that --overlap adds.
OVERLAPS = "@GRAPH_OVERLAPS@".split()  # noqa: SIM905
# Values of its option exchange: enum GraphExchange.
WINDOW = "window"
EXCHANGES = ("messages", WINDOW)
# MLIR's format of remarks.
REMARK = re.compile(r"(remark: )\[(Passed|Missed)\] [\w-]+ \| Category:([\w-]+).*?(Remark=.*)$")
# A word or quoted text in a remark.
PART = re.compile(r'Remark=(?:"(.*?)"|(.*?))(?=, Remark=|$)')
# Remarks of Comm's own passes, which are independent of graphs, about iterations that run while messages are in flight.
OVERLAPPED = re.compile(r"remark: .*-Rpass=comm-")
# Show authors of programs their source, not operations.
PLAIN = "--mlir-print-op-on-diagnostic=false"
# Options of the compiled program (its own --help says more), and their values.
PROGRAM_OPTIONS = {
    "--graph": "a file (.el .wel .mtx .metis .sg .wsg .gr, also .gz), or rmat:SCALE:DEGREE, uniform:SCALE:DEGREE, "
    "grid:WIDTH:HEIGHT",
    "--output": "PROPERTY=FILE: .txt, .csv or .npy",
    "--stats": "FILE: statistics of the run, as JSON",
    "--vertices": "the minimum number of vertices",
    "--weights": "MIN:MAX: random weights",
    "--seed": "seed of generated graphs and weights",
    "--trials": "how often to run the program",
}
PROGRAM_FLAGS = {
    "--undirected": "each edge leads in both directions",
    "--unit-weights": "all weights are 1",
    "--quiet": "do not report the progress of loading",
}


class FailedError(Exception):
    """A step has failed and printed an error."""


def find_tool(name: str) -> str:
    """Return a program of this installation, of LLVM, or on the path."""
    for folder in (HERE, LLVM_BIN):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            return path
    found = shutil.which(name)
    if not found:
        sys.exit(f"commgraph: error: cannot find '{name}'")
    return found


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    done = subprocess.run(command, check=False, **options)
    if done.returncode:
        raise FailedError
    return done


def find_abi(mpicc: str) -> str:
    """Return the MPI implementation that the wrapper compiles for, as comm-opt determines it."""
    asks = "func.func private @needs_mpi(!comm.comm)"
    command = [find_tool("comm-opt"), "--comm-choose-abi", "-"]
    done = run(command, input=asks, env={**os.environ, "COMM_MPICC": mpicc}, capture_output=True, text=True)
    found = re.search(r'comm\.abi = "([\w-]+)"', done.stdout)
    if found:
        return found[1]
    sys.exit(f"commgraph: error: {mpicc} compiles for no MPI implementation that Comm knows: use Open MPI or MPICH")


def check_archives(abi: str, mpicc: str) -> None:
    """Check that the wrapper is for the MPI that the archives were compiled with, by the names of its handles."""
    with open(os.path.join(LIB, "libCommReduce.a"), "rb") as file:
        was_open = b"ompi_mpi_comm_world" in file.read()
    names = {True: "Open MPI", False: "MPICH or one like it"}
    is_open = abi.startswith("openmpi")
    if was_open != is_open:
        sys.exit(
            f"commgraph: error: this installation of Comm was built with {names[was_open]}, and {mpicc} compiles for "
            f"{names[is_open]}: install Comm once more, built with that MPI, or set COMM_MPICC to the other one's mpicc"
        )


def translate(args: argparse.Namespace, folder: str) -> str:
    """Return the program as a module of the graph dialect."""
    if args.program.endswith(".mlir"):
        return args.program
    module = os.path.join(folder, "program.mlir")
    command = [find_tool("comm-translate"), "--import-starplat", "--mlir-print-debuginfo", PLAIN]
    command += [args.program, "-o", module]
    command += ["--permissive"] * args.permissive + ["--until-unset"] * args.until_unset
    command += [f"--define={each}" for each in args.define]
    run(command)
    return module


def explain(match: re.Match) -> str:
    """Convert a remark to clang's form."""
    start, kind, category, parts = match.groups()
    text = "".join(quoted or word for quoted, word in PART.findall(parts))
    return f"{start}{text} [-Rpass{'' if kind == 'Passed' else '-missed'}={category}]"


def explain_all(text: str) -> str:
    """Convert all remarks; keep those of Comm's own passes only where `--overlap` took effect."""
    lines = (REMARK.sub(explain, line) for line in text.splitlines(keepends=True))
    return "".join(line for line in lines if "=comm-" not in line or OVERLAPPED.search(line))


def compile_program(args: argparse.Namespace, output: str) -> None:
    mpicc = os.environ.get("COMM_MPICC") or find_tool("mpicc")
    with tempfile.TemporaryDirectory(prefix="commgraph-") as folder:
        module = translate(args, folder)
        lowered, code, obj = (os.path.join(folder, name) for name in ("lowered.mlir", "program.ll", "program.o"))
        abi = find_abi(mpicc)
        check_archives(abi, mpicc)
        options = [f"abi={abi}"]
        if args.function:
            options.append(f"function={args.function}")
        options += [f"{name}=false" for name in args.without]
        if args.serialize:
            options.append("serialize=true")
        options += ["overlap=true"] * (args.overlap or args.exchange == WINDOW)
        options.append(f"exchange={args.exchange}")
        pipeline = f"builtin.module(graph-to-llvm{{{' '.join(options)}}})"
        lower = [find_tool("comm-opt"), module, PLAIN, f"--pass-pipeline={pipeline}", "-o", lowered]
        if args.explain:
            lower += ["--remarks-filter=graph-.*|comm-move-slices", "--remark-format=emitRemark", "--remark-policy=all"]
            done = subprocess.run(lower, stderr=subprocess.PIPE, text=True, check=False)
            sys.stderr.write(explain_all(done.stderr))
            if done.returncode:
                raise FailedError
        else:
            run(lower)
        run([find_tool("mlir-translate"), "--mlir-to-llvmir", lowered, "-o", code])
        clang = find_tool("clang")
        run([clang, "-O3", f"-march={args.march}", "-fPIC", "-Wno-override-module", "-c", code, "-o", obj])
        # The functions that nonblocking starts call at run time, for the kind of handles.
        overlap = "libCommOverlapInteger.a" if abi == "mpich" else "libCommOverlapPointer.a"
        archives = [os.path.join(LIB, name) for name in (*ARCHIVES, overlap)]
        # Link with the wrapper, whichever compiler it calls; the archives are C++.
        linked = os.path.join(folder, "linked")
        run([mpicc, obj, *archives, "-lz", "-lstdc++", "-lm", "-o", linked])
        # Another process may be running the old file.
        try:
            shutil.copy2(linked, output + ".new")
            os.replace(output + ".new", output)
        except OSError as error:
            sys.exit(f"commgraph: error: cannot write '{output}': {error.strerror}")


def cached_program(args: argparse.Namespace) -> str:
    """Return the compiled program, cached by its text, the options, and the compiler."""
    key = hashlib.sha256()
    try:
        with open(args.program, "rb") as file:
            key.update(file.read())
    except OSError as error:
        sys.exit(f"commgraph: error: cannot read '{args.program}': {error.strerror}")
    options = (args.function, args.permissive, args.until_unset, args.define, args.march, args.without, args.serialize)
    key.update(repr((args.program, *options, args.overlap, args.exchange)).encode())
    tools = [find_tool(name) for name in ("comm-opt", "comm-translate")] + [
        os.path.join(LIB, name) for name in ARCHIVES
    ]
    for tool in tools:
        key.update(f"{tool} {os.stat(tool).st_mtime_ns}\n".encode())
    key.update(os.environ.get("COMM_MPICC", "").encode())
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(base, "commgraph")
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        sys.exit(
            f"commgraph: error: cannot create the cache '{folder}': {error.strerror} (set XDG_CACHE_HOME to use another"
            " folder)"
        )
    program = os.path.join(folder, key.hexdigest()[:32])
    if args.explain or not os.path.exists(program):
        compile_program(args, program)
    return program


def add_compile_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", help="in StarPlat's language (.sp), or a module of the graph dialect (.mlir)")
    parser.add_argument("--function", default="", help="the function that is the program")
    parser.add_argument("--permissive", action="store_true", help="see comm-translate")
    parser.add_argument("--until-unset", action="store_true", help="see comm-translate")
    parser.add_argument("--define", action="append", default=[], metavar="TOKENS=TOKENS", help="see comm-translate")
    parser.add_argument("--march", default="native", help="the processor to compile for")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        choices=[*TRANSFORMS, *OVERLAPS],
        help="switch a transform off (docs/graph.md)",
    )
    parser.add_argument(
        "--serialize",
        action="store_true",
        help="run the iterations of loops with races in order, with a warning instead of an error",
    )
    parser.add_argument(
        "--explain", action="store_true", help="report where transforms were applied, and why not elsewhere"
    )
    parser.add_argument(
        "--overlap",
        action="store_true",
        help="between nodes, compute on own vertices while values of other processes travel",
    )
    parser.add_argument(
        "--exchange",
        default=EXCHANGES[0],
        choices=EXCHANGES,
        help=f"how such loops exchange values (default: %(default)s); '{WINDOW}' implies --overlap, and puts values "
        "within a node as well",
    )


def parse_count(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of processes") from None
    if count < 1:
        raise argparse.ArgumentTypeError("there is at least one process")
    return count


def parse_arguments() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(prog="commgraph", description="graph programs for any number of MPI processes")
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("transforms", help="list what --without can switch off")
    listing.add_argument("--overlap", action="store_true", help="only what --overlap adds")
    build = commands.add_parser("build", help="compile a program")
    add_compile_options(build)
    build.add_argument("-o", "--output", default="a.out", help="the executable")
    runner = commands.add_parser("run", help="compile a program, and run it")
    add_compile_options(runner)
    runner.add_argument("-n", "--processes", type=parse_count, default=1, help="how many processes run it")
    runner.add_argument("--mpirun", default=os.environ.get("COMM_MPIRUN", "mpirun"), help="starts the processes")
    runner.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE", help="an argument of the function")
    runner.add_argument("--print", nargs="?", const="", metavar="PROPERTY,...", help="print properties")
    for name, text in PROGRAM_OPTIONS.items():
        # The program reports options that are given twice.
        runner.add_argument(name, action="append", default=[], required=name == "--graph", help=text)
    for name, text in PROGRAM_FLAGS.items():
        runner.add_argument(name, action="store_true", help=text)
    args = parser.parse_args()
    if args.command in ("build", "transforms"):
        return args, []
    options = [f"--arg={each}" for each in args.arg]
    for name in PROGRAM_OPTIONS:
        options += [f"{name}={each}" for each in getattr(args, name[2:].replace("-", "_"))]
    options += [name for name in PROGRAM_FLAGS if getattr(args, name[2:].replace("-", "_"))]
    if args.print is not None:
        options.append(f"--print={args.print}" if args.print else "--print")
    return args, options


def main() -> int:
    args, options = parse_arguments()
    if args.command == "transforms":
        print(*(OVERLAPS if args.overlap else TRANSFORMS), sep="\n")
        return 0
    try:
        if args.command == "build":
            compile_program(args, args.output)
            return 0
        program = cached_program(args)
    except FailedError:
        return 1
    command = [*args.mpirun.split(), "-n", str(args.processes), program, *options]
    sys.stdout.flush()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        cause = f"cannot run '{args.mpirun}': {error.strerror}"
        sys.exit(f"commgraph: error: {cause} (--mpirun names the program that starts processes)")


if __name__ == "__main__":
    sys.exit(main())
