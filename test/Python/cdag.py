# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %pytest %s
"""Communication graphs."""

import pytest

from comm_mlir.cdag import Graph


def test_patterns_are_found():
    assert "allgather-ring" in Graph.patterns()
    graph = Graph.pattern("allgather-ring", 8, nbytes=16)
    stats = graph.detect()
    assert [c["kind"] for c in graph.collectives()] == ["allgather"] and stats["kept_messages"] == 0
    graph.verify()
    assert "digraph" in graph.dot()


def test_built_by_hand():
    graph = Graph(3)
    first = graph.recv(1, 0, 8, 0)
    second = graph.send(1, 0, 8, 2)
    graph.after(second, first)
    graph.send(0, 0, 8, 1)
    graph.recv(2, 0, 8, 1)
    assert (graph.num_ranks, graph.num_operations, graph.num_dependencies) == (3, 4, 1)
    graph.detect()
    graph.verify(runs=2)
    assert isinstance(graph.collectives(), list)


def test_unknown_patterns():
    with pytest.raises(ValueError, match="no pattern allgather: there is allgather-linear, .*allgather-ring"):
        Graph.pattern("allgather", 4)
    with pytest.raises(ValueError, match=r"no pattern frob: Graph.patterns\(\) has the names"):
        Graph.pattern("frob", 4)
    with pytest.raises(ValueError, match="root 9 is none of its 4 processes"):
        Graph.pattern("bcast-ring", 4, root=9)


def test_text():
    with pytest.raises(ValueError, match="2:1"):
        Graph.parse("num_ranks 2\nfrob")


def test_wrong_graphs():
    graph = Graph(2)
    for wrong in (
        lambda: graph.collectives(),
        lambda: graph.dot(),
        lambda: graph.verify(),
        lambda: graph.send(9, 0, 8, 0),
        lambda: graph.send(-1, 0, 8, 0),
        lambda: graph.after(7, 8),
        lambda: Graph(-1),
        lambda: Graph.pattern("frob", 4),
        lambda: Graph.pattern("bcast-binomial", 4, root=9),
    ):
        with pytest.raises(ValueError):
            wrong()
    lonely = Graph(2)
    lonely.send(0, 0, 8, 1)
    with pytest.raises(ValueError):
        lonely.detect()
    with pytest.raises(ValueError):
        lonely.detect(tau=float("nan"))


def test_svg():
    graph = Graph.pattern("bcast-binomial", 4)
    graph.detect()
    assert "<svg" in graph._repr_svg_()
