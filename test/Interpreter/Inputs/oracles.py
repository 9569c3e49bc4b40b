# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of examples/graph, and compares their output with NetworkX and SciPy.

oracles.py FOLDER_OF_PROGRAMS                       with the interpreter
oracles.py FOLDER_OF_PROGRAMS FOLDER MPIRUN ...     compiled into FOLDER, by 1, 2 and 4 processes; the interpreter
                                                    has to print the same
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import tempfile

import networkx as nx
import scipy.sparse
import scipy.sparse.csgraph

PROGRAMS = sys.argv[1]
INFINITY = 2**31 - 1
COMPILED, MPIRUN = (sys.argv[2], sys.argv[3:]) if len(sys.argv) > 2 else (None, [])
# How the iterations of foralls are ordered, or how many processes share them.
ORDERS = (["--order=ascending"], ["--order=descending"], ["--order=random", "--seed=7"])
if COMPILED:
    ORDERS = (["-n", "1"], ["-n", "2"], ["-n", "4"])


COMPILED_RUNS = {(0, "4"), (2, "2"), (3, "1"), (3, "4")}


def graphs():
    """Directed and undirected ones, sparse and dense, with isolated vertices, a path, and none at all."""
    generator = random.Random(5)
    for count, edges in ((1, 0), (12, 20), (40, 60), (40, 300)):
        graph = nx.DiGraph()
        graph.add_nodes_from(range(count))
        for _ in range(edges):
            a, b = generator.randrange(count), generator.randrange(count)
            if a != b:
                graph.add_edge(a, b, weight=generator.randrange(1, 20))
        yield graph
    path = nx.DiGraph()
    path.add_weighted_edges_from((i, i + 1, 3) for i in range(9))
    yield path


def compiled(program):
    """Returns the executable, which is built once."""
    output = os.path.join(COMPILED, program.removesuffix(".sp"))
    if not os.path.exists(output):
        subprocess.run(["commgraph", "build", os.path.join(PROGRAMS, program), "-o", output], check=True, timeout=120)
    return output


def is_near(line, other):
    """Returns True if two lines have the same numbers, apart from rounding of sums."""
    words, others = line.split(), other.split()
    return len(words) == len(others) and all(
        a == b or math.isclose(float(a), float(b), rel_tol=1e-12, abs_tol=1e-12)
        for a, b in zip(words, others, strict=True)
    )


