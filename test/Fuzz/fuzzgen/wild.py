# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wildcards, probes and clocks: steps whose result depends on the order of
matching, which the program, like real ones, forces or makes irrelevant."""

from __future__ import annotations

from .ast import Block, Fixed, Group, Node, Stmt
from .model import Ctx, Window, step
from .p2p import guarded, send


def any_source(c: Ctx) -> str:
    """MPI_ANY_SOURCE, in files of wildcards from variables by a name that no compiler sees through."""
    return "g_any" if "variable wildcards" in c.file.features else "MPI_ANY_SOURCE"


def _late(c: Ctx) -> list[Node]:
    """Delays a message occasionally, so that a wrong order becomes visible."""
    if c.chance(0.5) and c.trips <= 4:
        return [Stmt(f"nap({c.pick((200, 500, 1000))});")]
    return []


def _wild_recv(c: Ctx, w: Window, st: str, tag: object, comm: str) -> list[Node]:
    tag = "MPI_ANY_TAG" if c.chance(0.5) else tag
    arguments = f"{w.pointer}, {w.length}, {w.type.mpi}, {any_source(c)}, {tag}, {comm}, &{st}"
    name = "take" if "variable wildcards" in c.file.features and c.chance(0.5) else "MPI_Recv"
    return c.call(name, arguments) + [c.hash(f"source_of({st}) * 3u + tag_of({st})")]


@step(3, "comm", needs="wildcards")
def any_source_sum(c: Ctx) -> list[Node]:
    """Order irrelevant: each message is received in the slot of its sender.
    The barrier keeps the senders out of the next step."""
    m, n, tag, i, st = c.comm(), c.length(), c.tag(), c.uid("i"), c.uid("st")
    s = c.window(n)
    r = c.apart(4 * n, s)
    t = c.uid("in")
    slot = r.at(f"{st}.MPI_SOURCE * {n}")
    body: list[Node] = [
        Fixed(f"{r.type.c} {t}[{n}]; MPI_Status {st};"),
        Fixed(f"MPI_Recv({t}, {n}, {r.type.mpi}, {any_source(c)}, {c.pick((tag, 'MPI_ANY_TAG'))}, {m.name}, &{st});"),
        Stmt(f"memcpy(&{slot}, {t}, sizeof {t});"),
        Stmt(f"{slot} = {r.type.store(r.type.load(slot) + ' + 1u')};"),
    ]
    sending = _late(c) + send(c, s, "0", tag, m) + c.maybe_touch(s)
    return [
        Group(
            guarded(
                m,
                [
                    Block(
                        f"if ({m.rank} == 0) {{",
                        [Block(f"for (int {i} = 1; {i} < {m.size}; {i}++) {{", body)],
                        "} else {",
                    ),
                    Block("", sending),
                    Fixed(f"MPI_Barrier({m.name});"),
                ]
                + c.maybe_touch(r),
            ),
            "any_source_sum",
        )
    ]


@step(3, "comm", needs="wildcards")
def token_order(c: Ctx) -> list[Node]:
    """Rank 1 sends; rank 2 sends only after rank 0's token, which follows the
    receive of rank 1's message: both wildcards match one message."""
    m, n, tag = c.comm(), c.length(), c.tag()
    a = c.window(n)
    b = c.apart(n, a)
    x, y = c.uid("st"), c.uid("st")
    root = [Fixed(f"MPI_Status {x}, {y};")] + _wild_recv(c, a, x, tag, m.name)
    root += c.maybe_touch(a)
    root += [Fixed(f"MPI_Send(NULL, 0, MPI_INT, 2, 97, {m.name});")]
    root += _wild_recv(c, b, y, tag, m.name) + c.maybe_touch(b, a)
    one = _late(c) + send(c, a, "0", tag, m) + c.maybe_touch(a)
    two = [Fixed(f"MPI_Recv(NULL, 0, MPI_INT, 0, 97, {m.name}, MPI_STATUS_IGNORE);")] + send(c, a, "0", tag, m)
    # Without this, later messages to rank 0 could match its wildcards.
    end = [Fixed(f"MPI_Barrier({m.name});")]
    return [
        Group(
            guarded(
                m,
                [
                    Block(
                        f"if ({m.size} > 2) {{",
                        [
                            Block(f"if ({m.rank} == 0) {{", root, f"}} else if ({m.rank} == 1) {{"),
                            Block("", one, f"}} else if ({m.rank} == 2) {{"),
                            Block("", two),
                        ],
                    )
                ]
                + end,
            ),
            "token_order",
        )
    ]


