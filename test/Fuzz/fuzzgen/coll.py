# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collective steps."""

from __future__ import annotations

from .ast import Block, Fixed, Group, Node, Stmt
from .model import Comm, Ctx, Window, step
from .p2p import guarded


def _two(c: Ctx, send: int, recv: int) -> tuple[Window, Window]:
    r = c.window(recv)
    return c.apart(send, r), r


def _root(c: Ctx, m: Comm) -> str:
    return c.pick(("0", "0", f"{m.size} - 1", f"{c.num(1, 9)} % {m.size}"))


def finish(
    c: Ctx,
    m: Comm,
    name: str,
    pre: list[Node],
    call: list[Node],
    windows: tuple[Window, ...],
    post: list[Node] | None = None,
) -> list[Node]:
    body = pre + c.maybe_touch(*windows) + call + (post or [])
    return [Group(guarded(m, body + c.maybe_touch(*reversed(windows))), name)]


def two_arms(m: Comm, root: str, there: list[Node], here: list[Node]) -> list[Node]:
    """One collective from two call sites, as in-place forms need. Blocking
    and nonblocking collectives never match (MPI-3.1, 5.12), so who splits one
    of the two must split the other one; the note tells the mutator."""
    for node in there + here:
        if isinstance(node, Fixed):
            node.text += "  // one of two arms"
    return [Block(f"if ({m.rank} == {root}) {{", there, "} else {"), Block("", here)]


def int_array(c: Ctx, values: list[str]) -> tuple[list[Node], str]:
    """An array argument: on the stack, static, or on the heap."""
    name = c.uid("a")
    values = [str(v) for v in values]
    if c.chance(0.3):
        nodes: list[Node] = [Fixed(f"static int {name}[{len(values)}];")]
        nodes += [Fixed(f"{name}[{i}] = {v};") for i, v in enumerate(values)]
        return nodes, name
    return [Fixed(f"int {name}[{len(values)}] = {{{', '.join(values)}}};")], name


def undefined_at_first(m: Comm, w: Window) -> Node:
    """MPI_Exscan leaves the result of the first rank undefined."""
    return Fixed(f"if ({m.rank} == 0) fill_{w.type.short}({w.pointer}, {w.length}, 17u);")


def spoil(c: Ctx, *names: str) -> list[Node]:
    """Changes count arrays right after the call that read them."""
    nodes: list[Node] = []
    for name in names:
        if c.chance(0.6):
            nodes.append(
                Stmt(
                    c.pick(
                        (
                            f"{name}[0] = -3;",
                            f"memset({name}, 0x7f, sizeof {name});",
                            f"{name}[0] = {name}[1] + 1;",
                            f"h = mix(h, (unsigned){name}[0]++);",
                        )
                    )
                )
            )
    return nodes


@step(2, "comm")
def barrier(c: Ctx) -> list[Node]:
    m = c.comm()
    return [Group(guarded(m, c.call("MPI_Barrier", m.name)), "barrier")]


@step(5, "comm")
def bcast(c: Ctx) -> list[Node]:
    m, w = c.comm(), c.window(c.length(12))
    pre, n = c.count(w.length)
    call = c.call("MPI_Bcast", f"{w.pointer}, {n}, {w.type.mpi}, {_root(c, m)}, {m.name}")
    return finish(c, m, "bcast", pre, call, (w,))


@step(4, "comm", world=True)
def uniform_value(c: Ctx) -> list[Node]:
    """A new value of u, which all ranks know and use in branches."""
    t = c.uid("t")
    if c.chance(0.5):
        return [
            Group(
                [
                    Fixed(f"unsigned {t} = h;"),
                    Fixed(f"MPI_Bcast(&{t}, 1, MPI_UNSIGNED, {_root(c, c.comms[0])}, MPI_COMM_WORLD);"),
                    Fixed(f"u = {t} >> 3;"),
                ],
                "uniform_value",
            )
        ]
    return [
        Group(
            [
                Fixed(f"unsigned {t}[2] = {{h, 0u}};"),
                Fixed(f"MPI_Allreduce(&{t}[0], &{t}[1], 1, MPI_UNSIGNED, MPI_BXOR, MPI_COMM_WORLD);"),
                Fixed(f"u = {t}[1] >> 2;"),
            ],
            "uniform_value",
        )
    ]


