# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of halo programs over rows that first fill an array of their own, and then read it: fluxes, differences along a
row. Some iterations read what earlier ones have left there, and some code reads it after the loop."""

from __future__ import annotations

from .ast import Block, Fixed, Group, Node
from .footprint import Loop, Touch
from .halo_model import Halo

_LENGTH, _CENTER = 64, 8  # elements of the array, and where element 0 of a row is
_FIELDS = ("u", "u", "v", "w")


def _near(h: Halo, far: int) -> str:
    return f"(i + {h.rng.randint(-1, 1)}) * s + j + {h.rng.randint(-far, far)}"


def _fill(h: Halo, touch: Touch, name: str) -> list[Node]:
    """The first loop of an iteration."""
    array, at = h.pick(_FIELDS), _near(h, 1)
    touch.reads.append((array, at))
    text = f"{name}[j + {_CENTER}] = {array}[{at}] * {h.pick(h.element.factors)} + ({h.element.c})i;"
    way = h.rng.random()
    if way < 0.12:
        text = f"if ({h.pick(('j % 2', 'i % 2', 'i != m', 'j < n', f'{name}[{_CENTER}] < 50'))}) {text}"
    elif way < 0.22:
        text = f"{name}[{_CENTER} - 1] = 1; {text}"
    return [Block(f"{touch.loops[1].c('int')} {{", [Fixed(text)])]


def _use(h: Halo, touch: Touch, name: str, target: str) -> list[Node]:
    """The second one."""
    to = f"(i + {h.pick((0, 0, 0, 1))}) * s + j"
    touch.writes.append((target, to))
    a, b = h.rng.randint(-1, 1), h.rng.randint(-1, 1)
    terms = f"{name}[j + {_CENTER + a}] + {name}[j + {_CENTER + b}] * {h.pick(h.element.factors)}"
    return [Block(f"{touch.loops[1].c('int')} {{", [Fixed(f"{target}[{to}] = {terms};")])]


def scratch(h: Halo) -> tuple[list[Touch], list[Node]]:
    """The accesses of the fields, and the code."""
    name, c = h.uid("scratch"), h.element.c
    outer = Loop("i", h.pick(("0", "1", "1")), h.pick(("m", "m + 1", "m + 1", "m + 2")), 1, h.chance(0.2))
    wide = Loop("j", h.pick(("0", "0", "-1", "1")), h.pick(("n + 1", "n + 2", "n + 2")))
    fills, uses = Touch([outer, wide]), Touch([outer, Loop("j", "1", h.pick(("n", "n + 1", "n + 1")))])
    target = h.pick(("v", "v", "w"))
    body = [*_fill(h, fills, name), *_use(h, uses, name, target)]
    if h.chance(0.1):  # what the iteration before has left
        body.reverse()
    declared = f"{c} {name}[{_LENGTH}] = {{1, 2, 3}};"
    way = h.rng.random()
    nodes: list[Node] = [Block(f"{outer.c(h.pick(('int', 'int', 'long')))} {{", body)]
    if way < 0.2:
        nodes = [Block(f"{outer.c('int')} {{", [Fixed(declared), *body])]
    elif way < 0.4:
        h.globals.append(Fixed(f"static {c} {name}[{_LENGTH}];"))
        h.heads.append(Fixed(f"memset({name}, 0, sizeof {name});"))
    elif way < 0.55:
        before = f"{c} *{name} = ({c} *)calloc({_LENGTH}, sizeof({c}));"
        nodes = [Fixed(before), *nodes, Fixed(f"free({name});")]
    else:
        nodes.insert(0, Fixed(declared))
    if way >= 0.2 and h.chance(0.3):
        nodes.insert(len(nodes) - (0.4 <= way < 0.55), Fixed(f"res[1] += {name}[{_CENTER + 1}];"))
    return [fills, uses], [Group([Block("{", nodes)], "scratch")]


__all__ = ["scratch"]
