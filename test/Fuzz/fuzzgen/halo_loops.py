# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of halo programs: stencils, gathers, sparse rows, sums, and loops that can almost be split."""

from __future__ import annotations

from .ast import Block, Fixed, Group, Node, Stmt
from .footprint import Loop, Touch
from .halo_cells import cells
from .halo_exits import Exit, early_exit
from .halo_model import Halo, bounds
from .halo_rows import by_rows, is_local
from .halo_scratch import scratch

FIELDS = ("u", "u", "u", "v", "v", "w")
_PARAMETERS = ("u", "v", "w", "sb", "rb", "res")


def _index(h: Halo, depth: int, row: str, plane: str, far: int = 1) -> str:
    a, b, c = (h.rng.randint(-far, far) for _ in range(3))
    if depth == 1:
        return h.pick((f"i * {row} + {a + b}", f"i + {a}", f"i + {a}"))
    if h.chance(0.15):  # wraps around, as with periodic boundaries
        by = h.pick(("s", "s", "n + 1", "m + 2", "3", "8", "-s", "-5"))
        ahead = h.pick(("", "", " + s", " - n", f" + {row}"))
        if depth == 1:
            return f"REM(i + {a}{ahead}, {by})"
        if h.chance(0.2):
            return f"REM(i + {a}{ahead}, {by}) * {row} + j + {b}"
        return f"(i + {a}) * {row} + REM(j + {b}{ahead}, {by})"
    if depth == 2:
        return f"(i + {a}) * {row} + j + {b}"
    return f"(i + {a}) * {plane} + (j + {b}) * {row} + k + {c}"


def _load(h: Halo, array: str, index: str) -> str:
    return f"{array}[{index}] * {h.pick(h.element.factors)}"


def _choice(h: Halo, depth: int) -> str:
    """A comparison of a loop's number, in some form."""
    i = h.pick(("i", "i", "j", "k")[: depth + 1])
    number = h.pick(("0", "1", "2", "m", "m - 1", "n", "m + 1"))
    forms = ("{i} == {n}", "{i} != {n}", "{i} < {n}", "{i} + 1 >= {n}", "(unsigned){i} < 2u", "{i} < {n} && {i} > 0")
    return h.pick(forms).format(i=i, n=number)


def _stencil(h: Halo) -> tuple[Touch, list[str], str, list[str]]:
    """The nest, its innermost statements, declarations before it, and uses of its results after it."""
    depth = h.pick((1, 2, 2, 2, 3))
    row, plane = h.pick(("s", "s", "s", "n")), h.pick(("p", "p", "m * s", "s"))
    touch = Touch(bounds(h, depth))
    target = h.pick(("v", "v", "v", "u", "w"))
    to = _index(h, depth, row, plane, h.pick((0, 0, 0, 1)))
    terms: list[str] = []
    for _ in range(h.rng.randint(1, 4)):
        array, index = h.pick(FIELDS), _index(h, depth, row, plane)
        touch.reads.append((array, index))
        if h.chance(0.12):  # ghost values elsewhere, selected by the number of the iteration
            other, place = h.pick((*FIELDS, "rb", "rb")), _index(h, depth, row, plane)
            touch.reads.append((other, place))
            terms.append(f"({_choice(h, depth)} ? {other}[{place}] : {array}[{index}])")
        else:
            terms.append(_load(h, array, index))
    if h.chance(0.25):
        terms.append(f"({h.element.c})i")
    value = " + ".join(terms)
    body, before, after = [], "", []
    way = h.rng.random()
    if way < 0.12:  # a sum that leaves the loop
        name = h.uid("sum")
        before, body, after = (
            f"{h.element.c} {name} = 1;",
            [f"{name} += {value};"],
            [_gathered(h, name, h.element.c, 0)],
        )
    elif way < 0.18:  # a maximum
        name, x = h.uid("most"), h.uid("x")
        before = f"{h.element.c} {name} = 0;"
        body = [f"{h.element.c} {x} = {value};", f"if ({x} > {name}) {name} = {x};"]
        after = [_gathered(h, name, h.element.c, 1)]
    elif way < 0.26:  # the last value, and a store
        name = h.uid("last")
        before = f"{h.element.c} {name} = 2;"
        body, after = [f"{name} = {value};", f"{target}[{to}] = {name};"], [f"res[2] += {name};"]
        touch.writes.append((target, to))
    elif way < 0.34:  # through an array on the stack: of one iteration, or of all
        touch.writes.append((target, to))
        few, c = h.uid("few"), h.element.c
        if h.chance(0.7):
            body = [f"{c} {few}[3] = {{{value}, ({c})i, 2}};", f"{few}[(unsigned)i % 3] += {few}[1];"]
        else:
            before, body = f"{c} {few}[3] = {{1, 2, 3}};", [f"{few}[(unsigned)i % 3] += {value};"]
        body.append(f"{target}[{to}] = {few}[(unsigned)(i + 1) % 3];")
    elif way < 0.5:  # a stencil that also computes a value of all iterations
        before, body, after = _folded(h, target, to, value)
        touch.writes.append((target, to))
    else:
        body = [f"{target}[{to}] {h.pick(('=', '=', '=', '+='))} {value};"]
        touch.writes.append((target, to))
        touch.reads.append((target, to))
        if h.chance(0.15):
            other, more = h.pick(FIELDS), _index(h, depth, row, plane)
            body.append(f"{other}[{more}] += 1;")
            touch.writes.append((other, more))
        if h.chance(0.12):
            condition = h.pick(("i % 2 == 0", f"{h.pick(FIELDS)}[{to}] > 2", "i != m", "n > 2"))
            if "[" in condition:
                touch.reads.append((condition[0], to))
            body = [f"if ({condition}) {{ {' '.join(body)} }}"]
    return touch, body, before, after


