# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random pieces of graph programs. Each keeps all properties within a range, so that no number overflows its type, and
none has a race: a loop does not read values of other vertices that it writes or adds to."""

from __future__ import annotations

from random import Random

from blocks_inward import MORE
from blocks_lists import LISTS
from blocks_racy import RACY
from words import FLAGS, INTS, LIMIT, REALS, Writer, without


def own(w: Writer) -> None:
    """Each vertex changes its own values."""
    target = w.draw.choice(INTS)
    w.add(f"forall (v in g.nodes(){w.filter(INTS)}) {{")
    if w.draw.random() < 0.4:
        w.add(f"if ({w.test('v', INTS)}) {{ v.{w.draw.choice(FLAGS)} = {w.draw.choice(('True', 'False'))}; }}")
    w.add(f"v.{target} = {w.term('v', INTS)} % {LIMIT};")
    w.add("}")


def own_extremum(w: Writer) -> None:
    """Each vertex reduces its own value, and reads that of others as it was at the beginning."""
    target, kind = w.draw.choice(INTS), w.draw.choice(("Min", "Max"))
    rest = without(INTS, target)
    around = w.draw.choice(("g.neighbors(v)", "g.nodes_to(v)"))
    w.add(f"forall (v in g.nodes(){w.filter(rest)}) {{")
    shape = w.draw.choice(("one", "each", "gathered"))
    if shape == "one":
        w.add(f"v.{target} = {kind}(v.{target}, src.{target} + {w.term('v', rest, 1)});")
    elif shape == "each":
        loop = w.draw.choice(("for", "forall"))
        # The property set below is not read by other vertices.
        value = f"n.{target} + {w.term('n', rest[1:], 0)}"
        w.add(f"{loop} (n in {around}) {{ v.{target} = {kind}(v.{target}, {value}); }}")
    else:
        w.add(f"int s = {w.number()}; for (n in {around}) {{ s = {kind}(s, n.{target}); }}")
        w.add(f"v.{target} = {kind}(v.{target}, s + {w.number(-3, 3)});")
    if w.draw.random() < 0.4:
        w.add(f"if (v.{target} > {w.number()}) {{ v.{rest[0]} = {w.number()}; }}")
    w.add("}")
    w.normalize(target)


def single(w: Writer) -> None:
    """Statements outside of loops."""
    target = w.draw.choice(INTS)
    w.add(f"src.{target} = (src.{w.draw.choice(INTS)} + {w.number()}) % {LIMIT};")
    if w.draw.random() < 0.5:
        w.add(f"src.{w.draw.choice(FLAGS)} = True;")


def push(w: Writer) -> None:
    """Sums, minima and maxima of neighbors."""
    target = w.draw.choice(INTS)
    rest = without(INTS, target)
    w.add(f"forall (v in g.nodes(){w.filter(rest)}) {{")
    w.add("forall (n in g.neighbors(v)) {")
    value = w.term("v", rest, 1)
    if w.draw.random() < 0.4:
        value = f"({value} + {w.term('n', rest, 0)})"
    if w.draw.random() < 0.4:
        w.add("edge e = g.get_edge(v, n);")
        value = f"({value} + e.weight)"
    kind = w.draw.choice(("sum", "count", "Min", "Max"))
    line = {"sum": f"n.{target} += {value};", "count": f"n.{target} += 1;"}.get(kind)
    line = line or f"n.{target} = {kind}(n.{target}, {value});"
    w.add(f"if ({w.test('n', rest)}) {{ {line} }}" if w.draw.random() < 0.3 else line)
    w.add("} }")
    w.normalize(target)


def companion(w: Writer) -> None:
    """Values set along with it are read as they were before the loop, or not at all."""
    target, other, third = w.draw.sample(INTS, 3)
    kind = w.draw.choice(("Min", "Max"))
    before = [f"v.{other} + 1", f"n.{other} - v.{other}", f"Max(v.{other}, src.{other})"]
    given = w.draw.choice((w.term("v", (third,), 0), "v", w.number(), *before))
    w.add(f"forall (v in g.nodes(){w.filter((third,))}) {{ forall (n in g.neighbors(v)) {{")
    flag = w.name("f")
    line = w.extremum(kind, w.term("v", (third,), 1), [f"n.{target}", f"n.{other}"], [given], flag)
    w.lines.insert(-1, f"bool {flag} = False;")
    w.add(f"{line} }} }}")
    w.add(f"if ({flag}) {{ src.{third} = src.{third} + 1; }}")
    w.normalize(target)
    w.normalize(other)


def visit(w: Writer) -> None:
    """Booleans that neighbors set where they were unset before the loop."""
    mark, target, more = w.draw.choice(FLAGS), w.draw.choice(INTS), w.name("f")
    value, test = w.draw.choice(
        (
            ("True", f"!n.{mark}"),
            ("True", f"n.{mark} == False"),
            ("False", f"n.{mark}"),
            ("False", f"n.{mark} != False"),
        )
    )
    plain = (f"v.{mark} == {value}", f"n.{target} > v.{target}")
    own = w.draw.choice((*plain, w.test("v", INTS)))
    # C does not evaluate the second operand if the first is false; only operands that cannot fail may be swapped.
    both = w.draw.sample([own, test], 2) if own in plain else [own, test]
    lines = [f"n.{mark} = {value};"] + ([f"{more} = True;"] if w.draw.random() < 0.7 else [])
    around = w.draw.choice(("g.neighbors(v)", "g.nodes_to(v)"))
    w.add(f"bool {more} = False;")
    w.add(f"forall (v in g.nodes()) {{ forall (n in {around}) {{")
    w.add(f"if ({' && '.join(both)}) {{ {' '.join(w.draw.sample(lines, len(lines)))} }} }} }}")
    w.add(f"if ({more}) {{ src.{target} = 7; }}")


def pull(w: Writer) -> None:
    """A variable of the vertex, over its neighbors."""
    target = w.draw.choice(INTS)
    rest = without(INTS, target)
    around = w.draw.choice(("g.neighbors(v)", "g.nodes_to(v)"))
    loop = w.draw.choice(("forall", "for"))
    w.add(f"forall (v in g.nodes(){w.filter(rest)}) {{ int s = {w.number()};")
    body = w.draw.choice((f"s += {w.term('u', rest, 1)};", f"s = {w.draw.choice(('Min', 'Max'))}(s, u.{rest[0]});"))
    if w.draw.random() < 0.3:
        body = f"if ({w.test('u', rest)}) {{ {body} }}"
    w.add(f"{loop} (u in {around}) {{ {body} }}")
    w.add(f"v.{target} = s % {LIMIT}; }}")


def real(w: Writer) -> None:
    """Sums of real numbers over neighbors, repeated: shared terms, and gathers."""
    source, target = w.draw.sample(REALS, 2)
    rounds, around = w.draw.randint(1, 4), w.draw.choice(("g.neighbors(v)", "g.nodes_to(v)"))
    i = w.name("i")
    term = w.draw.choice(
        (f"u.{source}", f"u.{source} / g.count_outNbrs(u)", f"u.{source} * 0.5 + u.a", f"u.{source} / 4 + v.a")
    )
    combine = w.draw.choice(("sum", "sum", "Min", "Max"))
    line = f"s += {term};" if combine == "sum" else f"s = {combine}(s, {term});"
    w.add(f"int {i} = 0; while ({i} < {rounds}) {{")
    w.add("forall (v in g.nodes()) { double s = 0;")
    w.add(f"{w.draw.choice(('forall', 'for'))} (u in {around}) {{ {line} }}")
    w.add(f"v.{target} = 1 + s / 64; }}")
    w.add(f"{w.draw.choice((f'{source} = {target};', f'forall (v in g.nodes()) {{ v.{source} = v.{target} / 2; }}'))}")
    w.add(f"{i}++; }}")


def rounds(w: Writer) -> None:
    """Repeatedly reads the previous round's values of neighbors: refreshes of changes."""
    source, target = w.draw.sample(INTS, 2)
    i, around = w.name("i"), w.draw.choice(("g.neighbors(v)", "g.nodes_to(v)"))
    # The first two are gathers; the others visit neighbors in order.
    loop, take = w.draw.choice(
        (
            ("forall", f"{w.draw.choice(('Min', 'Max'))}(s, u.{source})"),
            ("forall", f"s + u.{source}"),
            ("for", f"u.{source} + 1"),
            ("for", f"(s * 3 + u.{source} + u) % 89"),
        )
    )
    w.add(f"int {i} = 0; while ({i} < {w.draw.randint(4, 12)}) {{")
    w.add(f"forall (v in g.nodes(){w.filter((), 0.2)}) {{ int s = {w.draw.choice((f'v.{source}', 'v % 13'))};")
    w.add(f"{loop} (u in {around}) {{ s = {take}; }}")
    w.add(f"v.{target} = s % {LIMIT}; }}")
    if w.draw.random() < 0.1:
        w.add(f"src.{target} = {i};")
    w.add(f"{w.draw.choice((f'{source} = {target};', f'forall (v in g.nodes()) {{ v.{source} = v.{target}; }}'))}")
    w.add(f"{i}++; }}")


