#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that each source file compiles without the precompiled header: that it includes what it uses.

check_includes.py --build build [lib/MPI/Standard.cpp ...]

Exit code 0: all do; 1: some do not, and the first errors of each are printed; 2: bad usage.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ERRORS = 5


def without_header(command: list[str]) -> list[str]:
    """The compiler's arguments to read the file alone. A precompiled header is given as `-Xclang FLAG -Xclang FILE`."""
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build tree")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", type=Path, help="all that are compiled with the header if none is given")
    args = parser.parse_args()
    try:
        commands = json.loads((args.build / "compile_commands.json").read_text())
    except OSError:
        print(f"error: {args.build} is no build tree: run `make build`", file=sys.stderr)
        return 2
    source = Path(__file__).resolve().parent.parent
    wanted = {path.resolve() for path in args.files}
    found = {(Path(c["directory"]) / c["file"]).resolve(): c for c in commands if "-include-pch" in c["command"]}
    files = sorted(p for p in found if p.is_relative_to(source) and (not wanted or p in wanted))
    if not files:
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
            print(f"{path.relative_to(source)} does not include what it uses:\n{done.stderr}", flush=True)
        return done.returncode == 0

    with ThreadPoolExecutor(args.jobs) as pool:
        good = list(pool.map(check, files))
    print(f"{sum(good)} of {len(files)} files include what they use")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
