# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What three of StarPlat's programs say, statement by statement, one iteration after another (--serialize): they do not
find what their names promise, so that no algorithm is their oracle."""

from __future__ import annotations

from collections import defaultdict

import networkx as nx


def levels(graph: nx.Graph, root: int) -> list[list[int]]:
    return [sorted(level) for level in nx.bfs_layers(graph, root)]


class Flow:
    """preflow_push_V1 and push_relabel_bfs, with `V` the number of vertices and `u` the vertex `v`."""

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
        """Levels of the whole graph, not of what is left of it."""
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
    """One round, since nothing clears `noNewComp`; the search begins at the vertex whose number is a degree."""
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
