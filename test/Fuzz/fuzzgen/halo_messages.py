# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exchanges of halo programs: pieces of arrays, their description in MPI, starts and completions."""

from __future__ import annotations

from dataclasses import dataclass, field

from .ast import Block, Fixed, Group, Node, Stmt
from .footprint import Cells, Loop, Touch, meet
from .halo_loops import loop
from .halo_model import Halo, offset

_COUNTS = ("n", "n", "n", "m", "1", "s", "2 * n", "m * n", "n * n", "m + n", "2")


@dataclass
class Piece:
    """One end of a message: `count` elements, named by `arguments` (address, count, type)."""

    arguments: str
    cells: list[Cells]
    before: list[Node] = field(default_factory=list)  # pack
    after: list[Node] = field(default_factory=list)  # unpack, after completion
    touched: list[tuple[Cells, Cells]] = field(default_factory=list)  # by `before` or `after`
    array: str = ""
    first: str = ""
    simple: bool = False


@dataclass
class Shift:
    """Each process sends to one side the data for which the other side has a receive."""

    side: int
    tag: int
    count: str
    out: Piece
    into: Piece


def _type(h: Halo, text: str) -> str:
    """A datatype of the function, freed at its end. The bytes of one at file scope are known only at run time."""
    name = h.uid("type")
    declared = f"MPI_Datatype {name};"
    if h.chance(0.5):
        # Any code may have its address, as with a variable that other files know.
        known = h.pick(("", f" static UNUSED MPI_Datatype *volatile known_{name} = &{name};"))
        h.globals.append(Fixed(f"static UNUSED {declared}{known}"))
        declared = ""
    h.heads += [Fixed(f"{declared} {text.format(f'&{name}')} MPI_Type_commit(&{name});")]
    h.tails += [Fixed(f"MPI_Type_free(&{name});")]
    return name


# Every stencil sends its first and last rows and columns to ghosts. Side, count, and the addresses for sending and
# receiving.
_USUAL = (
    (0, "n", "s + 1", "(m + 1) * s + 1", "row"),
    (0, "s", "s", "(m + 1) * s", "row"),
    (1, "n", "m * s + 1", "1", "row"),
    (1, "s", "m * s", "0", "row"),
    (2, "m", "s + 1", "s + n + 1", "column"),
    (3, "m", "s + n", "s", "column"),
)


def piece(h: Halo, count: str, receives: bool, used: list[str], usual: tuple[str, str] | None = None) -> Piece:
    """Some way to name `count` elements; a LookupError if it leaves its array or accesses an element twice."""
    array = h.pick(("u", "u", "u", "u", "w", "v") if receives else ("u", "u", "u", "w", "w", "v"))
    first, mpi = offset(h), h.element.mpi
    if usual:
        array = "u" if receives else h.pick(("u", "u", "u", "w"))
        first = usual[0]
    numbers = h.value(count)
    if min(numbers) < 0:
        raise LookupError("a negative count")
    ways = ["row"] * 6 + ["vector"] * 3 + ["packed"] * 3 + ["contiguous", "hvector", "indexed"]
    ways += ["subarray"] if min(numbers) > 0 else []
    way = h.pick(ways)
    if usual:
        way = h.pick(("row", "row", "row", "packed") if usual[1] == "row" else ("vector", "vector", "packed"))
    if way == "packed" and ("sb" if not receives else "rb") in used:
        way = "row"
    index, arguments = f"{first} + x", f"&{array}[{first}], {count}, {mpi}"
    if way in ("vector", "hvector"):
        stride = "s" if usual else h.pick(("s", "s", "2", "n + 1", "p"))
        index = f"{first} + x * ({stride})"
        if way == "vector":
            made = _type(h, f"MPI_Type_vector({count}, 1, {stride}, {mpi}, {{}});")
        else:
            step = f"(MPI_Aint)sizeof({h.element.c}) * ({stride})"
            made = _type(h, f"MPI_Type_create_hvector({count}, 1, {step}, {mpi}, {{}});")
        arguments = f"&{array}[{first}], 1, {made}"
    elif way == "contiguous":
        arguments = f"&{array}[{first}], 1, {_type(h, f'MPI_Type_contiguous({count}, {mpi}, {{}});')}"
    elif way == "indexed":
        made = _type(h, f"MPI_Type_create_indexed_block({count}, 1, col, {mpi}, {{}});")
        index, arguments = f"{first} + col[x]", f"&{array}[{first}], 1, {made}"
    elif way == "subarray":
        column = h.chance(0.5)
        name = h.uid("a")
        sizes, subsizes = ("m + n + 40, s", f"{count}, 1") if column else ("m + 4, s + 2 * n * n + 40", f"1, {count}")
        starts = h.pick(("0, 0", "1, 1", "1, 0"))
        h.heads.append(Fixed(f"int {name}[3][2] = {{{{{sizes}}}, {{{subsizes}}}, {{{starts}}}}};"))
        text = f"MPI_Type_create_subarray(2, {name}[0], {name}[1], {name}[2], MPI_ORDER_C, {mpi}, {{}});"
        made = _type(h, text)
        row, place = sizes.split(", ")[1], starts.split(", ")
        step = f"x * ({row})" if column else "x"
        index, arguments = f"{place[0]} * ({row}) + {place[1]} + {step}", f"{array}, 1, {made}"
        if column and any(x > s["m"] + s["n"] + 38 for x, s in zip(numbers, h.shapes)):  # type: ignore[operator]
            raise LookupError("more than the array")
    if way == "packed":
        return _packed(h, count, receives, array, first, used, usual)
    touch = Touch([Loop("x_", "0", count)], [(array, index)])
    cells = [reads for reads, _ in h.cells(touch)]
    if receives and any(sum(map(len, c.values())) != number for c, number in zip(cells, numbers)):
        raise LookupError("received twice")
    return Piece(arguments, cells, array=array, first=first, simple=way == "row")


