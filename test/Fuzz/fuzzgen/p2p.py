# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Point-to-point steps. None relies on a send being buffered, except Bsend."""

from __future__ import annotations

from .ast import Block, Fixed, Group, Node, Stmt
from .model import Comm, Ctx, Window, step

SENDS = ("MPI_Send", "MPI_Send", "MPI_Send", "MPI_Ssend")


def status(c: Ctx, w: Window, comm_free: bool = False) -> tuple[list[Node], str, list[Node]]:
    """Declaration, argument and later use of a status."""
    if c.chance(0.35):
        return [], "MPI_STATUS_IGNORE", []
    st = c.uid("st")
    return [Fixed(f"MPI_Status {st};")], f"&{st}", c.read_status(st, w.type)


def send(c: Ctx, w: Window, to: str, tag: object, comm: Comm, name: str = "") -> list[Node]:
    name = name or c.pick(SENDS)
    pre, n = c.count(w.length)
    nodes = c.call(name, f"{w.pointer}, {n}, {w.type.mpi}, {to}, {tag}, {comm.name}")
    if pre and c.chance(0.5):
        nodes.append(Stmt(f"{n} = -1; h = mix(h, (unsigned){n});"))
    return pre + nodes


def recv(c: Ctx, w: Window, frm: str, tag: object, comm: Comm, extra: int = 0) -> list[Node]:
    pre, st, use = status(c, w)
    nodes = c.call("MPI_Recv", f"{w.pointer}, {w.length + extra}, {w.type.mpi}, {frm}, {tag}, {comm.name}, {st}")
    late = use if st != "MPI_STATUS_IGNORE" else []
    return pre + nodes + late


def guarded(comm: Comm, nodes: list[Node]) -> list[Node]:
    if comm.guard:
        return [Block(f"if ({comm.guard}) {{", nodes)]
    return nodes


def _pair(c: Ctx, length: int) -> tuple[Window, Window]:
    a = c.window(length)
    return a, c.apart(length, a)


def peer_null(expr: str, ok: str) -> str:
    return f"(({ok}) ? {expr} : MPI_PROC_NULL)"


@step(6, "comm")
def even_odd(c: Ctx) -> list[Node]:
    m, n, tag = c.comm(), c.length(10), c.tag()
    s, r = _pair(c, n)
    p = c.uid("peer")
    first = c.maybe_touch(s) + send(c, s, p, tag, m) + c.maybe_touch(s, r) + recv(c, r, p, tag, m) + c.maybe_touch(r, s)
    second = (
        c.maybe_touch(r) + recv(c, r, p, tag, m) + c.maybe_touch(r, s) + send(c, s, p, tag, m) + c.maybe_touch(s, r)
    )
    return [
        Group(
            guarded(
                m,
                [
                    Fixed(f"int {p} = {m.rank} ^ 1;"),
                    Block(
                        f"if ({p} < {m.size}) {{",
                        [Block(f"if ({m.rank} % 2 == {c.num(0, 1)}) {{", first, "} else {"), Block("", second)],
                    ),
                ],
            ),
            "even_odd",
        )
    ]


@step(5, "comm")
def chain(c: Ctx) -> list[Node]:
    m, n, tag = c.comm(), c.length(10), c.tag()
    r = c.window(n)
    s = r if c.chance(0.5) else c.window(n, r.type)
    prev = peer_null(f"{m.rank} - 1", f"{m.rank} > 0")
    nxt = peer_null(f"{m.rank} + 1", f"{m.rank} + 1 < {m.size}")
    return [
        Group(
            guarded(
                m,
                c.maybe_touch(r)
                + recv(c, r, prev, tag, m)
                + c.maybe_touch(r, s)
                + send(c, s, nxt, tag, m)
                + c.maybe_touch(s),
            ),
            "chain",
        )
    ]


@step(6, "comm")
def ring_sendrecv(c: Ctx) -> list[Node]:
    m, n, tag, k = c.comm(), c.length(10), c.tag(), c.num(1, 2)
    s, r = _pair(c, n)
    pre, st, use = status(c, r)
    if c.chance(0.3):  # open ends
        dst = peer_null(f"{m.rank} + 1", f"{m.rank} + 1 < {m.size}")
        src = peer_null(f"{m.rank} - 1", f"{m.rank} > 0")
    else:
        dst = f"({m.rank} + {k}) % {m.size}"
        src = f"({m.rank} + {m.size} * 2 - {k}) % {m.size}"
    if c.chance(0.35):
        body = c.call(
            "MPI_Sendrecv_replace", f"{r.pointer}, {n}, {r.type.mpi}, {dst}, {tag}, {src}, {tag}, {m.name}, {st}"
        )
    else:
        body = c.call(
            "MPI_Sendrecv",
            f"{s.pointer}, {n}, {s.type.mpi}, {dst}, {tag}, "
            f"{r.pointer}, {n}, {r.type.mpi}, {src}, {tag}, "
            f"{m.name}, {st}",
        )
    return [Group(guarded(m, pre + c.maybe_touch(s, r) + body + c.maybe_touch(r, s) + use), "ring")]