def _indices(h: Halo, at: str) -> tuple[str, list[str], list[str]]:
    """An index that is looked up: its text, its possible values, and the code after the loop that changes it."""
    way = h.rng.random()
    if way < 0.5 or h.turns == 1:
        return f"col[{at}]", [f"col[{at}]"], []
    both = [f"col[{at}]", f"col[{at} + 1]"]
    if way < 0.65:  # different ones in each iteration
        return f"col[{at} + (turn & 1)]", both, []
    name = h.uid("own")
    type_ = h.pick(("int", "int", "long", "short"))
    h.heads.append(
        Fixed(f"{type_} {name}[199]; for (int x = 0; x < 199; ++x) {name}[x] = ({type_})col[x]; (void){name};")
    )
    change = f"for (int x = 0; x < 199; ++x) {name}[x] = ({type_})col[x + 1];"
    back = f"for (int x = 0; x < 199; ++x) {name}[x] = ({type_})col[x];"
    when = h.pick(("turn == 1", "turn == 0", "turn > 0", "m > n", "n > 2 && turn == 1"))
    after = h.pick(
        ([], [f"if ({when}) {change}"], [f"if ({when}) {change}"], [f"if ({when}) {{ {change} }} else {{ {back} }}"])
    )
    return f"{name}[{at}]", both, after


def _gathered(h: Halo, name: str, type_: str, place: int) -> str:
    """A value of a loop goes to res, in some programs through all processes: it then stays in memory."""
    mpi = {"int": "MPI_INT", "unsigned": "MPI_UNSIGNED"}.get(type_, h.element.mpi)
    way = 1 if h.thrown else h.rng.random()
    if way < 0.3:
        return f"MPI_Allreduce(MPI_IN_PLACE, &{name}, 1, {mpi}, MPI_MAX, comm); res[{place}] += {name};"
    if way < 0.5:
        all_ = h.uid("all")
        return f"{type_} {all_}; MPI_Allreduce(&{name}, &{all_}, 1, {mpi}, MPI_MIN, comm); res[{place}] += {all_};"
    return f"res[{place}] += {name};"


