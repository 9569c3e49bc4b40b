# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tree a case is made of, and how it is written as C.

Every droppable piece carries a key that is written into the source as a
comment (`//@7` after a statement, `//@{7` and `//@}` around a region), so
that the reducer and the mutator work on files, without the generator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class Node:
    """One piece of a program."""

    def lines(self, numbers: Numbers, indent: int) -> Iterator[str]:
        raise NotImplementedError


class Numbers:
    """Hands out the keys of one file, in writing order."""

    def __init__(self) -> None:
        self.last = 0

    def next(self) -> int:
        self.last += 1
        return self.last


def _pad(indent: int, text: str) -> str:
    return "  " * indent + text


class Fixed(Node):
    """A line that a reducer must not drop separately: half of a message, a
    declaration."""

    def __init__(self, text: str) -> None:
        self.text = text

    def lines(self, numbers: Numbers, indent: int) -> Iterator[str]:
        yield _pad(indent, self.text)


class Stmt(Node):
    """One statement on one line that can be dropped without breaking the program."""

    def __init__(self, text: str) -> None:
        self.text = text

    def lines(self, numbers: Numbers, indent: int) -> Iterator[str]:
        yield _pad(indent, f"{self.text} //@{numbers.next()}")


class Block(Node):
    """`head` body `tail`. Braces come from head and tail. Not droppable by
    itself: wrap it in a Group if it can be dropped."""

    def __init__(self, head: str, body: Sequence[Node], tail: str = "}") -> None:
        self.head, self.body, self.tail = head, list(body), tail

    def lines(self, numbers: Numbers, indent: int) -> Iterator[str]:
        yield _pad(indent, self.head)
        for node in self.body:
            yield from node.lines(numbers, indent + 1)
        yield _pad(indent, self.tail)


class Group(Node):
    """Nodes that are kept or dropped together on all ranks (a global step),
    without a C scope of their own."""

    def __init__(self, body: Sequence[Node], note: str = "") -> None:
        self.body, self.note = list(body), note

    def lines(self, numbers: Numbers, indent: int) -> Iterator[str]:
        note = f" {self.note}" if self.note else ""
        yield _pad(indent, f"//@{{{numbers.next()}{note}")
        for node in self.body:
            yield from node.lines(numbers, indent)
        yield _pad(indent, "//@}")


def fixed(*texts: str) -> list[Node]:
    return [Fixed(t) for t in texts]


def stmts(*texts: str) -> list[Node]:
    return [Stmt(t) for t in texts]


def render(nodes: Sequence[Node], numbers: Numbers | None = None, indent: int = 0) -> list[str]:
    numbers = numbers or Numbers()
    return [line for node in nodes for line in node.lines(numbers, indent)]
