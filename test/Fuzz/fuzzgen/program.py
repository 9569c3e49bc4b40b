# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole cases and whole files."""

from __future__ import annotations

import random

from . import coll, control, cxx, halo, handlers, local, loops, objects, outside, p2p, wild  # noqa: F401
from .ast import Block, Fixed, Group, Node
from .control import block
from .files import Options, write
from .model import STEPS, TYPES, Buffer, Comm, Ctx, File
from .prelude import CXX, FEATURE_STARTS, FEATURES

KINDS = ("stack", "stack", "static", "global", "extern", "malloc", "malloc", "calloc", "vla", "alloca")
CXX_KINDS = KINDS + ("vector", "vector", "unique")
# Scales of message lengths. 1: below every eager limit. 300: beyond Open
# MPI's for shared memory, so that the send buffer is read late.
SCALES = (1, 1, 1, 1, 8, 300)


def features_of(options: Options) -> frozenset[str]:
    """Features of some files only: a single such call can forbid motion in the whole file, so most files have none.
    A file without wildcards lets starts pass completions, one without handlers lets calls be split."""
    rng = random.Random(f"{options.seed}/features")
    wildcards = rng.choice((("wildcards",), ("wildcards", "variable wildcards"), ()))
    features = set(wildcards)
    if rng.random() < 0.3 and options.outside:
        features.add("outside")
    if rng.random() < 0.2 and options.errors:
        features.add("handlers")
    return frozenset(features)


def _declare(c: Ctx, b: Buffer) -> list[Node]:
    t, n, x = b.type.c, b.length, b.name
    if b.kind == "stack":
        text = f"{t} {x}[{n}];"
    elif b.kind == "static":
        text = f"static {t} {x}[{n}];"
    elif b.kind in ("global", "extern"):
        c.file.globals.append(f"{'static ' if b.kind == 'global' else ''}{t} {x}[{n}];")
        text = ""
    elif b.kind == "malloc":
        text = f"{t} *{x} = ({t} *)malloc(sizeof({t}) * {n});"
    elif b.kind == "calloc":
        text = f"{t} *{x} = ({t} *)calloc({n}, sizeof({t}));"
    elif b.kind == "vla":
        text = f"int len_{x} = {n}; {t} {x}[len_{x}];"
    elif b.kind == "alloca":
        text = f"{t} *{x} = ({t} *)alloca(sizeof({t}) * {n});"
    elif b.kind == "vector":
        text = f"std::vector<{t}> own_{x}({n}); {t} *{x} = own_{x}.data();"
    else:
        text = f"std::unique_ptr<{t}[]> own_{x}(new {t}[{n}]); {t} *{x} = own_{x}.get();"
    nodes: list[Node] = [Fixed(text)] if text else []
    nodes.append(Fixed(f"fill_{b.type.short}({x}, {n}, {c.const()} + (unsigned)rank);"))
    return nodes


