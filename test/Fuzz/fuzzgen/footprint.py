# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The accesses of a halo program's loops and messages, found by executing them in the generator. So a program can have
any offsets, strides and bounds, and still be valid MPI and C."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType

Shape = Mapping[str, object]  # values of m, n, s, p and of the index arrays
Cells = dict[str, set[int]]  # of each object


@dataclass(frozen=True)
class Array:
    """`length` elements, at `base` of which a pointer `name` points; pointers with one root may overlap."""

    name: str
    root: str
    base: int
    length: int


def _remainder(dividend: int, divisor: int) -> int:
    """Returns the remainder as in C: with the sign of the dividend."""
    return dividend - divisor * int(dividend / divisor)


@lru_cache(maxsize=4096)
def _compiled(text: str) -> CodeType:
    return compile(text, "<footprint>", "exec")


@dataclass(frozen=True)
class Loop:
    """`for (var = first; var < last; var += step)`, or downwards from last - 1 to first."""

    var: str
    first: str
    last: str
    step: int = 1
    down: bool = False

    def c(self, type_: str) -> str:
        if self.down:
            step = f"--{self.var}" if self.step == 1 else f"{self.var} -= {self.step}"
            return f"for ({type_} {self.var} = {self.last} - 1; {self.var} >= {self.first}; {step})"
        step = f"++{self.var}" if self.step == 1 else f"{self.var} += {self.step}"
        return f"for ({type_} {self.var} = {self.first}; {self.var} < {self.last}; {step})"

    def python(self) -> str:
        if self.down:
            return f"for {self.var} in range(({self.last}) - 1, ({self.first}) - 1, -{self.step}):"
        return f"for {self.var} in range({self.first}, {self.last}, {self.step}):"


@dataclass
class Touch:
    """A loop nest, with the elements of pointers that it may read and write, as Python text of its indices. The counter
    `x` grows with each iteration of the innermost loop."""

    loops: Sequence[Loop]
    reads: list[tuple[str, str]] = field(default_factory=list)
    writes: list[tuple[str, str]] = field(default_factory=list)

    def text(self) -> str:
        lines = ["x = 0"]
        pad = ""
        for loop in self.loops:
            lines.append(pad + loop.python())
            pad += " "
        for kind, accesses in (("R", self.reads), ("W", self.writes)):
            lines += [f"{pad}{kind}.append(('{array}', {index}))" for array, index in accesses]
        lines.append(f"{pad}x += 1")
        return "\n".join(lines)

    def apart_text(self) -> str:
        """Like `text`, with the number of the outermost iteration in each access."""
        outer = self.loops[0].var
        return self.text().replace("append(('", f"append(({outer}, '")

    def is_parallel(self, arrays: Mapping[str, Array], shape: Shape) -> bool:
        """Returns True if no iteration of the outermost loop accesses elements that another one writes."""
        reads: list[tuple[int, str, int]] = []
        writes: list[tuple[int, str, int]] = []
        exec(_compiled(self.apart_text()), {**shape, "R": reads, "W": writes, "REM": _remainder})  # noqa: S102
        writer: dict[tuple[str, int], int] = {}
        for iteration, name, index in writes:
            if writer.setdefault((arrays[name].root, arrays[name].base + index), iteration) != iteration:
                return False
        return all(
            writer.get((arrays[name].root, arrays[name].base + index), iteration) == iteration
            for iteration, name, index in reads
        )

    def cells(self, arrays: Mapping[str, Array], shape: Shape) -> tuple[Cells, Cells]:
        """Returns the elements read and written. Raises a LookupError if one is outside of its object."""
        reads: list[tuple[str, int]] = []
        writes: list[tuple[str, int]] = []
        space: dict[str, object] = {**shape, "R": reads, "W": writes, "REM": _remainder}
        try:
            exec(_compiled(self.text()), space)  # noqa: S102
        except IndexError as error:
            raise LookupError("an index array is too short") from error
        return _inside(arrays, reads), _inside(arrays, writes)


def _inside(arrays: Mapping[str, Array], accesses: Sequence[tuple[str, int]]) -> Cells:
    cells: Cells = {}
    for name, index in accesses:
        array = arrays[name]
        at = array.base + index
        if not 0 <= at < array.length:
            raise LookupError("out of bounds")
        cells.setdefault(array.root, set()).add(at)
    return cells


def meet(a: Cells, b: Cells) -> bool:
    return any(root in b and not cells.isdisjoint(b[root]) for root, cells in a.items())


def joined(a: Cells, b: Cells) -> Cells:
    return {root: a.get(root, set()) | b.get(root, set()) for root in a.keys() | b.keys()}


@dataclass
class Flight:
    """The messages in flight in one shape: for each request, whether it receives, and its elements."""

    active: dict[int, tuple[bool, Cells]] = field(default_factory=dict)

    def may_start(self, receives: bool, cells: Cells) -> bool:
        return not any((receives or r) and meet(cells, other) for r, other in self.active.values())

    def may_touch(self, reads: Cells, writes: Cells) -> bool:
        return not any(meet(writes, other) or (r and meet(reads, other)) for r, other in self.active.values())


def evaluate(text: str, shape: Shape) -> int:
    return int(eval(text, {}, dict(shape)))  # noqa: S307


Check = Callable[[], bool]
