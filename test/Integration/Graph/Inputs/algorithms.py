# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graph algorithms as their users write them, at 1, 2 and 4 processes, against NetworkX.

algorithms.py FOLDER SCRATCH first|second MPIRUN..."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import networkx as nx

UNDIRECTED = nx.gnm_random_graph(24, 72, seed=5)
DIRECTED = nx.gnm_random_graph(24, 56, seed=6, directed=True)
ACYCLIC = nx.DiGraph([(a, b) for a, b in DIRECTED.edges if a < b])
ACYCLIC.add_nodes_from(DIRECTED)
BARBELL = nx.barbell_graph(5, 3)


def parse(text: str) -> dict:
    found: dict = {}
    current: dict = {}
    for words in (line.split() for line in text.splitlines()):
        if words[0] == "result":
            found["result"] = words[1]
        elif words[0] == "property":
            current = found.setdefault(words[1], {})
        else:
            current[int(words[0]) if len(words) == 2 else (int(words[0]), int(words[1]))] = words[-1]
    return found


def integers(values: dict) -> dict:
    return {key: int(value) for key, value in values.items()}


def near(got: dict, wanted: dict, error: float = 1e-9) -> bool:
    return all(abs(float(got[v]) - value) <= error * max(1, abs(value)) for v, value in wanted.items())


def number_of_triangles(graph: nx.Graph) -> int:
    return sum(nx.triangles(graph).values()) // 3


def is_truss(got: dict, graph: nx.Graph) -> bool:
    truss = {tuple(sorted(edge)) for edge in nx.k_truss(graph, 4).edges}
    alive = {tuple(sorted(edge)) for edge, value in got["alive"].items() if value == "True"}
    return alive == truss and int(got["result"]) == len(truss)


def is_coloring(got: dict, graph: nx.Graph) -> bool:
    color = integers(got["color"])
    return all(color[a] != color[b] for a, b in graph.edges) and set(color.values()) == set(range(int(got["result"])))


def is_matching(got: dict, graph: nx.Graph) -> bool:
    mates = {v: mate for v, mate in integers(got["mate"]).items() if mate >= 0}
    pairs = {(a, b) for a, b in mates.items() if a < b}
    return (
        nx.is_maximal_matching(graph, pairs)
        and all(mates[b] == a for a, b in mates.items())
        and len(pairs) == int(got["result"])
    )


def has_components(got: dict, graph: nx.DiGraph) -> bool:
    parts = list(nx.strongly_connected_components(graph))
    return integers(got["component"]) == {v: min(part) for part in parts for v in part} and int(got["result"]) == len(
        parts
    )