@step(4, "comm")
def fan_in(c: Ctx) -> list[Node]:
    """Every rank sends to rank 0, which takes them in rank order."""
    m, n, tag, i = c.comm(), c.length(), c.tag(), c.uid("i")
    s = c.window(n)
    r = c.apart(4 * n, s)
    slot = Window(r.buffer, r.offset, n)
    pointer = f"&{r.at(f'{i} * {n}')}"
    pre, st, use = status(c, slot)
    loop = pre + c.call("MPI_Recv", f"{pointer}, {n}, {r.type.mpi}, {i}, {tag}, {m.name}, {st}") + use
    k = c.num(0, n - 1)
    if c.chance(0.6):
        loop.append(c.hash(r.type.load(r.at(f"{i} * {n} + {k}"))))
    if c.chance(0.3):
        loop.append(Stmt(f"{r.at(f'{i} * {n}')} = {r.type.store('h')};"))
    return [
        Group(
            guarded(
                m,
                c.maybe_touch(s)
                + [
                    Block(
                        f"if ({m.rank} == 0) {{",
                        [Block(f"for (int {i} = 1; {i} < {m.size}; {i}++) {{", loop)],
                        "} else {",
                    ),
                    Block("", send(c, s, "0", tag, m) + c.maybe_touch(s)),
                ]
                + c.maybe_touch(r),
            ),
            "fan_in",
        )
    ]


@step(3, "comm")
def fan_out(c: Ctx) -> list[Node]:
    """Rank 0 sends another value from one buffer to each rank: the buffer is
    overwritten between the sends."""
    m, n, tag, i = c.comm(), c.length(), c.tag(), c.uid("i")
    w = c.window(n)
    sends = [Stmt(f"twist_{w.type.short}({w.pointer}, {n}, (unsigned){i});")] + send(c, w, i, tag, m) + c.touch(w)
    return [
        Group(
            guarded(
                m,
                [
                    Block(
                        f"if ({m.rank} == 0) {{",
                        [Block(f"for (int {i} = 1; {i} < {m.size}; {i}++) {{", sends)],
                        "} else {",
                    ),
                    Block("", recv(c, w, "0", tag, m) + c.maybe_touch(w)),
                ]
                + c.maybe_touch(w),
            ),
            "fan_out",
        )
    ]


@step(4, "comm")
def same_tag_twice(c: Ctx) -> list[Node]:
    """Two messages with one key: only their order distinguishes them."""
    m, n, tag = c.comm(), c.length(), c.tag()
    a = c.window(n)
    b = c.apart(n, a)
    sending: list[Node] = []
    for w in (a, b):
        sending += send(c, w, f"{m.rank} + 1", tag, m) + c.maybe_touch(w)
    two = recv(c, b, f"{m.rank} - 1", tag, m) + c.maybe_touch(b)
    one = recv(c, a, f"{m.rank} - 1", tag, m) + c.maybe_touch(a)
    return [
        Group(
            guarded(
                m,
                [
                    Block(
                        f"if ({m.rank} % 2 == 0) {{", [Block(f"if ({m.rank} + 1 < {m.size}) {{", sending)], "} else {"
                    ),
                    Block("", two + one),
                ]
                + c.maybe_touch(a, b),
            ),
            "same_tag_twice",
        )
    ]


