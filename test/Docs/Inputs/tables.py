# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check the tables of figures in pages: no page has one table twice, and a column `A/B` is column A over column B.

    tables.py PAGE ...

Quotients may differ by what rounding of all three numbers explains.
"""

import re
import sys
from pathlib import Path


def tables(text: str) -> list[tuple[int, list[list[str]]]]:
    """Line number and rows of each table; the first row has the heads."""
    found: list[tuple[int, list[list[str]]]] = []
    last = -1
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            continue
        cells = [cell.strip(" *`") for cell in line.strip("| ").split("|")]
        if number != last + 1:
            found.append((number, []))
        last = number
        if not re.fullmatch(r"[-:| ]+", line):
            found[-1][1].append(cells)
    return found


def interval(cell: str) -> tuple[float, float] | None:
    """The numbers that are written so when rounded."""
    if not re.fullmatch(r"-?\d+(\.\d+)?", cell):
        return None
    half = 0.5 * 10.0 ** -len(cell.partition(".")[2])
    return float(cell) - half, float(cell) + half


def wrong_quotients(line: int, rows: list[list[str]]) -> list[str]:
    heads = [re.sub(r" \(\w+\)$", "", head) for head in rows[0]]
    found = []
    for place, head in enumerate(heads):
        above, slash, below = (part.strip() for part in head.partition("/"))
        if not slash or above not in heads or below not in heads:
            continue
        for offset, row in enumerate(rows[1:], 2):
            places = (heads.index(above), heads.index(below), place)
            cells = [cell for i in places if (cell := interval(row[i]))]
            if len(cells) < 3 or cells[1][0] <= 0:
                continue
            (a0, a1), (b0, b1), (low, high) = cells
            if a1 / b0 < low - 1e-9 or a0 / b1 > high + 1e-9:
                found.append(f"{line + offset}: {head} is {row[place]}, and not that of {row}")
    return found


count, wrong = 0, 0
for name in sys.argv[1:]:
    seen: dict[str, int] = {}
    for line, rows in tables(Path(name).read_text(encoding="utf-8")):
        count += 1
        errors = wrong_quotients(line, rows)
        text = "\n".join(map(" ".join, rows[1:]))
        if re.search(r"\d", text) and seen.setdefault(text, line) != line:
            errors.append(f"{line}: the table is that of line {seen[text]}")
        wrong += len(errors)
        for error in errors:
            print(f"{Path(name).name}:{error}")
print(f"{count} tables, {wrong} errors")
sys.exit(bool(wrong) or not count)