def _buffers(c: Ctx) -> list[Node]:
    nodes: list[Node] = []
    types = [c.pick(TYPES), c.pick(TYPES)]
    if c.chance(0.4):
        types[1] = TYPES[1]  # the type of the user-defined operation
    for i in range(c.num(3, 6)):
        t = types[i % 2] if i < 4 else c.pick(TYPES)
        kind = c.pick(CXX_KINDS if c.cxx else KINDS)
        b = Buffer(c.uid(f"b{c.case}_"), t, c.num(40, 56) * c.scale, kind)
        c.buffers.append(b)
        nodes += _declare(c, b)
    for b in list(c.buffers):
        if c.chance(0.35):
            off = c.num(1, b.length // 3)
            a = Buffer(c.uid("alias"), b.type, b.length - off, "alias", root=b.name, base=off)
            nodes.append(Fixed(f"{a.type.c} *{a.name} = {b.name} + {off}; (void){a.name};"))
            c.buffers.append(a)
    return nodes


def _list(c: Ctx) -> list[Node]:
    """A linked list whose nodes point into a buffer or at their own heap."""
    t, name, i, q = c.pick(TYPES), c.uid("list"), c.uid("i"), c.uid("q")
    n = c.num(2, 5) * c.scale
    c.lists.append((name, t, n))
    node = f"Node_{t.short}"
    return [
        Fixed(f"{node} *{name} = NULL;"),
        Block(
            f"for (int {i} = 0; {i} < {c.num(2, 4)}; {i}++) {{",
            [
                Fixed(f"{node} *{q} = ({node} *)malloc(sizeof *{q});"),
                Fixed(f"{q}->data = ({t.c} *)malloc(sizeof({t.c}) * {n});"),
                Fixed(f"{q}->n = {n}; {q}->next = {name}; {name} = {q};"),
                Fixed(f"fill_{t.short}({q}->data, {n}, (unsigned)({i} * 7 + rank));"),
            ],
        ),
    ]


def _free_list(c: Ctx) -> list[Node]:
    nodes: list[Node] = []
    for name, t, _ in c.lists:
        q = c.uid("q")
        nodes.append(
            Block(
                f"while ({name}) {{",
                [
                    Fixed(f"Node_{t.short} *{q} = {name}->next;"),
                    Fixed(f"h = hash_{t.short}({name}->data, {name}->n, h);"),
                    Fixed(f"free({name}->data); free({name}); {name} = {q};"),
                ],
            )
        )
    return nodes


def _communicators(c: Ctx) -> list[Node]:
    c.comms = [Comm("MPI_COMM_WORLD", "rank", "size")] * 3
    nodes: list[Node] = []
    if c.chance(0.4):
        name = c.uid("dup")
        c.comms.append(Comm(name, "rank", "size"))
        nodes.append(Fixed(f"MPI_Comm {name}; MPI_Comm_dup(MPI_COMM_WORLD, &{name});"))
    if c.chance(0.4):
        name = c.uid("sub")
        m = Comm(name, f"{name}_rank", f"{name}_size")
        color, guard = "rank % 2", ""
        if c.chance(0.4):
            color = "rank == 0 && size > 2 ? MPI_UNDEFINED : 1"
            m.guard = f"{name} != MPI_COMM_NULL"
            guard = f"if ({m.guard}) "
        key = c.pick(("rank", "-rank", "0"))
        nodes += [
            Fixed(f"MPI_Comm {name}; int {m.rank} = -1, {m.size} = 0;"),
            Fixed(f"MPI_Comm_split(MPI_COMM_WORLD, {color}, {key}, &{name});"),
            Fixed(f"{guard}MPI_Comm_rank({name}, &{m.rank});"),
            Fixed(f"{guard}MPI_Comm_size({name}, &{m.size});"),
        ]
        c.comms.append(m)
    return nodes


def _free_comms(c: Ctx) -> list[Node]:
    return [
        Fixed(f"{f'if ({m.guard}) ' if m.guard else ''}MPI_Comm_free(&{m.name});")
        for m in c.comms
        if m.name != "MPI_COMM_WORLD"
    ]


def case(file: File, rng: random.Random, number: int) -> list[Node]:
    c = Ctx(file, rng, number, rng.choice(SCALES))
    c.weights = {s.name: rng.choice((0.3, 1.0, 1.0, 3.0)) for s in STEPS}
    if c.cxx:
        c.jumps = False
    head = [
        Fixed("int rank, size;"),
        Fixed("MPI_Comm_rank(MPI_COMM_WORLD, &rank);"),
        Fixed("MPI_Comm_size(MPI_COMM_WORLD, &size);"),
        Fixed(f"unsigned h = mix({number}u, (unsigned)rank), u = {c.num(0, 99)}u;"),
    ]
    head += _communicators(c) + _buffers(c)
    if c.chance(0.4):
        head += _list(c)
    body = block(c, c.num(14, 26))
    tail: list[Node] = _free_list(c)
    for i, b in enumerate(x for x in c.buffers if x.root == x.name):
        tail.append(Fixed(f"out[{i + 2}] = hash_{b.type.short}({b.name}, {b.length}, 1u);"))
    tail += [Fixed("out[0] = h; out[1] = u;")]
    tail += _free_comms(c)
    for b in c.buffers:
        if b.kind in ("malloc", "calloc"):
            tail.append(Fixed(f"free({b.name});"))
    return [Block(f"static NOINLINE void case_{number}(unsigned *out) {{", head + body + tail)]


def _cases(options: Options, file: File) -> list[list[Node]]:
    cases: list[list[Node]] = []
    for number in range(options.cases):
        # A case depends on the seed and its number, not on other cases.
        rng = random.Random(f"{options.seed}/{number}/{options.lang}/{options.openmp}")
        file.functions = []
        file.globals = []
        file.count = 1000 * number
        body = case(file, rng, number)
        nodes: list[Node] = [Fixed(g) for g in file.globals]
        file.names += [name for g in file.globals if (name := _visible_name(g))]
        for function in file.functions:
            nodes += function
        cases.append([Group(nodes + body, f"case {number}")])
    return cases


def _visible_name(declaration: str) -> str:
    """Names that other files could use, or nothing."""
    return "" if declaration.startswith("static") else declaration.split("[")[0].split()[-1]


def program(options: Options) -> str:
    """The text of one file. The same options give the same text."""
    if options.kind == "halo":
        return halo.program(options)
    if options.kind == "loops":
        return loops.program(options)
    file = File(options.lang, options.openmp, options.errors, features_of(options))
    cases = _cases(options, file)
    features = features_of(options)
    head = [CXX.strip() if options.lang == "c++" else "", ""]
    head += [text.strip() for name, text in FEATURES.items() if name in features]
    start = ["MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);"]
    start += [text for name, text in FEATURE_STARTS.items() if name in features]
    # In any form, a process uses the same names for files.
    before = "g_serial = {} * 1000;" if "outside" in features else ""
    before += " g_errors = 0; g_watch = 0;" if "handlers" in features else ""
    return write(options, head, [node for c in cases for node in c], file.names, start, before)
