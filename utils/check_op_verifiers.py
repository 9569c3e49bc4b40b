#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that the verifier of every operation of a dialect rejects wrong uses.

    check_op_verifiers.py -I include ... CommOps.td [--invalid FILE.mlir ...]

From each example that documents an MPI operation, wrong variants are derived: without one of its parameters, with one
of them twice, and with `async` added or removed. Each must be rejected with the right error. Each MPI operation must
have such a variant.
For every other operation with a verifier, one of the files after `--invalid` must have a wrong use: a line with the
operation and an `expected-error`, which may be on the lines before it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

from check_op_examples import EXAMPLE, Example, function, load

# Arguments that a program may omit (C passes MPI_STATUS_IGNORE or NULL), and the requests of a wait for none.
OPTIONAL = {"status", "array_of_statuses", "argc", "argv", "array_of_requests"}
OPERATION = re.compile(r"\b(?:comm|graph)\.\w+")
PARAMETER = re.compile(r"\s(\w+)\([^()]*\)")


def variants(op: str, line: str) -> list[tuple[str, str]]:
    """Returns wrong variants of a line that contains the operation, each with a part of its error."""
    found = re.search(re.escape(op) + r"(?=\s|$)", line)
    if not found:
        return []
    head, tail = line[: found.start()], line[found.end() :]
    wrong = []
    for match in PARAMETER.finditer(tail):
        name, text = match.group(1), match.group(0)
        rest = tail[: match.start()] + tail[match.end() :]
        if name not in OPTIONAL:
            error = "is async and needs one request" if name == "request" and " async " in tail else "needs '"
            wrong.append((head + op + rest, error))
        wrong.append(
            (head + op + tail[: match.end()] + text + tail[match.end() :], f"parameter '{name}' is given twice")
        )
    if " async " in tail:
        wrong.append((head + op + tail.replace(" async ", " ", 1), "is blocking and has no request"))
    else:
        wrong.append((head + op + " async" + tail, "async"))
    return wrong


def refused(files: list[str]) -> set[str]:
    """Returns the operations for which these tests expect errors."""
    ops: set[str] = set()
    for name in files:
        expected = False
        for line in Path(name).read_text(encoding="utf-8").splitlines():
            is_expectation = "expected-error" in line
            code = line.split("//")[0]
            if is_expectation or expected:
                ops.update(OPERATION.findall(code))
            # Other comments may come in between.
            expected = is_expectation and not code.strip() or expected and not code.strip()
    return ops


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-I", dest="include", action="append", default=[], help="a folder of TableGen includes")
    parser.add_argument("tablegen", help="the .td file of the operations")
    parser.add_argument("--invalid", nargs="+", default=[], help="tests with wrong uses of other operations")
    args = parser.parse_args()
    ops = load([*(f"-I{folder}" for folder in args.include), args.tablegen])
    chunks, covered, missing = [], set(), []
    by_hand = refused(args.invalid)
    for name, record in sorted(ops.items()):
        if "localOperation" not in record:
            if record.get("hasVerifier") and name not in by_hand:
                missing.append(name)
                print(f"error: {name}: no test has a wrong use of it", file=sys.stderr)
            continue
        for text in EXAMPLE.findall(record.get("description") or ""):
            lines = Example(name, text).lines()
            for index, line in enumerate(lines):
                if line.endswith("{"):
                    break
                for wrong, error in variants(name, line):
                    changed = [*lines[:index], f"// expected-error @+1 {{{{{error}}}}}", wrong]
                    chunks.append(Example(name, "\n".join(changed)))
                    covered.add(name)
        if name not in covered:
            missing.append(name)
            print(f"error: {name}: no wrong use follows from its examples", file=sys.stderr)
    sources = []
    for index, example in enumerate(chunks):
        # The example's own function drops comments, so restore the expectation.
        expectation = next(line for line in example.text.splitlines() if line.startswith("// expected"))
        body = function(index, example).splitlines()
        sources.append("\n".join([*body[:-3], expectation, *body[-3:]]))
    text = "\n// -----\n".join(sources)
    command = ["comm-opt", "-", "-verify-diagnostics", "--split-input-file"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr[:20000], file=sys.stderr)
    verdict = "not all refused" if done.returncode else "all refused"
    print(f"{len(covered)} operations, {len(chunks)} wrong uses, {verdict}; {len(missing)} operations without")
    return 0 if covered | by_hand and not missing and not done.returncode else 1


if __name__ == "__main__":
    sys.exit(main())
