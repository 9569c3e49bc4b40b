#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows that the comparison can fail: generated programs with a wrong
transformation must print something else, and with a right one the same."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzzgen.mutate import mutate  # noqa: E402
from fuzzgen.program import Options, program  # noqa: E402
from fuzzgen.runner import (
    Result,
    compile_file,
    cxx_command,  # noqa: E402
    run_ranks,
)

# Mutation, distance, minimum share of changed cases whose output must differ.
# A random call often has no hazard near it, and some paths never run.
PLAN: tuple[tuple[str, int, float], ...] = (
    ("split", 0, 0.0),
    ("split", 2, 0.15),
    ("split", 6, 0.25),
    ("early", 2, 0.15),
    ("sink", 1, 0.15),
    ("swap", 1, 0.10),
)


def by_case(result: Result) -> dict[int, list[str]]:
    lines: dict[int, list[str]] = {}
    for line in result.out.splitlines():
        words = line.split()
        if len(words) > 2 and words[0] == "case" and words[1].isdigit():
            lines.setdefault(int(words[1]), []).append(line)
    return lines


def wrong_cases(binary: Path, ranks: int, want: dict[int, list[str]], changed: list[int], limit: float) -> set[int]:
    """Returns the changed cases that differ, hang or crash. If the whole
    program crashes, each case runs alone."""
    got = run_ranks(binary, ranks, limit * 3)
    if got.code == 0:
        have = by_case(got)
        return {n for n in want if have.get(n) != want[n]}
    bad: set[int] = set()
    for n in changed:
        alone = run_ranks(binary, ranks, limit, [str(n)])
        if alone.code != 0 or by_case(alone).get(n) != want.get(n):
            bad.add(n)
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2, help="files")
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=6.0, help="limit of one case in seconds")
    parser.add_argument("--compiler", default="mpicc -O1")
    args = parser.parse_args()
    if not (min(args.count, args.cases) > 0 and 0 < args.ranks <= 4 and args.timeout > 0):
        print("selftest.py: numbers must be positive, at most 4 ranks", file=sys.stderr)
        return 2
    caught: dict[tuple[str, int], list[int]] = {(k, d): [0, 0] for k, d, _ in PLAN}
    sound = True
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        for seed in range(args.seed, args.seed + args.count):
            sound &= one_file(args, seed, Path(name), caught)
    for kind, distance, least in PLAN:
        bad, all_ = caught[kind, distance]
        ok = bad == 0 if least == 0 else bad >= least * max(1, all_)
        sound &= ok
        print(f"{kind} {distance}: {bad} of {all_} changed cases differ{'' if ok else ': WRONG'}")
    print("selftest passed" if sound else "selftest FAILED")
    return 0 if sound else 1


def one_file(args: argparse.Namespace, seed: int, work: Path, caught: dict[tuple[str, int], list[int]]) -> bool:
    lang = ("c", "c++")[seed % 2]
    command = args.compiler if lang == "c" else cxx_command(args.compiler)
    source = work / f"fuzz_{seed}{'.c' if lang == 'c' else '.cpp'}"
    text = program(Options(seed, args.cases, lang, errors=False))

    def build(content: str) -> bool:
        source.write_text(content)
        built = compile_file(command, source, work / "program")
        if built.code:
            print(f"seed {seed}: {built.err[:2000]}", file=sys.stderr)
        return built.code == 0

    if not build(text):
        return False
    want = by_case(run_ranks(work / "program", args.ranks, 60))
    if len(want) != args.cases:
        print(f"seed {seed}: the original program fails", file=sys.stderr)
        return False
    for kind, distance, least in PLAN:
        changed_text, changed = mutate(text, kind, distance, random.Random(seed))
        if not build(changed_text):
            return False
        bad = wrong_cases(work / "program", args.ranks, want, changed, args.timeout)
        if not least and bad:
            print(f"seed {seed}: right split differs in cases {sorted(bad)}", file=sys.stderr)
        caught[kind, distance][0] += len(bad)
        caught[kind, distance][1] += len(changed)
    return True


if __name__ == "__main__":
    sys.exit(main())
