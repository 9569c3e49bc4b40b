# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random pieces with edges against their direction, steps down, several companions, deeper loops, levels in reverse.
They keep the same rules as those of blocks.py."""

from __future__ import annotations

from words import FLAGS, INTS, LIMIT, REALS, Writer, without


def around(w: Writer, vertex: str) -> str:
    return w.draw.choice((f"g.nodes_to({vertex})", f"g.nodes_to({vertex})", f"g.neighbors({vertex})"))


def edge_of(w: Writer, loop: str, vertex: str, nbr: str) -> None:
    """Returns the edge that a loop follows."""
    pair = f"{nbr}, {vertex}" if "nodes_to" in loop else f"{vertex}, {nbr}"
    w.add(f"edge e = g.get_edge({pair});")


def inward(w: Writer) -> None:
    """Reductions over vertices with an edge to the vertex, with its weight and with companions."""
    target, other, third = w.draw.sample(INTS, 3)
    loop = around(w, "v")
    w.add(f"forall (v in g.nodes(){w.filter((third,))}) {{ forall (n in {loop}) {{")
    value = w.term("v", (third,), 1)
    if w.draw.random() < 0.5:
        edge_of(w, loop, "v", "n")
        value = f"({value} {w.draw.choice('+-')} e.weight)"
    kind = w.draw.choice(("Min", "Max", "sum", "if"))
    if kind == "sum":
        line = f"n.{target} += {value};"
    elif kind == "if":
        # A reduction that the program writes as a comparison.
        line = f"int k = {value}; if (k < n.{target}) {{ n.{target} = k; }}"
    else:
        given = w.draw.choice(("v", "n", w.number(), f"v.{third}", "v % 3"))
        line = w.extremum(kind, value, [f"n.{target}", f"n.{other}"], [given])
    w.add(f"if ({w.test('n', (third,))}) {{ {line} }}" if w.draw.random() < 0.3 else line)
    w.add("} }")
    w.normalize(target)
    w.normalize(other)


def companions(w: Writer) -> None:
    """Several of them, the first of which are often equal in several iterations."""
    target, other, third = w.draw.sample(INTS, 3)
    flag, reals = w.draw.choice(FLAGS), w.draw.choice(REALS)
    kind = w.draw.choice(("Min", "Max"))
    rest = [(f"n.{other}", w.draw.choice(("v % 2", "v", f"v.{third} % 3", w.number())))]
    rest += w.draw.sample([(f"n.{flag}", w.draw.choice(("True", "False", "v % 2 == 0")))], w.draw.randint(0, 1))
    rest += w.draw.sample([(f"n.{reals}", w.draw.choice(("v", f"v.{third}", "0.5")))], w.draw.randint(0, 1))
    w.draw.shuffle(rest)
    left = ", ".join([f"n.{target}", *(a for a, _ in rest)])
    # Few different values: many iterations attain the best one.
    best = w.draw.choice((f"v.{third} % 3", f"v % {w.draw.randint(1, 4)}", f"v.{third}", w.number()))
    right = ", ".join([f"{kind}(n.{target}, {best})", *(b for _, b in rest)])
    chosen = f".filter({third} > {w.number()})" if w.draw.random() < 0.4 else ""
    w.add(f"forall (v in g.nodes(){chosen}) {{ forall (n in {around(w, 'v')}) {{")
    w.add(f"<{left}> = <{right}>; }} }}")
    if any(a == f"n.{reals}" for a, _ in rest):
        w.add(f"forall (v in g.nodes()) {{ v.{reals} = 1; if (v.{flag} == True) {{ v.{reals} = 2; }} }}")
    w.normalize(target)
    w.normalize(other)


def deeper(w: Writer) -> None:
    """Loops within loops, in both directions, over variables of each level."""
    target = w.draw.choice(INTS)
    rest = without(INTS, target)
    kind = w.draw.choice(("+", "Min", "Max"))

    def combine(name: str, value: str) -> str:
        return f"{name} += {value};" if kind == "+" else f"{name} = {kind}({name}, {value});"

    w.add(f"forall (v in g.nodes(){w.filter(rest)}) {{ int s = {w.number()};")
    w.add(f"forall (u in {around(w, 'v')}) {{ int t = {w.number()};")
    w.add(f"{w.draw.choice(('for', 'forall'))} (x in {around(w, 'u')}) {{")
    value = f"({w.term('x', rest, 1)} % 50)"
    if w.draw.random() < 0.4:
        value = f"({value} - {w.term('v', rest, 0)})"
    line = combine("t", value)
    if w.draw.random() < 0.5:
        line = f"if ({w.draw.choice(('x != v', 'g.is_an_edge(v, x)', w.test('x', rest)))}) {{ {line} }}"
    w.add(f"{line} }}")
    where = w.draw.choice(("own", "own", "other"))
    w.add(combine("s", "(t % 1000)") if where == "own" else combine(f"u.{target}", "(t % 1000)"))
    w.add("}")
    if where == "own":
        w.add(f"v.{target} = s % {LIMIT};")
    w.add("}")
    w.normalize(target)


def descend(w: Writer) -> None:
    """A fixed point whose steps may decrease: along ascending numbers, so that it ends."""
    target, other, third = w.draw.sample(INTS, 3)
    active, done = w.name("on"), w.name("done")
    kind = w.draw.choice(("Min", "Min", "Min", "Max"))
    loop = w.draw.choice(("g.neighbors(v)", "g.neighbors(v)", "g.nodes_to(v)"))
    w.add(f"propNode<bool> {active}; g.attachNodeProperty({active} = False);")
    w.add(f"forall (v in g.nodes()) {{ if ({w.test('v', (third,))}) {{ v.{active} = True; }} }}")
    w.add(f"src.{active} = True;")
    steps = [f"v.{target} - {w.draw.randint(1, 9)}", f"v.{target} + (v.{third} % 7)", f"v.{target} + (n.{third} % 5)"]
    steps += [f"v.{target} + e.weight - {w.draw.randint(1, 12)}", f"v.{target} - e.weight", f"v.{target} + e.weight"]
    step = w.draw.choice(steps)
    pairs = [(f"n.{active}", "True")]
    if w.draw.random() < 0.5:
        pairs.append((f"n.{other}", w.draw.choice(("v", w.number(), f"v.{third}"))))
        w.draw.shuffle(pairs)
    w.add(f"bool {done} = False; fixedPoint until ({done} : !{active}) {{")
    w.add(f"forall (v in g.nodes().filter({active} == True)) {{")
    w.add(f"forall (n in {loop}.filter(n > v)) {{")
    if "e.weight" in step:
        edge_of(w, loop, "v", "n")
    left = ", ".join([f"n.{target}", *(a for a, _ in pairs)])
    right = ", ".join([f"{kind}(n.{target}, {step})", *(b for _, b in pairs)])
    w.add(f"<{left}> = <{right}>; }} }} }}")
    w.normalize(target)
    w.normalize(other)


def real_paths(w: Writer) -> None:
    """A fixed point of real numbers that are exact."""
    x, active, done = w.draw.choice(REALS), w.name("on"), w.name("done")
    third = w.draw.choice(INTS)
    w.add(f"propNode<bool> {active}; g.attachNodeProperty({active} = False);")
    start = w.draw.choice(("INF", f"v.{third} * 0.5", f"v.{third} - 0.25"))
    w.add(f"forall (v in g.nodes()) {{ v.{x} = {start}; }}")
    w.add(f"src.{x} = {w.number()}; src.{active} = True;")
    if start != "INF":
        w.add(f"forall (v in g.nodes()) {{ v.{active} = True; }}")
    loop = w.draw.choice(("g.neighbors(v)", "g.neighbors(v)", "g.nodes_to(v)"))
    step = w.draw.choice((f"v.{x} + e.weight * 0.5", f"v.{x} + e.weight", f"v.{x} + 0.125", f"v.{x}"))
    w.add(f"bool {done} = False; fixedPoint until ({done} : !{active}) {{")
    w.add(f"forall (v in g.nodes().filter({active} == True)) {{ forall (n in {loop}) {{")
    if "e.weight" in step:
        edge_of(w, loop, "v", "n")
    w.add(f"<n.{x}, n.{active}> = <Min(n.{x}, {step}), True>; }} }} }}")
    w.add(f"forall (v in g.nodes()) {{ if (v.{x} > 1000000) {{ v.{x} = 0 - 1; }} }}")


def back(w: Writer) -> None:
    """Levels forwards and backwards, with sums of integers, conditions, and values of both for a vertex."""
    down, up, third = w.draw.sample(INTS, 3)
    ahead = w.name("l")
    w.add(f"propNode<int> {ahead}; g.attachNodeProperty({ahead} = 0);")
    w.add(f"g.attachNodeProperty({up} = {w.number()});")
    w.add("iterateInBFS (v in g.nodes() from src) {")
    if w.draw.random() < 0.5:
        w.add(f"v.{down} = v.{down} % {LIMIT};")
    line = w.draw.choice(
        (f"n.{ahead} += 1;", f"n.{ahead} = Max(n.{ahead}, v.{ahead} + 1);", f"n.{ahead} += v.{third};")
    )
    w.add(f"{w.draw.choice(('for', 'forall'))} (n in g.neighbors(v)) {{ {line} }} }}")
    start = w.draw.choice(("v != src", "v != src", "v.p == True", f"v.{third} > 0"))
    w.add(f"iterateInReverse ({start}) {{")
    body = w.draw.choice(
        (
            f"v.{up} = (v.{up} + n.{up} + n.{third}) % {LIMIT};",
            f"v.{up} += (n.{third} % 3);",
            f"v.{up} = Max(v.{up}, n.{third} - v.{third});",
        )
    )
    if w.draw.random() < 0.3:
        body = f"if (n.{third} > v.{third}) {{ {body} }}"
    w.add(f"for (n in g.neighbors(v)) {{ {body} }}")
    if w.draw.random() < 0.5:
        w.add(f"v.{down} = (v.{down} + v.{up}) % {LIMIT};")
    w.add("}")
    w.add(f"forall (v in g.nodes()) {{ v.{down} = (v.{down} + v.{ahead} % 10) % {LIMIT}; }}")
    w.normalize(up)


def anywhere(w: Writer) -> None:
    """Vertices whose numbers are computed: read, a chain of them, and changed."""
    target, other, third = w.draw.sample(INTS, 3)
    n = w.name("n")
    w.add(f"int {n} = g.num_nodes();")
    w.add(f"forall (v in g.nodes(){w.filter((third,))}) {{")
    place = f"(v * {w.draw.randint(1, 9)} + {w.draw.randint(0, 50)} + v.{third} + {LIMIT}) % {n}"
    w.add(f"node u = {place};")
    if w.draw.random() < 0.6:
        # The end of the chain is known when the last value has arrived.
        w.add(f"int s = 0; int k = 0; while (k < {w.draw.randint(1, 4)}) {{")
        stop = f"if (u.{third} > {w.number()}) {{ s += 1; }}" if w.draw.random() < 0.5 else ""
        w.add(f"s += u.{third}; {stop} u = (u + u.{third} + {LIMIT}) % {n}; k++; }}")
    else:
        w.add(f"int s = u.{third};")
    kind = w.draw.choice(("sum", "Min", "Max", "own"))
    if kind == "own":
        w.add(f"v.{target} = s % {LIMIT};")
    elif kind == "sum":
        w.add(f"u.{target} += s % 50;")
    else:
        w.add(f"<u.{target}, u.{other}> = <{kind}(u.{target}, s % {LIMIT}), {w.draw.choice(('v', 'v % 2', '3'))}>;")
    w.add("}")
    w.normalize(target)
    w.normalize(other)


def negative(w: Writer) -> None:
    """Edges' own values, some of which are negative, along ascending numbers."""
    target, third = w.draw.sample(INTS, 2)
    active, done, cost = w.name("on"), w.name("done"), w.name("cost")
    w.add(f"propNode<bool> {active}; g.attachNodeProperty({active} = False);")
    w.add(f"propEdge<int> {cost}; g.attachEdgeProperty({cost} = 0);")
    w.add("forall (v in g.nodes()) { forall (n in g.neighbors(v)) { edge e = g.get_edge(v, n);")
    w.add(
        f"e.{cost} = {w.draw.choice((f'v.{third} % 9', '3 - e.weight', f'n.{third} % 5 - e.weight', '0 - 2'))}; }} }}"
    )
    w.add(f"forall (v in g.nodes()) {{ v.{active} = {w.draw.choice(('True', 'v % 3 == 0', f'v.{third} > 0'))}; }}")
    w.add(f"src.{target} = {w.number(-300, 0)}; src.{active} = True;")
    w.add(f"bool {done} = False; fixedPoint until ({done} : !{active}) {{")
    w.add(f"forall (v in g.nodes().filter({active} == True)) {{ forall (n in g.neighbors(v).filter(n > v)) {{")
    w.add(f"edge e = g.get_edge(v, n); <n.{target}, n.{active}> = ")
    w.add(f"<{w.draw.choice(('Min', 'Min', 'Max'))}(n.{target}, v.{target} + e.{cost}), True>; }} }} }}")
    w.normalize(target)


MORE = (
    anywhere,
    anywhere,
    negative,
    inward,
    inward,
    companions,
    companions,
    deeper,
    deeper,
    descend,
    descend,
    real_paths,
    back,
    back,
)
