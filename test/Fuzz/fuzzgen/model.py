# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The generator's knowledge of the program that it writes: element types,
buffers, windows, communicators, and the names in scope."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Callable

from .ast import Fixed, Group, Node, Stmt

MAX_RANKS = 4


@dataclass(frozen=True)
class Type:
    """An element type. Stores keep values in ranges where C arithmetic is
    defined; loads give an unsigned."""

    c: str
    mpi: str
    short: str
    ops: tuple[str, ...]

    def store(self, value: str) -> str:
        return f"ST_{self.short}({value})"

    def load(self, value: str) -> str:
        return f"LD_{self.short}({value})"


_INT_OPS = ("MPI_SUM", "MPI_PROD", "MPI_MAX", "MPI_MIN", "MPI_BXOR", "MPI_BOR", "MPI_BAND")
# Sums of doubles could round, and differ in another order. Sums of bytes overflow, and some versions of Open MPI then
# saturate while others wrap around, depending on the alignment of the summed piece.
_BYTE_OPS = ("MPI_MAX", "MPI_MIN", "MPI_BXOR", "MPI_BOR", "MPI_BAND")
TYPES = (
    Type("int", "MPI_INT", "i", _INT_OPS),
    Type("unsigned", "MPI_UNSIGNED", "u", _INT_OPS),
    Type("long long", "MPI_LONG_LONG", "l", _INT_OPS),
    Type("double", "MPI_DOUBLE", "d", ("MPI_MAX", "MPI_MIN")),
    Type("unsigned char", "MPI_UNSIGNED_CHAR", "c", _BYTE_OPS),
)


@dataclass
class Buffer:
    """`length` elements at `name`, which are bytes of `root` from element
    `base` on: two buffers with one root may overlap."""

    name: str
    type: Type
    length: int
    kind: str
    root: str = ""
    base: int = 0
    actual: str = ""  # the caller's argument for a parameter

    def __post_init__(self) -> None:
        self.root = self.root or self.name


@dataclass
class Window:
    """Elements [offset, offset + length) of a buffer."""

    buffer: Buffer
    offset: int
    length: int

    @property
    def type(self) -> Type:
        return self.buffer.type

    @property
    def pointer(self) -> str:
        if self.offset == 0:
            return self.buffer.name
        if self.offset % 2:
            return f"&{self.buffer.name}[{self.offset}]"
        return f"{self.buffer.name} + {self.offset}"

    def at(self, index: object) -> str:
        if isinstance(index, int):
            return f"{self.buffer.name}[{self.offset + index}]"
        plus = f"{self.offset} + " if self.offset else ""
        return f"{self.buffer.name}[{plus}{index}]"

    def overlaps(self, other: Window) -> bool:
        a, b = self.buffer, other.buffer
        if a.root != b.root:
            return False
        x, y = a.base + self.offset, b.base + other.offset
        return x < y + other.length and y < x + self.length


@dataclass
class Comm:
    """A communicator and the names of this rank's number and of its size.
    Ranks where `guard` is false are not in it."""

    name: str
    rank: str
    size: str
    guard: str = ""


@dataclass
class File:
    """Shared by the cases of one source file."""

    lang: str
    openmp: bool
    errors: bool = True
    features: frozenset[str] = frozenset()
    count: int = 0
    functions: list[list[Node]] = field(default_factory=list)
    globals: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # of globals that are visible to other files


