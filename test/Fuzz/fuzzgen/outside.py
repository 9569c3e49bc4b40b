# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks that wait for each other outside MPI: using files, FIFOs and shared memory. A rank that polls for a file makes
no progress with messages that it started before, so a completion that comes too late hangs."""

from __future__ import annotations

from .ast import Block, Fixed, Group, Node, Stmt
from .model import Ctx, Window, step

WORLD = "MPI_COMM_WORLD"


def _path(c: Ctx) -> tuple[list[Node], str]:
    """Returns a name that is new each time and the same in all ranks."""
    name = c.uid("path")
    return [
        Fixed(f"char {name}[96];"),
        Fixed(f'snprintf({name}, sizeof {name}, "/tmp/comm-fuzz-%d-%d", g_run, g_serial++);'),
    ], name


def _exchange(c: Ctx, w: Window) -> tuple[list[Node], list[Node]]:
    """Returns the actions of ranks 0 and 1: a message, or a collective with both."""
    tag, count = c.tag(), f"{w.pointer}, {w.length}, {w.type.mpi}"
    if c.chance(0.7):
        receive = c.call("MPI_Recv", f"{count}, 1, {tag}, {WORLD}, MPI_STATUS_IGNORE")
        return receive, c.call("MPI_Send", f"{count}, 0, {tag}, {WORLD}")
    call = f"MPI_Bcast({count}, 1, {WORLD})"
    return [Fixed(f"{call};")], [Fixed(f"{call};")]


def _after(c: Ctx, w: Window, there: list[Node], here: list[Node], rest: list[Node], note: str) -> list[Node]:
    """Rank 0 publishes after the exchange, rank 1 waits after it; the others only take part in a collective."""
    zero, one = _exchange(c, w)
    is_collective = "MPI_Bcast" in getattr(one[0], "text", "")
    others = [Fixed(getattr(one[0], "text", ""))] if is_collective else []
    arms: list[Node] = [
        Block("if (rank == 0) {", c.maybe_touch(w) + zero + there, "} else if (rank == 1) {"),
        Block("", c.maybe_touch(w) + one + c.maybe_touch(w) + here, "} else {"),
        Block("", others),
    ]
    return [Group([Block("if (size > 1) {", rest + arms), Fixed(f"MPI_Barrier({WORLD});"), *c.maybe_touch(w)], note)]


@step(3, "comm", world=True, needs="outside")
def wait_for_file(c: Ctx) -> list[Node]:
    """Rank 1 looks for a file that rank 0 writes when it has the message."""
    if c.trips > 4:
        raise LookupError("too slow in a loop")
    w = c.window(c.length())
    declare, path = _path(c)
    look = c.pick(
        (
            f"while (access({path}, F_OK) != 0) usleep(100);",
            f"while (!is_there({path})) {{}}",
            f'for (FILE *f = 0; !f;) if ((f = fopen({path}, "r"))) fclose(f);',
        )
    )
    here: list[Node] = [Fixed(look), Stmt("h = mix(h, 61u);"), Fixed(f"unlink({path});")]
    return _after(c, w, [Fixed(f"publish({path});")], here, declare, "wait_for_file")


@step(3, "comm", world=True, needs="outside")
def wait_for_fifo(c: Ctx) -> list[Node]:
    """Rank 1 reads a line that rank 0 writes when it has the message."""
    if c.trips > 4:
        raise LookupError("too slow in a loop")
    w = c.window(c.length())
    declare, path = _path(c)
    value = c.num(1, 1000)
    here: list[Node] = [Fixed(f"h = mix(h, read_number({path}));"), Fixed(f"unlink({path});")]
    ready: list[Node] = [
        *declare,
        Fixed(f"if (rank == 0) mkfifo({path}, 0600);"),
        Fixed(f"MPI_Barrier({WORLD});"),
    ]
    return _after(c, w, [Fixed(f"write_number({path}, {value});")], here, ready, "wait_for_fifo")


@step(3, "comm", world=True, needs="outside")
def wait_for_memory(c: Ctx) -> list[Node]:
    """Rank 1 polls shared memory that rank 0 writes when it has the message."""
    if c.trips > 4:
        raise LookupError("too slow in a loop")
    w, slot = c.window(c.length()), c.uid("slot")
    declare: list[Node] = [Fixed(f"volatile unsigned *{slot} = &g_page[g_serial++ % g_slots];")]
    there, look = c.pick(
        (
            (f"*{slot} = 1u;", f"while (*{slot} == 0u) usleep(20);"),
            (f"*{slot} = 1u;", f"while (!*{slot}) {{}}"),
            (
                f"__atomic_store_n({slot}, 1u, __ATOMIC_RELEASE);",
                f"while (!__atomic_load_n({slot}, __ATOMIC_ACQUIRE)) usleep(20);",
            ),
        )
    )
    # For the next program that runs in these processes.
    here: list[Node] = [Fixed(look), Stmt("h = mix(h, 67u);"), Fixed(f"*{slot} = 0u;")]
    return _after(c, w, [Fixed(there)], here, declare, "wait_for_memory")