def _folded(h: Halo, target: str, to: str, value: str) -> tuple[str, list[str], list[str]]:
    """A store, and a fold of the stored values: counts, bits, minima, maxima, rounding sums. The fold then goes to res,
    whose elements differ in magnitude: the bits of each are compared."""
    name, x, t = h.uid("fold"), h.uid("x"), h.element.c
    store = [f"{t} {x} = {value};", f"{target}[{to}] = {x};"]
    if not h.element.integer and h.chance(0.25):
        before, update, after = _ordered(h, name, x)
        return before, [*store, *update], after
    size = f"({x} < 0 ? -{x} : {x})" if not h.element.integer else x
    absolute = f"{'__builtin_fabsf' if t == 'float' else '__builtin_fabs'}({x})" if not h.element.integer else x
    start = h.pick(("0", "0", "1", "-1"))
    way = h.pick(
        (
            (f"int {name} = 0;", f"{name} += {x} > 3;"),
            (f"int {name} = 0;", f"if ({x} > 3) ++{name};"),
            (f"int {name} = 3;", f"{name} += i;"),
            (f"unsigned {name} = 1;", f"{name} *= 2u * (unsigned)i + ({x} > 2) + 1u;"),
            (f"unsigned {name} = 5;", f"{name} ^= (unsigned)i * 77u + ({x} > 2);"),
            (f"int {name} = 1;", f"{name} &= {x} < 40;"),
            (f"int {name} = {h.pick(('0', '1', '7'))};", f"if ({x} > 3) {name} = 7;"),
            (f"int {name} = 1;", f"{name} = {name} && {x} < 40;"),
            (f"int {name} = 0;", f"if ({x} > 9) {name} = 1; else if ({x} < 2) {name} = 2;"),
            (f"{t} {name} = {start};", f"if ({x} > {name}) {name} = {x};"),
            (f"{t} {name} = {start};", f"{name} = {name} > {x} ? {name} : {x};"),
            (f"{t} {name} = 1000;", f"{name} = {x} < {name} ? {x} : {name};"),
            (f"{t} {name} = {start};", f"{name} = {absolute} > {name} ? {absolute} : {name};"),
            (f"{t} {name} = {start};", f"{name} = {size} >= {name} ? {size} : {name};"),
            (f"{t} {name} = 0;", f"{name} += {x};"),
            (f"{t} {name} = 0;", f"{name} = {x};"),
            (f"{t} {name} = 0;", f"if ({x} > 3) {name} = {x};"),
            (f"int {name} = 0;", f"{name} = {name} * 3 % 1001 + 1;"),
        )
    )
    return way[0], [*store, way[1]], [_gathered(h, name, way[0].split(f" {name}")[0], h.pick((0, 1, 2)))]


def _ordered(h: Halo, name: str, x: str) -> tuple[str, list[str], list[str]]:
    """A minimum or maximum that depends on the order of the iterations: with zeros, and with NaN."""
    t, y = h.element.c, h.uid("y")
    start = h.pick(("0", "-1", "1000", "-0.0", '__builtin_nan("")'))
    zeros, none = h.pick((1, 2, 5)), h.pick((3, 3, 7))
    some = f'{t} {y} = i % 8 == {none} ? ({t})__builtin_nan("") : i % 8 < {zeros} ? {x} * 0 : {x};'
    old, new = h.pick(((name, y), (y, name)))
    update = f"{name} = {old} {h.pick(('>', '>=', '<', '<='))} {new} ? {old} : {new};"
    if h.chance(0.2):
        update = f"if ({x} < 60) {update}"
    after = f"res[2] += {name} != {name} ? 7 : {name} == 0 && 1 / {name} < 0 ? 3 : {name};"
    return f"{t} {name} = {start};", [some, update], [after]


def _after(h: Halo) -> list[tuple[Touch, list[str], str, list[str]]]:
    """Jacobi's two loops, or three: a stencil, then the copy back, the change, or a stencil over the new values."""
    depth, far = h.pick((1, 2, 2)), h.pick((1, 1, 2))
    loops = [Loop("i", "1", "m + 1"), Loop("j", "1", "n + 1")][:depth]
    to = ("i", "i * s + j")[depth - 1]
    near = lambda: _index(h, depth, "s", "p", far)  # noqa: E731
    first = Touch(loops, [("u", near()), ("u", near())], [("v", to)])
    made = [(first, [f"v[{to}] = {_load(h, *first.reads[0])} + {_load(h, *first.reads[1])};"], "", list[str]())]
    for _ in range(h.pick((1, 1, 2))):
        around = loops if h.chance(0.6) else bounds(h, depth)
        draw = h.rng.random()
        if draw < 0.4:  # back, or near it
            where = to if h.chance(0.7) else near()
            factor = h.pick(("", f" * {h.element.factors[0]}"))
            made.append((Touch(around, [("v", to)], [("u", where)]), [f"u[{where}] = v[{to}]{factor};"], "", []))
        elif draw < 0.7:
            before, body, after = _folded(h, "w", to, f"v[{to}] + u[{to}] * {h.element.factors[1]}")
            if h.chance(0.6):
                body = [x for x in body if not x.startswith("w[")]
            made.append((Touch(around, [("v", to), ("u", to)], [("w", to)]), body, before, after))
        else:
            there = [near(), near()]
            text = f"w[{to}] = {_load(h, 'v', there[0])} + v[{there[1]}];"
            made.append((Touch(around, [("v", x) for x in there], [("w", to)]), [text], "", []))
    return made


