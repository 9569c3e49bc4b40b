#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that the operations of a dialect declare that they change the state of MPI.

    check_op_effects.py -I include ... CommOps.td

The example of each MPI operation is written with the operation twice. CSE and canonicalization must keep both: a handle
that two creations share would be freed twice, and an operation that changes an object does so whether or not its result
is used. Operations that only query numbers are the exception: they must disappear if their results are unused.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys

from check_op_examples import EXAMPLE, VALUE, Example, function, functions, load, optimize

SHARED = ("!comm.comm", "!comm.request", "!comm.win", "!comm.message")


def twice(index: int, example: Example) -> str | None:
    """Returns the example's function with the last line of the operation repeated, or None if that is not one line."""
    lines = function(index, example).splitlines()
    own = [i for i, line in enumerate(lines) if re.search(rf"(^|= ){re.escape(example.op)}\b", line.strip())]
    if not own or lines[own[-1]].rstrip().endswith("{"):
        return None
    if "async" in example.text and " async" not in lines[own[-1]]:
        return None  # a wait becomes one operation with its start
    left, equals, right = lines[own[-1]].partition(" = ")
    is_result = bool(equals) and left.strip().startswith("%")
    copy = VALUE.sub(lambda m: m.group() + "_again", left) + equals + right if is_result else lines[own[-1]]
    return "\n".join([*lines[: own[-1] + 1], copy, *lines[own[-1] + 1 :]]) + "\n"


def count(op: str, text: str) -> int:
    return len(re.findall(rf'(?<![\w."]){re.escape(op)}\b', text))


def returns_numbers(generic: str) -> bool:
    """Returns True if no operand is memory, and there are results, all of them numbers."""
    operands, _, results = generic.rpartition("->")
    operands = operands.rpartition(":")[2]
    return "!llvm.ptr" not in operands and "!comm" not in results and results.strip() not in ("", "()")


def involves_others(generic: str) -> bool:
    return any(kind in generic.rpartition("->")[0].rpartition(":")[2] for kind in SHARED)


def check(ops: dict[str, dict], examples: list[Example]) -> tuple[int, list[str]]:
    errors: list[str] = []
    written: list[tuple[Example, str]] = []
    for index, example in enumerate(examples):
        text = twice(index, example) if ops[example.op].get("mpiDeclarations") else None
        if text:
            written.append((example, text))
    module = "".join(text for _, text in written)
    generic = functions(optimize(module, "--mlir-print-op-generic").decode().replace('"func.func"', "func.func"))
    after = functions(optimize(module, "--cse", "--canonicalize").decode())
    if not len(written) == len(generic) == len(after):
        return 0, [f"{len(written)} functions were written, {len(generic)} and {len(after)} came back"]
    for (example, text), (_, forms), (_, lines) in zip(written, generic, after):
        form = next((line for line in reversed(forms) if f'"{example.op}"' in line), "")
        wrote, left = count(example.op, text), count(example.op, "\n".join(lines))
        asks = bool(ops[example.op].get("localOperation")) and returns_numbers(form)
        if asks and left:
            errors.append(f"{example.op}: only queries something, but remains although its results are unused")
        elif left < wrote and not asks and (involves_others(form) or not returns_numbers(form)):
            errors.append(
                f"{example.op}: {wrote} were written, and CSE and canonicalization leave {left}: it has to declare "
                "that it changes the state of MPI"
            )
    return len(written), errors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-I", dest="include", action="append", default=[], help="a folder of TableGen includes")
    parser.add_argument("tablegen", help="the .td file of the operations")
    args = parser.parse_args()
    try:
        ops = load([*(f"-I{folder}" for folder in args.include), args.tablegen])
        examples = [
            Example(name, text) for name in sorted(ops) for text in EXAMPLE.findall(ops[name]["description"] or "")
        ]
        number, errors = check(ops, examples)
    except subprocess.CalledProcessError as error:
        print(f"error: llvm-tblgen: {error.stderr.strip()}", file=sys.stderr)
        return 2
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    print(f"{number} operations written twice, {len(errors)} errors")
    return 1 if errors or not number else 0


if __name__ == "__main__":
    sys.exit(main())
