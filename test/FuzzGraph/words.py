# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of a random function, and its smallest pieces: numbers, terms, tests, filters."""

from __future__ import annotations

from random import Random

LIMIT = 97
INTS, REALS, FLAGS = ("a", "b", "c"), ("x", "y"), ("p", "q")


class Writer:
    """Returns the text of one function, and of those that it calls, whose names begin with `prefix`."""

    def __init__(self, draw: Random, prefix: str) -> None:
        self.draw, self.lines, self.count = draw, [], 0
        self.prefix, self.helpers = prefix, []

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def add(self, text: str) -> None:
        self.lines.append(text)

    def number(self, low: int = -9, high: int = 20) -> str:
        value = self.draw.randint(low, high)
        return str(value) if value >= 0 else f"(0 - {-value})"

    def term(self, vertex: str, props: tuple[str, ...], depth: int = 2) -> str:
        """Returns an integer of a vertex, less than 10^6 in magnitude."""
        roll = self.draw.random()
        if depth == 0 or roll < 0.45:
            kinds = [f"{vertex}.{self.draw.choice(props)}"] if props else []
            kinds += [self.number(), f"g.count_outNbrs({vertex})", f"({vertex} % {self.draw.randint(2, 13)})"]
            return self.draw.choice(kinds)
        left, right = self.term(vertex, props, depth - 1), self.term(vertex, props, depth - 1)
        if roll < 0.85:
            return f"({left} {self.draw.choice(('+', '-'))} {right})"
        if roll < 0.93:
            return f"(({left} % 31) * ({right} % 31))"
        return f"{self.draw.choice(('Min', 'Max'))}({left}, {right})"

    def test(self, vertex: str, props: tuple[str, ...]) -> str:
        roll = self.draw.random()
        if roll < 0.3:
            return f"{vertex} % {self.draw.randint(2, 5)} == 0"
        compare = self.draw.choice(("<", ">", "<=", "==", "!="))
        return f"{self.term(vertex, props, 1)} {compare} {self.term(vertex, props, 1)}"

    def filter(self, props: tuple[str, ...], chance: float = 0.4) -> str:
        """Returns a filter of a loop over vertices."""
        if self.draw.random() > chance:
            return ""
        if not props or self.draw.random() < 0.4:
            return f".filter({self.draw.choice(FLAGS)} == True)"
        return f".filter({self.draw.choice(props)} {self.draw.choice(('<', '>'))} {self.number()})"

    def extremum(self, kind: str, value: str, targets: list[str], given: list[str], flag: str = "") -> str:
        """A minimum or maximum of the first target with `given` for the others; half of the time as a block, if no
        value of that reads what it sets. The block also sets a flag."""
        is_read = any(target in text for target in targets for text in (value, *given))
        if is_read or self.draw.random() < 0.5:
            return f"<{', '.join(targets)}> = <{', '.join([f'{kind}({targets[0]}, {value})', *given])}>;"
        pairs = list(zip(targets, [value, *given], strict=True)) + ([(flag, "True")] if flag else [])
        body = " ".join(f"{a} = {b};" for a, b in self.draw.sample(pairs, len(pairs)))
        test = f"{value} {'<' if kind == 'Min' else '>'} {targets[0]}"
        other = f"{targets[0]} {'>' if kind == 'Min' else '<'} {value}"
        return f"if ({self.draw.choice((test, other))}) {{ {body} }}"

    def normalize(self, prop: str) -> None:
        self.add(f"forall (v in g.nodes()) {{ v.{prop} = v.{prop} % {LIMIT}; }}")


def without(names: tuple[str, ...], *gone: str) -> tuple[str, ...]:
    return tuple(each for each in names if each not in gone)