def scalar(w: Writer) -> None:
    """Variables that all vertices change."""
    total, best, who = w.name("t"), w.name("m"), w.name("w")
    target = w.draw.choice(INTS)
    w.add(f"int {total} = 0; int {best} = {w.number()}; node {who} = src;")
    w.add(f"forall (v in g.nodes(){w.filter(INTS)}) {{")
    w.add(f"{total} += {w.term('v', INTS, 1)};")
    w.add(w.extremum(w.draw.choice(("Min", "Max")), w.term("v", INTS, 1), [best, who], ["v"]))
    w.add("}")
    w.add(f"src.{target} = ({total} % 1000 + {best}) % {LIMIT}; {who}.{target} = {total} % {LIMIT};")


def hops(w: Writer) -> None:
    """Vertices two edges away, and edges that may exist."""
    target = w.draw.choice(INTS)
    rest = without(INTS, target)
    w.add(f"forall (v in g.nodes(){w.filter(rest)}) {{ forall (n in g.neighbors(v)) {{ forall (m in g.neighbors(n)) {{")
    line = w.draw.choice((f"m.{target} += 1;", f"m.{target} = Min(m.{target}, {w.term('v', rest, 0)});"))
    if w.draw.random() < 0.5:
        line = f"if ({w.draw.choice(('g.is_an_edge(m, v)', 'm.' + rest[0] + ' > v.' + rest[1]))}) {{ {line} }}"
    w.add(f"{line} }} }} }}")
    w.normalize(target)


