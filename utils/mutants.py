# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutants of text in any language of brackets, names and numbers, for fuzz_parser.py and fuzz_tools.py."""

from __future__ import annotations

import random
import re

TOKEN = re.compile(r"\s+|[%!#@^]?[A-Za-z_][A-Za-z0-9_.$]*|[%^]?\d+|\"[^\"\n]*\"|->|.", re.DOTALL)
# A value, block, symbol or type, or an operation with its dialect.
NAME = re.compile(r"[%^@!][A-Za-z_0-9.]+|\b[a-z_]+\.[a-z_.]+")
NUMBER = re.compile(r"\b\d+\b")
NUMBERS = ("0", "1", "-1", "7", "1000000007")
NONSENSE = ["", "(", ")", "<", ">", "{", "}", "[", "]", ":", ",", "->", "%", "@", "!", '"', "-1", "0", "4294967296",
            "9223372036854775807", "18446744073709551616", "0x", "1e308", "\x00", "\xff", "é", "a" * 300]  # fmt: skip


def tokens_of(text: str) -> list[str]:
    return TOKEN.findall(text)


def mutate(seed: list[list[str]], rng: random.Random, nonsense: list[str], first: list[str] | None = None) -> str:
    """Returns one of the token lists (or `first`) with some tokens dropped, duplicated, swapped, or replaced by
    nonsense or by a piece of another list."""
    tokens = list(first if first is not None else rng.choice(seed))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        solid = [i for i, token in enumerate(tokens) if token.strip()]
        if not solid:
            break
        at = rng.choice(solid)
        kind = rng.randrange(6)
        if kind == 0:
            del tokens[at]
        elif kind == 1:
            tokens.insert(at, tokens[at])
        elif kind == 2:
            other = rng.choice(solid)
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 3:
            tokens[at] = rng.choice(nonsense)
        elif kind == 4:
            donor = rng.choice(seed)
            tokens[at] = rng.choice(donor)
        else:
            donor = rng.choice(seed)
            start = rng.randrange(len(donor))
            tokens[at : at + rng.randrange(4)] = donor[start : start + rng.randrange(1, 12)]
    return "".join(tokens)


def mutate_lines(text: str, rng: random.Random) -> str:
    """Drops, duplicates or swaps lines, and changes numbers and names of the same kind. The result is often valid and
    gets further than the parser."""
    lines = text.splitlines(keepends=True)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if not lines:
            break
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        kind = rng.randrange(7)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(other, lines[at])
        elif kind == 2:
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 3:
            beside = (at + 1) % len(lines)
            lines[at], lines[beside] = lines[beside], lines[at]
        elif kind == 4:
            lines[at] = NUMBER.sub(lambda m: rng.choice((m[0], *NUMBERS)), lines[at])
        else:
            lines[at] = _other_name(lines[at], text, rng)
    return "".join(lines)


def _other_name(line: str, text: str, rng: random.Random) -> str:
    found = list(NAME.finditer(line))
    if not found:
        return line
    match = rng.choice(found)
    kind = match[0][0] if not match[0][0].isalpha() else match[0].split(".")[0] + "."
    names = [name for name in NAME.findall(text) if name.startswith(kind)]
    return line[: match.start()] + rng.choice(names or [match[0]]) + line[match.end() :]
