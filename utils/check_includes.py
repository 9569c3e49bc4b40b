#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that each source file compiles without the precompiled header: that it includes the headers it needs.

check_includes.py --build build [lib/MPI/Standard.cpp ...]

Exit code 0: all do; 1: some do not, and the first errors of each are printed; 2: bad usage.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import compile_commands

ERRORS = 5


def without_header(command: list[str]) -> list[str]:
    """Returns the compiler's arguments without the precompiled header, which is given as `-Xclang FLAG -Xclang
    FILE`."""
    kept: list[str] = []
    words = iter(command)
    for word in words:
        if word == "-o":
            next(words)
        elif word == "-c":
            kept.append("-fsyntax-only")
        elif word == "-Xclang":
            flag = next(words)
            if flag in ("-include-pch", "-include"):
                next(words)
                next(words)
            elif flag != "-fno-pch-timestamp":
                kept += [word, flag]
        elif word != "-Winvalid-pch" and Path(word).name != "ccache":
            kept.append(word)
    return kept


def main() -> int:
    args = compile_commands.parser(__doc__).parse_args()
    found = {p: c for p, c in compile_commands.read(args).items() if "-include-pch" in c["command"]}
    if not found and not args.since:
        print("error: none of these files is compiled with a precompiled header", file=sys.stderr)
        return 2

    def check(path: Path) -> bool:
        command = without_header(shlex.split(found[path]["command"]))
        done = subprocess.run(
            [*command, "-fno-color-diagnostics", f"-ferror-limit={ERRORS}"],
            cwd=found[path]["directory"],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            print(
                f"{path.relative_to(compile_commands.SOURCE)} does not include what it uses:\n{done.stderr}", flush=True
            )
        return done.returncode == 0

    with ThreadPoolExecutor(args.jobs) as pool:
        good = list(pool.map(check, found))
    print(f"{sum(good)} of {len(found)} files include what they use")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