def _gather(h: Halo) -> tuple[Touch, list[str], str, list[str]]:
    """Index arrays on either side."""
    touch = Touch([Loop("i", h.pick(("0", "0", "1")), h.pick(("m", "n", "m + n")))])
    index, values, after = _indices(h, "i")
    shift = h.pick(("0", "s", "m * s"))
    plain, indexed = f"i + {h.pick(('0', 's', 'm', '1'))}", f"{index} + {shift}"
    a, b = h.pick(FIELDS), h.pick(("v", "v", "w", "u"))
    is_read = h.chance(0.65)
    looked_up, other = (touch.reads, touch.writes) if is_read else (touch.writes, touch.reads)
    looked_up += [((a if is_read else b), f"{value} + {shift}") for value in values]
    other.append(((b if is_read else a), plain))
    read, write = (indexed, plain) if is_read else (plain, indexed)
    return touch, [f"{b}[{write}] {h.pick(('=', '='))} {_load(h, a, read)};"], "", after


def _sparse(h: Halo) -> tuple[Touch, list[str], str, list[str]]:
    """Rows of a sparse matrix: the ghosts are among the columns, or after the rows."""
    inner = Loop("k", "begin[i]", "begin[i + 1]")
    touch = Touch([Loop("i", "0", h.pick(("m", "n", "m + 1", "m + n"))), inner])
    a, b = h.pick(("u", "u", "w")), h.pick(("v", "v", "w"))
    shift = h.pick(("0", "0", "n", "1"))
    name = h.uid("row")
    index, values, after = _indices(h, "k")
    touch.reads += [(a, f"{value} + {shift}") for value in values]
    # Stored in each row, also in an empty one.
    store = f"i + {h.pick(('0', '0', '1', 'n'))}"
    text = [f"{name} += {_load(h, a, f'{index} + {shift}')};", f"{b}[{store}] = {name};"]
    outer = Touch([touch.loops[0]], [], [(b, store)])
    return _Two(touch, outer), text, name, ["sparse", *after]


class _Two(Touch):
    """A nest, and the code around its innermost loop."""

    def __init__(self, inner: Touch, outer: Touch) -> None:
        super().__init__(inner.loops, inner.reads, inner.writes)
        self.outer = outer

    def text(self) -> str:
        return super().text() + "\n" + self.outer.text()


def _is_parallel(h: Halo, touch: Touch) -> bool:
    return all(touch.is_parallel(h.arrays, shape) for shape in h.shapes)


def _shared(h: Halo, touch: Touch, is_of_team: bool) -> list[Node]:
    """If iterations of the outermost loop are independent, threads may share them."""
    if is_of_team:
        return [Fixed("#pragma omp for")]
    if not h.openmp or not h.chance(0.8) or not _is_parallel(h, touch):
        return []
    clauses = ("", "", "", "", " schedule(static)", " schedule(static, 2)", " schedule(dynamic)", " num_threads(2)")
    return [Fixed(f"#pragma omp parallel for{h.pick((*clauses, ' firstprivate(m, n)', ' if (m > 2)'))}")]


