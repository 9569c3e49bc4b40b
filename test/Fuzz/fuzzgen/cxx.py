# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of the C++ flavour: exceptions, destructors, vectors, references."""

from __future__ import annotations

from .ast import Block, Fixed, Group, Node, Stmt
from .control import _inner, _uniform, block
from .model import Buffer, Ctx, Window, step
from .p2p import guarded


@step(4, "control", lang="c++")
def caught(c: Ctx) -> list[Node]:
    """A throw, the same on all ranks, between communications."""
    cond = c.pick((_uniform(c), "g_never", "true"))
    child = c.child()
    child.jumps = False
    e = c.uid("e")
    first, rest = block(child, c.num(3, 6)), block(child, c.num(1, 3))
    handler = [Stmt(f"h = mix(h, {e}.code);")] + _inner(c, 1, 1, 4)
    return [
        Group(
            [
                Block("try {", first + [Fixed(f"throw_if({cond}, h);")] + rest, f"}} catch (const Trouble &{e}) {{"),
                Block("", handler),
            ],
            "caught",
        )
    ]


@step(4, "control", lang="c++")
def swept(c: Ctx) -> list[Node]:
    """An object whose destructor reads and writes a buffer when its scope
    ends, normally or by a throw or a break."""
    w = c.hot(c.num(1, 6))
    x = c.uid("sweeper")
    return [Group([Block("{", [Fixed(f"Sweeper<{w.type.c}> {x}({w.pointer}, {w.length}, h);")] + _inner(c))], "swept")]


@step(4, "control", lang="c++")
def owned(c: Ctx) -> list[Node]:
    """Buffers with an owner: freed by a destructor after the last call."""
    child = c.child()
    t = c.pick([b.type for b in c.buffers])
    n, name, own = 30 * c.scale, c.uid("s"), c.uid("own")
    how = c.num(0, 2)
    if how == 0:
        head = [f"std::vector<{t.c}> {own}({n});", f"{t.c} *{name} = {own}.data();"]
    elif how == 1:
        head = [f"Owner<{t.c}> {own}({n});", f"{t.c} *{name} = {own}.get();"]
    else:
        head = [f"std::unique_ptr<{t.c}[]> {own}(new {t.c}[{n}]);", f"{t.c} *{name} = {own}.get();"]
    b = Buffer(name, t, n, "owned")
    child.buffers.append(b)
    child.recent = [Window(b, 0, 6 * c.scale)]
    body = [Fixed(x) for x in head]
    body += [Fixed(f"fill_{t.short}({name}, {n}, h);")]
    return [Group([Block("{", body + block(child, c.num(4, 9)))], "owned")]


@step(4, "local", lang="c++")
def vector_growth(c: Ctx) -> list[Node]:
    w = c.hot()
    t, v = w.type, c.uid("v")
    return [
        Group(
            [
                Block(
                    "{",
                    [
                        Fixed(f"std::vector<{t.c}> {v}({w.pointer}, &{w.at(0)} + {w.length});"),
                        Stmt(f"{v}.push_back({t.store('h')});"),
                        Stmt(f"std::reverse({v}.begin(), {v}.end());"),
                        Stmt(f"{v}.resize({v}.size() * 2, {t.store('u')});"),
                        Stmt(f"std::copy({v}.begin(), {v}.begin() + {w.length}, &{w.at(0)});"),
                        Stmt(f"h = hash_{t.short}({v}.data(), (int){v}.size(), h);"),
                    ],
                )
            ]
        )
    ]


@step(4, "local", lang="c++")
def references(c: Ctx) -> list[Node]:
    w = c.hot()
    v = c.window(1, w.type)
    t, r = w.type, c.uid("ref")
    return [
        Group(
            [
                Fixed(f"{t.c} &{r} = pick_ref({w.at(0)}, {v.at(0)}, {c.pick(('h & 1u', 'rank == 0', 'u & 4u'))});"),
                Stmt(f"{r} = {t.store('h + 3u')};"),
                Stmt(f"h = mix(h, {t.load(w.at(0))});"),
            ]
        )
    ]


@step(3, "local", lang="c++")
def lambdas(c: Ctx) -> list[Node]:
    w = c.hot()
    t, f, x = w.type, c.uid("f"), c.uid("x")
    p = c.uid("p")
    return [
        Group(
            [
                Fixed(f"{t.c} *{p} = {w.pointer};"),
                Fixed(
                    f"auto {f} = [&h, {p}](int {x}) {{ h = mix(h, "
                    f"{t.load(f'{p}[{x}]')}); {p}[{x}] = {t.store('h')}; }};"
                ),
                Stmt(f"{f}({c.num(0, w.length - 1)});"),
                Stmt(f"for (int {x} = 0; {x} < {w.length}; {x}++) {f}({x});"),
            ]
        )
    ]


@step(3, "local", lang="c++")
def sorted_window(c: Ctx) -> list[Node]:
    w = c.hot()
    return [Stmt(f"std::sort(&{w.at(0)}, &{w.at(0)} + {w.length});")]


@step(3, "local", lang="c++")
def local_throw(c: Ctx) -> list[Node]:
    """A throw on some ranks only, caught before anyone communicates."""
    w = c.hot()
    t, e = w.type, c.uid("e")
    return [
        Group(
            [
                Block(
                    "try {",
                    [
                        Stmt(f"{w.at(0)} = {t.store('h + 1u')};"),
                        Fixed(f"throw_if({c.pick(('rank == 0', 'h % 3u == 0'))}, h);"),
                        Stmt(f"twist_{t.short}({w.pointer}, {w.length}, h);"),
                    ],
                    f"}} catch (const Trouble &{e}) {{",
                ),
                Block("", [Stmt(f"h = mix(h, {e}.code + {t.load(w.at(0))});")]),
            ]
        )
    ]


@step(4, "comm", lang="c++")
def vector_message(c: Ctx) -> list[Node]:
    """A vector is received into, then grows (and moves), or dies."""
    m, n, tag = c.comm(), c.length(), c.tag()
    w = c.window(n)
    t, v = w.type, c.uid("v")
    call = c.call(
        "MPI_Sendrecv",
        f"{w.pointer}, {n}, {t.mpi}, ({m.rank} + 1) "
        f"% {m.size}, {tag}, {v}.data(), {n}, {t.mpi}, ({m.rank} + "
        f"{m.size} - 1) % {m.size}, {tag}, {m.name}, "
        "MPI_STATUS_IGNORE",
    )
    if c.chance(0.4):
        call = [Stmt(f"std::copy(&{w.at(0)}, &{w.at(0)} + {n}, {v}.begin());")]
        call += c.call("MPI_Bcast", f"{v}.data(), (int){v}.size(), {t.mpi}, 0, {m.name}")
    body: list[Node] = [Fixed(f"std::vector<{t.c}> {v}({n});")] + call
    late: list[Node] = [
        Stmt(f"{v}.push_back({t.store('h')});"),
        Stmt(f"{v}.insert({v}.begin(), 40, {t.store('u')});"),
        Stmt(f"h = mix(h, {t.load(f'{v}.front()')});"),
        Stmt(f"std::copy({v}.begin(), {v}.begin() + {n}, &{w.at(0)});"),
        Stmt(f"{v} = std::vector<{t.c}>({n} + 1, {t.store('3u')});"),
        Stmt(f"h = hash_{t.short}({v}.data(), {n}, h);"),
    ]
    c.rng.shuffle(late)
    return [Group(guarded(m, [Block("{", body + late[: c.num(2, 5)])] + c.maybe_touch(w)), "vector_message")]
