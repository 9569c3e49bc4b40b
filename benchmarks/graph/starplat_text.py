# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The literal behavior of some of StarPlat's programs, statement by statement and one iteration after another
(--serialize). They do not compute what their names promise, so no algorithm can serve as the oracle."""

from __future__ import annotations

from collections import defaultdict

import networkx as nx


def levels(graph: nx.Graph, root: int) -> list[list[int]]:
    return [sorted(level) for level in nx.bfs_layers(graph, root)]


class Flow:
    """preflow_push_V1 and push_relabel_bfs, where `V` is the number of vertices and `u` is the vertex `v`."""

    def __init__(self, graph: nx.Graph, source: int, sink: int, kernel_parameter: int) -> None:
        self.graph, self.source, self.sink, self.tries = graph, source, sink, kernel_parameter
        self.label = dict.fromkeys(graph, 0)
        self.excess = dict.fromkeys(graph, 0)
        self.left = {}
        for a, b, weight in graph.edges(data="weight"):
            self.left[a, b] = self.left[b, a] = weight
        self.total = 0

    def push(self, a: int, b: int, amount: int) -> None:
        self.left[a, b] -= amount
        self.left[b, a] += amount
        self.excess[b] += amount

    def run(self) -> dict[int, int]:
        self.label[self.source] = len(self.graph)
        for b in sorted(self.graph[self.source]):
            amount = self.left[self.source, b]
            self.total += amount
            self.push(self.source, b, amount)
        while True:
            for v in sorted(self.graph):
                for _ in range(max(1, self.tries)):
                    self.discharge(v)
            self.push_down()
            self.relabel()
            if self.excess[self.source] + self.excess[self.sink] == self.total:
                return self.excess

    def discharge(self, v: int) -> None:
        if self.excess[v] <= 0 or v in (self.source, self.sink) or self.label[v] >= len(self.graph):
            return
        # The first of the lowest.
        lowest, height = -1, 100000000
        for b in sorted(self.graph[v]):
            if self.label[b] < height and self.left[v, b] > 0:
                lowest, height = b, self.label[b]
        if lowest == -1:
            return
        if self.label[v] > height:
            amount = min(self.excess[v], self.left[v, lowest])
            self.excess[v] -= amount
            self.push(v, lowest, amount)
        else:
            self.label[v] = height + 1

    def push_down(self) -> None:
        for v in sorted(self.graph):
            for b in sorted(self.graph[v]):
                if self.left[v, b] > 0 and self.label[v] > self.label[b] + 1 and self.excess[v] > 0:
                    amount = min(self.left[v, b], self.excess[v])
                    self.excess[v] -= amount
                    self.push(v, b, amount)

    def relabel(self) -> None:
        """Uses levels of the whole graph, not of the residual graph."""
        seen = {self.sink: 1}
        self.label[self.sink] = 0
        for level in levels(self.graph, self.sink):
            for v in level:
                if seen.get(v) != 1:
                    continue
                for b in sorted(self.graph[v]):
                    if b not in seen and self.left[b, v] > 0:
                        seen[b] = 1
                        self.label[b] = self.label[v] + 1
                seen[v] = 2
        for v in self.graph:
            if v not in seen:
                self.label[v] = 1000000000
                self.total -= self.excess[v]
                self.excess[v] = 0


def scc_v3(graph: nx.DiGraph) -> dict[int, bool]:
    """Does one round, since nothing clears `noNewComp`. The search starts at the vertex whose number is a degree."""
    visit = dict.fromkeys(graph, False)
    again = True
    while again:
        again = False
        for v in sorted(graph):
            if visit[v]:
                continue
            out = [w for w in graph.successors(v) if not visit[w]]
            into = [w for w in graph.predecessors(v) if not visit[w]]
            if not out or not into:
                visit[v] = again = True
    begin = -1
    for v in sorted(graph):
        if not visit[v]:
            begin = graph.in_degree(v) + graph.out_degree(v)
    if begin == -1:
        return visit
    order = levels(graph, begin)
    forward = search(graph, visit, [v for level in order for v in level], begin, None)
    last_first = [v for level in reversed(order) for v in level if v != begin]
    backward = search(graph, visit, last_first, begin, forward)
    return {v: visit[v] or (forward[v] and backward[v]) for v in graph}


def search(graph: nx.DiGraph, visit: dict, order: list[int], begin: int, within: dict | None) -> dict[int, bool]:
    level, found = defaultdict(int, {begin: 1}), defaultdict(bool)
    for v in order:
        if level[v] == 1 and not visit[v] and (within is None or within[v]):
            found[v] = True
            for w in graph.successors(v):
                if not found[w] and level[w] == 0:
                    level[w] = 1
            level[v] = 2
    return found


def augment(graph: nx.Graph, source: int, sink: int) -> dict[tuple[int, int], int]:
    """edmonds-karp and edmonds-karp_cu: searches use levels of the whole graph, not of the residual graph. Parents are
    followed only if a search has reached the sink."""
    left = {}
    for a, b, weight in graph.edges(data="weight"):
        left[a, b] = left[b, a] = weight
    found = -1
    while found != 0:
        found, parent, reached, amount = 0, {source: -2}, {source}, {source: 2**31 - 1}
        for v in (v for level in levels(graph, source) for v in level):
            # The search ends with the vertex that reaches the sink.
            if v not in reached or sink in parent:
                continue
            for b in sorted(graph[v]):
                if b in parent or left[v, b] <= 0:
                    continue
                parent[b] = v
                amount[b] = min(amount[v], left[v, b])
                reached.add(b)
                if b == sink:
                    found = amount[b]
        v = sink
        while found and v != source:
            left[parent[v], v] -= found
            left[v, parent[v]] += found
            v = parent[v]
    return left


def radii(graph: nx.Graph, sources: int) -> dict[str, dict[int, int]]:
    """Radii_Estimation with --until-unset: no minimum improves -1, so the first round is the last."""
    front = range(sources)
    best = {v: 0 if v in front else -1 for v in graph}
    visited = {v: 2**v if v in front else 0 for v in graph}
    following = dict.fromkeys(graph, 0)
    for u in front:
        for v in sorted(graph[u]):
            if visited[u] != visited[v]:
                following[v] = int(bool(visited[u] or visited[v]))
                best[v] = min(best[v], 1)
    for u in front:
        following[u] = int(bool(following[u] or visited[u]))
    return {"Radii": best, "visited": following, "n_visited": visited}


def scc_temp2(graph: nx.DiGraph) -> dict[str, dict[int, int]]:
    """Both searches use the levels of the first one, so the second may miss vertices, which are later found as separate
    components. There is no search if no vertex is left."""
    visit, forward, backward = (dict.fromkeys(graph, False) for _ in range(3))
    into, out = dict.fromkeys(graph, 0), dict.fromkeys(graph, 0)
    done = False
    while not done:
        done = trimmed = True
        while trimmed:
            trimmed = False
            for v in (v for v in sorted(graph) if not visit[v]):
                out[v] = sum(not visit[w] for w in graph.successors(v))
                into[v] = sum(not visit[w] for w in graph.predecessors(v))
                if not into[v] or not out[v]:
                    visit[v] = trimmed = True
        rest = [v for v in sorted(graph) if not visit[v]]
        pivot = max(rest, key=lambda v: (into[v] + out[v], v), default=-1)
        if pivot >= 0:
            order = [v for level in levels(graph, pivot) for v in level]
            spread(order, graph.successors, visit, forward, pivot, lambda v: True)
            spread(order, graph.predecessors, visit, backward, pivot, lambda v: forward[v])
        for v in sorted(graph):
            if not visit[v] and forward[v] and backward[v]:
                visit[v], done = True, False
            else:
                forward[v] = backward[v] = False
    return {
        name: {v: int(x) for v, x in values.items()}
        for name, values in {
            "visit": visit,
            "visitFw": forward,
            "visitBw": backward,
            "inDeg": into,
            "outDeg": out,
        }.items()
    }


def spread(order: list[int], around, visit: dict, found: dict, pivot: int, may) -> None:
    level = defaultdict(int, {pivot: 1})
    for v in order:
        if level[v] == 1 and not visit[v] and may(v):
            found[v] = True
            for w in around(v):
                if not found[w] and level[w] == 0:
                    level[w] = 1
            level[v] = 2
