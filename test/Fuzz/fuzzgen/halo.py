# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Halo programs: functions that exchange pieces of arrays with neighbors and compute on the arrays, for many shapes.
They are legal in all shapes of a case: no buffer in flight is accessed, and no two overlap (footprint.py)."""

from __future__ import annotations

import random
from contextlib import suppress

from . import halo_cells, halo_rows
from .ast import Block, Fixed, Group, Node
from .files import Options, write
from .footprint import Array, Flight
from .halo_exits import tried
from .halo_loops import loop
from .halo_messages import blocking, bulk, collective
from .halo_model import CENTER, ELEMENTS, LENGTH, SIDE, Halo, index_arrays, shapes_of
from .prelude import CXX

HELPERS = r"""
static UNUSED NOINLINE unsigned halo_digest(const void *data, size_t bytes, unsigned h) {
  const unsigned char *p = (const unsigned char *)data;
  for (size_t i = 0; i + 4 <= bytes; i += 4) { unsigned x; memcpy(&x, p + i, 4); h = (h ^ x) * 16777619u + (h >> 15); }
  return h;
}
// The neighbors of a process in up to three dimensions; a dimension of one process has itself or nobody.
static UNUSED NOINLINE void halo_neighbors(int *nb, int dimensions, int periodic, MPI_Comm *grid) {
  int size, dims[3] = {0, 0, 0}, periods[3] = {periodic & 1, periodic >> 1 & 1, periodic >> 2 & 1};
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, dimensions, dims);
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims, periods, 0, grid);
  for (int d = 0; d < 6; ++d) nb[d] = MPI_PROC_NULL;
  for (int d = 0; d < dimensions; ++d) MPI_Cart_shift(*grid, d, 1, &nb[2 * d], &nb[2 * d + 1]);
}
"""
_PARAMETERS = ("u", "v", "w", "sb", "rb", "res")


def _steps(h: Halo) -> list[Node]:
    """The actions of a time step: exchanges, each with loops after it, and sometimes before the first one."""
    nodes: list[Node] = []
    for _ in range(h.pick((0, 0, 1, 2))):
        nodes += loop(h)
    for _ in range(h.pick((1, 1, 2, 2, 3))):
        try:
            nodes += h.pick((blocking, bulk, bulk, bulk))(h)
        except LookupError:
            continue
        number = h.pick((1, 1, 2, 3))
        nodes += tried(h, lambda: [node for _ in range(number) for node in loop(h)])  # noqa: B023
        if h.chance(0.12):
            with suppress(LookupError):
                nodes += collective(h)
    return nodes


def _at_file_scope(h: Halo, parameters: list[tuple[str, str]]) -> tuple[list[Node], list[Node], list[Node]]:
    """Variables at file scope instead of some parameters (declarator and name): before the function, at its beginning,
    and after it. The text of the function is unchanged."""
    before: list[Node] = []
    begin: list[Node] = []
    after: list[Node] = []
    for declarator, name in parameters:
        variable = f"halo_{name}_of_{h.number}"
        before += [Fixed(f"static {declarator}{variable};"), Fixed(f"#define {name} {variable}")]
        begin.append(Fixed(f"{name} = {name}_;"))
        after.append(Fixed(f"#undef {name}"))
    return before, begin, after


def _function(h: Halo, restrict: bool) -> list[Node]:
    t = h.element.c
    star = "*RESTRICT " if restrict else "*"
    turns = h.turns = h.pick((1, 1, 2, 3, 4))
    steps = _steps(h)
    swap = [Fixed(f"{{ {t} *other = u; u = v; v = other; }}"), *halo_rows.swaps(h)] if h.swaps and turns > 1 else []
    end = f"turn < {turns}" if h.chance(0.7) else f"turn < {turns} && m >= 0"
    once = f"for (int turn = 0; {end}; ++turn) {{"
    fields = [(f"{t} {star}", x) for x in _PARAMETERS]
    sizes = [("int ", "m"), ("int ", "n")]
    moved = [x for x in fields[:5] + sizes if h.chance(0.7)] if not restrict and h.chance(0.3) else []
    before, begin, after = _at_file_scope(h, moved)
    body: list[Node] = [
        *begin,
        Fixed(f"{h.extents()} (void)p; (void)s; (void)w; (void)sb; (void)rb;"),
        *h.heads,
        *halo_rows.heads(h),
        *([Block(once, [*steps, *swap])] if turns > 1 else steps),
        *halo_rows.tails(h),
        *h.tails,
    ]
    names = [f"{declarator}{x}{'_' * ((declarator, x) in moved)}" for declarator, x in fields + sizes]
    last = "const int *col, const int *begin, const int *nb, MPI_Comm comm"
    function = Block(f"static NOINLINE void halo_{h.number}({', '.join(names)}, {last}) {{", body)
    return [*before, function, *after]


def _case(seed: int, number: int, cxx: bool, openmp: bool) -> list[Node]:
    rng = random.Random(f"halo/{seed}/{number}")
    fill, index = index_arrays(rng)
    sizes = shapes_of(rng)
    cell = rng.choice(halo_cells.SIZES) if rng.random() < 0.3 else 1
    shapes = [{"m": m, "n": n, "s": cell * (n + 2), "p": cell * (n + 2) * (n + 2), **index} for m, n in sizes]
    element = rng.choice(ELEMENTS)
    alias, place = rng.random() < 0.2, rng.choice(("heap", "heap", "global", "stack"))
    arrays = {x: Array(x, x, CENTER, LENGTH) for x in ("u", "v", "w")}
    delta = rng.choice((0, 1, -1, 5, 40, -40, 200))
    if alias:
        arrays["v"] = Array("v", "u", CENTER + delta, LENGTH)
    arrays |= {x: Array(x, x, 0, SIDE) for x in ("sb", "rb")}
    h = Halo(rng, number, cxx, element, arrays, shapes, [Flight() for _ in shapes])
    restrict = not alias and rng.random() < 0.45
    h.swaps = not alias and not restrict and rng.random() < 0.6
    h.openmp, h.cell = openmp, cell
    h.rows = rng.choice(halo_rows.WAYS) if rng.random() < 0.4 else ""
    function = _function(h, restrict)
    t = element.c
    world = rng.random() < 0.5
    dimensions, periodic = rng.choice((1, 1, 2, 3)), rng.randrange(8)
    declare: list[Node] = []
    nodes: list[Node] = [*h.globals, *halo_rows.globals_of(h), *(node for f in h.functions for node in f), *function]
    for x in ("u", "v", "w"):
        name = f"field_{x}"
        if place == "global":
            nodes.insert(0, Fixed(f"static {t} halo_{x}{number}[{LENGTH}];"))
            declare.append(Fixed(f"{t} *{name} = halo_{x}{number};"))
        elif place == "heap":
            declare.append(Fixed(f"{t} *{name} = ({t} *)malloc(sizeof({t}) * {LENGTH});"))
        else:
            declare.append(Fixed(f"{t} {name}[{LENGTH}];"))
    table = ", ".join(f"{{{m}, {n}}}" for m, n in sizes)
    second = f"field_u + {CENTER + delta}" if alias else f"field_v + {CENTER}"
    values = {"u": "x * 37 % 101 + rank * 5 + m", "v": "x * 11 % 103 + rank", "w": "x * 13 % 107 + n"}
    fields = " ".join(f"field_{x} [x] = ({t})({value});".replace(" [", "[") for x, value in values.items())
    arguments = f"field_u + {CENTER}, {second}, field_w + {CENTER}, sb, rb, res, m, n, col, begin, nb, comm"
    digests = [(f"field_{x}", LENGTH) for x in "uvw"] + [("sb", SIDE), ("rb", SIDE)]
    loop_body: list[Node] = [
        Fixed(f"static const int shapes[][2] = {{{table}}};"),
        Fixed("int m = shapes[y][0], n = shapes[y][1];"),
        Fixed(f"for (int x = 0; x < {LENGTH}; ++x) {{ {fields} }}"),
        Fixed(f"for (int x = 0; x < {SIDE}; ++x) {{ sb[x] = ({t})(x % 7); rb[x] = ({t})(x % 5); }}"),
        Fixed(f"{t} res[4] = {{1, 2, 3, 4}};"),
        Fixed(f"halo_{number}({arguments});"),
        Fixed("unsigned h = y;"),
        *(Fixed(f"h = halo_digest({name}, sizeof *{name} * {length}, h);") for name, length in digests),
        Fixed("out[y % 24] = halo_digest(res, sizeof res, h) | 1u;"),
    ]
    body: list[Node] = [
        Fixed("int rank, nb[6]; MPI_Comm grid, comm; MPI_Comm_rank(MPI_COMM_WORLD, &rank);"),
        Fixed(f"halo_neighbors(nb, {dimensions}, {periodic}, &grid);"),
        Fixed(f"comm = {'MPI_COMM_WORLD' if world else 'grid'};"),
        Fixed(f"int col[200], begin[60]; {t} sb[{SIDE}], rb[{SIDE}];"),
        Fixed(fill),
        *declare,
        Block(f"for (unsigned y = 0; y < {len(sizes)}; ++y) {{", loop_body),
        *([Fixed("free(field_u); free(field_v); free(field_w);")] if place == "heap" else []),
        Fixed("MPI_Comm_free(&grid);"),
    ]
    nodes.append(Block(f"static NOINLINE void case_{number}(unsigned *out) {{", body))
    return [Group(nodes, f"case {number}")]


def program(options: Options) -> str:
    """Returns the text of one file of halo cases."""
    nodes = [x for k in range(options.cases) for x in _case(options.seed, k, options.lang == "c++", options.openmp)]
    head = [CXX.strip()] if options.lang == "c++" else []
    return write(options, [*head, HELPERS.strip()], nodes, [], [])
