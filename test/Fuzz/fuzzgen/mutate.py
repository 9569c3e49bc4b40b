# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong transformations of a generated program, as text: the errors of a
faulty optimizer. One call or statement of each case is changed."""

from __future__ import annotations

import random
import re

_CASE = re.compile(r"^\s*//@\{\d+ case (\d+)$")
_CALL = re.compile(
    r"\bMPI_(Send|Ssend|Bsend|Rsend|Recv|Bcast|Reduce|Allreduce"
    r"|Gather|Gatherv|Scatter|Scatterv|Allgather|Allgatherv"
    r"|Alltoall|Alltoallv|Alltoallw|Scan|Exscan|Barrier"
    r"|Reduce_scatter|Reduce_scatter_block|Neighbor_allgather"
    r"|Neighbor_allgatherv|Neighbor_alltoall"
    r"|Neighbor_alltoallv)\("
)
_COMMENT = re.compile(r"^\s*(//.*)?$")


def call_at(line: str) -> tuple[int, int, str, list[str]] | None:
    """The blocking call on a line: begin, end, name, arguments."""
    found = _CALL.search(line)
    # Neither the calls that fail on purpose, nor half of a collective.
    if not found or "size + 3" in line or "one of two arms" in line:
        return None
    depth, i, start = 1, found.end(), found.end()
    args: list[str] = []
    while depth:
        ch = line[i]
        depth += (ch in "([{") - (ch in ")]}")
        if (ch == "," and depth == 1) or depth == 0:
            args.append(line[start:i].strip())
            start = i + 1
        i += 1
    return found.start(), i, found[1], args


def case_lines(lines: list[str]) -> dict[int, tuple[int, int]]:
    """First and last line of each case."""
    result: dict[int, tuple[int, int]] = {}
    open_: list[tuple[int | None, int]] = []
    for i, line in enumerate(lines):
        if re.match(r"^\s*//@\{", line):
            case = _CASE.match(line)
            open_.append((int(case[1]) if case else None, i))
        elif re.match(r"^\s*//@\}$", line):
            number, first = open_.pop()
            if number is not None:
                result[number] = (first, i)
    return result


def later(lines: list[str], at: int, count: int) -> int:
    """The line before which `count` statements of the same block have gone
    by since line `at`, or the end of the block."""
    depth, i = 0, at + 1
    while i < len(lines):
        line = lines[i].split("//")[0]
        if depth == 0 and line.strip().startswith("}"):
            return i
        if depth == 0 and count == 0:
            return i
        depth += line.count("{") - line.count("}")
        if depth == 0 and not _COMMENT.match(line):
            count -= 1
        i += 1
    return i


def nonblocking(line: str, request: str) -> tuple[str, str]:
    """The line with a start for its call, and the wait."""
    found = call_at(line)
    assert found
    begin, end, name, args = found
    status = args.pop() if name == "Recv" else "MPI_STATUS_IGNORE"
    small = name[0].lower() + name[1:]
    start = f"MPI_I{small}({', '.join(args)}, &{request})"
    return (line[:begin] + start + line[end:], f"MPI_Wait(&{request}, {status});")


def _calls(lines: list[str], span: tuple[int, int], only: str) -> list[int]:
    found = []
    for i in range(*span):
        call = call_at(lines[i])
        if call and (not only or call[2] in only.split()):
            found.append(i)
    return found


def _movable(line: str) -> bool:
    """A statement that can change places and still compile."""
    return bool(re.search(r"//@\d+$", line)) and not re.search(
        r"\b(break|continue|return|goto|if|free)\b", line.split("//")[0]
    )


def _known(line: str, before: list[str]) -> bool:
    """Every local name of the line was declared before."""
    names = re.findall(r"\b[a-z]\w*\d+\b", line.split("//")[0])
    text = "\n".join(before)
    return all(re.search(rf"\b{n}\b", text) for n in names)


def mutate(text: str, kind: str, distance: int, rng: random.Random) -> tuple[str, list[int]]:
    """The changed text and the cases that were changed.

    split: start and wait, the wait `distance` statements late (0: right).
    early: the whole call `distance` statements early.
    swap:  two neighboring communications change places.
    sink:  the statement before a call goes behind it.
    """
    lines = text.splitlines()
    edits: list[tuple[int, list[str], int]] = []  # line, new text, removed
    changed: list[int] = []
    for number, span in sorted(case_lines(lines).items()):
        calls = _calls(lines, span, "")
        rng.shuffle(calls)
        for at in calls:
            edit = _edit(lines, at, kind, distance, number, span, rng)
            if edit:
                edits += edit
                changed.append(number)
                break
    for at, new, removed in sorted(edits, key=lambda e: -e[0]):
        lines[at : at + removed] = new
    head = lines.index("static int g_case;") + 1
    lines[head:head] = [f"static MPI_Request late_{n} = MPI_REQUEST_NULL;" for n in changed]
    return "\n".join(lines) + "\n", changed


def _edit(
    lines: list[str], at: int, kind: str, distance: int, number: int, span: tuple[int, int], rng: random.Random
) -> list[tuple[int, list[str], int]]:
    if kind == "split":
        start, wait = nonblocking(lines[at], f"late_{number}")
        if distance == 0:
            return [(at, [start, wait], 1)]
        end = later(lines, at, distance)
        if end == at + 1:
            return []
        return [(end, [wait], 0), (at, [start], 1)]
    if kind == "sink":
        if not _movable(lines[at - 1]):
            return []
        return [(at - 1, [lines[at], lines[at - 1]], 2)]
    if kind == "early":
        first = at
        while first > span[0] and at - first < distance and _movable(lines[first - 1]):
            first -= 1
        if first == at or "int err" in lines[at]:
            return []
        return [(first, [lines[at]] + lines[first:at], at - first + 1)]
    if kind == "swap":
        if "int err" in lines[at]:
            return []
        depth = 0
        for i in range(at + 1, min(at + 12, span[1])):
            code = lines[i].split("//")[0]
            depth += code.count("{") - code.count("}")
            if depth or code.strip().startswith("}"):
                return []
            other = call_at(lines[i])
            if other and "int err" not in lines[i] and _known(lines[i], lines[span[0] : at]):
                return [(i, [lines[at]], 1), (at, [lines[i]], 1)]
        return []
    raise ValueError(f"no such mutation: {kind}")