def run(program, graph, *options, undirected=False):
    """The result, and the properties by name."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "graph.txt")
        with open(name, "w", encoding="utf-8") as file:
            file.writelines(f"{a} {b} {data['weight']}\n" for a, b, data in graph.edges(data=True))
        start, end = ["comm-graph-interpret", os.path.join(PROGRAMS, program)], list(options)
        common = [f"--graph={name}", f"--vertices={len(graph)}", *(["--undirected"] if undirected else [])]
        commands = [[*start, *common, *(each for each in end if each not in sum(ORDERS, []) or not COMPILED)]]
        if COMPILED:
            processes = end[end.index("-n") : end.index("-n") + 2]
            end = [each for each in end if each not in processes]
            prints = [] if any(each.startswith("--print") for each in end) else ["--print"]
            commands.append([*MPIRUN, *processes, compiled(program), *common, *end, *prints])
        outputs = []
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            if done.returncode:
                sys.exit(f"{' '.join(command)}\n{done.stderr}")
            outputs.append(done.stdout.splitlines())
    if COMPILED and not (len(outputs[0]) == len(outputs[1]) and all(map(is_near, *outputs))):
        sys.exit(f"{program}: the interpreter has\n{outputs[0]}\nand {' '.join(commands[1])}\n{outputs[1]}")
    result, properties, current = None, {}, None
    for words in (line.split() for line in outputs[-1]):
        if words[0] == "result":
            result = int(words[1])
        elif words[0] == "property":
            current = properties.setdefault(words[1], {})
        else:
            key = int(words[0]) if len(words) == 2 else (int(words[0]), int(words[1]))
            current[key] = words[-1]
    return result, properties


def expect(program, got, wanted):
    if got != wanted:
        sys.exit(f"{program}: got {got}, wanted {wanted}")


def expect_near(program, got, wanted):
    if any(not math.isclose(got[v], wanted[v], rel_tol=1e-6, abs_tol=1e-6) for v in wanted):
        sys.exit(f"{program}: got {got}, wanted {wanted}")


def integers(values):
    return {key: int(value) for key, value in values.items()}


def check_directed(graph, order):
    size = range(len(graph))
    matrix = (
        nx.to_scipy_sparse_array(graph, nodelist=list(size))
        if graph.edges
        else scipy.sparse.csr_array((len(graph),) * 2)
    )
    wanted = scipy.sparse.csgraph.dijkstra(matrix, indices=0)
    _, got = run("sssp.sp", graph, "--arg=src=0", *order)
    dist, parent = integers(got["dist"]), integers(got["parent"])
    expect("sssp", dist, {v: INFINITY if math.isinf(wanted[v]) else int(wanted[v]) for v in size})
    for v in size:
        if dist[v] in (0, INFINITY):
            expect("sssp: parent", parent[v], -1)
        else:
            expect("sssp: parent", dist[parent[v]] + graph.edges[parent[v], v]["weight"], dist[v])
    levels = nx.single_source_shortest_path_length(graph, 0)
    _, got = run("bfs.sp", graph, "--arg=src=0", *order)
    expect("bfs", integers(got["level"]), {v: levels.get(v, -1) for v in size})
    wanted = nx.pagerank(graph, 0.85, max_iter=200, tol=1e-12, weight=None)
    _, got = run("pagerank.sp", graph, "--arg=damping=0.85", "--arg=tolerance=1e-12", "--arg=rounds=200", *order)
    expect_near("pagerank", {v: float(x) for v, x in got["rank"].items()}, wanted)
    wanted = nx.betweenness_centrality(graph, normalized=False)
    sources = ",".join(map(str, size))
    _, got = run("betweenness.sp", graph, f"--arg=sources={sources}", *order)
    expect_near("betweenness", {v: float(x) for v, x in got["centrality"].items()}, wanted)


def propagate(graph, rounds):
    """Label propagation as in the program."""
    label = {v: v for v in graph}
    for number in range(rounds):
        following = dict(label)
        for v in graph:
            votes = [label[u] for u in graph[v]]
            if votes:
                following[v] = min(set(votes), key=lambda each: (-votes.count(each), each))
        if following == label:
            return number + 1, label
        label = following
    return rounds, label


def check_undirected(directed, order):
    graph = nx.Graph()
    graph.add_nodes_from(directed)
    for a, b, data in directed.edges(data=True):
        weight = min(data["weight"], graph.edges[a, b]["weight"] if graph.has_edge(a, b) else INFINITY)
        graph.add_edge(a, b, weight=weight)
    wanted = {v: min(part) for part in nx.connected_components(graph) for v in part}
    _, got = run("components.sp", directed, *order, undirected=True)
    expect("components", integers(got["component"]), wanted)
    result, _ = run("triangles.sp", directed, *order, undirected=True)
    expect("triangles", result, sum(nx.triangles(graph).values()) // 3)
    _, got = run("kcore.sp", directed, *order, undirected=True)
    expect("kcore", integers(got["core"]), nx.core_number(graph))
    result, got = run("msf.sp", directed, "--print=component,taken", *order, undirected=True)
    forest = nx.minimum_spanning_tree(graph)
    expect("msf", result, int(forest.size(weight="weight")))
    taken = nx.Graph([edge for edge, value in got.get("taken", {}).items() if value == "True"])
    expect("msf: edges", taken.number_of_edges(), forest.number_of_edges())
    expect("msf: cycle", taken.number_of_nodes() == 0 or nx.is_forest(taken), True)
    rounds, wanted = propagate(graph, 10)
    result, got = run("labelprop.sp", directed, "--arg=rounds=10", *order, undirected=True)
    expect("labelprop", integers(got["label"]), wanted)
    expect("labelprop: rounds", result, rounds)


def main() -> None:
    count = 0
    for number, graph in enumerate(graphs()):
        for order in ORDERS:
            # A start of MPI takes long: some graphs are for some numbers of processes.
            if COMPILED and (number, order[1]) not in COMPILED_RUNS:
                continue
            check_directed(graph, order)
            check_undirected(graph, order)
            count += 1
    print(f"9 programs, {count} graphs and orders, all as NetworkX and SciPy have it")


main()
