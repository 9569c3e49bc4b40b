# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The function of a halo case during generation: its arrays, shapes, messages in flight, and the text so far."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .ast import Block, Fixed, Group, Node, Stmt
from .footprint import Array, Cells, Flight, Loop, Shape, Touch, evaluate, joined

LENGTH, CENTER = 2400, 800  # elements of a field, and where its pointer points
SIDE = 1000  # elements of a buffer of packed values


@dataclass(frozen=True)
class Element:
    c: str
    mpi: str
    factors: tuple[str, ...]
    integer: bool


_REAL = ("0.5", "0.125", "1.25", "0.375", "-0.75")
ELEMENTS = (
    Element("double", "MPI_DOUBLE", _REAL, False),
    Element("double", "MPI_DOUBLE", _REAL, False),
    Element("float", "MPI_FLOAT", tuple(f"{x}f" for x in _REAL), False),
    Element("unsigned", "MPI_UNSIGNED", ("3u", "5u", "7u"), True),
    Element("unsigned long long", "MPI_UNSIGNED_LONG_LONG", ("3u", "5u", "9u"), True),
)
# Elements per row and column: empty ones, one row, and some that exceed the eager limit.
_SIZES = ((0, 0), (0, 3), (3, 0), (1, 1), (1, 4), (2, 1), (2, 2), (2, 5), (3, 3), (4, 2), (5, 4), (2, 36), (30, 1))

Action = tuple[Callable[[Shape], tuple[Cells, Cells]], str]


@dataclass
class Halo:
    rng: random.Random
    number: int
    cxx: bool
    element: Element
    arrays: dict[str, Array]
    shapes: list[Shape]
    flights: list[Flight]
    nodes: list[Node] = field(default_factory=list)
    heads: list[Node] = field(default_factory=list)  # at the begin of the function
    tails: list[Node] = field(default_factory=list)  # at its end
    functions: list[list[Node]] = field(default_factory=list)
    globals: list[Node] = field(default_factory=list)  # variables at file scope
    swaps: bool = False
    turns: int = 1  # of the time loop, whose variable is `turn` if there are several
    rows: str = ""  # how loops reach rows of fields (halo_rows.py): empty if by the fields themselves
    strides: set[str] = field(default_factory=set)  # of the rows that have tables
    openmp: bool = False
    cell: int = 1  # values of a cell (halo_cells.py)
    thrown: str = ""  # the variable of a handler around the next loops (halo_exits.py), which are not collective
    leaves_nulls: bool = False  # the last exchange may leave requests null, in slots of their own
    last: int = 0

    def uid(self, prefix: str) -> str:
        self.last += 1
        return f"{prefix}{self.number}_{self.last}"

    def pick(self, items: Sequence):  # type: ignore[no-untyped-def,type-arg]
        return self.rng.choice(items)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def value(self, text: str) -> list[int]:
        return [evaluate(text, shape) for shape in self.shapes]

    def extents(self) -> str:
        """The declarations of the length of a row and of a plane."""
        return f"int s = {self.cell} * (n + 2), p = s * (n + 2);"

    # Legality in all shapes.
    def cells(self, touch: Touch) -> list[tuple[Cells, Cells]]:
        return [touch.cells(self.arrays, shape) for shape in self.shapes]

    def may_touch(self, cells: Sequence[tuple[Cells, Cells]]) -> bool:
        return all(f.may_touch(*both) for f, both in zip(self.flights, cells))

    def may_start(self, receives: bool, cells: Sequence[Cells]) -> bool:
        return all(f.may_start(receives, one) for f, one in zip(self.flights, cells))

    def start(self, request: int, receives: bool, cells: Sequence[Cells]) -> None:
        for flight, one in zip(self.flights, cells):
            flight.active[request] = (receives, one)

    def finish(self, *requests: int) -> None:
        for flight in self.flights:
            for request in requests:
                flight.active.pop(request, None)


def shapes_of(rng: random.Random) -> list[tuple[int, int]]:
    """Sizes of a case. Without the empty ones, exchanges within one array are legal."""
    sizes = [x for x in _SIZES if min(x) > 0] if rng.random() < 0.6 else list(_SIZES)
    return sorted(rng.sample(sizes, 7))


def index_arrays(rng: random.Random) -> tuple[str, dict[str, list[int]]]:
    """C that fills `col` and `begin`, and the same values."""
    factor, offset, span = rng.choice((1, 3, 5, 7)), rng.randint(0, 6), rng.choice((8, 16, 40))
    width = rng.randint(0, 3)
    col = [(k * factor + offset) % span for k in range(200)]
    begin = [k * width for k in range(60)]
    text = f"for (int k = 0; k < 200; ++k) col[k] = (k * {factor} + {offset}) % {span};"
    return f"{text} for (int k = 0; k < 60; ++k) begin[k] = k * {width};", {"col": col, "begin": begin}


def bounds(h: Halo, depth: int) -> list[Loop]:
    if h.chance(0.45):  # a stencil's own
        return [Loop("i", "1", "m + 1"), Loop("j", "1", "n + 1"), Loop("k", "1", "n + 1")][:depth]
    first, last = h.pick(("0", "1", "1", "1", "2")), h.pick(("m", "m + 1", "m + 1", "m - 1", "m + 2", "2 * m"))
    loops = [Loop("i", first, last, h.pick((1, 1, 1, 1, 2)), h.chance(0.25))]
    if depth > 1:
        first, last = h.pick(("0", "1", "1")), h.pick(("n", "n + 1", "n + 1", "n - 1", "n + 2"))
        if h.chance(0.1):
            first, last = h.pick((("0", "i"), ("i", "n"), ("0", "i + 1"), ("1", "m")))
        loops.append(Loop("j", first, last, h.pick((1, 1, 1, 1, 1, 2)), h.chance(0.15)))
    if depth > 2:
        loops.append(Loop("k", h.pick(("0", "1")), h.pick(("n", "n + 1", "3"))))
    return loops


def offset(h: Halo) -> str:
    """The start of a message or a loop, as in stencils."""
    return h.pick(
        (
            "0",
            "n",
            "1",
            "s",
            "s + 1",
            "s + n",
            "m * s",
            "m * s + 1",
            "(m + 1) * s",
            "(m + 1) * s + 1",
            "m * n",
            "2 * n",
            "(m - 1) * n",
            "n + 1",
            "p",
            "m * p",
            "-s",
            "m",
        )
    )


__all__ = ["Action", "Block", "Fixed", "Group", "Halo", "Node", "Stmt", "joined"]
