# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps with MPI objects: datatypes, operations, persistent requests,
communicators made and freed, Cartesian neighbors."""

from __future__ import annotations

from .ast import Block, Fixed, Group, Node, Stmt
from .coll import finish, spoil, undefined_at_first
from .model import Comm, Ctx, step
from .p2p import guarded, peer_null, status


@step(5, "comm")
def derived_type(c: Ctx) -> list[Node]:
    """A strided, contiguous or indexed type, freed right after the call."""
    m, n, tag = c.comm(), c.num(2, 4) * c.scale, c.tag()
    s = c.window(3 * n)
    r = c.apart(3 * n, s)
    t, ty = s.type, c.uid("ty")
    make = c.pick(
        (
            f"MPI_Type_vector({n}, 1, 3, {t.mpi}, &{ty});",
            f"MPI_Type_vector({n // 2}, 2, 5, {t.mpi}, &{ty});",
            f"MPI_Type_contiguous({n}, {t.mpi}, &{ty});",
        )
    )
    pre: list[Node] = [Fixed(f"MPI_Datatype {ty};"), Fixed(make), Fixed(f"MPI_Type_commit(&{ty});")]
    way = c.num(0, 2)
    if way == 0:
        call = c.call("MPI_Bcast", f"{s.pointer}, 1, {ty}, 0, {m.name}")
    elif way == 1:
        call = c.call(
            "MPI_Sendrecv",
            f"{s.pointer}, 1, {ty}, ({m.rank} + 1) "
            f"% {m.size}, {tag}, {r.pointer}, 1, {ty}, ({m.rank} + "
            f"{m.size} - 1) % {m.size}, {tag}, {m.name}, "
            "MPI_STATUS_IGNORE",
        )
    else:
        prev = peer_null(f"{m.rank} - 1", f"{m.rank} > 0")
        nxt = peer_null(f"{m.rank} + 1", f"{m.rank} + 1 < {m.size}")
        d, st, use = status(c, r)
        call = d + c.call("MPI_Recv", f"{r.pointer}, 1, {ty}, {prev}, {tag}, {m.name}, {st}") + c.touch(r)
        call += c.call("MPI_Send", f"{r.pointer}, 1, {ty}, {nxt}, {tag}, {m.name}")
    return finish(c, m, "derived_type", pre, call, (s, r), [Fixed(f"MPI_Type_free(&{ty});")])


@step(3, "comm")
def struct_type(c: Ctx) -> list[Node]:
    """Some members of a struct travel; the others must stay."""
    m, ty, x = c.comm(), c.uid("ty"), c.uid("rec")
    w, root = c.hot(), c.pick(("0", f"{m.size} - 1"))
    fields = ("a", "b", "d") if c.chance(0.5) else ("a", "d")
    mpi = {"a": "MPI_INT", "b": "MPI_UNSIGNED_CHAR", "d": "MPI_DOUBLE"}
    pre: list[Node] = [
        Fixed(f"struct {{ int a; unsigned char b[5]; double d; unsigned keep; }} {x};"),
        Fixed(f"memset(&{x}, 0, sizeof {x});"),
        Fixed(f"{x}.a = (int)({w.type.load(w.at(0))} & 0xffffu);"),
        Fixed(f"{x}.b[{c.num(0, 4)}] = (unsigned char)h;"),
        Fixed(f"{x}.d = (double)(h & 0xffffu); {x}.keep = h;"),
    ]
    k = len(fields)
    lens = ", ".join("5" if f == "b" else "1" for f in fields)
    offs = ", ".join(f"(MPI_Aint)((char *)&{x}.{f} - (char *)&{x})" for f in fields)
    types = ", ".join(mpi[f] for f in fields)
    ln, of, ts = c.uid("a"), c.uid("a"), c.uid("a")
    pre += [
        Fixed(f"int {ln}[{k}] = {{{lens}}};"),
        Fixed(f"MPI_Aint {of}[{k}] = {{{offs}}};"),
        Fixed(f"MPI_Datatype {ts}[{k}] = {{{types}}}, {ty};"),
        Fixed(f"MPI_Type_create_struct({k}, {ln}, {of}, {ts}, &{ty});"),
        Fixed(f"MPI_Type_commit(&{ty});"),
    ]
    call = c.call("MPI_Bcast", f"&{x}, 1, {ty}, {root}, {m.name}")
    post = [
        Fixed(f"MPI_Type_free(&{ty});"),
        c.hash(f"{x}.keep"),
        c.hash(f"(unsigned){x}.a"),
        c.hash(f"LD_d({x}.d)"),
        Stmt(f"{x}.a = 5; {x}.b[2] = 9;"),
        c.hash(f"{x}.b[2] + {x}.b[1]"),
        Stmt(f"{w.at(0)} = {w.type.store(f'{x}.keep + {x}.b[0]')};"),
    ]
    c.rng.shuffle(post)
    return finish(c, m, "struct_type", pre, call, (w,), post)


@step(4, "comm")
def user_op(c: Ctx) -> list[Node]:
    """An operation that reads one global and writes another one; both change
    right before and right after the call. It is also freed right after it."""
    m, n, op, ty = c.comm(), c.num(1, 3) * c.scale, c.uid("op"), c.uid("ty")
    unsigned = [b for b in c.buffers if b.type.short == "u"]
    if not unsigned:
        raise LookupError("no unsigned buffer")
    t = unsigned[0].type
    s = c.window(2 * n, t)
    r = c.apart(2 * n, s)
    name = c.pick(("MPI_Allreduce", "MPI_Reduce", "MPI_Scan", "MPI_Exscan"))
    root = ", 0" if name == "MPI_Reduce" else ""
    pre: list[Node] = [
        Fixed(f"MPI_Datatype {ty}; MPI_Op {op};"),
        Fixed(f"MPI_Type_contiguous(2, MPI_UNSIGNED, &{ty});"),
        Fixed(f"MPI_Type_commit(&{ty});"),
        Fixed(f"MPI_Op_create(affine_op, 0, &{op});"),
        Fixed(f"g_salt = {c.num(2, 99)}u;"),
        Fixed("g_side = 2u;"),
    ]
    call = c.call(name, f"{s.pointer}, {r.pointer}, {n}, {ty}, {op}{root}, {m.name}")
    # Whether a rank runs the operation at all is MPI's choice: g_side is set
    # after the call on every rank, and must not change from then on.
    post: list[Node] = [
        Fixed(f"g_salt = {c.num(2, 99)}u;"),
        Fixed("g_side = h;"),
        Fixed(f"MPI_Op_free(&{op});"),
        Fixed(f"MPI_Type_free(&{ty});"),
    ]
    c.rng.shuffle(post)
    if name == "MPI_Exscan":
        post.append(undefined_at_first(m, r))
    post += c.maybe_touch(r) + [Stmt("h = mix(h, g_side);")]
    return finish(c, m, "user_op", pre, call, (s, r), post)


@step(4, "comm")
def persistent(c: Ctx) -> list[Node]:
    m, n, tag, rq, i = c.comm(), c.length(), c.tag(), c.uid("rq"), c.uid("i")
    s = c.window(n)
    r = c.apart(n, s)
    init = c.pick(("MPI_Send_init", "MPI_Ssend_init"))
    body: list[Node] = [
        Fixed(f"MPI_Request {rq}[2];"),
        Fixed(f"{init}({s.pointer}, {n}, {s.type.mpi}, ({m.rank} + 1) % {m.size}, {tag}, {m.name}, &{rq}[0]);"),
        Fixed(
            f"MPI_Recv_init({r.pointer}, {n}, {r.type.mpi}, ({m.rank} + "
            f"{m.size} - 1) % {m.size}, {tag}, {m.name}, &{rq}[1]);"
        ),
    ]
    start = (
        [Fixed(f"MPI_Startall(2, {rq});")]
        if c.chance(0.5)
        else [Fixed(f"MPI_Start(&{rq}[1]);"), Fixed(f"MPI_Start(&{rq}[0]);")]
    )
    inner = (
        c.maybe_touch(s, r)
        + start
        + [c.hash(s.type.load(s.at(0))), Fixed(f"MPI_Waitall(2, {rq}, MPI_STATUSES_IGNORE);")]
    )
    inner += c.touch(r) + c.touch(s)
    body += [Block(f"for (int {i} = 0; {i} < {c.num(1, 3)}; {i}++) {{", inner)]
    body += [Fixed(f"MPI_Request_free(&{rq}[0]);"), Fixed(f"MPI_Request_free(&{rq}[1]);")]
    return [Group(guarded(m, body + c.maybe_touch(r)), "persistent")]


@step(3, "comm", world=True)
def fresh_comm(c: Ctx) -> list[Node]:
    """A communicator made for one call and freed right after it."""
    m, k, p = c.uid("cm"), c.uid("key"), c.uid("np")
    w = c.window(c.length())
    make = c.pick(
        (
            f"MPI_Comm_dup(MPI_COMM_WORLD, &{m});",
            f"MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &{m});",
            f"MPI_Comm_split(MPI_COMM_WORLD, (int)(u & 1u), rank, &{m});",
        )
    )
    pre: list[Node] = [
        Fixed(f"MPI_Comm {m}; int {k}, {p};"),
        Fixed(make),
        Fixed(f"MPI_Comm_rank({m}, &{k});"),
        Fixed(f"MPI_Comm_size({m}, &{p});"),
    ]
    if c.chance(0.5):
        call = c.call("MPI_Bcast", f"{w.pointer}, {w.length}, {w.type.mpi}, {p} - 1, {m}")
    else:
        op = c.pick(w.type.ops)
        call = c.call("MPI_Allreduce", f"MPI_IN_PLACE, {w.pointer}, {w.length}, {w.type.mpi}, {op}, {m}")
    post: list[Node] = [
        Fixed(f"MPI_Comm_free(&{m});"),
        c.hash(f"(unsigned)({m} == MPI_COMM_NULL) + (unsigned)({k} * 5 + {p})"),
    ]
    return finish(c, Comm(m, k, p), "fresh_comm", pre, call, (w,), post)


@step(4, "comm", world=True)
def neighbors(c: Ctx) -> list[Node]:
    """Neighbor collectives on a line or, from 3 ranks on, a ring: with two
    ranks on a ring both neighbors are one, and implementations differ."""
    m, n, dims = c.uid("cart"), c.length(), c.uid("a")
    s = c.window(2 * n)
    r = c.apart(2 * n, s)
    t = r.type
    per = "size > 2" if c.chance(0.5) else "0"
    pre: list[Node] = [
        Fixed(f"MPI_Comm {m}; int {dims}[2] = {{size, {per}}};"),
        Fixed(f"MPI_Cart_create(MPI_COMM_WORLD, 1, &{dims}[0], &{dims}[1], 0, &{m});"),
    ]
    post: list[Node] = []
    way = c.num(0, 4)
    one = f"{s.pointer}, {n}, {t.mpi}, {r.pointer}, {n}, {t.mpi}, {m}"
    if way == 0:
        call = c.call("MPI_Neighbor_allgather", one)
    elif way == 1:
        call = c.call("MPI_Neighbor_alltoall", one)
    elif way == 2:
        src, dst, st = c.uid("src"), c.uid("dst"), c.uid("st")
        pre += [Fixed(f"int {src}, {dst}; MPI_Status {st};"), Fixed(f"MPI_Cart_shift({m}, 0, 1, &{src}, &{dst});")]
        call = c.call(
            "MPI_Sendrecv", f"{s.pointer}, {n}, {t.mpi}, {dst}, 3, {r.pointer}, {n}, {t.mpi}, {src}, 3, {m}, &{st}"
        )
        post = [c.hash(f"source_of({st})")]
    else:
        x, y = c.uid("a"), c.uid("a")
        pre += [Fixed(f"int {x}[2] = {{{n}, {n}}}, {y}[2] = {{{n}, 0}};")]
        if way == 3:
            call = c.call(
                "MPI_Neighbor_alltoallv", f"{s.pointer}, {x}, {y}, {t.mpi}, {r.pointer}, {x}, {y}, {t.mpi}, {m}"
            )
        else:
            call = c.call("MPI_Neighbor_allgatherv", f"{s.pointer}, {n}, {t.mpi}, {r.pointer}, {x}, {y}, {t.mpi}, {m}")
        post = spoil(c, x, y)
    post.append(Fixed(f"MPI_Comm_free(&{m});"))
    return finish(c, Comm(m, "rank", "size"), "neighbors", pre, call, (s, r), post)


@step(2, "comm")
def list_message(c: Ctx) -> list[Node]:
    """The payload of each node of a linked list is broadcast."""
    if not c.lists:
        raise LookupError("no list")
    m = c.comm()
    name, t, n = c.pick(c.lists)
    q = c.uid("q")
    body = c.call("MPI_Bcast", f"{q}->data, {q}->n, {t.mpi}, 0, {m.name}")
    body += [Stmt(f"h = mix(h, {t.load(f'{q}->data[{n - 1}]')});"), Stmt(f"{q}->data[0] = {t.store('h')};")]
    c.rng.shuffle(body) if len(body) == 3 else None
    return [
        Group(guarded(m, [Block(f"for (Node_{t.short} *{q} = {name}; {q}; {q} = {q}->next) {{", body)]), "list_message")
    ]


@step(3, "comm")
def pair_message(c: Ctx) -> list[Node]:
    """Buffers reached through a struct or a chosen pointer."""
    m, n = c.comm(), c.length()
    a = c.window(n)
    b = c.window(n, a.type)
    t, p = a.type, c.uid("pair")
    pre: list[Node] = [Fixed(f"Pair_{t.short} {p} = {{{a.pointer}, {b.pointer}, {n}}};")]
    if c.chance(0.5):
        pre.append(Fixed(f"if ({c.pick(('h & 1u', 'rank & 1', 'u & 2u'))}) {p}.a = {b.pointer};"))
    call = c.call("MPI_Bcast", f"{p}.a, {p}.n, {t.mpi}, 0, {m.name}")
    post: list[Node] = [
        Stmt(f"{p}.b[{n - 1}] = {t.store('h * 7u')};"),
        Stmt(f"{p}.a = {p}.b; {p}.n = 0;"),
        c.hash(t.load(f"{p}.a[0]")),
    ]
    return finish(c, m, "pair_message", pre, call, (a, b), post)