def _packed(
    h: Halo, count: str, receives: bool, array: str, first: str, used: list[str], usual: tuple[str, str] | None
) -> Piece:
    """A loop copies between the array and a buffer."""
    if usual:
        stride = "s" if usual[1] == "column" else "1"
    else:
        stride = h.pick(("1", "s", "2", "s", "n + 1"))
    side = "rb" if receives else "sb"
    used.append(side)
    index = f"{first} + k * ({stride})"
    if not usual and h.chance(0.3):
        index = f"{first} + col[k]"
    one = Loop("k", "0", count)
    if receives:
        operator = h.pick(("=", "=", "=", "+="))
        touch = Touch([one], [("rb", "k")], [(array, index)])
        text = f"{one.c('int')} {array}[{index}] {operator} rb[k];"
        if h.chance(0.3):
            q = h.uid("q")
            text = f"const {h.element.c} *{q} = rb; {one.c('int')} {array}[{index}] {operator} *{q}++;"
    else:
        touch, text = Touch([one], [(array, index)], [("sb", "k")]), f"{one.c('int')} sb[k] = {array}[{index}];"
    touched = h.cells(touch)
    buffer = Touch([one], [(side, "k")])
    cells = [reads for reads, _ in h.cells(buffer)]
    arguments = f"{side}, {count}, {h.element.mpi}"
    nodes: list[Node] = [Block("{", [Fixed(text)])]
    made = Piece(arguments, cells, touched=touched)
    if receives:
        made.after = nodes
    else:
        made.before = nodes
    return made


def _shift(h: Halo, tag: int, used: list[str]) -> Shift:
    for _ in range(12):
        mark = len(h.heads), len(h.tails), len(used)
        try:
            if h.chance(0.5):
                side, count, sent, received, how = h.pick(_USUAL)
                out = piece(h, count, False, used, (sent, how))
                return Shift(side, tag, count, out, piece(h, count, True, used, (received, how)))
            count = h.pick(_COUNTS)
            return Shift(h.rng.randrange(6), tag, count, piece(h, count, False, used), piece(h, count, True, used))
        except LookupError:
            del h.heads[mark[0] :], h.tails[mark[1] :], used[mark[2] :]
    raise LookupError("no shift fits")


def _to(h: Halo, shift: Shift) -> str:
    return f"nb[{shift.side}]"


def _from(h: Halo, shift: Shift) -> str:
    return f"nb[{shift.side ^ 1}]"


