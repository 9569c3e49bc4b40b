#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run clang-tidy on Comm's own sources, several at a time.

run_tidy.py --build build [lib/MPI/Standard.cpp ...]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build tree")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--clang-tidy", default="clang-tidy-22")
    parser.add_argument("files", nargs="*", type=Path, help="all that the build compiles if none is given")
    args = parser.parse_args()
    try:
        commands = json.loads((args.build / "compile_commands.json").read_text())
    except OSError:
        print(f"error: {args.build} is no build tree: run `make build`", file=sys.stderr)
        return 2
    source = Path(__file__).resolve().parent.parent
    wanted = {path.resolve() for path in args.files}
    compiled = {(Path(c["directory"]) / c["file"]).resolve() for c in commands}
    ours = [p for p in compiled if p.is_relative_to(source) and not p.is_relative_to(args.build.resolve())]
    files = sorted(p for p in ours if not wanted or p in wanted)

    def tidy(path: Path) -> bool:
        command = [args.clang_tidy, "--quiet", "--warnings-as-errors=*", "-p", str(args.build), str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        print(f"clang-tidy {path.relative_to(source)}{'' if done.returncode == 0 else ': findings'}", flush=True)
        if done.returncode:
            print(done.stdout, done.stderr if not done.stdout else "", flush=True)
        return done.returncode == 0

    with ThreadPoolExecutor(args.jobs) as pool:
        good = list(pool.map(tidy, files))
    print(f"{sum(good)} of {len(files)} files without findings")
    return 0 if files and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
