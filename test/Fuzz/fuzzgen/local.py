# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements without communication: arithmetic, aliases, heap, control."""

from __future__ import annotations

from .ast import Block, Fixed, Group, Node, Stmt
from .model import Ctx, step


@step(6, "local")
def element_loop(c: Ctx) -> list[Node]:
    w = c.hot()
    i, k = c.uid("i"), c.num(1, 9)
    head = c.pick(
        (
            f"for (int {i} = 0; {i} < {w.length}; {i}++)",
            f"for (int {i} = 0; {i} < {w.length}; {i} += 2)",
            f"for (int {i} = {w.length - 1}; {i} >= 0; {i}--)",
        )
    )
    value = w.type.store(f"{w.type.load(w.at(i))} * {k}u + (unsigned){i}")
    return [Stmt(f"{head} {w.at(i)} = {value};")]


@step(5, "local")
def cross_loop(c: Ctx) -> list[Node]:
    a = c.hot()
    b = c.window(a.length)
    i = c.uid("i")
    value = a.type.store(f"{a.type.load(a.at(i))} + {b.type.load(b.at(i))} * {c.num(2, 9)}u")
    return [Stmt(f"for (int {i} = 0; {i} < {a.length}; {i}++) {a.at(i)} = {value};")]


@step(5, "local")
def scalar_read(c: Ctx) -> list[Node]:
    w = c.hot()
    return [c.hash(w.type.load(w.at(c.num(0, w.length - 1))))]


@step(4, "local")
def scalar_write(c: Ctx) -> list[Node]:
    w = c.hot()
    return [Stmt(f"{w.at(c.num(0, w.length - 1))} = {w.type.store(c.pick(('h', 'u + 3u', c.const())))};")]


@step(4, "local")
def helper_call(c: Ctx) -> list[Node]:
    w = c.hot()
    s, args = w.type.short, f"{w.pointer}, {w.length}"
    way = c.num(0, 3)
    if way == 0:
        return [Stmt(f"h = hash_{s}({args}, h);")]
    if way == 1:
        return [Stmt(f"twist_{s}({args}, {c.pick(('h', 'u', c.const()))});")]
    if way == 2:
        return [Stmt(f"h = walk_{s}({args}, h);")]
    return [Stmt(f"fill_{s}({args}, h + {c.num(0, 99)}u);")]


@step(2, "local")
def helper_two(c: Ctx) -> list[Node]:
    a = c.hot()
    b = c.apart(a.length, a)
    if c.chance(0.5):
        return [Stmt(f"axpy_{a.type.short}({a.pointer}, {b.pointer}, {a.length}, {c.const()});")]
    b = c.window(a.length, a.type)  # may overlap: no restrict there
    return [Stmt(f"shift_{a.type.short}({a.pointer}, {b.pointer}, {a.length});")]


@step(3, "local")
def block_copy(c: Ctx) -> list[Node]:
    a = c.hot()
    size = f"sizeof({a.type.c}) * {a.length}"
    if c.chance(0.5):
        b = c.apart(a.length, a)
        return [Stmt(f"memcpy({a.pointer}, {b.pointer}, {size});")]
    b = c.window(a.length, a.type)
    return [Stmt(f"memmove({a.pointer}, {b.pointer}, {size});")]


@step(2, "local")
def pun(c: Ctx) -> list[Node]:
    w = c.hot(c.num(4, 8))
    n = c.uid("pun")
    return [
        Group(
            [
                Fixed(f"union {{ unsigned w; unsigned char b[4]; }} {n};"),
                Fixed(f"memcpy(&{n}, {w.pointer}, 4);"),
                Stmt(f"h = mix(h, {n}.w + {n}.b[0]);"),
            ]
        )
    ]


@step(2, "local")
def counters(c: Ctx) -> list[Node]:
    return c.pick(
        (
            [Stmt("g_volatile = g_volatile + 1u;"), c.hash("g_volatile")],
            [
                Stmt("__atomic_fetch_add(&g_atomic, h & 7u, __ATOMIC_SEQ_CST);"),
                c.hash("__atomic_load_n(&g_atomic, __ATOMIC_ACQUIRE)"),
            ],
            [Stmt("g_shared = g_shared * 3u + h;"), c.hash("g_shared")],
        )
    )


@step(1, "local")
def note(c: Ctx) -> list[Node]:
    # One rank only: mpirun does not order the lines of several.
    w = c.hot()
    value = w.type.load(w.at(0))
    return [Stmt(f'if (rank == 0) printf("case {c.case} note %u\\n", mix(h, {value}));')]


@step(2, "local")
def visit_pointer(c: Ctx) -> list[Node]:
    w = c.hot()
    s = w.type.short
    return [Stmt(f"h = visits_{s}[{c.pick(('h', 'u'))} % 2u]({w.pointer}, {w.length}, h);")]