def visits(graph: nx.DiGraph, starts: tuple[int, ...], length: int, seed: int) -> dict[int, int]:
    count = dict.fromkeys(graph, 0)
    for start in starts:
        at, state = start, seed + start
        for _ in range(length):
            count[at] += 1
            around = sorted(graph.successors(at))
            if not around:
                break
            state = (state * 1103515245 + 12345) % 2147483648
            at = around[(state // 65536) % len(around)]
    return count


def has_distances(got: dict, graph: nx.Graph) -> bool:
    return integers(got["ecc"]) == nx.eccentricity(graph) and int(got["result"]) == nx.diameter(
        graph
    ) * 1000 + nx.radius(graph)


def has_clustering(got: dict, graph: nx.Graph) -> bool:
    return near(got["coefficient"], nx.clustering(graph)) and near(got, {"result": nx.average_clustering(graph)})


def has_hubs(got: dict, graph: nx.DiGraph) -> bool:
    hubs, authorities = nx.hits(graph, max_iter=1000, tol=1e-12)
    for name, wanted in (("hub", hubs), ("authority", authorities)):
        total = sum(map(float, got[name].values()))
        if any(abs(float(got[name][v]) / total - value) > 1e-7 for v, value in wanted.items()):
            return False
    return True


def has_scores(got: dict, graph: nx.Graph) -> bool:
    return near(got["score"], {(u, v): score for u, v, score in nx.adamic_adar_index(graph, list(got["score"]))})


def has_similarity(got: dict, graph: nx.Graph) -> bool:
    around = set(graph[3])
    wanted = {v: len(around & set(graph[v])) / max(1, len(around | set(graph[v]))) for v in graph}
    return near(got["sim"], wanted, 1e-6)


def has_ranks(got: dict, graph: nx.Graph) -> bool:
    degrees = dict(graph.degree())
    wanted = {v: sum(degrees[u] > degrees[v] for u in graph) for v in graph}
    return integers(got["rank"]) == wanted and int(got["result"]) == max(degrees.values())


def has_generations(got: dict, graph: nx.DiGraph) -> bool:
    wanted = {v: level for level, vertices in enumerate(nx.topological_generations(graph)) for v in vertices}
    return integers(got["level"]) == wanted


# The graph, the arguments, the check.
FIRST = {
    "triangles-ids": (
        UNDIRECTED,
        [],
        lambda got, g: int(got["result"]) == number_of_triangles(g) and integers(got["mine"]) == nx.triangles(g),
    ),
    "triangles-marks": (UNDIRECTED, [], lambda got, g: int(got["result"]) == number_of_triangles(g)),
    "ktruss": (UNDIRECTED, ["k=4"], is_truss),
    "pagerank-dangling": (
        DIRECTED,
        ["damping=0.85", "tolerance=1e-12", "maxIter=1000"],
        lambda got, g: near(got["rank"], nx.pagerank(g, alpha=0.85, tol=1e-12, max_iter=1000), 1e-8),
    ),
    "closeness": (UNDIRECTED, [], lambda got, g: near(got["closeness"], nx.closeness_centrality(g))),
    "eccentricity": (UNDIRECTED, [], has_distances),
    "coloring": (UNDIRECTED, ["seed=11"], is_coloring),
    "matching": (UNDIRECTED, [], is_matching),
    "scc-pivots": (DIRECTED, [], has_components),
    "walks": (
        DIRECTED,
        ["starts=1,5,9", "length=40", "seed=7"],
        lambda got, g: integers(got["visits"]) == visits(g, (1, 5, 9), 40, 7),
    ),
    "clustering": (UNDIRECTED, [], has_clustering),
}
SECOND = {
    "hits": (DIRECTED, ["rounds=300"], has_hubs),
    "adamic-adar": (UNDIRECTED, [], has_scores),
    "articulation": (
        BARBELL,
        [],
        lambda got, g: {v for v, value in got["cut"].items() if value == "True"} == set(nx.articulation_points(g)),
    ),
    "jaccard": (UNDIRECTED, ["a=3"], has_similarity),
    "degree-ranks": (UNDIRECTED, [], has_ranks),
    "topological": (ACYCLIC, [], has_generations),
}


def run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode or done.stderr:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stderr}")
    return done.stdout


def main() -> None:
    folder, scratch, mpirun = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[4:]
    algorithms = FIRST if sys.argv[3] == "first" else SECOND
    assert nx.is_connected(UNDIRECTED)
    for name, (graph, arguments, check) in algorithms.items():
        binary, file = str(scratch / name), scratch / f"{name}.el"
        run(["commgraph", "build", str(folder / f"{name}.sp"), "-o", binary])
        file.write_text("".join(f"{a} {b}\n" for a, b in graph.edges), encoding="ascii")
        options = [f"--graph={file}", f"--vertices={len(graph)}", "--print", "--quiet"]
        options += [] if graph.is_directed() else ["--undirected"]
        options += [f"--arg={each}" for each in arguments]
        for processes in (1, 2, 4):
            if not check(parse(run([*mpirun, "-n", str(processes), binary, *options])), graph):
                sys.exit(f"{name} differs with {processes} processes")
    print(f"{len(algorithms)} algorithms, at 1, 2 and 4 processes, as NetworkX has it")


if __name__ == "__main__":
    main()