def blocking(h: Halo) -> list[Node]:
    """One MPI_Sendrecv, or a receive around a blocking send."""
    used: list[str] = []
    for _ in range(6):
        mark = len(h.heads), len(h.tails)
        shift = _shift(h, h.rng.randint(0, 3), used)
        out, into = shift.out, shift.into
        legal = not any(meet(a, b) for a, b in zip(out.cells, into.cells))
        legal &= h.may_start(False, out.cells) and h.may_start(True, into.cells)
        legal &= not out.touched or h.may_touch(out.touched)
        legal &= not into.touched or h.may_touch(into.touched)
        if legal:
            break
        del h.heads[mark[0] :], h.tails[mark[1] :], used[:]
    else:
        raise LookupError("no legal exchange")
    to, source = f"{_to(h, shift)}, {shift.tag}", f"{_from(h, shift)}, {shift.tag}"
    if h.chance(0.35):
        return [Group(_in_branches(h, shift), "exchange")]
    if h.chance(0.15):  # the same again, in a loop that Comm unrolls
        again = f"MPI_Sendrecv({out.arguments}, {to} + k, {into.arguments}, {source} + k, comm, MPI_STATUS_IGNORE);"
        loop = Block(f"for (int k = 0; k < {h.rng.randint(2, 4)}; ++k) {{", [*out.before, Fixed(again), *into.after])
        return [Group([loop], "exchange")]
    if h.chance(0.6):
        st, declare, use = "MPI_STATUS_IGNORE", [], []
        if h.chance(0.3):
            name, got = h.uid("st"), h.uid("got")
            st, declare = f"&{name}", [Fixed(f"MPI_Status {name};")]
            use = [Fixed(f"int {got} = -1; MPI_Get_count(&{name}, {h.element.mpi}, &{got}); res[3] += {got};")]
        text = f"MPI_Sendrecv({out.arguments}, {to}, {into.arguments}, {source}, comm, {st});"
        call: list[Node] = [*declare, Fixed(text), *use]
    else:
        q = h.uid("q")
        call = [
            Fixed(f"MPI_Request {q};"),
            Fixed(f"MPI_Irecv({into.arguments}, {source}, comm, &{q});"),
            Fixed(f"{h.pick(('MPI_Send', 'MPI_Send', 'MPI_Ssend'))}({out.arguments}, {to}, comm);"),
            Fixed(f"MPI_Wait(&{q}, MPI_STATUS_IGNORE);"),
        ]
    return [Group([*out.before, *call, *into.after], "exchange")]


# Elements of any type that MPI_Send sends at once, whether a receive is posted or not.
_SHORT = 16


def _in_branches(h: Halo, shift: Shift) -> list[Node]:
    """Blocking calls where there is a neighbor, as many programs have them: one after the other, which needs a short
    message, or the receive first where it is from a process of lower rank, which makes no circle. A process that is its
    own neighbor does both at once."""
    out, into, to, source = shift.out, shift.into, _to(h, shift), _from(h, shift)
    packs_inside, unpacks_inside = h.chance(0.5), h.chance(0.5)
    send = f"{h.pick(('MPI_Send', 'MPI_Send', 'MPI_Ssend'))}({out.arguments}, {to}, {shift.tag}, comm);"
    st, use = "MPI_STATUS_IGNORE", ""
    declare: list[Node] = []
    if h.chance(0.3):
        name, got = h.uid("st"), h.uid("got")
        declare = [Fixed(f"MPI_Status {name};")]
        st = f"&{name}"
        use = f" {{ int {got} = -1; MPI_Get_count(&{name}, {h.element.mpi}, &{got}); res[3] += {got}; }}"
    receive = f"MPI_Recv({into.arguments}, {source}, {shift.tag}, comm, {st});{use}"

    def sends(call: str) -> list[Node]:
        return [Block(f"if ({to} != MPI_PROC_NULL) {{", [*(out.before if packs_inside else []), Fixed(call)])]

    def receives() -> list[Node]:
        return [Block(f"if ({source} != MPI_PROC_NULL) {{", [Fixed(receive), *(into.after if unpacks_inside else [])])]

    before, after = [] if packs_inside else out.before, [] if unpacks_inside else into.after
    if h.chance(0.5) and max(h.value(shift.count)) <= _SHORT:
        return [*before, *declare, *sends(send.replace("MPI_Ssend", "MPI_Send")), *receives(), *after]
    me = h.uid("me")
    rank: list[Node] = [Fixed(f"int {me}; MPI_Comm_rank(comm, &{me});")]
    sent, received = f"{out.arguments}, {to}, {shift.tag}", f"{into.arguments}, {source}, {shift.tag}"
    both = f"MPI_Sendrecv({sent}, {received}, comm, {st});{use}"
    to_itself = [*(out.before if packs_inside else []), Fixed(both), *(into.after if unpacks_inside else [])]
    cases: list[Node] = [
        Block(f"if ({source} == {me}) {{", to_itself),
        Block(f"else if ({source} < {me}) {{", [*receives(), *sends(send)]),
        Block("else {", [*sends(send.replace("MPI_Ssend", "MPI_Send")), *receives()]),
    ]
    return [*before, *declare, *rank, *cases, *after]