class Ctx:
    """One scope of one case: the random source and everything visible."""

    def __init__(self, file: File, rng: random.Random, case: int, scale: int) -> None:
        self.file, self.rng, self.case, self.scale = file, rng, case, scale
        self.buffers: list[Buffer] = []
        self.comms: list[Comm] = []
        self.recent: list[Window] = []
        self.lists: list[tuple[str, Type, int]] = []
        self.depth = 0
        self.uniform = True  # all world ranks run this code
        self.jumps = True  # setjmp and exceptions allowed here
        self.trips = 1  # the number of times that this code runs
        self.never = "return"  # how to leave the function
        self.weights: dict[str, float] = {}

    def child(self) -> Ctx:
        """An inner scope: its additions to the lists end with it."""
        other = Ctx.__new__(Ctx)
        other.__dict__.update(self.__dict__)
        other.buffers = list(self.buffers)
        other.comms = list(self.comms)
        other.lists = list(self.lists)
        other.depth = self.depth + 1
        return other

    # Random choices.
    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def num(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def const(self) -> str:
        return f"{self.rng.randint(1, 0x7FFFFFFF)}u"

    def pick(self, items):  # type: ignore[no-untyped-def]
        return self.rng.choice(items)

    def uid(self, prefix: str) -> str:
        self.file.count += 1
        return f"{prefix}{self.file.count}"

    @property
    def cxx(self) -> bool:
        return self.file.lang == "c++"

    # Buffers and windows.
    def length(self, high: int = 6) -> int:
        """A length of one rank's share; four shares fit twice in a buffer."""
        return self.num(1, min(high, 6)) * self.scale

    def comm(self) -> Comm:
        return self.pick(self.comms)

    def window(self, length: int, type_: Type | None = None) -> Window:
        fits = [b for b in self.buffers if b.length >= length and (type_ is None or b.type == type_)]
        if not fits:
            raise LookupError("no buffer fits")
        buffer = self.pick(fits)
        return Window(buffer, self.num(0, buffer.length - length), length)

    def apart(self, length: int, other: Window, same_type: bool = True) -> Window:
        """A window that does not overlap `other`."""
        for _ in range(60):
            w = self.window(length, other.type if same_type else None)
            if not w.overlaps(other):
                return w
        raise LookupError("no disjoint window")

    def hot(self, length: int = 0) -> Window:
        """A window near one that a communication used a moment ago, so that
        hazards are the rule and not luck."""
        seen = [w for w in self.recent if any(b is w.buffer for b in self.buffers)]
        if seen and self.chance(0.7):
            w = self.pick(seen[-4:])
            n = length or max(1, min(w.buffer.length, self.num(1, w.length)))
            n = min(n, w.buffer.length)
            low = max(0, w.offset - self.num(0, 1))
            off = min(self.num(low, max(low, w.offset + w.length - 1)), w.buffer.length - n)
            return Window(w.buffer, off, n)
        n = length or self.num(1, 8) * self.scale
        return self.window(n)

    def used(self, *windows: Window) -> None:
        self.recent.extend(windows)
        del self.recent[:-6]

    # Pieces shared by all emitters.
    def tag(self) -> int:
        return self.pick((1, 1, 2, 3, self.num(4, 99)))

    def hash(self, value: str) -> Node:
        return Stmt(f"h = mix(h, {value});")

    def call(self, name: str, args: str, drop: bool = False) -> list[Node]:
        """A call of MPI, with its error code used in one of several ways."""
        make = Stmt if drop else Fixed
        text = f"{name}({args})"
        way = self.rng.random()
        if way < 0.6:
            return [make(f"{text};")]
        if way < 0.75:
            err = self.uid("err")
            return [Fixed(f"int {err} = {text};"), Stmt(f"if ({err} != MPI_SUCCESS) fail({err}, __LINE__);")]
        if way < 0.85:
            return [make(f"CHECK({text});")]
        if way < 0.93:
            return [make(f"h = mix(h, (unsigned){text});")]
        return [make(f"if ({text} != MPI_SUCCESS) {self.never};")]

    def count(self, n: int) -> tuple[list[Node], str]:
        """A count as a constant or as a variable that changes later."""
        if self.chance(0.75):
            return [], str(n)
        name = self.uid("n")
        return [Fixed(f"int {name} = {n};")], name

    def read_status(self, st: str, type_: Type) -> list[Node]:
        got = self.uid("got")
        nodes: list[Node] = [
            self.hash(f"source_of({st}) + 7u"),
            self.hash(f"tag_of({st}) + 9u"),
            Group(
                [
                    Fixed(f"int {got} = -5;"),
                    Fixed(f"MPI_Get_count(&{st}, {type_.mpi}, &{got});"),
                    Fixed(f"h = mix(h, (unsigned){got});"),
                ]
            ),
        ]
        self.rng.shuffle(nodes)
        return nodes[: self.num(1, 3)]

    def touch(self, w: Window) -> list[Node]:
        """The usual uses of a buffer right after (or before) a call."""
        self.used(w)
        t, way = w.type, self.num(0, 7)
        k = self.num(0, w.length - 1)
        if way == 0:
            return [Stmt(f"{w.at(k)} = {t.store(f'h ^ {self.const()}')};")]
        if way == 1:
            return [self.hash(t.load(w.at(k)))]
        if way == 2:
            return [Stmt(f"h = hash_{t.short}({w.pointer}, {w.length}, h);")]
        if way == 3:
            return [Stmt(f"twist_{t.short}({w.pointer}, {w.length}, {self.const()});")]
        if way == 4:
            return [Stmt(f"memset({w.pointer}, 0, sizeof({t.c}) * {max(1, w.length // 2)});")]
        if way == 5:
            i = self.uid("i")
            value = t.store(f"{t.load(w.at(i))} * 5u + (unsigned){i} + h")
            return [Stmt(f"for (int {i} = 0; {i} < {w.length}; {i}++) {w.at(i)} = {value};")]
        if way == 6:
            i = self.uid("i")
            return [Stmt(f"for (int {i} = {w.length - 1}; {i} >= 0; {i}--) h = mix(h, {t.load(w.at(i))});")]
        return []

    def maybe_touch(self, *windows: Window) -> list[Node]:
        nodes: list[Node] = []
        for w in windows:
            if self.chance(0.6):
                nodes += self.touch(w)
        self.used(*windows)
        return nodes


Emitter = Callable[[Ctx], list[Node]]


@dataclass
class Step:
    name: str
    emit: Emitter
    weight: float
    kind: str  # "local", "comm" or "control"
    lang: str = ""  # "" for both
    world: bool = False  # needs all ranks, and may change the uniform value
    needs: str = ""  # a feature of the file (see program.features_of); "" for every file

    def fits(self, c: Ctx) -> bool:
        """Returns True if the scope can have this step."""
        return (
            (not self.lang or self.lang == c.file.lang)
            and (c.uniform or not self.world)
            and (not self.needs or self.needs in c.file.features)
        )


STEPS: list[Step] = []


def step(
    weight: float, kind: str, lang: str = "", world: bool = False, needs: str = ""
) -> Callable[[Emitter], Emitter]:
    """Registers an emitter under its function's name."""

    def register(emit: Emitter) -> Emitter:
        STEPS.append(Step(emit.__name__, emit, weight, kind, lang, world, needs))
        return emit

    return register
