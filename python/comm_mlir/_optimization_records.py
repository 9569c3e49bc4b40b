# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the remarks in a file of clang's -fsave-optimization-record, which uses a simple subset of YAML."""

from __future__ import annotations

import json
import re

from .remarks import RemarkRecord

__all__ = ["parse"]

_KINDS = {"Passed": "passed", "Missed": "missed", "Analysis": "analysis", "Failure": "failure"}
_PAIR = re.compile(r"(\w+):\s*(.*)")
_PLACE = re.compile(r"\{ File: (.*), Line: (\d+), Column: (\d+) \}")


def _text(word: str) -> str:
    """Returns the value of a scalar, plain or quoted."""
    word = word.strip()
    if len(word) > 1 and word[0] == word[-1] == "'":
        return word[1:-1].replace("''", "'")
    if len(word) > 1 and word[0] == word[-1] == '"':
        # JSON does not have YAML's byte escapes.
        return str(json.loads(re.sub(r"\\x(..)", r"\\u00\1", word), strict=False))
    return word


def _parse_one(document: str) -> RemarkRecord | None:
    # Long locations continue on the next line.
    document = re.sub(
        r"\{ File: .*? \}\n", lambda place: re.sub(r"\s*\n\s*", " ", place[0][:-1]) + "\n", document, flags=re.S
    )
    lines = document.split("\n")
    kind = _KINDS.get(lines[0].strip(), "unknown")
    fields: dict[str, str] = {}
    place: tuple[str | None, int | None, int | None] = (None, None, None)
    arguments: list[list[str]] = []
    for line in lines[1:]:
        found = _PAIR.match(line.strip().removeprefix("- "))
        if line.startswith("..."):
            break
        if not found:
            continue
        key, value = found.groups()
        if line.startswith("  - "):
            arguments.append([key, _text(value)])
        elif key == "DebugLoc" and not line.startswith(" "):
            position = _PLACE.match(value)
            if position:
                place = (_text(position.group(1)), int(position.group(2)), int(position.group(3)))
        elif not line.startswith(" "):
            fields[key] = _text(value)
    if "Pass" not in fields:
        return None
    message = "".join(value for _, value in arguments)
    return RemarkRecord(
        kind, fields["Pass"], fields.get("Name", ""), fields.get("Function", ""), *place, message, arguments
    )


def parse(text: str) -> list[RemarkRecord]:
    """Returns all remarks in their order."""
    found = (_parse_one(document) for document in re.split(r"^--- !", text, flags=re.MULTILINE)[1:])
    return [remark for remark in found if remark]
