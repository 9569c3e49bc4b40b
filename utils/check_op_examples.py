#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that every operation of a dialect is documented, and that its examples are true.

    check_op_examples.py -I include ... CommOps.td

Every op needs a summary, and a description with an ```mlir example. Each example is put into a function whose
arguments provide the values that it uses and does not define, verified, and must come back the same (except for the
names of values) from the pretty form, the generic form and bytecode.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from dataclasses import dataclass

# Values that the examples may use without defining them.
FREE_VALUES = {
    "comm": "!comm.comm",
    "type": "!comm.datatype",
    "op": "!comm.op",
    "request": "!comm.request",
    "message": "!comm.message",
    "win": "!comm.win",
    "group": "!comm.group",
    "info": "!comm.info",
    "condition": "i1",
    "disp": "i64",
    "m": "memref<16xf32>",
}
FREE_VALUES.update(dict.fromkeys(("buf", "in", "out", "mem", "ptr"), "!llvm.ptr"))
FREE_VALUES.update(dict.fromkeys(("n", "root", "peer", "tag"), "i32"))

# The same for the graph dialect, where these names have other meanings.
GRAPH_VALUES = {
    "g": "!graph.graph",
    "e": "!graph.edge",
    "s": "!graph.set",
    "l": "!graph.levels",
    "p": "!graph.property<vertex, i32>",
    "q": "!graph.property<vertex, i32>",
    "c": "!graph.cell<i32>",
    "d": "!graph.cell<!graph.vertex>",
    "f": "!graph.cell<i1>",
    "n64": "i64",
    "list": "!graph.list<i32>",
    "other": "!graph.list<i32>",
    "b": "i1",
}
GRAPH_VALUES.update(dict.fromkeys(("u", "v", "w"), "!graph.vertex"))
GRAPH_VALUES.update(dict.fromkeys(("n", "m"), "i32"))
VALUES_OF = {"comm": FREE_VALUES, "bad": FREE_VALUES, "graph": GRAPH_VALUES}

EXAMPLE = re.compile(r"```mlir\n(.*?)```", re.DOTALL)
VALUE = re.compile(r"%[A-Za-z0-9_$.#-]+")


@dataclass
class Example:
    op: str
    text: str

    def lines(self) -> list[str]:
        """Returns the operations, one per line, without leading and trailing white space and comments."""
        lines = [line.split("//")[0].strip() for line in self.text.splitlines()]
        return [line for line in lines if line]

    def operations(self) -> list[str]:
        """Returns the lines that are not closing braces."""
        return [line for line in self.lines() if line != "}"]


def load(arguments: list[str]) -> dict[str, dict]:
    """Returns a map from name (`comm.send`) to TableGen record for every op."""
    command = ["llvm-tblgen", "--dump-json", *arguments]
    records = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    ops = {}
    for name in records["!instanceof"].get("Op", []):
        record = records[name]
        dialect = records[record["opDialect"]["def"]]["name"]
        ops[f"{dialect}.{record['opName']}"] = record
    return ops


def function(index: int, example: Example) -> str:
    """Returns the example as a function of the values that it needs."""
    defined: set[str] = set()
    free: list[str] = []
    for line in example.lines():
        left, equals, _ = line.partition(" = ")
        results = set(VALUE.findall(left)) if equals and left.startswith("%") else set()
        uses = VALUE.findall(line)[len(results) :]
        # `where (%x) {` and `do (%x, %y) {` define names for the values of an iteration.
        for arguments in re.findall(r"(?:where|do) \(([^)]*)\) \{", line):
            results |= set(VALUE.findall(arguments))
        uses = [use for use in uses if use not in results]
        for use in uses:
            use = use.split("#")[0]
            if use not in defined and use not in free:
                free.append(use)
        defined |= results
    known = VALUES_OF[example.op.split(".")[0]]
    unknown = [name for name in free if name[1:] not in known]
    if unknown:
        raise ValueError(f"uses {', '.join(unknown)}, which it does not define and the test does not provide")
    arguments = ", ".join(f"{name}: {known[name[1:]]}" for name in free)
    body = "\n".join("  " + line for line in example.lines())
    return f"func.func @example_{index}({arguments}) {{\n{body}\n  return\n}}\n"


def renamed(text: str) -> str:
    """Returns the text with values named by their order of appearance."""
    names: dict[str, str] = {}
    return VALUE.sub(lambda match: names.setdefault(match.group(), f"%{len(names)}"), text)


def optimize(text: str | bytes, *options: str) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    done = subprocess.run(["comm-opt", "-", *options], input=data, capture_output=True)
    if done.returncode:
        raise ValueError(done.stderr.decode(errors="replace").strip())
    return done.stdout


def functions(module: str) -> list[tuple[str, list[str]]]:
    """Returns header and operations of each function of a printed module."""
    found: list[tuple[str, list[str]]] = []
    for line in (line.strip() for line in module.splitlines()):
        if line.startswith("func.func"):
            found.append((line, []))
        elif found and line not in ("", "}", "return"):
            found[-1][1].append(line)
    return found


def check_form(source: str, printed: tuple[str, list[str]], example: Example) -> None:
    """Checks that the example has the form that comm-opt prints."""
    header, lines = printed
    got = renamed("\n".join([header, *lines])).splitlines()[1:]
    wrote = renamed("\n".join([source.splitlines()[0], *example.operations()])).splitlines()[1:]
    if len(got) != len(wrote):
        raise ValueError(f"has {len(wrote)} lines, and {len(got)} are printed")
    for left, right in zip(wrote, got):
        if left != right:
            raise ValueError(f"is printed in another form\n  example: {left}\n  printed: {right}")
    if not any(re.search(rf"(^|\s){re.escape(example.op)}(\s|$)", line) for line in example.lines()):
        raise ValueError("does not contain the operation itself")


def check(examples: list[Example]) -> list[str]:
    """Returns the errors of all examples. They share one module, since starting comm-opt takes longer than its work."""
    errors: list[str] = []
    good: list[tuple[Example, str]] = []
    for index, example in enumerate(examples):
        try:
            good.append((example, function(index, example)))
        except ValueError as error:
            errors.append(f"{example.op}: {error}")
    try:
        pretty = optimize("".join(source for _, source in good)).decode()
    except ValueError:
        # Find the example that failed.
        for example, source in good:
            try:
                optimize(source)
            except ValueError as error:
                errors.append(f"{example.op}: {error}")
        return errors
    for (example, source), printed in zip(good, functions(pretty)):
        try:
            check_form(source, printed, example)
        except ValueError as error:
            errors.append(f"{example.op}: {error}")
    for form in ("--mlir-print-op-generic", "--emit-bytecode"):
        if optimize(optimize(pretty, form)).decode() != pretty:
            errors.append(f"all: do not come back the same by way of {form}")
    return errors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-I", dest="include", action="append", default=[], help="a folder of TableGen includes")
    parser.add_argument("tablegen", help="the .td file of the operations")
    args = parser.parse_args()
    try:
        ops = load([*(f"-I{folder}" for folder in args.include), args.tablegen])
    except subprocess.CalledProcessError as error:
        print(f"error: llvm-tblgen: {error.stderr.strip()}", file=sys.stderr)
        return 2
    errors: list[str] = []
    examples: list[Example] = []
    for name, record in sorted(ops.items()):
        description = record.get("description") or ""
        texts = EXAMPLE.findall(description)
        if not record.get("summary"):
            errors.append(f"{name}: has no summary")
        if len(EXAMPLE.sub("", description).split()) < 4:
            errors.append(f"{name}: has no description")
        if not texts:
            errors.append(f"{name}: has no ```mlir example")
        examples += [Example(name, text) for text in texts]
    errors += check(examples)
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    print(f"{len(ops)} operations, {len(examples)} examples, {len(errors)} errors")
    return 1 if errors or not ops else 0


if __name__ == "__main__":
    sys.exit(main())