@step(3, "comm", needs="wildcards")
def barrier_order(c: Ctx) -> list[Node]:
    """One sender before the barrier, another one after it."""
    m, n, tag = c.comm(), c.length(), c.tag()
    w, st = c.window(n), c.uid("st")
    last = f"{m.size} - 1"
    first = c.pick(("MPI_Send", "MPI_Ssend"))
    rounds: list[Node] = []
    for sender in ("1", last):
        rounds += [
            Block(
                f"if ({m.rank} == 0) {{",
                _wild_recv(c, w, st, tag, m.name) + c.touch(w),
                f"}} else if ({m.rank} == {sender}) {{",
            ),
            Block("", _late(c) + send(c, w, "0", tag, m, first) + c.touch(w)),
            Fixed(f"MPI_Barrier({m.name});"),
        ]
    return [Group(guarded(m, [Fixed(f"MPI_Status {st};"), Block(f"if ({m.size} > 1) {{", rounds)]), "barrier_order")]


@step(3, "comm", needs="wildcards")
def ssend_order(c: Ctx) -> list[Node]:
    """Rank 1's synchronous send returns only when rank 0 has matched it;
    then it lets rank 2 send."""
    m, n, tag = c.comm(), c.length(), c.tag()
    a = c.window(n)
    b = c.apart(n, a)
    x, y = c.uid("st"), c.uid("st")
    root = (
        [Fixed(f"MPI_Status {x}, {y};")]
        + _wild_recv(c, a, x, tag, m.name)
        + _wild_recv(c, b, y, tag, m.name)
        + c.maybe_touch(a, b)
    )
    one = (
        _late(c)
        + send(c, a, "0", tag, m, "MPI_Ssend")
        + c.touch(a)
        + [Fixed(f"MPI_Send(NULL, 0, MPI_INT, 2, 96, {m.name});")]
    )
    two = [Fixed(f"MPI_Recv(NULL, 0, MPI_INT, 1, 96, {m.name}, MPI_STATUS_IGNORE);")] + send(c, b, "0", tag, m)
    return [
        Group(
            guarded(
                m,
                [
                    Block(
                        f"if ({m.size} > 2) {{",
                        [
                            Block(f"if ({m.rank} == 0) {{", root, f"}} else if ({m.rank} == 1) {{"),
                            Block("", one, f"}} else if ({m.rank} == 2) {{"),
                            Block("", two),
                        ],
                    ),
                    Fixed(f"MPI_Barrier({m.name});"),
                ],
            ),
            "ssend_order",
        )
    ]


@step(2, "comm")
def any_tag_order(c: Ctx) -> list[Node]:
    """Two tags from one sender, taken by MPI_ANY_TAG in order of sending."""
    m, n = c.comm(), c.length()
    a = c.window(n)
    b = c.apart(n, a)
    st = c.uid("st")
    get: list[Node] = [Fixed(f"MPI_Status {st};")]
    put: list[Node] = []
    for w, tag in ((a, c.num(4, 9)), (b, c.num(4, 9))):
        get += c.call("MPI_Recv", f"{w.pointer}, {n}, {w.type.mpi}, {m.rank} - 1, MPI_ANY_TAG, {m.name}, &{st}")
        get += [c.hash(f"tag_of({st})")] + c.maybe_touch(w)
        put += _late(c) + send(c, w, f"{m.rank} + 1", tag, m)
        put += c.maybe_touch(w)
    return [
        Group(
            guarded(
                m,
                [
                    Block(f"if ({m.rank} % 2 == 0) {{", [Block(f"if ({m.rank} + 1 < {m.size}) {{", put)], "} else {"),
                    Block("", get),
                    Fixed(f"MPI_Barrier({m.name});"),
                ],
            ),
            "any_tag_order",
        )
    ]


