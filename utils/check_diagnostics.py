#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that each diagnostic in lib/ is seen by a test.

    check_diagnostics.py [--list]

A diagnostic is a statement that calls emitError, emitOpError or emitWarning. Some test must contain a part of its text,
at least WINDOW characters of one string literal (or all of a shorter literal). The check cannot distinguish two
diagnostics with the same words: a text that is written twice counts as tested if one of them is. A comment that starts
with `// Untested:` before a diagnostic says why no input reaches it.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

WINDOW = 24
SHORTEST = 7
CALL = re.compile(r"\bemit(?:Op)?(?:Error|Warning)\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
TESTS = {".mlir", ".c", ".cpp", ".ll", ".test", ".py", ".td", ".txt"}


def statements(text: str) -> list[tuple[int, str]]:
    """Returns line number and text of each statement that reports something."""
    found = []
    for match in CALL.finditer(text):
        before = text[: match.start()].splitlines()[-4:]
        if before[-1].lstrip().startswith("//") or any(line.lstrip().startswith("// Untested: ") for line in before):
            continue
        end = text.find(";", match.start())
        # A semicolon in a literal does not end the statement.
        while end >= 0 and text.count('"', match.start(), end) % 2:
            end = text.find(";", end + 1)
        found.append((text.count("\n", 0, match.start()) + 1, text[match.start() : end]))
    return found


def literals(statement: str) -> list[str]:
    """Returns the string literals, joined as the compiler joins them."""
    joined = re.sub(r'"\s*\n?\s*"', "", statement)
    joined = re.sub(r'"\s*<<\s*"', "", joined)
    return [bytes(text, "utf-8").decode("unicode_escape") for text in LITERAL.findall(joined)]


def windows(text: str) -> list[str]:
    """Returns the parts of a literal of which a test must contain one; each starts at the beginning of a word."""
    text = text.strip()
    if len(text) <= WINDOW:
        return [text] if len(text) >= SHORTEST else []
    starts = [0, *(match.end() for match in re.finditer(r"\s", text))]
    return [text[start : start + WINDOW] for start in starts if start + WINDOW <= len(text)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print every diagnostic that was found")
    parser.add_argument("--source", type=Path, default=Path(__file__).resolve().parent.parent)
    args = parser.parse_args()
    files = sorted(path for folder in ("test", "unittests") for path in (args.source / folder).rglob("*"))
    tests = "\n".join(p.read_text(encoding="utf-8", errors="replace") for p in files if p.suffix in TESTS)
    count, unseen = 0, []
    for path in sorted((args.source / "lib").rglob("*.cpp")):
        for line, statement in statements(path.read_text(encoding="utf-8")):
            parts = [window for text in literals(statement) for window in windows(text)]
            if not parts:
                continue  # the caller provides the text
            count += 1
            if args.list:
                print(f"{path.relative_to(args.source)}:{line}: {' ... '.join(literals(statement))}")
            if not any(part in tests for part in parts):
                unseen.append(
                    f"{path.relative_to(args.source)}:{line}: no test sees: {' ... '.join(literals(statement))}"
                )
    print(*unseen, sep="\n", end="\n" if unseen else "")
    print(f"{count} diagnostics, {len(unseen)} that no test sees")
    return 1 if unseen or not count else 0


if __name__ == "__main__":
    sys.exit(main())