def _code(
    h: Halo,
    touch: Touch,
    body: list[str],
    before: str,
    after: list[str],
    is_of_team: bool = False,
    leave: Exit | None = None,
) -> list[Node]:
    types = ("int", "int", "int", "long")
    nodes: list[Node] = []
    body = [by_rows(h, x) for x in body]
    if after[:1] == ["sparse"]:
        outer, inner = touch.loops
        nodes = [
            *_shared(h, touch, is_of_team),
            Block(
                f"{outer.c(h.pick(types))} {{",
                [Fixed(f"{h.element.c} {before} = 1;"), Fixed(f"{inner.c('int')} {body[0]}"), Fixed(body[1])],
            ),
        ]
        return [Group([*nodes, *(Fixed(x) for x in after[1:])], "sparse")]
    inner_nodes: list[Node] = [Fixed(x) for x in body]
    for loop in reversed(touch.loops):
        inner_nodes = [Block(f"{loop.c(h.pick(types))} {{", inner_nodes)]
    if not before and not leave:
        inner_nodes = [*_shared(h, touch, is_of_team), *inner_nodes]
    if h.chance(0.08):
        inner_nodes = [Block(f"if ({h.pick(('m > n', 'm > 1', 'n != 2'))}) {{", inner_nodes)]
    if leave:
        inner_nodes = leave.around(inner_nodes)
    nodes = ([Fixed(before)] if before else []) + inner_nodes + [Fixed(x) for x in after]
    return [Group([Block("{", nodes)] if before or leave else nodes, "loop")]


def _copy(h: Halo) -> tuple[Touch, str]:
    """A row moved by the C library."""
    a, b, length = h.pick(FIELDS), h.pick(FIELDS), h.pick(("n", "m", "s", "1"))
    x, y = h.pick(("0", "s", "m * s", "(m + 1) * s", "1")), h.pick(("0", "s", "m * s", "(m + 1) * s"))
    touch = Touch([Loop("i", "0", length)], [(a, f"{x} + i")], [(b, f"{y} + i")])
    return touch, f"memmove(&{b}[{y}], &{a}[{x}], sizeof({h.element.c}) * (size_t)({length}));"


def _is_alone(h: Halo, touch: Touch, body: list[str], before: str, after: list[str]) -> bool:
    """Returns True if threads of a team may run the loop together, and nothing else."""
    return not before and not after and _is_parallel(h, touch)


def loop(h: Halo, tries: int = 8) -> list[Node]:
    """A loop that may be placed here, or several that belong together, or nothing."""
    nodes: list[Node]
    for _ in range(tries):
        draw, leave = h.rng.random(), None
        try:
            if draw > 0.85:
                made = _after(h)
                is_team = h.openmp and h.chance(0.5) and all(_is_alone(h, *each) for each in made)
                nodes = [node for each in made for node in _code(h, *each, is_of_team=is_team)]
                if is_team:
                    nodes = [Group([Fixed("#pragma omp parallel"), Block("{", nodes)], "team")]
                if all(h.may_touch(h.cells(touch)) for touch, *_ in made):
                    return nodes
                continue
            if draw > 0.77:
                touches, nodes = scratch(h)
                if all(h.may_touch(h.cells(touch)) for touch in touches):
                    return nodes
                continue
            if draw < 0.08:
                touch, text = _copy(h)
                nodes = [Stmt(text)]
                body: list[str] = []
            else:
                make = _sparse if draw < 0.28 else _gather if draw < 0.44 else _stencil
                if h.cell > 1 and h.chance(0.5):
                    make = cells
                touch, body, before, after = make(h)
                leave = early_exit(h, touch) if make is _stencil and h.chance(0.5 if h.thrown else 0.15) else None
                if leave:
                    body, after = [leave.test, *body], [*after, *leave.used]
                nodes = _code(h, touch, body, before, after, leave=leave)
            if h.may_touch(h.cells(touch)):
                stays = h.thrown or leave or any("own" in x or "turn" in x or is_local(h, x) for x in body)
                return _outlined(h, nodes) if not stays and h.chance(0.2) else nodes
        except LookupError:
            continue
    return []


def _outlined(h: Halo, nodes: list[Node]) -> list[Node]:
    """The loop in a separate function."""
    name, t = h.uid("part"), h.element.c
    parameters = ", ".join(f"{t} *{x}" for x in _PARAMETERS)
    how = h.pick(("static", "static", "static NOINLINE"))
    head = f"{how} UNUSED void {name}({parameters}, int m, int n, const int *col, const int *begin, MPI_Comm comm) {{"
    body: list[Node] = [Fixed(f"{h.extents()} (void)p; (void)s; (void)comm;"), *nodes]
    h.functions.append([Block(head, body)])
    return [Stmt(f"{name}({', '.join(_PARAMETERS)}, m, n, col, begin, comm);")]
