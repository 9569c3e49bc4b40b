#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run clang-tidy on Comm's own sources, several at a time.

run_tidy.py --build build [lib/MPI/Standard.cpp ...]

A file without findings is skipped until its preprocessed text, its flags, the rules or clang-tidy change: the hashes of
such files are stored in the build tree (`tidy-cache`).
"""

from __future__ import annotations

import hashlib
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import compile_commands


def preprocessed(command: dict[str, str]) -> bytes:
    """Returns the text that the compiler sees, or nothing if that fails; the result is then not cached."""
    arguments = shlex.split(command["command"])
    if Path(arguments[0]).name == "ccache":
        del arguments[0]
    output = arguments.index("-o")
    del arguments[output : output + 2]
    arguments.remove("-c")
    # Comments matter: they may contain NOLINT or argument names.
    done = subprocess.run([*arguments, "-E", "-C"], cwd=command["directory"], capture_output=True)
    return done.stdout if done.returncode == 0 else b""


def main() -> int:
    parser = compile_commands.parser(__doc__)
    parser.add_argument("--clang-tidy", default="clang-tidy-22")
    args = parser.parse_args()
    compiled = compile_commands.read(args)
    files, source = list(compiled), compile_commands.SOURCE

    version = subprocess.run([args.clang_tidy, "--version"], capture_output=True).stdout
    # The rules of a folder are those in it and in its parents.
    tidy_files = [source / ".clang-tidy", *sorted(source.glob("[a-z]*/**/.clang-tidy"))]
    rules = version + b"".join(path.read_bytes() for path in tidy_files)
    cache = args.build / "tidy-cache"
    cache.mkdir(exist_ok=True)

    def tidy(path: Path) -> bool:
        text = preprocessed(compiled[path])
        flags = compiled[path]["command"].encode()
        good = cache / hashlib.sha256(b"\0".join((rules, flags, text))).hexdigest()
        if text and good.exists():
            return True
        command = [args.clang_tidy, "--quiet", "--warnings-as-errors=*", "-p", str(args.build), str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        print(f"clang-tidy {path.relative_to(source)}{'' if done.returncode == 0 else ': findings'}", flush=True)
        if done.returncode:
            print(done.stdout, done.stderr if not done.stdout else "", flush=True)
        elif text:
            good.touch()
        return done.returncode == 0

    with ThreadPoolExecutor(args.jobs) as pool:
        good = list(pool.map(tidy, files))
    print(f"{sum(good)} of {len(files)} files without findings")
    return 0 if (files or args.since) and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