@dataclass
class Requests:
    """The location of requests: the name of one at its start, and the later values of `q` and `count`."""

    declare: list[Node]
    place: str  # with {} for the number of the message
    array: str
    count: str
    end: list[Node]
    kept: str = ""  # code after each start

    def start(self, call: str) -> str:
        return f"{{ {call} {self.kept} }}" if self.kept else call


def _requests(h: Halo, number: int) -> Requests:
    q, k = h.uid("q"), h.uid("k")
    null = f"for (int x = 0; x < {number}; ++x) {{}}[x] = MPI_REQUEST_NULL;"
    ways = ["stack", "counter", "counter", "struct", "struct", "heap", "heap counter", "global"]
    ways += ["member", "member counter", "member local counter", "global counter"]
    way = h.pick(ways + ["vector", "grown", "pushed", "pushed"] * h.cxx)
    if way == "counter":
        return Requests([Fixed(f"MPI_Request {q}[{number}]; int {k} = 0;")], f"&{q}[{k}++]", q, k, [])
    if way == "struct":
        text = f"struct {{ int pending; double keep; MPI_Request q[{number}]; }} {q} = {{0}}; {q}.pending = 0;"
        return Requests([Fixed(text)], f"&{q}.q[{q}.pending++]", f"{q}.q", f"{q}.pending", [])
    if way.startswith("heap"):
        make = f"MPI_Request *{q} = (MPI_Request *)malloc(sizeof(MPI_Request) * {number});"
        free = [Fixed(f"free({q});")]
        if way == "heap":
            return Requests([Fixed(f"{make} {null.format(q)}")], f"&{q}[{{}}]", q, str(number), free)
        return Requests([Fixed(f"{make} int {k} = 0;")], f"{q} + {k}++", q, k, free)
    if way == "vector":
        declare = f"std::vector<MPI_Request> {q}({number}, MPI_REQUEST_NULL);"
        return Requests([Fixed(declare)], f"&{q}[{{}}]", f"{q}.data()", str(number), [])
    if way in ("grown", "pushed"):
        reserve = f"{q}.reserve({number});" if h.chance(0.3) else ""
        size, data = f"(int){q}.size()", f"{q}.data()"
        if way == "grown":
            declare = f"std::vector<MPI_Request> {q}; {reserve}"
            return Requests([Fixed(declare)], f"({q}.emplace_back(), &{q}.back())", data, size, [])
        declare = f"std::vector<MPI_Request> {q}; MPI_Request {k}; {reserve}"
        return Requests([Fixed(declare)], f"&{k}", data, size, [], f"{q}.push_back({k});")
    if way.startswith("global"):
        h.functions.append([Fixed(f"static MPI_Request {q}[{number}];")])
        if way == "global counter":
            return Requests([Fixed(f"int {k} = 0;")], f"&{q}[{k}++]", q, k, [])
        return Requests([Fixed(null.format(q))], f"&{q}[{{}}]", q, str(number), [])
    if way.startswith("member"):  # of a structure that other files might know
        declare = f"struct {q}_s {{ int pending; double keep; MPI_Request *all; MPI_Request own[{number}]; }};"
        h.functions.append([Fixed(declare), Fixed(f"static struct {q}_s {q}_o, *{q} = &{q}_o;")])
        array = f"{q}->{h.pick(('all', 'own'))}"
        begin = f"""__asm__ volatile("" : "+r"({q})); {q}->all = {q}_o.own;"""  # hides the address
        if way == "member":
            return Requests([Fixed(begin + null.format(array))], f"&{array}[{{}}]", array, str(number), [])
        if way == "member counter":
            begin += f"{q}->pending = 0;"
            return Requests([Fixed(begin)], f"&{array}[{q}->pending++]", array, f"{q}->pending", [])
        return Requests([Fixed(f"{begin} int {k} = 0;")], f"&{array}[{k}++]", array, k, [])
    return Requests([Fixed(f"MPI_Request {q}[{number}]; {null.format(q)}")], f"&{q}[{{}}]", q, str(number), [])


