#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Give a tool mutants of its input files, which it may reject but without a crash, a hang or a traceback.

    fuzz_tools.py --seconds 60 --command "commreport show @" test/Runtime/CommReport/Inputs/*.json
    fuzz_tools.py --seconds 300 --run-lines --command "comm-opt @ --comm-overlap" $(find test -name '*.mlir')

A mutant is a file, or one part of a file that is split at `// -----`, with tokens or lines dropped, duplicated, swapped
or replaced. @ is its name, and @2 that of a second mutant. --run-lines also takes commands from the RUN lines of the
files that call comm-opt. Prints each failure once; with --keep, keeps the mutants that showed it.
Exit code 0: no failure, 1: some, 2: bad usage.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

from mutants import NONSENSE, mutate, mutate_lines, tokens_of

SEPARATOR = re.compile(r"^// -----.*$", re.MULTILINE)
WRONG = re.compile(r"==\d+==ERROR: |runtime error:|Stack dump|Traceback|Assertion|LLVM ERROR|UNREACHABLE")
LIMIT = 10.0  # seconds


def run_lines(text: str) -> list[str]:
    """Returns comm-opt's options in the RUN lines of a test."""
    joined = re.sub(r"\\\n.*RUN:", " ", text)
    found = []
    for options in re.findall(r"RUN:.*?\bcomm-opt\b([^|\n]*)", joined):
        words = [w for w in options.split() if w not in ("%s", "-verify-diagnostics", "--verify-diagnostics")]
        plain = " ".join(word for word in words if "split-input-file" not in word).split(">")[0].split("<")[0]
        if "%" not in plain and plain.strip():
            found.append("comm-opt @ " + plain)
    return sorted(set(found))


def place(code: int | None, stderr: str) -> str | None:
    """Returns a description of the failure that is the same for equal failures, or None if there was none."""
    if code is None:
        return f"takes more than {LIMIT:g} s"
    if 0 <= code < 124 and not WRONG.search(stderr):
        return None
    for pattern in (r"SUMMARY: .*", r".*runtime error:.*", r".*Assertion.*", r"LLVM ERROR.*", r".*UNREACHABLE.*"):
        found = re.search(pattern, stderr)
        if found:
            return re.sub(r"0x[0-9a-f]+|==\d+==", "", found[0])
    if "Traceback" in stderr:
        lines = [line.strip() for line in stderr.splitlines() if line.strip()]
        files = [line for line in lines if line.startswith("File ")]
        return f"{files[-1] if files else ''} {lines[-1]}"
    frames = re.findall(r"^ *#\d+ 0x[0-9a-f]+ (.*)$", stderr, re.MULTILINE)
    own = [f for f in frames if "comm::" in f] or frames[4:7]
    return f"exit code {code}, {own[0] if own else stderr.strip()[-200:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0, help="stop after so long (60)")
    parser.add_argument("--count", type=int, default=1 << 30, help="mutants at most")
    parser.add_argument("--command", action="append", default=[], help="with @ for the mutant; may be repeated")
    parser.add_argument("--run-lines", action="store_true", help="commands from the files' RUN lines as well")
    parser.add_argument("--keep", metavar="FOLDER", help="keep mutants that showed something wrong")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    if not args.command and not args.run_lines:
        parser.error("no --command and no --run-lines: nothing to run")

    rng = random.Random(args.seed)
    parts: list[tuple[str, str, list[str]]] = []  # text, how its name ends, commands of its own
    for name in args.files:
        with open(name, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
        own = run_lines(text) if args.run_lines else []
        if own or args.command:
            parts += [(p, os.path.splitext(name)[1], own) for p in SEPARATOR.split(text) if p.strip()]
    if not parts:
        parser.error("the files have neither text nor RUN lines of comm-opt")
    seed = [tokens_of(text) for text, _, _ in parts]

    def mutant(which: int) -> bytes:
        text = parts[which][0]
        mutated = mutate_lines(text, rng) if rng.random() < 0.7 else mutate(seed, rng, NONSENSE, seed[which])
        return mutated.encode("utf-8", errors="surrogateescape")

    wrong: dict[str, int] = {}
    made = refused = 0
    end = time.monotonic() + args.seconds
    with tempfile.TemporaryDirectory() as folder:
        while made < args.count and time.monotonic() < end:
            which = rng.randrange(len(parts))
            _, suffix, own = parts[which]
            choices = own if own and (not args.command or rng.random() < 0.5) else args.command
            template = rng.choice(choices)
            names = [os.path.join(folder, f"mutant{i}{suffix}") for i in (1, 2)]
            data = [mutant(which), mutant(which)]
            for path, content in zip(names, data):
                with open(path, "wb") as file:
                    file.write(content)
            command = [w.replace("@2", names[1]).replace("@", names[0]) for w in shlex.split(template)]
            code: int | None
            try:
                done = subprocess.run(
                    command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, cwd=folder, check=False
                )
                code, stderr = done.returncode, done.stderr.decode(errors="replace")
            except subprocess.TimeoutExpired:
                code, stderr = None, ""
            except OSError as error:
                print(f"error: cannot run {command[0]}: {error.strerror}", file=sys.stderr)
                return 2
            made += 1
            refused += code != 0
            what = place(code, stderr)
            if what is None:
                continue
            what = what.replace(folder, "")
            wrong[what] = wrong.get(what, 0) + 1
            if wrong[what] > 2:
                continue
            print(f"{template}\n  {what}", flush=True)
            if args.keep:
                os.makedirs(args.keep, exist_ok=True)
                base = os.path.join(args.keep, f"{args.seed}-{made}")
                for i, content in enumerate(data[: 1 + ("@2" in template)]):
                    with open(f"{base}-{i + 1}{suffix}", "wb") as file:
                        file.write(content)
                with open(f"{base}.txt", "w", encoding="utf-8") as file:
                    file.write(f"{shlex.join(command)}\n\n{stderr}")
    for what, count in sorted(wrong.items(), key=lambda item: -item[1]):
        print(f"{count} times: {what}")
    print(f"{made} mutants, {refused} refused, {sum(wrong.values())} went wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