@step(3, "local")
def pair_struct(c: Ctx) -> list[Node]:
    a = c.hot()
    b = c.window(a.length, a.type)
    n, s = c.uid("pair"), a.type.short
    return [
        Group(
            [
                Fixed(f"Pair_{s} {n} = {{{a.pointer}, {b.pointer}, {a.length}}};"),
                Stmt(f"pair_{s}(&{n}, {c.const()});"),
                Stmt(f"{n}.a[0] = {a.type.store('h')};"),
                Stmt(f"h = mix(h, {a.type.load(f'{n}.b[0]')});"),
            ]
        )
    ]


@step(3, "local")
def chosen_pointer(c: Ctx) -> list[Node]:
    a = c.hot()
    b = c.window(a.length, a.type)
    p, cond = c.uid("p"), c.pick(("u & 1u", "rank & 1", "h & 4u", "size > 2"))
    return [
        Group(
            [
                Fixed(f"{a.type.c} *{p} = ({cond}) ? {a.pointer} : {b.pointer};"),
                Stmt(f"{p}[{a.length - 1}] = {a.type.store('h + 1u')};"),
                Stmt(f"h = mix(h, {a.type.load(a.at(0))});"),
                Stmt(f"h = mix(h, {a.type.load(f'*{p}')});"),
            ]
        )
    ]


@step(2, "local")
def double_pointer(c: Ctx) -> list[Node]:
    a = c.hot()
    p, q = c.uid("p"), c.uid("pp")
    return [
        Group(
            [
                Fixed(f"{a.type.c} *{p} = {a.pointer}, **{q} = &{p};"),
                Stmt(f"**{q} = {a.type.store(c.const())};"),
                Stmt(f"*{q} += {a.length - 1};"),
                Stmt(f"h = mix(h, {a.type.load(f'{p}[0]')});"),
            ]
        )
    ]


@step(2, "local")
def list_walk(c: Ctx) -> list[Node]:
    if not c.lists:
        raise LookupError("no list")
    name, t, n = c.pick(c.lists)
    q, k = c.uid("q"), c.num(0, n - 1)
    body = c.pick(
        (
            f"h = mix(h, {t.load(f'{q}->data[{k}]')});",
            f"{q}->data[{k}] = {t.store(f'h + {c.num(1, 9)}u')};",
            f"h = hash_{t.short}({q}->data, {q}->n, h);",
        )
    )
    return [Stmt(f"for (Node_{t.short} *{q} = {name}; {q}; {q} = {q}->next) {body}")]


@step(3, "local")
def temporary(c: Ctx) -> list[Node]:
    w = c.hot()
    t, p, n = w.type, c.uid("t"), w.length
    size = f"sizeof({t.c}) * {n}"
    how = c.num(0, 2 if c.depth == 0 else 1)
    if how == 0:
        head = [Fixed(f"{t.c} *{p} = ({t.c} *)malloc({size});")]
    elif how == 1:
        v = c.uid("n")
        head = [Fixed(f"int {v} = {n};"), Fixed(f"{t.c} {p}[{v}];")]
    else:
        head = [Fixed(f"{t.c} *{p} = ({t.c} *)alloca({size});")]
    body: list[Node] = [
        Fixed(f"memcpy({p}, {w.pointer}, {size});"),
        Stmt(f"twist_{t.short}({p}, {n}, h);"),
        Stmt(f"memcpy({w.pointer}, {p}, {size});"),
        Stmt(f"h = hash_{t.short}({p}, {n}, h);"),
    ]
    if how == 0 and c.chance(0.4):
        body += [
            Group(
                [
                    Fixed(f"{p} = ({t.c} *)realloc({p}, 3 * {size});"),
                    Fixed(f"fill_{t.short}({p} + {n}, 2 * {n}, u);"),
                    Stmt(f"h = hash_{t.short}({p}, 3 * {n}, h);"),
                ]
            )
        ]
    tail = [Fixed(f"free({p});")] if how == 0 else []
    return [Group([Block("{", head + body + tail)])]


@step(2, "local")
def leaving_loops(c: Ctx) -> list[Node]:
    w = c.hot()
    t, i, j = w.type, c.uid("i"), c.uid("j")
    return [
        Group(
            [
                Block(
                    f"for (int {i} = 0; {i} < {w.length}; {i}++) {{",
                    [
                        Stmt(f"if ({t.load(w.at(i))} % 5u == 1u) continue;"),
                        Stmt(f"if ({i} > {c.num(2, 12)}) break;"),
                        Stmt(f"for (int {j} = 0; {j} <= {i}; {j}++) h = mix(h, {t.load(w.at(j))});"),
                        Stmt(f"{w.at(i)} = {t.store('h')};"),
                    ],
                )
            ]
        )
    ]


@step(2, "local")
def while_loop(c: Ctx) -> list[Node]:
    w = c.hot()
    t, n = w.type, c.uid("n")
    return [
        Group(
            [
                Fixed(f"int {n} = 0;"),
                Block(
                    f"while ({n} < {w.length} && {t.load(w.at(n))} % 7u != 3u) {{",
                    [Stmt(f"h = mix(h, {t.load(w.at(n))});"), Fixed(f"{n}++;")],
                ),
                c.hash(f"(unsigned){n}"),
            ]
        )
    ]


