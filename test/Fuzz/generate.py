#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes random MPI programs that print the same on every run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzzgen.files import KINDS, SUFFIX, Options  # noqa: E402
from fuzzgen.program import program  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True, help="first seed; file i has seed + i")
    parser.add_argument("--count", type=int, default=1, help="files")
    parser.add_argument("--cases", type=int, default=30, help="independent cases in each file (default 30)")
    parser.add_argument("-o", dest="directory", default=".", help="directory for the files (default: here)")
    parser.add_argument("--kind", choices=KINDS, default="mixed", help="what the cases are (default mixed)")
    parser.add_argument("--lang", choices=sorted(SUFFIX), default="c")
    parser.add_argument("--openmp", action="store_true", help="with OpenMP loops")
    parser.add_argument(
        "--no-errors", dest="errors", action="store_false", help="without calls that MPI answers with an error"
    )
    parser.add_argument(
        "--no-outside", dest="outside", action="store_false", help="without ranks that wait for files and FIFOs"
    )
    args = parser.parse_args()
    if args.count < 1 or args.cases < 1:
        print("generate.py: --count and --cases must be at least 1", file=sys.stderr)
        return 2
    directory = Path(args.directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for seed in range(args.seed, args.seed + args.count):
            text = program(Options(seed, args.cases, args.lang, args.openmp, args.errors, args.outside, args.kind))
            path = directory / f"fuzz_{seed}{SUFFIX[args.lang]}"
            path.write_text(text)
            print(path)
    except OSError as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