def bulk(h: Halo) -> list[Node]:
    """Several shifts in flight at once, with loops between start and wait where legal."""
    used: list[str] = []
    shifts: list[Shift] = []
    for tag in range(h.pick((1, 2, 2, 3, 4))):
        try:
            shifts.append(_legal(h, tag, used, len(shifts)))
        except LookupError:
            break
    if not shifts:
        raise LookupError("no legal exchange")
    number = len(shifts)
    requests = _requests(h, 2 * number)
    persistent = requests.array.startswith("q") and "{}" in requests.place and h.chance(0.12)
    body: list[Node] = [*requests.declare]
    # Neighbors according to branches, for the starts and again for the waits: (source, destination) of each.
    sides: list[tuple[str, str]] = []
    if not persistent and "{}" in requests.place and h.chance(0.3):
        sides = _sides(h, shifts, body)
    h.leaves_nulls = bool(sides)
    receives, sends = [], []
    for i, shift in enumerate(shifts):
        suffix = "_init" if persistent else ""
        irecv, isend = "MPI_Irecv", h.pick(("MPI_Isend",) * 4 + ("MPI_Issend",))
        if persistent:
            irecv, isend = "MPI_Recv", "MPI_Send"
        here, there = requests.place.format(i), requests.place.format(number + i)
        into = f"{irecv}{suffix}({shift.into.arguments}, {_from(h, shift)}, {shift.tag}, comm, {here});"
        out = f"{isend}{suffix}({shift.out.arguments}, {_to(h, shift)}, {shift.tag}, comm, {there});"
        into, out = requests.start(into), requests.start(out)
        if sides:
            receives.append([Fixed(f"if ({sides[i][0]} != MPI_PROC_NULL) {into}")])
            inside = h.chance(0.5)
            start: list[Node] = [*(shift.out.before if inside else []), Fixed(out)]
            block = Block(f"if ({sides[i][1]} != MPI_PROC_NULL) {{", start)
            sends.append([*([] if inside else shift.out.before), block])
            continue
        receives.append([Fixed(_if_there(h, _from(h, shift), into, persistent))])
        sends.append([*shift.out.before, Fixed(_if_there(h, _to(h, shift), out, persistent))])
    # Packing after the receives are posted, or before them: both are legal.
    if h.chance(0.75):
        body += [x for one in receives for x in one] + [x for one in sends for x in one]
    else:
        body += [x for both in zip(receives, sends) for one in both for x in one]
    if persistent:
        body.append(Fixed(f"MPI_Startall({requests.count}, {requests.array});"))
    for i, shift in enumerate(shifts):
        h.start(i, True, shift.into.cells)
        h.start(number + i, False, shift.out.cells)
    if h.chance(0.4):
        body += loop(h, 5)
    body += _complete_in_branches(h, shifts, requests, sides) if sides else _complete(h, shifts, requests, persistent)
    # Everything in a branch that all processes take or none: a last step without an exchange.
    once = h.pick(("if ((m + n) % 3) {", "if (n != 2) {")) if h.chance(0.25) else "{"
    return [Group([Block(once, body)], "bulk")]


def _sides(h: Halo, shifts: list[Shift], body: list[Node]) -> list[tuple[str, str]]:
    """The conditions for neighbors: loaded each time, or once."""
    if h.chance(0.3):
        return [(_from(h, shift), _to(h, shift)) for shift in shifts]
    sides = []
    for shift in shifts:
        source, to = h.uid("src"), h.uid("dst")
        body.append(Fixed(f"const int {source} = {_from(h, shift)}, {to} = {_to(h, shift)};"))
        sides.append((source, to))
    return sides


