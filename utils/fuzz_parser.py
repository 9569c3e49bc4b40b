#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Give comm-opt mutants of MLIR files, which it may reject but which must not crash it.

    fuzz_parser.py --seed 1 --count 500 test/Dialect/Comm/ops.mlir [-- comm-opt's options]

A mutant consists of the files' functions with some tokens dropped, duplicated, swapped, or replaced by tokens of
another file or by nonsense, in the pretty or the generic form. Prints the mutants that crash comm-opt.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys

import mutants

NONSENSE = [*mutants.NONSENSE, "async", "request", "!comm.request", "!comm.", "#comm<mode async>", "#comm<mode",
            "array<i32: 1, -1>", "array<i32: 2147483647, 1>", "memref<?x?xf32>", "memref<*xf32>", "tensor<4xf32>",
            "none", "unit", 'loc("x")', "%0#7", "%arg0", "%arg1", "error", "status", "mode = 1 : i32"]  # fmt: skip
SEPARATOR = "\n// -----\n"
LIMIT = 60  # seconds


def run(text: str, options: list[str]) -> subprocess.CompletedProcess:
    data = text.encode("utf-8", errors="surrogateescape")
    command = ["comm-opt", "-", "--split-input-file", *options]
    return subprocess.run(command, input=data, capture_output=True, timeout=LIMIT)


def crashed(text: str, options: list[str]) -> bool:
    try:
        done = run(text, options)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode not in (0, 1) or b"Stack dump" in done.stderr or b"runtime error:" in done.stderr


def functions(module: str) -> list[str]:
    """Returns the functions of a printed module."""
    found: list[str] = []
    for line in module.splitlines():
        indent = len(line) - len(line.lstrip())
        if indent == 2 and re.match(r'\s*"?func\.func"?', line):
            found.append("")
        if found and indent >= 2:
            found[-1] += line + "\n"
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500, help="mutants to make")
    parser.add_argument("--option", action="append", default=[], help="an option for comm-opt, such as -canonicalize")
    parser.add_argument("files", nargs="+", help="MLIR files that comm-opt accepts")
    args = parser.parse_args()

    rng = random.Random(args.seed)
    seed: list[list[str]] = []
    for name in args.files:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        for form in ([], ["--mlir-print-op-generic"]):
            done = run(text, ["--allow-unregistered-dialect", *form])
            if done.returncode:
                print(f"error: {name}: {done.stderr.decode().strip()}", file=sys.stderr)
                return 2
            seed += [mutants.tokens_of(function) for function in functions(done.stdout.decode())]
    whole = run(SEPARATOR.join("".join(tokens) for tokens in seed), ["--allow-unregistered-dialect"])
    if not seed or whole.returncode:
        print(f"error: the functions alone are not valid input: {whole.stderr.decode().strip()}", file=sys.stderr)
        return 2
    # A mutant must not swallow the next one.
    made = [mutants.mutate(seed, rng, NONSENSE).replace("// -----", "") for _ in range(args.count)]

    options = ["--allow-unregistered-dialect", *args.option]
    crashes = 0
    chunk = 100
    for start in range(0, len(made), chunk):
        some = made[start : start + chunk]
        if not crashed(SEPARATOR.join(some), options):
            continue
        for mutant in some:
            if crashed(mutant, options):
                crashes += 1
                print(f"crash or hang:\n{mutant}\n", file=sys.stderr)
    refused = run(SEPARATOR.join(made), options).stderr.count(b"error:") if not crashes else 0
    print(f"{len(made)} mutants, {refused} errors reported, {crashes} crashes")
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
