# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control structure around steps: loops, branches, functions, recursion,
jumps. Every rank takes the same way, by conditions that all ranks agree on."""

from __future__ import annotations

from .ast import Block, Fixed, Group, Node, Stmt
from .model import STEPS, Buffer, Comm, Ctx, Step, Window, step

MAX_DEPTH = 3
MAX_TRIPS = 12


def _choose(c: Ctx, kinds: str) -> Step | None:
    steps = [s for s in STEPS if s.kind in kinds.split() and s.fits(c)]
    weights = [s.weight * c.weights.get(s.name, 1.0) for s in steps]
    return c.rng.choices(steps, weights)[0]


def one(c: Ctx, kinds: str) -> list[Node]:
    """Nodes of one random step of one of the kinds."""
    for _ in range(20):
        s = _choose(c, kinds)
        try:
            return s.emit(c)
        except LookupError:
            continue
    return []


def block(c: Ctx, budget: int) -> list[Node]:
    """A list of statements with about `budget` steps."""
    nodes: list[Node] = []
    while budget > 0:
        roll = c.rng.random()
        if roll < 0.16 and c.depth < MAX_DEPTH and c.trips < MAX_TRIPS:
            nodes += one(c, "control")
            budget -= 4
        elif roll < 0.52:
            nodes += one(c, "comm")
            budget -= 2
        else:
            nodes += one(c, "local")
            budget -= 1
    return nodes


def _inner(c: Ctx, trips: int = 1, low: int = 3, high: int = 8) -> list[Node]:
    child = c.child()
    child.trips = c.trips * trips
    return block(child, c.num(low, high))


def _uniform(c: Ctx) -> str:
    k = c.num(2, 4)
    return c.pick((f"u % {k}u", "u & 1u", f"size > {c.num(1, 3)}", f"(u ^ {c.const()}) % {k}u == 1u", "!g_never"))


@step(5, "control")
def counted(c: Ctx) -> list[Node]:
    i, n = c.uid("i"), c.num(1, 3)
    body = _inner(c, n)
    body += [c.hash(f"(unsigned){i}")] if c.chance(0.5) else []
    if c.chance(0.3):
        body.insert(0, Stmt(f"if ({i} == {c.num(0, n)} && {_uniform(c)}) {c.pick(('continue', 'break'))};"))
    elif c.chance(0.3):
        body.insert(len(body) // 2, Stmt(f"if ({_uniform(c)}) {c.pick(('continue', 'break'))};"))
    return [Group([Block(f"for (int {i} = 0; {i} < {n}; {i}++) {{", body)], "counted")]


@step(3, "control")
def while_uniform(c: Ctx) -> list[Node]:
    i, n = c.uid("i"), c.num(1, 3)
    body = [Fixed(f"{i}++;")] + _inner(c, n)
    if c.chance(0.5):
        return [Group([Fixed(f"int {i} = 0;"), Block(f"while ({i} < {n} && !g_never) {{", body)], "while")]
    return [Group([Fixed(f"int {i} = 0;"), Block("do {", body, f"}} while ({i} < {n});")], "do")]


@step(5, "control")
def branch(c: Ctx) -> list[Node]:
    cond = _uniform(c)
    if c.chance(0.4):
        return [Group([Block(f"if ({cond}) {{", _inner(c))], "branch")]
    return [Group([Block(f"if ({cond}) {{", _inner(c), "} else {"), Block("", _inner(c))], "branch")]


@step(2, "control")
def switch_uniform(c: Ctx) -> list[Node]:
    arms: list[Node] = []
    for label in ("case 0:", "case 1:", "default:"):
        arms += [Block(f"{label} {{", _inner(c, 1, 2, 4))]
        if label != "default:" and c.chance(0.8):
            arms += [Fixed("break;")]
        elif label != "default:":
            arms += [Fixed("// fallthrough")]
    return [Group([Block("switch (u % 3u) {", arms)], "switch")]


@step(2, "control")
def goto_uniform(c: Ctx) -> list[Node]:
    n, again, skip = c.uid("n"), c.uid("again"), c.uid("skip")
    body = [
        Fixed(f"int {n} = 0;"),
        Fixed(f"{again}: {n}++;"),
        Block("{", _inner(c, 2)),
        Fixed(f"if ({_uniform(c)}) goto {skip};"),
        Block("{", _inner(c, 2, 2, 4)),
        Fixed(f"{skip}:;"),
        Fixed(f"if ({n} < 2) goto {again};"),
    ]
    return [Group([Block("{", body)], "goto")]


def _numbers(m: Comm) -> list[str]:
    """The names that a function needs besides rank and size."""
    return [] if m.rank == "rank" else [m.rank, m.size]


def _outlined(c: Ctx) -> Ctx:
    """The scope inside a new function: up to four buffers come as pointers.
    They are distinct objects, so restrict is true unless the function could
    name one of them in another way."""
    inner = c.child()
    inner.lists, inner.recent = [], []
    inner.never = "return h"
    roots = [b for b in c.buffers if b.root == b.name]
    c.rng.shuffle(roots)
    inner.buffers = []
    for b in roots[:4]:
        inner.buffers.append(Buffer(c.uid("arg"), b.type, b.length, "arg", actual=b.name))
    for b in c.buffers:  # a second pointer to an argument's bytes
        a = next((x for x in inner.buffers if x.actual == b.root and b.name != b.root), None)
        if a and c.chance(0.5):
            inner.buffers.append(
                Buffer(c.uid("arg"), b.type, b.length, "alias", root=a.name, base=b.base, actual=b.name)
            )
    return inner


def _function(c: Ctx, inner: Ctx, name: str, body: list[Node], volatile: bool = False, extra: str = "") -> str:
    """Writes the function, returns the call."""
    aliased = {b.root for b in inner.buffers if b.root != b.name}
    params = []
    for b in inner.buffers:
        # clang 22 drops stores through such parameters before a longjmp (docs/fuzzing.md).
        fits = b.root not in aliased and c.chance(0.4) and not volatile
        params.append(f"{b.type.c} *{'RESTRICT ' if fits else ''}{b.name}")
    comm = [x for x in inner.comms if x.name != "MPI_COMM_WORLD"]
    for x in comm:
        params += [f"MPI_Comm {x.name}"]
        params += [f"int {n}" for n in _numbers(x)]
    args = [b.actual for b in inner.buffers]
    for x in comm:
        args += [x.name, *_numbers(x)]
    v = "volatile " if volatile else ""
    head = (
        f"static NOINLINE unsigned {name}(unsigned h0, unsigned *up, "
        f"int rank, int size{extra and ', ' + extra}"
        f"{''.join(', ' + p for p in params)}) {{"
    )
    c.file.functions.append(
        [
            Group(
                [
                    Block(
                        head,
                        [Fixed(f"{v}unsigned h = h0; {v}unsigned u = *up;"), Fixed("(void)rank; (void)size;")]
                        + body
                        + [Fixed("*up = u;"), Fixed("return h;")],
                    )
                ],
                name,
            )
        ]
    )
    value = ", 2" if extra else ""
    return f"{name}(h, &u, rank, size{value}{''.join(', ' + a for a in args)})"


def _call(c: Ctx, call: str, note: str) -> list[Node]:
    # u may be volatile here (setjmp): pass a plain copy.
    t = c.uid("u")
    return [
        Group([Fixed(f"unsigned {t} = u;"), Fixed(f"h = {call.replace('&u', '&' + t, 1)};"), Fixed(f"u = {t};")], note)
    ]


@step(5, "control")
def function(c: Ctx) -> list[Node]:
    name = c.uid("function_")
    inner = _outlined(c)
    body = block(inner, c.num(4, 10))
    if c.chance(0.5):
        body.insert(
            len(body) // 2,
            Group([Block(f"if ({_uniform(c)}) {{", [Fixed("*up = u + 1u;"), Fixed("return mix(h, 5u);")])]),
        )
    return _call(c, _function(c, inner, name, body), "function")


@step(2, "control")
def recursion(c: Ctx) -> list[Node]:
    name = c.uid("recursion_")
    inner = _outlined(c)
    inner.trips = c.trips * 3
    inner.depth = MAX_DEPTH
    before, after = block(inner, c.num(2, 4)), block(inner, c.num(2, 4))
    again = ", ".join(
        ["h", "&v", "rank", "size", "depth - 1"]
        + [b.name for b in inner.buffers]
        + [n for x in inner.comms if x.name != "MPI_COMM_WORLD" for n in (x.name, *_numbers(x))]
    )
    body = before + [Fixed("unsigned v = u;"), Fixed(f"if (depth > 0) h = {name}({again});"), Fixed("u = v;")] + after
    return _call(c, _function(c, inner, name, body, extra="int depth"), "recursion")


@step(2, "control")
def long_jump(c: Ctx) -> list[Node]:
    """setjmp around communication, longjmp out of a call after it. Variables
    that change in between and are read later are volatile or not local."""
    if c.cxx or not c.jumps:
        raise LookupError("no setjmp here")
    name = c.uid("jump_")
    inner = _outlined(c)
    inner.jumps, inner.depth = False, MAX_DEPTH
    first = block(inner, c.num(3, 6))
    rest = block(inner, c.num(1, 3))
    second = block(inner, c.num(2, 4))
    cond = c.pick(("1", "(int)(u & 1u)", "0"))
    body: list[Node] = [
        Fixed("jmp_buf where;"),
        Block("if (setjmp(where) == 0) {", first + [Fixed(f"jump_if(where, {cond});")] + rest, "} else {"),
        Block("", second),
    ]
    return _call(c, _function(c, inner, name, body, volatile=True), "jump")


@step(4, "control")
def double_buffer(c: Ctx) -> list[Node]:
    """Two buffers that swap roles in each iteration."""
    m, n, tag = c.comm(), c.length(), c.tag()
    if m.guard:
        raise LookupError("guarded")
    a = c.window(n)
    b = c.apart(n, a)
    t, p, q, x, i = a.type, c.uid("cur"), c.uid("nxt"), c.uid("x"), c.uid("i")
    call = c.call(
        "MPI_Sendrecv",
        f"{p}, {n}, {t.mpi}, ({m.rank} + 1) % "
        f"{m.size}, {tag}, {q}, {n}, {t.mpi}, ({m.rank} + {m.size} "
        f"- 1) % {m.size}, {tag}, {m.name}, MPI_STATUS_IGNORE",
    )
    if c.chance(0.3):
        call = c.call("MPI_Allreduce", f"{p}, {q}, {n}, {t.mpi}, MPI_MAX, {m.name}")
    extra = [
        Stmt(f"twist_{t.short}({p}, {n}, (unsigned){i});"),
        Stmt(f"h = mix(h, {t.load(f'{p}[0]')});"),
        Stmt(f"{q}[0] = {t.store('h')};"),
        Stmt(f"h = hash_{t.short}({q}, {n}, h);"),
    ]
    c.rng.shuffle(extra)
    child = c.child()
    child.trips, child.depth = c.trips * 3, MAX_DEPTH
    return [
        Group(
            [
                Fixed(f"{t.c} *{p} = {a.pointer}, *{q} = {b.pointer};"),
                Block(
                    f"for (int {i} = 0; {i} < {c.num(2, 4)}; {i}++) {{",
                    call
                    + extra[:2]
                    + block(child, c.num(0, 2))
                    + [Group([Fixed(f"{t.c} *{x} = {p}; {p} = {q}; {q} = {x};")])]
                    + extra[2:3],
                ),
            ]
            + c.maybe_touch(a, b),
            "double_buffer",
        )
    ]


@step(4, "control")
def marching_pointer(c: Ctx) -> list[Node]:
    """A loop that carries its buffer: p = p + k, windows overlapping when k
    is less than the length of a message."""
    m, n = c.comm(), c.length(4)
    w = c.window(4 * n)
    t, p, k = w.type, c.uid("p"), c.pick((n, max(1, n // 2), n + 1))
    call = c.call("MPI_Bcast", f"{p}, {n}, {t.mpi}, {c.pick(('0', f'{m.size} - 1'))}, {m.name}")
    extra = [
        Stmt(f"{p}[{n - 1}] = {t.store('h')};"),
        Stmt(f"h = mix(h, {t.load(f'{p}[0]')});"),
        Stmt(f"twist_{t.short}({p}, {n}, h);"),
        Stmt(f"if ({p} > {w.buffer.name}) {p}[-1] = {t.store('h + 9u')};"),
    ]
    c.rng.shuffle(extra)
    steps = extra[:1] + call + extra[1:3]
    i = c.uid("i")
    body: list[Node] = [
        Fixed(f"{t.c} *{p} = {w.pointer};"),
        Block(
            f"for (int {i} = 0; {i} < 3 && {p} + {n} <= {w.buffer.name} + {w.buffer.length}; {i}++, {p} += {k}) {{",
            steps,
        ),
    ]
    if m.guard:
        body = [Block(f"if ({m.guard}) {{", body)]
    return [Group(body + c.maybe_touch(w), "marching_pointer")]


@step(3, "control")
def scoped(c: Ctx) -> list[Node]:
    """Buffers that live in a scope, or on the heap between two points; their
    last use may be a blocking send or collective."""
    child = c.child()
    t = c.pick([b.type for b in c.buffers])
    b = Buffer(c.uid("s"), t, 30 * c.scale, "scoped")
    child.buffers.append(b)
    heap = c.chance(0.5)
    if heap:
        head = f"{t.c} *{b.name} = ({t.c} *)malloc(sizeof({t.c}) * {b.length});"
    else:
        head = f"{t.c} {b.name}[{b.length}];"
    child.used(Window(b, 0, 4))
    body = [Fixed(head), Fixed(f"fill_{t.short}({b.name}, {b.length}, h);")]
    child.recent = [Window(b, 0, min(b.length, 6 * c.scale))]
    body += block(child, c.num(4, 9))
    body += [Fixed(f"free({b.name});")] if heap else []
    return [Group([Block("{", body)], "scoped")]
