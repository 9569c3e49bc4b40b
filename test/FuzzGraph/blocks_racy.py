# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random pieces whose iterations access values of others: with --serialize they run in order, and each sees the
effects of the earlier ones. Written values stay in their range."""

from __future__ import annotations

from words import FLAGS, INTS, LIMIT, Writer


def value(w: Writer, names: list[str]) -> str:
    """Returns any of the vertices in scope."""
    parts = [w.term(w.draw.choice(names), INTS, 1) for _ in range(w.draw.randint(1, 2))]
    return f"({' + '.join(parts)}) % {LIMIT}"


def statement(w: Writer, names: list[str], scalar: str, in_levels: bool) -> str:
    target = f"{w.draw.choice(names)}.{w.draw.choice(INTS)}"
    roll = w.draw.random()
    if roll < 0.4:
        line = f"{target} = {value(w, names)};"
    elif roll < 0.5:
        line = f"{w.draw.choice(names)}.{w.draw.choice(FLAGS)} = {w.draw.choice(('True', 'False'))};"
    elif roll < 0.6 and not in_levels:
        line = f"{target} = {w.draw.choice(('Min', 'Max'))}({target}, {value(w, names)});"
    elif roll < 0.7:
        line = f"{scalar} = ({scalar} + {value(w, names)}) % {LIMIT};"
    elif roll < 0.8:
        line = f"{target} = ({target} + {scalar}) % {LIMIT};"
    elif roll < 0.9 and not in_levels:
        other = f"{target.split('.')[0]}.{w.draw.choice(INTS)}"
        line = f"<{target}, {other}> = <Min({target}, {value(w, names)}), {w.number()}>;" if other != target else ""
    else:
        line = f"if ({target} > {scalar}) {{ {target} = {w.number()}; }}"
    if w.draw.random() < 0.3:
        line = f"if ({w.test(w.draw.choice(names), INTS)}) {{ {line} }}"
    return line


def statements(w: Writer, names: list[str], scalar: str, in_levels: bool = False) -> None:
    for _ in range(w.draw.randint(1, 2)):
        w.add(statement(w, names, scalar, in_levels))


def any_race(w: Writer) -> None:
    scalar = w.name("s")
    w.add(f"int {scalar} = {w.number()};")
    outer = w.draw.choice(("forall", "forall", "for"))
    w.add(f"{outer} (v in g.nodes(){w.filter(INTS)}) {{")
    statements(w, ["v", "src"], scalar)
    if w.draw.random() < 0.8:
        around = w.draw.choice(("g.neighbors(v)", "g.nodes_to(v)"))
        w.add(f"{w.draw.choice(('for', 'forall'))} (n in {around}{w.filter(INTS, 0.2)}) {{")
        statements(w, ["v", "n"], scalar)
        w.add("}")
    if w.draw.random() < 0.4:
        statements(w, ["v", "src"], scalar)
    w.add("}")
    w.add(f"src.{w.draw.choice(INTS)} = {scalar};")


def race_in_levels(w: Writer) -> None:
    # Two kinds of reduction of one property in a level are an error: "does not support".
    scalar = w.name("s")
    w.add(f"int {scalar} = {w.number()};")
    w.add("iterateInBFS (v in g.nodes() from src) {")
    statements(w, ["v"], scalar, True)
    w.add("for (n in g.neighbors(v)) {")
    statements(w, ["v", "n"], scalar, True)
    w.add("} }")
    if w.draw.random() < 0.5:
        w.add("iterateInReverse (v != src) { for (n in g.neighbors(v)) {")
        statements(w, ["v", "n"], scalar, True)
        w.add("} }")
    w.add(f"src.{w.draw.choice(INTS)} = {scalar};")


RACY = (any_race, any_race, any_race, race_in_levels)
