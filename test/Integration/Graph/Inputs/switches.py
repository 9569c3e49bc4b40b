#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""With each transform disabled separately, a program leaves the interpreter's results, and the amounts that it fetches,
sends and stores differ if the transform is about that.

switches.py PROGRAM GRAPH SCRATCH MPIRUN..."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def call(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()[-800:]}")
    return done.stdout


def main() -> None:
    program, graph, scratch, mpirun = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4:]
    options = [f"--graph={graph}", "--undirected", "--arg=src=1"]
    wanted = call(["comm-graph-interpret", program, *options])
    everything = "everything"
    transforms = [everything, *call(["commgraph", "transforms"]).split()]
    stats, code = {}, {}
    for number, name in enumerate(transforms):
        binary, file = scratch / name, scratch / f"{name}.json"
        off = [] if name == everything else [f"--without={name}"]
        call(["commgraph", "build", program, "-o", str(binary), *off])
        code[name] = binary.read_bytes()
        # Three processes, whose numbers are compared, and another number of them.
        for processes in (3, 2 + 2 * (number % 2)):
            command = [*mpirun, "-n", str(processes), str(binary), *options, "--print", "--quiet"]
            got = call([*command, *([f"--stats={file}"] if processes == 3 else [])])
            if got != wanted:
                print(f"without {name}, {processes} processes: another result")
        stats[name] = json.loads(file.read_text(encoding="ascii"))
    print("no code of its own:", [each for each in transforms[1:] if code[each] == code[everything]])

    def more(key: str) -> list[str]:
        return [each for each in transforms[1:] if stats[each][key] > stats[everything][key]]

    print("fetched:", *more("fetched"))
    print("bytes:", *more("bytes"))
    print("pulses:", *more("pulses"))
    print("edges_max:", *more("edges_max"))


main()