def _complete_in_branches(h: Halo, shifts: list[Shift], requests: Requests, sides: list[tuple[str, str]]) -> list[Node]:
    """Each message in the branch of its neighbor, with its data; uses of others in flight come last."""
    number, q, body, later = len(shifts), requests.array, [], []
    waits_for_sends = h.chance(0.5)

    def send_waits(i: int) -> list[Node]:
        wait = f"MPI_Wait(&{q}[{number + i}], MPI_STATUS_IGNORE);"
        h.finish(number + i, 101 + 2 * i, 1100 + 2 * i)
        return [Fixed(f"if ({sides[i][1]} != MPI_PROC_NULL) {wait}")]

    for i, shift in enumerate(shifts):
        inner: list[Node] = [Fixed(f"MPI_Wait(&{q}[{i}], MPI_STATUS_IGNORE);")]
        if waits_for_sends:
            body += send_waits(i)
        h.finish(i, 100 + 2 * i)
        if shift.into.touched and not h.may_touch(shift.into.touched):
            later += shift.into.after
        else:
            inner += shift.into.after
        body.append(Block(f"if ({sides[i][0]} != MPI_PROC_NULL) {{", inner))
        if h.chance(0.15):
            body += loop(h, 5)
    if not waits_for_sends:
        body += [x for i in range(number) for x in send_waits(i)]
    h.finish(*range(2 * number), *range(100, 100 + 2 * number), *range(1100, 1100 + 2 * number))
    return [*body, *later, *requests.end]


def _if_there(h: Halo, neighbor: str, call: str, persistent: bool) -> str:
    if persistent or not h.chance(0.2):
        return call
    h.leaves_nulls = True
    return f"if ({neighbor} != MPI_PROC_NULL) {call}"


def _legal(h: Halo, tag: int, used: list[str], number: int) -> Shift:
    """A shift that may be in flight with earlier ones; all packing comes while all receives are in flight."""
    for _ in range(8):
        mark, had = (len(h.heads), len(h.tails)), list(used)
        shift = _shift(h, tag, used)
        out, into, key = shift.out, shift.into, 100 + 2 * number
        legal = not any(meet(a, b) for a, b in zip(out.cells, into.cells))
        legal &= h.may_start(True, into.cells) and h.may_start(False, out.cells)
        # The pack loops of all shifts run between the starts of receives, in some order.
        legal &= not out.touched or h.may_touch(out.touched)
        legal &= not any(meet(reads, i) or meet(writes, i) for (reads, writes), i in zip(out.touched, into.cells))
        if legal:
            h.start(key, True, into.cells)
            h.start(key + 1, False, out.cells)
            if out.touched:  # a later shift does not receive the data that it packs either
                h.start(1000 + key, False, [reads for reads, _ in out.touched])
            return shift
        del h.heads[mark[0] :], h.tails[mark[1] :]
        used[:] = had
    raise LookupError("no legal shift")