@step(4, "comm")
def probed(c: Ctx) -> list[Node]:
    """A message of unknown length: probe, count, allocate, receive."""
    m, n, tag = c.comm(), c.length(), c.tag()
    w, t = c.window(n), None
    t = w.type
    st, k, p, f, mg = (c.uid("st"), c.uid("got"), c.uid("hp"), c.uid("flag"), c.uid("msg"))
    src = f"{m.rank} - 1"
    way = c.num(0, 3)
    body: list[Node] = [Fixed(f"MPI_Status {st}; int {k} = 0;")]
    if way == 0:
        body += [Fixed(f"MPI_Probe({src}, {tag}, {m.name}, &{st});")]
    elif way == 1:
        body += [Fixed(f"int {f} = 0;"), Fixed(f"while (!{f}) MPI_Iprobe({src}, {tag}, {m.name}, &{f}, &{st});")]
    else:
        body += [Fixed(f"MPI_Message {mg};")]
        if way == 2:
            body += [Fixed(f"MPI_Mprobe({src}, {tag}, {m.name}, &{mg}, &{st});")]
        else:
            body += [
                Fixed(f"int {f} = 0;"),
                Fixed(f"while (!{f}) MPI_Improbe({src}, {tag}, {m.name}, &{f}, &{mg}, &{st});"),
            ]
    body += [
        Fixed(f"MPI_Get_count(&{st}, {t.mpi}, &{k});"),
        c.hash(f"(unsigned){k}"),
        Fixed(f"{t.c} *{p} = ({t.c} *)malloc(sizeof({t.c}) * (size_t){k});"),
    ]
    if way < 2:
        body += [Fixed(f"MPI_Recv({p}, {k}, {t.mpi}, {st}.MPI_SOURCE, {st}.MPI_TAG, {m.name}, MPI_STATUS_IGNORE);")]
    else:
        body += [Fixed(f"MPI_Mrecv({p}, {k}, {t.mpi}, &{mg}, &{st});"), c.hash(f"({mg} == MPI_MESSAGE_NULL)")]
    body += [
        Stmt(f"h = hash_{t.short}({p}, {k}, h);"),
        Stmt(f"memcpy({w.pointer}, {p}, sizeof({t.c}) * (size_t){k});"),
        Fixed(f"free({p});"),
    ]
    length = f"1 + {m.rank} % {n}" if n > 1 else "1"
    put = (
        c.maybe_touch(w)
        + _late(c)
        + c.call("MPI_Send", f"{w.pointer}, {length}, {t.mpi}, {m.rank} + 1, {tag}, {m.name}")
        + c.maybe_touch(w)
    )
    return [
        Group(
            guarded(
                m,
                [
                    Block(f"if ({m.rank} % 2 == 0) {{", [Block(f"if ({m.rank} + 1 < {m.size}) {{", put)], "} else {"),
                    Block("", body),
                ]
                + c.maybe_touch(w),
            ),
            "probed",
        )
    ]


@step(1.5, "comm")
def timed(c: Ctx) -> list[Node]:
    """Rank 0 times a round trip to a rank that sleeps: a lower bound that
    holds on any machine, unless the calls move across the clock."""
    if c.trips > 4:
        raise LookupError("too slow in a loop")
    w, us = c.window(c.length(3)), c.pick((500, 1500))
    x, y = c.uid("t"), c.uid("t")
    buf = f"{w.pointer}, {w.length}, {w.type.mpi}"
    return [
        Group(
            [
                Block(
                    "if (rank == 0 && size > 1) {",
                    [
                        Fixed(f"double {x} = MPI_Wtime();"),
                        Fixed(f"MPI_Send({buf}, 1, 95, MPI_COMM_WORLD);"),
                        Fixed(f"MPI_Recv({buf}, 1, 95, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"),
                        Fixed(f"double {y} = MPI_Wtime();"),
                        Stmt(f"h = mix(h, {y} - {x} >= {us}e-6 * 0.9);"),
                    ],
                    "} else if (rank == 1) {",
                ),
                Block(
                    "",
                    [
                        Fixed(f"MPI_Recv({buf}, 0, 95, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"),
                        Fixed(f"nap({us});"),
                        Stmt(f"twist_{w.type.short}({w.pointer}, {w.length}, h);"),
                        Fixed(f"MPI_Send({buf}, 0, 95, MPI_COMM_WORLD);"),
                    ],
                ),
            ]
            + c.maybe_touch(w),
            "timed",
        )
    ]
