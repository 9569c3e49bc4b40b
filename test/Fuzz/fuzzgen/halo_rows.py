# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of pointers to rows: loops of halo programs that write `u[i][j]` instead of `u[i * s + j]`."""

from __future__ import annotations

import re

from .ast import Block, Fixed, Node
from .halo_model import Halo

_FIELDS = ("u", "v", "w")
WAYS = ("pointer", "pointer", "global", "structure", "shared structure")
_ROW = re.compile(r"\b([uvw])\[(\(i \+ -?\d+\)|i) \* ([snp]) \+ ([^][]+)\]")
_BEFORE, _ROWS = 8, 96  # rows before a field's first one, and all


def by_rows(h: Halo, text: str) -> str:
    """Returns `text` with accesses through tables if they are rows of a field."""
    return _ROW.sub(lambda x: _access(h, *x.groups()), text) if h.rows else text


def _access(h: Halo, array: str, row: str, stride: str, rest: str) -> str:
    h.strides.add(stride)
    table = _variable(h, array, stride)
    return f"{table + '->row' if h.rows.endswith('structure') else table}[{row}][{rest}]"


def _variable(h: Halo, array: str, stride: str) -> str:
    return f"rows{h.number}_{array}{stride}"


def _type(h: Halo) -> str:
    return f"struct rows{h.number} *" if h.rows.endswith("structure") else f"{h.element.c} **"


def globals_of(h: Halo) -> list[Node]:
    """The code before the function: construction of tables, and the shared ones."""
    if not h.strides:
        return []
    c, number, made = h.element.c, h.number, _type(h)
    rows = [
        Fixed(f"{c} **row = ({c} **)malloc(sizeof({c} *) * {_ROWS});"),
        Fixed(f"long end = {_BEFORE} + 2 * m + 6;"),
        Fixed(f"for (long x = 0; x < {_ROWS}; ++x) row[x] = x < end ? first + (x - {_BEFORE}) * stride : 0;"),
    ]
    nodes: list[Node] = []
    if made.startswith("struct"):
        nodes.append(Fixed(f"struct rows{number} {{ int length; {c} **row; }};"))
        rows.append(Fixed(f"{made}table = ({made})malloc(sizeof *table);"))
        rows.append(Fixed(f"table->length = {_ROWS}; table->row = row + {_BEFORE};"))
        rows.append(Fixed("return table;"))
    else:
        rows.append(Fixed(f"return row + {_BEFORE};"))
    nodes.append(Block(f"static NOINLINE {made}make_rows{number}({c} *first, long stride, int m) {{", rows))
    if _is_shared(h):
        nodes += [Fixed(f"static {made}{_variable(h, a, s)};") for s in sorted(h.strides) for a in _FIELDS]
    return nodes


def _is_shared(h: Halo) -> bool:
    return h.rows in ("global", "shared structure")


def is_local(h: Halo, text: str) -> bool:
    """Returns True if a loop uses tables that are private to its function."""
    return bool(h.rows) and not _is_shared(h) and _ROW.search(text) is not None


def heads(h: Halo) -> list[Node]:
    declare = "" if _is_shared(h) else _type(h)
    make = f"make_rows{h.number}"
    return [Fixed(f"{declare}{_variable(h, a, s)} = {make}({a}, {s}, m);") for s in sorted(h.strides) for a in _FIELDS]


def tails(h: Halo) -> list[Node]:
    if h.rows.endswith("structure"):
        free = "free({0}->row - {1}); free({0});"
    else:
        free = "free({0} - {1});"
    return [Fixed(free.format(_variable(h, a, s), _BEFORE)) for s in sorted(h.strides) for a in _FIELDS]


def swaps(h: Halo) -> list[Node]:
    """Swaps the tables of u and v."""
    text = "{{ {0}table = {1}; {1} = {2}; {2} = table; }}"
    return [Fixed(text.format(_type(h), _variable(h, "u", s), _variable(h, "v", s))) for s in sorted(h.strides)]


__all__ = ["WAYS", "by_rows", "globals_of", "heads", "is_local", "swaps", "tails"]