@step(7, "comm")
def reduction(c: Ctx) -> list[Node]:
    m, n = c.comm(), c.length()
    s, r = _two(c, n, n)
    t, root = r.type, _root(c, m)
    op = c.pick(t.ops)
    pre, k = c.count(n)
    name = c.pick(("MPI_Allreduce", "MPI_Allreduce", "MPI_Reduce", "MPI_Scan", "MPI_Exscan", "MPI_Reduce_local"))
    tail = f"{k}, {t.mpi}, {op}"
    if name == "MPI_Reduce_local":
        call = c.call(name, f"{s.pointer}, {r.pointer}, {tail}")
        return finish(c, m, "reduction", pre, call, (s, r))
    if name == "MPI_Reduce":
        tail += f", {root}"
        if c.chance(0.3):
            call = two_arms(
                m,
                root,
                c.call(name, f"MPI_IN_PLACE, {r.pointer}, {tail}, {m.name}"),
                c.call(name, f"{r.pointer}, NULL, {tail}, {m.name}"),
            )
            return finish(c, m, "reduction", pre, call, (r,))
    source = "MPI_IN_PLACE" if c.chance(0.3) and name != "MPI_Reduce" else s.pointer
    call = c.call(name, f"{source}, {r.pointer}, {tail}, {m.name}")
    post = [undefined_at_first(m, r)] if name == "MPI_Exscan" else []
    return finish(c, m, "reduction", pre, call, (r,) if source == "MPI_IN_PLACE" else (s, r), post)


@step(1, "comm")
def max_location(c: Ctx) -> list[Node]:
    m, p = c.comm(), c.uid("loc")
    w = c.hot()
    return [
        Group(
            guarded(
                m,
                [
                    Fixed(f"struct {{ int v, at; }} {p}[2];"),
                    Fixed(f"{p}[0].v = (int)({w.type.load(w.at(0))} & 0xffffu);"),
                    Fixed(f"{p}[0].at = {m.rank};"),
                    Fixed(f"MPI_Allreduce(&{p}[0], &{p}[1], 1, MPI_2INT, MPI_MAXLOC, {m.name});"),
                    Stmt(f"{p}[0].v = -1;"),
                    c.hash(f"(unsigned){p}[1].v"),
                    c.hash(f"(unsigned)({p}[1].at + {p}[0].v)"),
                ],
            )
            + c.maybe_touch(w),
            "max_location",
        )
    ]


@step(5, "comm")
def gather_scatter(c: Ctx) -> list[Node]:
    m, n = c.comm(), c.length()
    s, r = _two(c, n, 4 * n)
    t, root = r.type, _root(c, m)
    name = c.pick(("MPI_Gather", "MPI_Scatter", "MPI_Allgather"))
    if name == "MPI_Allgather":
        if c.chance(0.3):
            call = c.call(name, f"MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, {r.pointer}, {n}, {t.mpi}, {m.name}")
            return finish(c, m, "allgather", [], call, (r,))
        call = c.call(name, f"{s.pointer}, {n}, {t.mpi}, {r.pointer}, {n}, {t.mpi}, {m.name}")
        return finish(c, m, "allgather", [], call, (s, r))
    if name == "MPI_Gather":
        args = f"{s.pointer}, {n}, {t.mpi}, {r.pointer}, {n}, {t.mpi}, {root}, {m.name}"
        place = f"MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, {r.pointer}, {n}, {t.mpi}, {root}, {m.name}"
    else:
        args = f"{r.pointer}, {n}, {t.mpi}, {s.pointer}, {n}, {t.mpi}, {root}, {m.name}"
        place = f"{r.pointer}, {n}, {t.mpi}, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, {root}, {m.name}"
    if c.chance(0.3):
        call = two_arms(m, root, c.call(name, place), c.call(name, args))
    else:
        call = c.call(name, args)
    return finish(c, m, name[4:].lower(), [], call, (s, r))


@step(4, "comm")
def alltoall(c: Ctx) -> list[Node]:
    m, n = c.comm(), c.length()
    s, r = _two(c, 4 * n, 4 * n)
    t = r.type
    args = f"{s.pointer}, {n}, {t.mpi}, {r.pointer}, {n}, {t.mpi}, {m.name}"
    windows: tuple[Window, ...] = (s, r)
    if c.chance(0.25):
        args = f"MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, {r.pointer}, {n}, {t.mpi}, {m.name}"
        windows = (r,)
    return finish(c, m, "alltoall", [], c.call("MPI_Alltoall", args), windows)


@step(4, "comm")
def reduce_scatter(c: Ctx) -> list[Node]:
    m, n = c.comm(), c.length()
    s, r = _two(c, 4 * n, n)
    t, op = r.type, c.pick(r.type.ops)
    if c.chance(0.5):
        args = f"{s.pointer}, {r.pointer}, {n}, {t.mpi}, {op}, {m.name}"
        return finish(c, m, "reduce_scatter_block", [], c.call("MPI_Reduce_scatter_block", args), (s, r))
    pre, a = int_array(c, [n, max(1, n - 1), n, 1])
    args = f"{s.pointer}, {r.pointer}, {a}, {t.mpi}, {op}, {m.name}"
    return finish(c, m, "reduce_scatter", pre, c.call("MPI_Reduce_scatter", args), (s, r), spoil(c, a))


