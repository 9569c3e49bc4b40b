# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that each row of times in the README is a row of docs/results/halo.md, rounded: figures of one run."""

import re
import sys
from pathlib import Path


def rows(text: str) -> list[list[str]]:
    """The first three numbers of each row of a table that has them."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip(" *") for cell in line.split("|")[2:5]]
        if line.startswith("|") and len(cells) == 3 and all(re.fullmatch(r"\d+\.\d+", cell) for cell in cells):
            found.append(cells)
    return found


def is_rounded(short: str, long: str) -> bool:
    digits = len(short.split(".")[1])
    return abs(float(short) - float(long)) <= 0.5 * 10**-digits + 1e-9


readme, results = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:])
measured = rows(results.split("**0.1 ms")[0])
shown = rows(readme)
others = [row for row in shown if not any(all(map(is_rounded, row, other)) for other in measured)]
for row in others:
    print(f"not in the results: {' '.join(row)}")
print(f"{len(shown)} rows, {len(others)} of another run")
sys.exit(bool(others) or not shown)
