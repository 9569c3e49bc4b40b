# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of halo programs that may end early, by break, goto or an exception. A value is set on the way out, and used
after the loop or at the end of the function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .ast import Block, Fixed, Group, Node
from .footprint import Touch
from .halo_model import Halo


@dataclass(frozen=True)
class Exit:
    declared: list[Node]  # before the nest
    test: str  # first in its innermost loop
    label: list[Node]  # after it
    handler: str  # around it, if it throws
    used: list[str]  # after it

    def around(self, nest: list[Node]) -> list[Node]:
        if self.handler:
            nest = [Block("try {", nest, self.handler)]
        return [*self.declared, *nest, *self.label]


def _condition(h: Halo, touch: Touch) -> str:
    i = h.pick([loop.var for loop in touch.loops])
    if h.chance(0.5):
        array, at = h.pick(touch.reads + touch.writes)
        return f"{array}[{at}] > {h.pick((20, 60, 90, 200))}"
    number = h.pick(("2", "3", "m", "n - 1", "1000"))
    return h.pick(("{i} == {n}", "{i} > {n}", "{i} == {n} && m > n")).format(i=i, n=number)


def early_exit(h: Halo, touch: Touch) -> Exit:
    name, i = h.uid("left"), h.pick([loop.var for loop in touch.loops])
    condition = _condition(h, touch)
    declared: list[Node] = []
    used: list[str] = []
    if h.thrown:
        return Exit([], f"if ({condition}) throw (int){i} + 1;", [], "", [])
    if h.chance(0.6):  # carried through the turns
        h.heads.append(Fixed(f"int {name} = 0;"))
        h.tails.append(Fixed(f"res[3] += {name};"))
    else:
        declared.append(Fixed(f"int {name} = 0;"))
        used.append(f"res[3] += {name};")
    changed = h.pick((f"++{name};", f"{name} += (int){i} + 1;", f"{name} = (int){i};"))
    if not h.cxx or h.chance(0.3):
        if h.chance(0.5):
            return Exit(declared, f"if ({condition}) {{ {changed} break; }}", [], "", used)
        label = h.uid("out")
        return Exit(declared, f"if ({condition}) {{ {changed} goto {label}; }}", [Fixed(f"{label}:;")], "", used)
    if h.chance(0.4):  # code with cleanups, which may throw as far as the compiler knows
        function = h.uid("called")
        declared.append(Fixed(f"std::function<bool(int)> {function} = [&](int x) {{ return x >= {name} - 1; }};"))
        condition += f" && {function}((int){i})"
    caught = h.pick((f"catch (...) {{ ++{name}; }}", f"catch (int thrown) {{ {name} += thrown; }}"))
    return Exit(declared, f"if ({condition}) throw (int){i} + 1;", [], f"}} {caught}", used)


def tried(h: Halo, make: Callable[[], list[Node]]) -> list[Node]:
    """Several loops, the rest of which an exception skips."""
    if not h.cxx or not h.chance(0.15):
        return make()
    name = h.thrown = h.uid("thrown")
    nodes = make()
    h.thrown = ""
    h.heads.append(Fixed(f"int {name} = 0;"))
    h.tails.append(Fixed(f"res[3] += {name};"))
    count = f"{name} += 100;" if h.chance(0.5) else ""
    return [Group([Block("try {", [*nodes, Fixed(count)], f"}} catch (int thrown) {{ {name} += thrown; }}")], "tried")]


__all__ = ["Exit", "early_exit", "tried"]
