#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a program with the MPI library's wrapper and with Comm, runs each, and compares what they print and how they
end.

    same.py --reference mpicc --comm commcc --mpirun "mpirun" -o OUT FILE [-n 1,2,4] [--level -O2]
            [--overlaps PATTERN] [--exit CODE] [--mpirun-options OPTIONS] [-- FLAGS]

`--overlaps PATTERN`: in the extended mode a remark must say that a matching operation overlaps. Without it a test could
pass although no communication becomes a start and a wait. The remarks of each mode are in OUT.MODE.remarks. Exit code
0: all are equal; 1: some differ.

Environment: COMM_SAME_MODES=extended,basic compares these modes instead of the extended one, whose motion includes that
of the basic one; the first mode runs with all numbers of ranks, the others with the largest one. COMM_SAME_RUNS=50 runs
each candidate that often, COMM_SAME_TCP=1 also over Open MPI's TCP transport. So `COMM_SAME_RUNS=50 COMM_SAME_TCP=1
COMM_SAME_MODES=extended,basic make check TESTS=test/Integration/Soundness` looks for sporadic failures.
"""

import argparse
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

# mpirun cuts lines after 4 KiB, and mixes ranks, so each rank's output goes to a file. Open MPI and MPICH identify
# ranks in different ways.
# The launcher starts a shell here, which hides from the runtime that all processes run one program: guards with tests
# would always wait early.
ONE_PROGRAM = {"COMM_ONE_PROGRAM": "1"}
# The plugin's child process hides a crashing pass: its functions are compiled separately, or unchanged.
SHOW_CRASHES = {"COMM_IN_PROCESS": "1"}
OWN_OUTPUT = 'exec "$0" "$@" > "$COMM_SAME_OUTPUT/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"'


def parse():
    argv, flags = sys.argv[1:], []
    if "--" in argv:
        cut = argv.index("--")
        argv, flags = argv[:cut], argv[cut + 1 :]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--reference", "--comm", "--mpirun"):
        parser.add_argument(name, required=True, type=shlex.split)
    parser.add_argument("file")
    parser.add_argument("-o", dest="output", required=True)
    parser.add_argument("-n", dest="ranks", default="2")
    parser.add_argument("--level", default="-O2")
    parser.add_argument("--overlaps")
    parser.add_argument("--exit", type=int, default=0)
    parser.add_argument("--mpirun-options", default=[], type=shlex.split)
    parser.add_argument("--timeout", type=int, default=110)
    options = parser.parse_args(argv)
    options.flags = flags
    return options


def fail(message, text=""):
    print(f"same.py: {message}\n{text}", file=sys.stderr)
    sys.exit(1)


def compile_program(command, what):
    done = subprocess.run(command, capture_output=True, text=True, env={**SHOW_CRASHES, **os.environ})
    if done.returncode != 0:
        fail(f"{what} does not compile: {shlex.join(command)}", done.stderr)
    return done.stdout + done.stderr  # lld prints remarks to the former


def run(options, program, ranks, transport=(), again=True):
    command = [*options.mpirun, *options.mpirun_options, *transport, "-n", str(ranks)]
    with tempfile.TemporaryDirectory() as directory:
        environment = {**ONE_PROGRAM, **os.environ, "COMM_SAME_OUTPUT": directory}
        try:
            done = subprocess.run(
                [*command, "sh", "-c", OWN_OUTPUT, os.path.abspath(program)],
                capture_output=True,
                text=True,
                timeout=options.timeout,
                errors="replace",
                env=environment,
            )
        except subprocess.TimeoutExpired:
            return None, "(no end)\n"
        outputs = [pathlib.Path(directory, str(rank)) for rank in range(ranks)]
        if again and not any(path.exists() for path in outputs):
            # The launcher failed: nothing of the program has been executed.
            return run(options, program, ranks, transport, again=False)
        texts = [path.read_text(errors="replace") if path.exists() else "(no output)\n" for path in outputs]
    launcher = f"(of the launcher) {done.stderr}" if "(no output)\n" in texts else ""
    return done.returncode, "".join(texts) + launcher


def main():
    options = parse()
    base = [*options.flags, options.level, options.file]
    reference = options.output + ".reference"
    compile_program([*options.reference, *base, "-o", reference], "the reference")
    candidates = []
    for mode in os.environ.get("COMM_SAME_MODES", "extended").split(","):
        program = f"{options.output}.{mode}"
        command = [*options.comm, "-Rcomm", "-gline-tables-only", f"-fcomm-mode={mode}", *base, "-o", program]
        remarks = compile_program(command, f"mode {mode}")
        if "Comm leaves" in remarks or "left alone" in remarks:
            fail(f"mode {mode}: the file was left alone", remarks)
        if options.overlaps and mode == "extended" and not re.search(options.overlaps + ".* overlaps ", remarks):
            fail(f"mode {mode}: no remark says that '{options.overlaps}' overlaps anything", remarks)
        pathlib.Path(program + ".remarks").write_text(remarks)
        candidates.append((mode, program))
    runs = int(os.environ.get("COMM_SAME_RUNS", "1"))
    transports = [()]
    if "COMM_SAME_TCP" in os.environ and "btl" not in options.mpirun_options:  # mpirun takes no option twice
        transports.append(("--mca", "btl", "tcp,self", "--mca", "pml", "ob1"))
    numbers = [int(ranks) for ranks in options.ranks.split(",")]
    for ranks in numbers:
        code, expected = run(options, reference, ranks)
        if code is None or (code == 0) != (options.exit == 0):
            fail(f"the reference ends with {code} at {ranks} ranks", expected)
        for mode, program in candidates if ranks == max(numbers) else candidates[:1]:
            for transport in transports * runs:
                got_code, got = run(options, program, ranks, transport)
                if (got_code, got) != (code, expected):
                    lines = difflib.unified_diff(expected.splitlines(), got.splitlines(), "expected", mode, lineterm="")
                    where = f"mode {mode}, {ranks} ranks {' '.join(transport)}"
                    fail(f"{where}: exit code {got_code}, expected {code}", "\n".join(lines))
    print("same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