def levels(w: Writer) -> None:
    target = w.draw.choice(INTS)
    rest = without(INTS, target)
    kind = w.draw.choice(("Min", "Max"))
    w.add("iterateInBFS (v in g.nodes() from src) {")
    w.add(f"forall (n in g.neighbors(v)) {{ n.{target} = {kind}(n.{target}, v.{target} + {w.number(0, 5)}); }}")
    w.add("}")
    if w.draw.random() < 0.5:
        w.add(f"iterateInReverse (v != src) {{ v.{rest[0]} = (v.{rest[0]} + v.{target}) % {LIMIT}; }}")
    w.normalize(target)


def relax(w: Writer) -> None:
    """A fixed point of a minimum or maximum: it can run in any order, or nearly."""
    target, other, third = w.draw.sample(INTS, 3)
    active, done = w.name("on"), w.name("done")
    rises = w.draw.random() < 0.3
    kind = "Max" if rises else "Min"
    w.add(f"propNode<bool> {active};")
    start = w.draw.choice(("all", "source", "some", "some"))
    w.add(f"g.attachNodeProperty({active} = {'True' if start == 'all' else 'False'});")
    if start == "some":
        w.add(f"forall (v in g.nodes()) {{ if ({w.test('v', INTS)}) {{ v.{active} = True; }} }}")
    first = w.draw.choice(("keep", "infinite", "number"))
    if first == "infinite" and not rises:
        w.add(f"g.attachNodeProperty({target} = INF);")
    if first == "number":
        w.add(f"forall (v in g.nodes()) {{ v.{target} = v; }}")
    if start == "source":
        w.add(f"src.{active} = True; src.{target} = 0;")
    plain = not rises
    steps = [f"v.{target}", f"v.{target}", f"Max(v.{target}, {w.number()})" if plain else f"Min(v.{target}, 50)"]
    steps += [f"v.{target} {'-' if rises else '+'} {w.draw.randint(1, 9)}"] * 2
    if plain:
        steps += [f"v.{target} + e.weight"] * 4
        # The third property does not change.
        steps += [f"v.{target} + ((v.{third} % 5) + 5)", f"v.{target} + ((n.{third} % 3) + 4)"]
    step = w.draw.choice(steps)
    with_companions = w.draw.random() < 0.6
    targets, given = [f"n.{target}"], []
    flag = (f"n.{active}", "True")
    extra = []
    if with_companions:
        choices = ["v", "v", w.number(), f"v.{third}", "v % 4", f"v.{other} + 1"]
        extra = [(f"n.{other}", w.draw.choice(choices))]
    # A maximum with decreasing steps and companions that are used before the next round is valid as well.
    for a, b in w.draw.sample([flag, *extra], len(extra) + 1):
        targets.append(a)
        given.append(b)
    inner = w.draw.choice(("", "", "", f".filter({third} > {w.number()})"))
    w.add(f"bool {done} = False;")
    w.add(f"fixedPoint until ({done} : !{active}) {{ forall (v in g.nodes().filter({active} == True)) {{")
    w.add(f"forall (n in g.neighbors(v){inner}) {{")
    if "e.weight" in step:
        w.add("edge e = g.get_edge(v, n);")
    w.add(w.extremum(kind, step, targets, given))
    w.add("} } }")
    if w.draw.random() < 0.5:
        w.add(f"forall (v in g.nodes().filter({active} == True)) {{ v.{third} = 1; }}")
    w.normalize(target)
    w.normalize(other)


