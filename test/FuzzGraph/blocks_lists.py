# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random pieces with lists, and with recursive functions. Actions that not all vertices do at once are limited to the
first vertices, because other processes receive each value."""

from __future__ import annotations

from words import FLAGS, INTS, LIMIT, Writer, without

FEW = 12  # number of vertices that change lists one after another


def count(w: Writer) -> None:
    """All iterations change elements, by one kind of reduction."""
    name, size, target = w.name("l"), w.draw.randint(1, 9), w.draw.choice(INTS)
    rest = without(INTS, target)
    kind = w.draw.choice(("+=", "-=", "Min", "Max", "set", "real"))
    element = {"set": "bool", "real": "double"}.get(kind, w.draw.choice(("int", "long")))
    start = {"set": "False", "real": "0"}.get(kind, w.number())
    w.add(f"container<{element}> {name}; {name}.assign({size}, {start});")
    w.add(f"forall (v in g.nodes(){w.filter(INTS)}) {{")
    inner = w.draw.random() < 0.4
    if inner:
        w.add(f"forall (n in {w.draw.choice(('g.neighbors(v)', 'g.nodes_to(v)'))}) {{")
    vertex = w.draw.choice(("v", "n")) if inner else "v"
    place = f"{name}[({vertex} + {w.draw.randint(0, 5)}) % {size}]"
    value = w.term(vertex, INTS, 1)
    line = {"set": f"{place} = True;", "real": f"{place} += {vertex}.x / 4;"}.get(kind)
    line = line or (f"{place} {kind} {value};" if kind in ("+=", "-=") else f"{place} = {kind}({place}, {value});")
    w.add(f"if ({w.test(vertex, INTS)}) {{ {line} }}" if w.draw.random() < 0.4 else line)
    w.add("} }" if inner else "}")
    # All vertices read them.
    if kind == "set":
        w.add(f"forall (v in g.nodes()) {{ if ({name}[v % {size}]) {{ v.{w.draw.choice(FLAGS)} = True; }} }}")
    elif kind == "real":
        w.add(f"forall (v in g.nodes()) {{ v.y = 1 + {name}[v % {size}] / (1 + {name}[v % {size}]); }}")
    else:
        w.add(f"forall (v in g.nodes()) {{ v.{target} = (v.{rest[0]} + {name}[v % {size}] % 1000) % {LIMIT}; }}")


def stack(w: Writer) -> None:
    """Lists that grow and shrink, one vertex after another."""
    name, target = w.name("l"), w.draw.choice(INTS)
    some = f"{name}.front() + {name}[{name}.size() - 2]"
    w.add(f"std::vector<int> {name};")
    w.add(f"for (v in g.nodes(){w.filter(INTS)}) {{ if (v < {FEW}) {{")
    for _ in range(w.draw.randint(1, 3)):
        w.add(
            w.draw.choice(
                (
                    f"{name}.push_back({w.term('v', INTS, 1)});",
                    f"if (!{name}.empty()) {{ v.{target} = {name}.back() % {LIMIT}; }}",
                    f"if ({name}.size() > 1) {{ v.{target} = ({some}) % {LIMIT}; }}",
                    f"if ({name}.size() > 2) {{ {name}.pop_back(); {name}[0] += {w.number()}; }}",
                    f"if ({name}.size() == 5) {{ {name}.clear(); }}",
                )
            )
        )
    w.add("} }")
    w.add(f"src.{target} = ({name}.getIdx({w.number(0, 5)}) + {name}.size()) % {LIMIT};")


def nested(w: Writer) -> None:
    """Lists of lists, copies of them, and functions that get them."""
    lists, one, copy, i = w.name("m"), w.name("o"), w.name("k"), w.name("i")
    groups, target = w.draw.randint(1, 4), w.draw.choice(INTS)
    helper = f"{w.prefix}_{w.name('h')}"
    by = w.draw.choice(("", "&"))
    w.helpers.append(
        f"function {helper}(container<int> {by}l, int x) {{\n  l.push_back(x);\n  int s = 0; int j = 0;\n"
        f"  while (j < l.size()) {{ s += l[j] % 50; j++; }}\n  if (s > {LIMIT}) {{ return 1; }}\n  return s;\n}}\n"
    )
    w.add(f"container<std::vector<int>> {lists}; int {i} = 0;")
    w.add(f"while ({i} < {groups}) {{ container<int> {one}; {one}.assign({i}, {w.number()});")
    w.add(f"{lists}.push_back({one}); {i}++; }}")
    w.add(f"for (v in g.nodes()) {{ if (v < {FEW}) {{ {lists}[v % {groups}].push_back(v.{target}); }} }}")
    w.add(f"container<int> {copy} = {lists}[{w.draw.randrange(groups)}];")
    if w.draw.random() < 0.5:
        w.add(f"{lists}[0] = {lists}[{groups - 1}]; {lists}[0].push_back({w.number()});")
    w.add(f"src.{target} = ({helper}({copy}, {w.number()}) + {copy}.size() + {lists}[0].size()) % {LIMIT};")
    last = f"{lists}[0][{lists}[0].size() - 1]"
    w.add(f"if (!{lists}[0].empty()) {{ src.{target} = (src.{target} + {last}) % {LIMIT}; }}")


def recursion(w: Writer) -> None:
    """A function that calls itself for neighbors, up to a number of calls."""
    name, target, other = f"{w.prefix}_{w.name('r')}", *w.draw.sample(INTS, 2)
    around = w.draw.choice(("g.neighbors(v)", "g.nodes_to(v)"))
    around += w.draw.choice(("", f".filter({other} > {w.number(-9, 9)})"))
    step = w.draw.choice((f"v.{target} + 1", f"v.{target} + n.{other}", f"left + n.{target}"))
    mine = w.draw.choice(("", f"container<int> own; own.push_back(v.{target}); "))
    after = w.draw.choice(("", f"v.{target} = (v.{target} + v.{other}) % {LIMIT};"))
    if mine:
        after += f" v.{other} = own.back();"
    w.helpers.append(
        f"function {name}(Graph g, node v, int left, propNode<int> {target}, propNode<int> {other}) {{\n"
        f"  left--;\n  {mine}\n  for (n in {around}) {{\n    if (left > 0) {{\n"
        f"      n.{target} = ({step}) % {LIMIT};\n"
        f"      left = {name}(g, n, left, {target}, {other});\n    }}\n  }}\n  {after}\n  return left;\n}}\n"
    )
    w.add(f"src.{target} = {name}(g, src, {w.draw.randint(1, 9)}, {target}, {other});")


def maps(w: Writer) -> None:
    """Sets and maps: insertions by one vertex after another, and their order."""
    name, seen, part, total = w.name("m"), w.name("s"), w.name("r"), w.name("t")
    groups, target = w.draw.randint(1, 5), w.draw.choice(INTS)
    key = w.draw.choice((f"v % {groups}", f"(v.{target} % {groups}) + v % 2", "v"))
    is_nested = w.draw.random() < 0.5
    w.add(f"hashMap<int, {'hashMap<long, int>' if is_nested else 'int'}> {name}; hashSet<node> {seen};")
    w.add(f"for (v in g.nodes(){w.filter(INTS)}) {{ if (v < {FEW}) {{")
    w.add(f"auto &{part} = {name}.get({key});")
    if is_nested:
        inner = w.name("i")
        w.add(f"auto &{inner} = {part}.get({w.term('v', INTS, 0)}); {inner} += {w.number()};")
        w.add(f"{part}.put({w.number()}, {w.number()});")
        w.add(f"v.{target} = {part}.size() % {LIMIT};")
    else:
        w.add(w.draw.choice((f"{part} += {w.term('v', INTS, 1)};", f"{part} = {part} % 50 + v.{target};")))
        w.add(f"if (!{name}.contains(v + 1)) {{ {name}.put(v + 1, {w.number()}); }}")
    w.add(f"if ({w.test('v', INTS)}) {{ {seen}.insert(v); }}")
    w.add(f"}} }} int {total} = {seen}.size(); {name}.reset(); {seen}.reset();")
    value = f"{name}.get({name}.getcurrentkey()).size()" if is_nested else f"{name}.getcurrentval() % 1000"
    w.add(f"while (!{name}.atend()) {{ {total} = ({total} * 3 + {name}.getcurrentkey() + {value}) % 9973;")
    w.add(f"{name}.advance(); }}")
    w.add(f"while (!{seen}.atend()) {{ node at = {seen}.getcurrent(); at.{target} = {total} % {LIMIT};")
    w.add(f"{total}++; {seen}.advance(); }}")
    if w.draw.random() < 0.5:
        w.add(f"{name}.clear(); {total} += {name}.size();")
    w.add(f"src.{target} = {total} % {LIMIT};")


LISTS = (count, count, stack, nested, maps, recursion)