@step(5, "comm")
def nonblocking(c: Ctx) -> list[Node]:
    m, n, tag = c.comm(), c.length(10), c.tag()
    s, r = _pair(c, n)
    rq = c.uid("rq")
    dst = f"({m.rank} + 1) % {m.size}"
    src = f"({m.rank} + {m.size} - 1) % {m.size}"
    out = c.pick(("MPI_Isend", "MPI_Isend", "MPI_Issend"))
    body: list[Node] = [Fixed(f"MPI_Request {rq}[2];")]
    body += c.maybe_touch(s)
    start = [
        c.call("MPI_Irecv", f"{r.pointer}, {n}, {r.type.mpi}, {src}, {tag}, {m.name}, &{rq}[0]"),
        c.call(out, f"{s.pointer}, {n}, {s.type.mpi}, {dst}, {tag}, {m.name}, &{rq}[1]"),
    ]
    c.rng.shuffle(start)
    body += start[0] + start[1]
    # Only reads of the send buffer may come here.
    body += [c.hash(s.type.load(s.at(0)))] if c.chance(0.5) else []
    way = c.num(0, 3)
    if way == 0:
        st = c.uid("st")
        body += [Fixed(f"MPI_Status {st}[2];")]
        body += c.call("MPI_Waitall", f"2, {rq}, {st}")
        body += c.read_status(f"{st}[0]", r.type)
    elif way == 1:
        pre, st, use = status(c, r)
        body += pre + c.call("MPI_Wait", f"&{rq}[0], {st}") + c.touch(r)
        body += c.call("MPI_Wait", f"&{rq}[1], MPI_STATUS_IGNORE") + use
    elif way == 2:
        f, st = c.uid("done"), c.uid("st")
        body += [
            Fixed(f"int {f} = 0;"),
            Fixed(f"MPI_Status {st};"),
            Fixed(f"while (!{f}) MPI_Test(&{rq}[0], &{f}, &{st});"),
        ]
        body += c.read_status(st, r.type)
        body += [Fixed(f"MPI_Wait(&{rq}[1], MPI_STATUS_IGNORE);")]
    else:
        k, i = c.uid("k"), c.uid("i")
        body += [
            Block(
                f"for (int {i} = 0; {i} < 2; {i}++) {{",
                [
                    Fixed(f"int {k} = -1;"),
                    Fixed(f"MPI_Waitany(2, {rq}, &{k}, MPI_STATUS_IGNORE);"),
                    Stmt(f"if ({k} == 0) {r.at(0)} = {r.type.store(r.type.load(r.at(0)) + ' + 5u')};"),
                ],
            )
        ]
    return [Group(guarded(m, body + c.maybe_touch(r, s)), "nonblocking")]


@step(3, "comm")
def own_split(c: Ctx) -> list[Node]:
    """Blocking send between the programmer's own Irecv and Wait."""
    m, n, tag = c.comm(), c.length(10), c.tag()
    s, r = _pair(c, n)
    rq, other = c.uid("rq"), c.window(1)
    while other.overlaps(r):
        other = c.window(1)
    pre, st, use = status(c, r)
    body: list[Node] = [Fixed(f"MPI_Request {rq};")] + pre
    body += c.call(
        "MPI_Irecv", f"{r.pointer}, {n}, {r.type.mpi}, ({m.rank} + {m.size} - 1) % {m.size}, {tag}, {m.name}, &{rq}"
    )
    body += c.touch(other)
    body += send(c, s, f"({m.rank} + 1) % {m.size}", tag, m)
    body += [Stmt(f"{other.at(0)} = {other.type.store('h + 2u')};")]
    body += c.call("MPI_Wait", f"&{rq}, {st}") + c.maybe_touch(r, s) + use
    return [Group(guarded(m, body), "own_split")]


@step(2, "comm")
def buffered(c: Ctx) -> list[Node]:
    m, n, tag = c.comm(), c.length(), c.tag()
    s, r = _pair(c, n)
    a, k, gone, size = (c.uid("att"), c.uid("bytes"), c.uid("gone"), c.uid("len"))
    body: list[Node] = [
        Fixed(f"int {k} = {n} * (int)sizeof({s.type.c}) + MPI_BSEND_OVERHEAD + 64;"),
        Fixed(f"void *{a} = malloc((size_t){k}), *{gone};"),
        Fixed(f"int {size};"),
        Fixed(f"MPI_Buffer_attach({a}, {k});"),
    ]
    body += send(c, s, f"({m.rank} + 1) % {m.size}", tag, m, "MPI_Bsend")
    body += c.touch(s)
    body += recv(c, r, f"({m.rank} + {m.size} - 1) % {m.size}", tag, m)
    body += [
        Fixed(f"MPI_Buffer_detach(&{gone}, &{size});"),
        Fixed(f"memset({gone}, 7, (size_t){size});"),
        Fixed(f"free({a});"),
    ]
    return [Group(guarded(m, body + c.maybe_touch(s, r)), "buffered")]


@step(2, "comm")
def ready(c: Ctx) -> list[Node]:
    """Rsend: a zero-size message says that the receive is posted."""
    m, n, tag = c.comm(), c.length(), c.tag()
    w, rq, p = c.window(n), c.uid("rq"), c.uid("peer")
    pre, st, use = status(c, w)
    receiving = (
        pre
        + [
            Fixed(f"MPI_Request {rq};"),
            Fixed(f"MPI_Irecv({w.pointer}, {n}, {w.type.mpi}, {p}, {tag}, {m.name}, &{rq});"),
            Fixed(f"MPI_Send(NULL, 0, MPI_INT, {p}, 98, {m.name});"),
            Fixed(f"MPI_Wait(&{rq}, {st});"),
        ]
        + use
    )
    sending = c.maybe_touch(w) + [Fixed(f"MPI_Recv(NULL, 0, MPI_INT, {p}, 98, {m.name}, MPI_STATUS_IGNORE);")]
    sending += send(c, w, p, tag, m, "MPI_Rsend") + c.maybe_touch(w)
    return [
        Group(
            guarded(
                m,
                [
                    Fixed(f"int {p} = {m.rank} ^ 1;"),
                    Block(
                        f"if ({p} < {m.size}) {{",
                        [Block(f"if ({m.rank} % 2) {{", receiving, "} else {"), Block("", sending)],
                    ),
                ]
                + c.maybe_touch(w),
            ),
            "ready",
        )
    ]


