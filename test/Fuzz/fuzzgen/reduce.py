# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shrinks a failing file by the keys in its comments (see ast.py)."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Callable

_OPEN = re.compile(r"^\s*//@\{(\d+)(?: (.*))?$")
_CLOSE = re.compile(r"^\s*//@\}$")
_LINE = re.compile(r"//@(\d+)$")
_RUN = re.compile(r"//@case (\d+)$")


@dataclass
class Region:
    key: int
    first: int  # line numbers, both included
    last: int
    note: str = ""
    depth: int = 0


def regions(lines: list[str]) -> list[Region]:
    """All droppable regions of a file, in order of their first line."""
    found: list[Region] = []
    stack: list[Region] = []
    for i, line in enumerate(lines):
        opened = _OPEN.match(line)
        if opened:
            region = Region(int(opened[1]), i, i, opened[2] or "", len(stack))
            found.append(region)
            stack.append(region)
        elif _CLOSE.match(line):
            stack.pop().last = i
        else:
            one = _LINE.search(line)
            if one:
                found.append(Region(int(one[1]), i, i, "", len(stack)))
    return found


def without(lines: list[str], drop: set[int]) -> list[str]:
    gone: set[int] = set()
    cases: set[str] = set()
    for region in regions(lines):
        if region.key in drop:
            gone.update(range(region.first, region.last + 1))
            if region.note.startswith("case "):
                cases.add(region.note[5:])
    kept = [line for i, line in enumerate(lines) if i not in gone]
    result: list[str] = []
    for line in kept:
        run = _RUN.search(line)
        if not run or run[1] not in cases:
            result.append(line)
    return result


def plain(text: str) -> str:
    """Returns the text without keys, as a report should show it."""
    lines = [line for line in text.splitlines() if not _OPEN.match(line) and not _CLOSE.match(line)]
    return "\n".join(re.sub(r" *//@(case )?\d+$", "", x) for x in lines) + "\n"


def reduce_text(
    text: str, fails: Callable[[str], bool], seconds: float = 600.0, progress: Callable[[str], None] | None = None
) -> str:
    """Returns the smallest text found that still fails: tries whole cases,
    then regions from the outside in, in chunks of decreasing size."""
    end = time.monotonic() + seconds
    lines = text.splitlines()
    say = progress or (lambda message: None)

    def attempt(drop: set[int]) -> bool:
        nonlocal lines
        if not drop or time.monotonic() > end:
            return False
        smaller = without(lines, drop)
        if len(smaller) == len(lines) or not fails("\n".join(smaller) + "\n"):
            return False
        lines = smaller
        say(f"{len(lines)} lines")
        return True

    def sweep(keys: list[int]) -> bool:
        """Delta debugging over one list of keys."""
        changed, size = False, len(keys)
        while size >= 1 and time.monotonic() < end:
            i = 0
            while i < len(keys):
                chunk = keys[i : i + size]
                if attempt(set(chunk)):
                    del keys[i : i + size]
                    changed = True
                else:
                    i += size
            size //= 2
        return changed

    cases = [r.key for r in regions(lines) if r.note.startswith("case ")]
    for key in cases:  # usually a single case suffices
        if attempt(set(cases) - {key}):
            break
    else:
        sweep(cases)
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        depth = 1
        while True:
            level = [r.key for r in regions(lines) if r.depth == depth]
            if not level:
                break
            changed = sweep(level) or changed
            depth += 1
    return "\n".join(lines) + "\n"
