# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of halo programs over cells of several values, which they reach by pointers and give to functions: fluxes and
equations of state, as finite volumes and lattice Boltzmann codes have them."""

from __future__ import annotations

from .ast import Block, Fixed
from .footprint import Touch
from .halo_model import Halo, bounds

# The values of a cell; LLVM masks indices if their number is a power of two.
SIZES = (2, 3, 4, 4, 5, 8)
_FIELDS = ("u", "u", "v", "w")


def _cell(h: Halo, depth: int, far: int) -> str:
    """The index of a cell's first value."""
    a, b = h.rng.randint(-far, far), h.rng.randint(-far, far)
    if depth == 1:
        return f"{h.cell} * (i + {a})"
    return f"(i + {a}) * s + {h.cell} * (j + {b})"


def _kernel(h: Halo, sources: int, disjoint: bool) -> str:
    """Writes a function of cells, and returns its name. Its last parameter is the cell that it sets."""
    name, c = h.uid("kernel"), h.element.c
    star = "*RESTRICT " if disjoint and h.chance(0.4) else "*"
    parameters = "".join(f"const {c} {star}in{k}, " for k in range(sources))
    how = h.pick(("static", "static", "static inline", "static NOINLINE"))
    if h.chance(0.5):
        terms = " + ".join(f"in{k}[c] * {h.pick(h.element.factors)}" for k in range(sources))
        body = [Fixed(f"for (int c = 0; c < {h.cell}; ++c) out[c] = {terms};")]
    else:  # each value depends on others of the cells; read all before the first is set
        names = [f"x{k}" for k in range(h.cell)]
        body = [Fixed(f"{c} {x} = {_mixed(h, sources, k)};") for k, x in enumerate(names)]
        body += [Fixed(f"out[{k}] = {x};") for k, x in enumerate(names)]
    h.functions.append([Block(f"{how} UNUSED void {name}({parameters}{c} {star}out) {{", body)])
    return name


def _mixed(h: Halo, sources: int, value: int) -> str:
    other = h.rng.randrange(h.cell)
    return f"in0[{value}] * {h.pick(h.element.factors)} + in{h.rng.randrange(sources)}[{other}]"


def cells(h: Halo) -> tuple[Touch, list[str], str, list[str]]:
    """The nest, its innermost statements, and declarations before it and uses of its results after it."""
    depth, c, size = h.pick((1, 2, 2)), h.element.c, h.cell
    touch = Touch(bounds(h, depth))
    target, to = h.pick(("v", "v", "w", "u")), _cell(h, depth, h.pick((0, 0, 0, 1)))
    sources = [(h.pick(_FIELDS), _cell(h, depth, 1)) for _ in range(h.pick((1, 2, 2, 3)))]
    for value in range(size):
        touch.reads += [(array, f"{at} + {value}") for array, at in sources]
        touch.writes.append((target, f"{to} + {value}"))
    disjoint = all(h.arrays[array].root != h.arrays[target].root for array, _ in sources)
    names = [h.uid("cell") for _ in sources]
    body = [f"const {c} *{name} = &{array}[{at}];" for name, (array, at) in zip(names, sources)]
    way, before, after = h.rng.random(), "", list[str]()
    if way < 0.4:
        body.append(f"{_kernel(h, len(sources), disjoint)}({', '.join(names)}, &{target}[{to}]);")
    elif way < 0.65:  # through an array, of one iteration or of all
        flux = h.uid("flux")
        if h.chance(0.5):
            body.append(f"{c} {flux}[{size}];")
        else:
            before = f"{c} {flux}[{size}] = {{1, 2}};"
            after = [f"res[0] += {flux}[1];"] if h.chance(0.4) else []
        add = h.pick(("=", "+=")) if depth == 2 else "="
        body += [
            f"{_kernel(h, len(sources), disjoint=True)}({', '.join(names)}, {flux});",
            f"for (int c = 0; c < {size}; ++c) {target}[{to} + c] {add} {flux}[c];",
        ]
        touch.reads += [(target, f"{to} + {value}") for value in range(size)]
    else:
        terms = " + ".join(f"{name}[c] * {h.pick(h.element.factors)}" for name in names)
        body += [f"{c} *to = &{target}[{to}];", f"for (int c = 0; c < {size}; ++c) to[c] = {terms};"]
    return touch, body, before, after


__all__ = ["SIZES", "cells"]