def brandes(w: Writer) -> None:
    """Sums along breadth-first levels, and back."""
    paths, back = w.draw.sample(REALS, 2)
    w.add(f"g.attachNodeProperty({paths} = 0, {back} = 0); src.{paths} = 1;")
    w.add(f"iterateInBFS (v in g.nodes() from src) {{ for (n in g.neighbors(v)) {{ n.{paths} += v.{paths} / 4; }} }}")
    w.add(
        f"iterateInReverse (v != src) {{ for (n in g.neighbors(v)) {{ v.{back} = v.{back} + (1 + n.{back}) / 8; }} }}"
    )
    w.add(
        f"forall (v in g.nodes()) {{ v.{paths} = v.{paths} / (1 + v.{paths}); v.{back} = v.{back} / (1 + v.{back}); }}"
    )


def ordered(w: Writer) -> None:
    """One vertex after another, each of which sees the effects of the previous ones."""
    target, other = w.draw.sample(INTS, 2)
    w.add(f"for (v in g.nodes(){w.filter(INTS)}) {{ if (v < 12) {{")
    loop = w.draw.choice(("for", "forall"))
    body = w.draw.choice(
        (
            f"n.{target} += {w.number(0, 4)};",
            f"n.{target} = Max(n.{target}, v.{other});",
            f"if (n.{other} > v.{other}) {{ n.{target} += 1; }}",
        )
    )
    w.add(f"{loop} (n in {w.draw.choice(('g.neighbors(v)', 'g.nodes_to(v)'))}) {{ {body} }}")
    w.add(f"v.{other} = (v.{other} + v.{target}) % {LIMIT}; }} }}")
    w.normalize(target)


def edges(w: Writer) -> None:
    """Values of edges, written and read again."""
    prop, target = w.name("f"), w.draw.choice(INTS)
    rest = without(INTS, target)
    w.add(f"propEdge<int> {prop}; g.attachEdgeProperty({prop} = {w.number()});")
    w.add("forall (v in g.nodes()) { forall (n in g.neighbors(v)) { edge e = g.get_edge(v, n);")
    w.add(f"e.{prop} = ({w.term('v', rest, 1)} + {w.term('n', rest, 0)} + e.weight) % {LIMIT}; }} }}")
    w.add("forall (v in g.nodes()) { forall (n in g.neighbors(v)) { edge e = g.get_edge(v, n);")
    w.add(
        w.draw.choice(
            (f"n.{target} += e.{prop};", f"v.{target} += e.{prop};", f"n.{target} = Min(n.{target}, e.{prop});")
        )
    )
    w.add("} }")
    w.normalize(target)


def members(w: Writer) -> None:
    """The vertices of a set."""
    target = w.draw.choice(INTS)
    rest = without(INTS, target)
    loop = w.draw.choice(("for", "forall"))
    w.add(f"{loop} (s in some) {{ forall (n in g.neighbors(s)) {{ n.{target} += {w.term('s', rest, 1)} % 50; }} }}")
    w.normalize(target)


BLOCKS = (own, own_extremum, single, push, companion, visit, pull, real, rounds, rounds, scalar, hops, levels)
BLOCKS += (relax, relax, relax, relax, brandes, ordered, edges, members, *MORE, *LISTS)
# If no statement uses edges against their direction, a process may have copies of values of another one that has no
# copies of its values.
OUTWARD = (own, push, pull, real, rounds, rounds, rounds, scalar)


def function(name: str, draw: Random, has_races: bool, is_outward: bool = False) -> tuple[str, list[str]]:
    """A function, and its properties with their types."""
    blocks = OUTWARD if is_outward else BLOCKS
    w = Writer(draw, name)
    w.add("forall (v in g.nodes()) {")
    for prop in INTS:
        w.add(f"v.{prop} = {w.term('v', (), 2)} % {LIMIT};")
    for prop in REALS:
        w.add(f"v.{prop} = {w.number(1, 9)};")
    for prop in FLAGS:
        w.add(f"v.{prop} = {w.test('v', INTS)};")
    w.add("}")
    for _ in range(draw.randint(2, 5)):
        if draw.random() < 0.15:
            i = w.name("i")
            w.add(f"int {i} = 0; while ({i} < {draw.randint(1, 3)}) {{")
            # Properties and variables are made once.
            draw.choice((own, push, pull) if is_outward else (own, push, companion, pull, hops, single))(w)
            w.add(f"{i}++; }}")
        else:
            draw.choice(RACY if has_races and draw.random() < 0.7 else blocks)(w)
    types = [f"propNode<int> {p}" for p in INTS] + [f"propNode<double> {p}" for p in REALS]
    types += [f"propNode<bool> {p}" for p in FLAGS]
    body = "\n".join("  " + line for line in w.lines)
    if is_outward:
        body = body.replace("g.nodes_to(", "g.neighbors(")
    parameters = f"Graph g, {', '.join(types)}, propEdge<int> weight, SetN<g> some, node src"
    return f"{''.join(w.helpers)}function {name}({parameters}) {{\n{body}\n}}\n", types