@step(6, "comm")
def vector_collective(c: Ctx) -> list[Node]:
    """Gatherv, Scatterv, Allgatherv: rank i has lens[i] elements."""
    m, n = c.comm(), c.length()
    s, r = _two(c, n, 4 * n)
    t, root = r.type, _root(c, m)
    lens = [c.num(0, n) if c.chance(0.3) else c.num(1, n) for _ in range(4)]
    starts = [i * n + c.num(0, n - lens[i]) for i in range(4)]
    if c.chance(0.3):
        starts.reverse()
        starts = [st - max(0, st + ln - 4 * n) for st, ln in zip(starts, lens)]
        order = sorted(range(4), key=lambda i: starts[i])
        for x, y in zip(order, order[1:]):
            lens[x] = min(lens[x], starts[y] - starts[x])
    p1, a = int_array(c, [str(v) for v in lens])
    p2, d = int_array(c, [str(v) for v in starts])
    mine = c.uid("mine")
    pre = p1 + p2 + [Fixed(f"int {mine} = {a}[{m.rank}];")]
    name = c.pick(("MPI_Gatherv", "MPI_Scatterv", "MPI_Allgatherv"))
    if name == "MPI_Gatherv":
        args = f"{s.pointer}, {mine}, {t.mpi}, {r.pointer}, {a}, {d}, {t.mpi}, {root}, {m.name}"
    elif name == "MPI_Scatterv":
        args = f"{r.pointer}, {a}, {d}, {t.mpi}, {s.pointer}, {mine}, {t.mpi}, {root}, {m.name}"
    else:
        args = f"{s.pointer}, {mine}, {t.mpi}, {r.pointer}, {a}, {d}, {t.mpi}, {m.name}"
    return finish(c, m, name[4:].lower(), pre, c.call(name, args), (s, r), spoil(c, a, d))


@step(4, "comm")
def alltoall_v(c: Ctx) -> list[Node]:
    """Rank i sends 1 + (i + j) % n elements to rank j: symmetric counts."""
    m, n = c.comm(), c.length()
    s, r = _two(c, 4 * n, 4 * n)
    t = r.type
    counts, starts = c.uid("a"), c.uid("a")
    wide = c.chance(0.35)
    unit = f" * (int)sizeof({t.c})" if wide else ""
    i = c.uid("i")
    pre: list[Node] = [
        Fixed(f"int {counts}[4], {starts}[4];"),
        Fixed(
            f"for (int {i} = 0; {i} < 4; {i}++) {{ {counts}[{i}] = 1 + "
            f"({m.rank} + {i}) % {n}; {starts}[{i}] = {i} * {n}{unit}; }}"
        ),
    ]
    windows: tuple[Window, ...] = (s, r)
    send = s.pointer
    if c.chance(0.25):
        send, windows = "MPI_IN_PLACE", (r,)
    if wide:
        types = c.uid("ty")
        pre.append(Fixed(f"MPI_Datatype {types}[4] = {{{t.mpi}, {t.mpi}, {t.mpi}, {t.mpi}}};"))
        args = f"{send}, {counts}, {starts}, {types}, {r.pointer}, {counts}, {starts}, {types}, {m.name}"
        post = spoil(c, counts, starts)
        if c.chance(0.5):
            post.append(Stmt(f"{types}[0] = MPI_DATATYPE_NULL;"))
        return finish(c, m, "alltoallw", pre, c.call("MPI_Alltoallw", args), windows, post)
    args = f"{send}, {counts}, {starts}, {t.mpi}, {r.pointer}, {counts}, {starts}, {t.mpi}, {m.name}"
    return finish(c, m, "alltoallv", pre, c.call("MPI_Alltoallv", args), windows, spoil(c, counts, starts))


@step(2, "comm")
def nonblocking_collective(c: Ctx) -> list[Node]:
    m, n, rq = c.comm(), c.length(), c.uid("rq")
    s, r = _two(c, n, 4 * n)
    t = r.type
    start = c.pick(
        (
            f"MPI_Iallgather({s.pointer}, {n}, {t.mpi}, {r.pointer}, {n}, {t.mpi}, {m.name}, &{rq});",
            f"MPI_Ibcast({r.pointer}, {n}, {t.mpi}, 0, {m.name}, &{rq});",
            f"MPI_Iallreduce({s.pointer}, {r.pointer}, {n}, {t.mpi}, MPI_MAX, {m.name}, &{rq});",
        )
    )
    inner: list[Node] = [c.hash(s.type.load(s.at(0)))]
    if c.chance(0.5):  # a second, blocking, collective in between
        w = c.window(1)
        if not w.overlaps(s) and not w.overlaps(r):
            inner += c.call("MPI_Bcast", f"{w.pointer}, 1, {w.type.mpi}, {_root(c, m)}, {m.name}") + c.touch(w)
    return finish(
        c,
        m,
        "nonblocking_collective",
        [Fixed(f"MPI_Request {rq};")],
        [Fixed(start)] + inner + [Fixed(f"MPI_Wait(&{rq}, MPI_STATUS_IGNORE);")],
        (s, r),
    )
