#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that code in pages occurs in the files that the pages name as its source.

    check_snippets.py docs/stencil-dsl.md

A line `<!-- from FILE -->` names the file, relative to the repository, that contains the following code block. A line
that is only `...` represents any lines.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

SNIPPET = re.compile(r"<!-- from (\S+) -->\n+```\w*\n(.*?)\n```", re.DOTALL)
TOP = Path(__file__).resolve().parent.parent


def is_part(snippet: str, text: str) -> bool:
    """Returns True if the pieces between lines of dots are whole lines of the text, in order."""
    place = 0
    for piece in re.split(r"(?m)^\s*\.\.\.\n?", snippet):
        piece = piece.strip("\n")
        if not piece:
            continue
        found = ("\n" + text + "\n").find("\n" + piece + "\n", place)
        if found < 0:
            return False
        place = found + len(piece)
    return True


def main() -> int:
    checked = bad = 0
    for page in map(Path, sys.argv[1:]):
        for match in SNIPPET.finditer(page.read_text(encoding="utf-8")):
            checked += 1
            line = page.read_text(encoding="utf-8")[: match.start()].count("\n") + 1
            source = TOP / match[1]
            if not source.exists() or not is_part(match[2], source.read_text(encoding="utf-8")):
                bad += 1
                print(f"{page.name}:{line}: this is not part of {match[1]}")
    print(f"{checked} snippets, {bad} that are not part of their file")
    return 1 if bad or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