@step(4, "comm")
def freed_after(c: Ctx) -> list[Node]:
    """A heap buffer that dies right after a blocking send of it, and one that
    is born for a receive."""
    m, n, tag = c.comm(), c.length(10), c.tag()
    w = c.window(n)
    t, p, q = w.type, c.uid("hp"), c.uid("peer")
    size = f"sizeof({t.c}) * {n}"
    new = [Fixed(f"{t.c} *{p} = ({t.c} *)malloc({size});")]
    sending = (
        new
        + [Fixed(f"memcpy({p}, {w.pointer}, {size});")]
        + c.call("MPI_Send", f"{p}, {n}, {t.mpi}, {q}, {tag}, {m.name}")
    )
    if c.chance(0.4):
        sending.append(Stmt(f"memset({p}, 0, {size});"))
    sending += [Fixed(f"free({p});")]
    if c.chance(0.5):
        x = c.uid("hx")
        sending += [
            Group(
                [
                    Fixed(f"{t.c} *{x} = ({t.c} *)malloc({size});"),
                    Fixed(f"memset({x}, 1, {size});"),
                    Fixed(f"free({x});"),
                ]
            )
        ]
    receiving = (
        new
        + [Fixed(f"memset({p}, 0, {size});")]
        + c.call("MPI_Recv", f"{p}, {n}, {t.mpi}, {q}, {tag}, {m.name}, MPI_STATUS_IGNORE")
    )
    receiving += [
        Stmt(f"memcpy({w.pointer}, {p}, {size});"),
        Stmt(f"h = hash_{t.short}({p}, {n}, h);"),
        Fixed(f"free({p});"),
    ]
    return [
        Group(
            guarded(
                m,
                [
                    Fixed(f"int {q} = {m.rank} ^ 1;"),
                    Block(
                        f"if ({q} < {m.size}) {{",
                        [Block(f"if ({m.rank} % 2) {{", receiving, "} else {"), Block("", sending)],
                    ),
                ]
                + c.maybe_touch(w),
            ),
            "freed_after",
        )
    ]


@step(2, "comm")
def scalar_message(c: Ctx) -> list[Node]:
    """Scalars as buffers; a receive into a variable that steers a loop."""
    m, tag, v, i = c.comm(), c.tag(), c.uid("v"), c.uid("i")
    w = c.hot(6)
    body: list[Node] = [Fixed(f"int {v} = (int)(h % 5u) + 1;")]
    body += c.call(
        "MPI_Sendrecv_replace",
        f"&{v}, 1, MPI_INT, ({m.rank} + 1) % {m.size}, {tag}, "
        f"({m.rank} + {m.size} - 1) % {m.size}, {tag}, {m.name}, "
        "MPI_STATUS_IGNORE",
    )
    body += [
        Stmt(f"for (int {i} = 0; {i} < {v}; {i}++) {w.at(i)} = {w.type.store(f'h + (unsigned){i}')};"),
        Stmt(f"{v} = {v} * 7;"),
        c.hash(f"(unsigned){v}"),
    ]
    return [Group(guarded(m, body), "scalar_message")]


@step(1, "comm")
def wrong_rank(c: Ctx) -> list[Node]:
    """An error that MPI returns, with MPI_ERRORS_RETURN set in main."""
    if not c.file.errors:
        raise LookupError("no erroneous calls wanted")
    w = c.hot()
    e, k = c.uid("err"), c.uid("cls")
    call = c.pick(
        (
            f"MPI_Send({w.pointer}, 1, {w.type.mpi}, size + 3, 1, MPI_COMM_WORLD)",
            f"MPI_Recv({w.pointer}, 1, {w.type.mpi}, size + 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)",
            f"MPI_Bcast({w.pointer}, 1, {w.type.mpi}, size + 3, MPI_COMM_WORLD)",
        )
    )
    return [
        Group(
            [
                Fixed(f"int {k} = -1;"),
                Fixed(f"int {e} = {call};"),
                Fixed(f"MPI_Error_class({e}, &{k});"),
                Stmt(f"h = mix(h, ({e} != MPI_SUCCESS) * 3u + ({k} == MPI_ERR_RANK || {k} == MPI_ERR_ROOT));"),
            ]
            + c.maybe_touch(w),
            "wrong_rank",
        )
    ]