def _complete(h: Halo, shifts: list[Shift], requests: Requests, persistent: bool) -> list[Node]:
    number = len(shifts)
    q, count = requests.array, requests.count
    unpack = [x for shift in shifts for x in shift.into.after]
    everything = [*range(2 * number), *range(100, 100 + 2 * number), *range(1100, 1100 + 2 * number)]
    fixed_slots = count == str(2 * number)
    ways = ["all", "all", "all", "statuses", "loop", "backwards", "any", "some", "poll", "poll one"]
    ways += ["two", "two", "two"] if fixed_slots else []
    way, x, body = h.pick(ways), h.uid("x"), []
    if way == "two":  # receives, then their data, then sends
        body.append(Fixed(f"MPI_Waitall({number}, {q}, MPI_STATUSES_IGNORE);"))
        h.finish(*range(number), *range(100, 100 + 2 * number, 2))
        unpacked = all(not s.into.touched or h.may_touch(s.into.touched) for s in shifts)
        body += unpack if unpacked else []
        if h.chance(0.6):
            body += loop(h, 5)
        body.append(Fixed(f"MPI_Waitall({number}, {q} + {number}, MPI_STATUSES_IGNORE);"))
        unpack = [] if unpacked else unpack
    elif way == "statuses":
        st, got = h.uid("st"), h.uid("got")
        body.append(Fixed(f"MPI_Status {st}[{2 * number}]; MPI_Waitall({count}, {q}, {st});"))
        if fixed_slots:
            body.append(Fixed(f"int {got} = -1; MPI_Get_count(&{st}[0], {h.element.mpi}, &{got});"))
            body.append(Fixed(f"res[3] += {got} < 0 ? 0 : {got};"))
    elif way == "loop":
        body.append(Fixed(f"for (int {x} = 0; {x} < {count}; ++{x}) MPI_Wait(&{q}[{x}], MPI_STATUS_IGNORE);"))
    elif way == "backwards":
        body.append(Fixed(f"for (int {x} = {count} - 1; {x} >= 0; --{x}) MPI_Wait({q} + {x}, MPI_STATUS_IGNORE);"))
    elif way == "any":
        at = h.uid("at")
        inner: list[Node] = [Fixed(f"int {at}; MPI_Waitany({count}, {q}, &{at}, MPI_STATUS_IGNORE);")]
        # A subscript tells Comm that no request is null, so that it may wait for one after the other.
        if not (fixed_slots and h.leaves_nulls) and h.chance(0.7):
            weights = ", ".join(str(7 * i + 1) for i in range(2 * number))
            table = h.uid("w")
            body.append(Fixed(f"const int {table}[] = {{{weights}}};"))
            inner.append(Fixed(f"res[3] += {table}[{at}];"))
        with_unpack = fixed_slots and sum(bool(s.into.after) for s in shifts) == 1
        if with_unpack:  # as soon as it has arrived; nothing else may be in flight at its destination
            slot = next(i for i, s in enumerate(shifts) if s.into.after)
            h.finish(slot, 100 + 2 * slot)
            if h.may_touch(shifts[slot].into.touched):
                inner.append(Block(f"if ({at} == {slot}) {{", unpack))
                unpack = []
        body.append(Block(f"for (int {x} = 0; {x} < {count}; ++{x}) {{", inner))
    elif way == "some":
        done, at = h.uid("done"), h.uid("at")
        body.append(
            Block(
                f"for (int {done} = 0; {done} != MPI_UNDEFINED;) {{",
                [Fixed(f"int {at}[{2 * number}]; MPI_Waitsome({count}, {q}, &{done}, {at}, MPI_STATUSES_IGNORE);")],
            )
        )
    elif way == "poll":
        f = h.uid("flag")
        body.append(Fixed(f"for (int {f} = 0; !{f};) MPI_Testall({count}, {q}, &{f}, MPI_STATUSES_IGNORE);"))
    elif way == "poll one":
        f = h.uid("flag")
        test = f"for (int {f} = 0; !{f};) MPI_Test(&{q}[{x}], &{f}, MPI_STATUS_IGNORE);"
        body.append(Fixed(f"for (int {x} = 0; {x} < {count}; ++{x}) {test}"))
    else:
        body.append(Fixed(f"MPI_Waitall({count}, {q}, MPI_STATUSES_IGNORE);"))
    h.finish(*everything)
    if persistent:
        free = f"if ({q}[{x}] != MPI_REQUEST_NULL) MPI_Request_free(&{q}[{x}]);"
        body.append(Fixed(f"for (int {x} = 0; {x} < {2 * number}; ++{x}) {free}"))
    return [*body, *unpack, *requests.end]


def collective(h: Halo) -> list[Node]:
    """A residual, a broadcast row, or a row of all processes."""
    t, mpi = h.element.c, h.element.mpi
    op = h.pick(("MPI_SUM", "MPI_MAX", "MPI_MIN")) if h.element.integer else h.pick(("MPI_MAX", "MPI_MIN", "MPI_SUM"))
    if h.chance(0.5):
        name = h.uid("local")
        text = f"{{ {t} {name}[2] = {{res[0], res[1]}}; MPI_Allreduce({name}, res, 2, {mpi}, {op}, comm); }}"
        return [Stmt(text)]
    array, first, count = h.pick(("u", "w", "v")), h.pick(("0", "s", "m * s")), h.pick(("n", "m", "s"))
    touch = Touch([Loop("i", "0", count)], [(array, f"{first} + i")], [(array, f"{first} + i")])
    if not h.may_touch(h.cells(touch)):
        raise LookupError("in flight")
    return [Stmt(f"MPI_Bcast(&{array}[{first}], {count}, {mpi}, 0, comm);")]


__all__ = ["blocking", "bulk", "collective"]