@step(2, "local")
def rank_branch(c: Ctx) -> list[Node]:
    w, v = c.hot(), c.hot()
    cond = c.pick(("rank == 0", "rank % 2", "rank + 1 == size", f"h % {c.num(2, 4)}u", f"{w.type.load(w.at(0))} & 1u"))
    return [
        Group(
            [
                Block(
                    f"if ({cond}) {{",
                    [Stmt(f"twist_{w.type.short}({w.pointer}, {w.length}, h);"), c.hash(c.const())],
                    "} else {",
                ),
                Block("", [Stmt(f"{v.at(0)} = {v.type.store('h * 3u')};"), c.hash(v.type.load(v.at(v.length - 1)))]),
            ]
        )
    ]


@step(1, "local")
def switch_local(c: Ctx) -> list[Node]:
    w = c.hot()
    t = w.type
    return [
        Group(
            [
                Block(
                    f"switch ({t.load(w.at(0))} % 4u) {{",
                    [
                        Fixed("case 0:"),
                        Stmt(f"{w.at(0)} = {t.store('h')};"),
                        Fixed("// fallthrough"),
                        Fixed("case 1:"),
                        c.hash("11u"),
                        Fixed("break;"),
                        Fixed("case 2:"),
                        c.hash(t.load(w.at(w.length - 1))),
                        Fixed("break;"),
                        Fixed("default:"),
                        c.hash("u"),
                    ],
                )
            ]
        )
    ]


@step(1, "local")
def goto_loop(c: Ctx) -> list[Node]:
    w = c.hot()
    t, n, again, out = w.type, c.uid("n"), c.uid("again"), c.uid("out")
    return [
        Group(
            [
                Block(
                    "{",
                    [
                        Fixed(f"int {n} = 0;"),
                        Fixed(f"{again}:"),
                        Fixed(f"if ({n} >= {w.length}) goto {out};"),
                        c.hash(t.load(w.at(n))),
                        Stmt(f"if (h % 11u == 5u) goto {out};"),
                        Stmt(f"{w.at(n)} = {t.store('h')};"),
                        Fixed(f"{n} += {c.num(1, 3)};"),
                        Fixed(f"goto {again};"),
                        Fixed(f"{out}:;"),
                    ],
                )
            ]
        )
    ]


@step(1.5, "local")
def never_taken(c: Ctx) -> list[Node]:
    leave = c.pick((c.never, "exit(4)", "MPI_Abort(MPI_COMM_WORLD, 5)", "abort()"))
    return [Stmt(f"if (g_never) {leave};")]


@step(1, "local")
def product(c: Ctx) -> list[Node]:
    a = c.hot(9)
    b, d = c.window(9, a.type), c.window(9, a.type)
    t, i, j, k, s = (a.type, c.uid("i"), c.uid("j"), c.uid("k"), c.uid("s"))
    x = t.load(a.at(f"{i} * 3 + {k}"))
    y = t.load(b.at(f"{k} * 3 + {j}"))
    return [
        Group(
            [
                Block(
                    f"for (int {i} = 0; {i} < 3; {i}++) {{",
                    [
                        Block(
                            f"for (int {j} = 0; {j} < 3; {j}++) {{",
                            [
                                Fixed(f"unsigned {s} = 0;"),
                                Stmt(f"for (int {k} = 0; {k} < 3; {k}++) {s} += {x} * {y};"),
                                Stmt(f"{d.at(f'{i} * 3 + {j}')} = {t.store(s)};"),
                            ],
                        )
                    ],
                )
            ]
        )
    ]


@step(1, "local")
def local_jump(c: Ctx) -> list[Node]:
    if c.cxx or not c.jumps:
        raise LookupError("no setjmp here")
    w = c.hot()
    t, name = w.type, c.uid("jump_local_")
    c.file.functions.append(
        [
            Block(
                f"static NOINLINE unsigned {name}({t.c} *p, int n, unsigned h0) {{",
                [
                    Fixed("jmp_buf where; volatile unsigned h = h0;"),
                    Block(
                        "if (setjmp(where) == 0) {",
                        [
                            Stmt(f"p[0] = {t.store('h')};"),
                            Fixed(f"jump_if(where, (h & {c.pick((0, 1, 3))}u) == 0);"),
                            Stmt(f"p[n - 1] = {t.store('h + 5u')};"),
                        ],
                        "} else {",
                    ),
                    Block("", [Stmt(f"h = mix(h, {t.load('p[0]')});")]),
                    Fixed("return h;"),
                ],
            )
        ]
    )
    return [Stmt(f"h = {name}({w.pointer}, {w.length}, h);")]


@step(4, "local")
def openmp_loop(c: Ctx) -> list[Node]:
    if not c.file.openmp:
        raise LookupError("no OpenMP")
    w = c.hot()
    i = c.uid("i")
    value = w.type.store(f"{w.type.load(w.at(i))} * 9u + (unsigned){i}")
    return [
        Group(
            [
                Fixed("#pragma omp parallel for num_threads(2)"),
                Fixed(f"for (int {i} = 0; {i} < {w.length}; {i}++) {w.at(i)} = {value};"),
            ]
        )
    ]
