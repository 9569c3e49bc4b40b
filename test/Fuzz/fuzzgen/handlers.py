# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program's own error handlers, which MPI calls: they write memory, or throw."""

from __future__ import annotations

from .ast import Block, Fixed, Group, Node, Stmt
from .model import Ctx, Window, step


def _wrong_call(c: Ctx, w: Window, comm: str) -> str:
    buffer = f"{w.pointer}, 1, {w.type.mpi}"
    return c.pick(
        (
            f"MPI_Send({buffer}, size + 3, 1, {comm});",
            f"MPI_Recv({buffer}, size + 3, 1, {comm}, MPI_STATUS_IGNORE);",
            f"MPI_Bcast({buffer}, size + 3, {comm});",
        )
    )


def _with_handler(c: Ctx, handler: str, body: list[Node], comm: str, note: str) -> list[Node]:
    name = c.uid("handler")
    head: list[Node] = [
        Fixed(f"MPI_Comm {comm}; MPI_Comm_dup(MPI_COMM_WORLD, &{comm});"),
        Fixed(f"MPI_Errhandler {name}; MPI_Comm_create_errhandler({handler}, &{name});"),
        Fixed(f"MPI_Comm_set_errhandler({comm}, {name});"),
    ]
    tail: list[Node] = [Fixed(f"MPI_Errhandler_free(&{name}); MPI_Comm_free(&{comm});")]
    return [Group([Block("{", head + body + tail)], note)]


@step(4, "comm", world=True, needs="handlers")
def handler_writes(c: Ctx) -> list[Node]:
    """The handler writes a global and a local variable; both are read right after the call."""
    if not c.file.errors:
        raise LookupError("no erroneous calls wanted")
    w, comm, seen = c.hot(), c.uid("watched"), c.uid("seen")
    body: list[Node] = [
        Fixed(f"unsigned {seen} = 3u; g_watch = &{seen};"),
        *c.maybe_touch(w),
        Fixed(_wrong_call(c, w, comm)),
        c.hash(seen),
        c.hash("g_errors"),
        *c.maybe_touch(w),
        Stmt(f"{seen} = 5u; g_errors = 7u;"),
        Fixed("g_watch = 0;"),
    ]
    return _with_handler(c, "on_error", body, comm, "handler_writes")


@step(3, "comm", lang="c++", world=True, needs="handlers")
def handler_throws(c: Ctx) -> list[Node]:
    if not c.file.errors:
        raise LookupError("no erroneous calls wanted")
    w, comm, e = c.hot(), c.uid("watched"), c.uid("e")
    attempt = [*c.maybe_touch(w), Fixed(_wrong_call(c, w, comm)), Stmt("h = mix(h, 1u);"), *c.maybe_touch(w)]
    body: list[Node] = [
        Block("try {", attempt, f"}} catch (const Trouble &{e}) {{"),
        Block("", [Stmt(f"h = mix(h, {e}.code);")]),
        *c.maybe_touch(w),
    ]
    return _with_handler(c, "throw_error", body, comm, "handler_throws")
