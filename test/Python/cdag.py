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
    with pytest.raises(ValueError, match="root 9 is not one of its 4 processes"):
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


def test_simulation():
    """A message of 1000 bytes by LogGP, by hand: 0.1 to send, 1 on its way out, 1 of latency, 0.1 to receive."""
    graph = Graph(2)
    graph.send(0, 0, 1000, 1)
    copy, receive = graph.copy(1, 5000, 0, 100), graph.recv(1, 0, 1000, 0)
    graph.after(copy, receive)
    model = {"latency": 1.0, "overhead": 0.1, "seconds_per_byte": 0.001, "seconds_per_local_byte": 0.01}
    found = graph.simulate(**model)
    assert [(o["kind"], o["rank"]) for o in found["operations"]] == [("send", 0), ("recv", 1), ("copy", 1)]
    times = [(round(o["start"], 6), round(o["end"], 6)) for o in found["operations"]]
    assert times == [(0.0, 0.1), (2.1, 2.2), (2.2, 3.2)] and found["seconds"] == pytest.approx(3.2)
    # Two messages of one process leave one after the other, and their receiver takes one at a time.
    graph = Graph(3)
    for peer in (1, 2):
        graph.send(0, 0, 1000, peer)
        graph.recv(peer, 0, 1000, 0)
    ends = sorted(o["end"] for o in graph.simulate(**model)["operations"] if o["kind"] == "recv")
    assert ends == [pytest.approx(2.2), pytest.approx(3.2)]
    assert repr(graph) == "<Graph of 3 processes, 4 operations>"
    for name in Graph.patterns():
        graph = Graph.pattern(name, 8, nbytes=64)
        operations = graph.simulate()["operations"]
        assert len(operations) == graph.num_operations
        assert [o["start"] for o in operations] == sorted(o["start"] for o in operations)
    # Trees beat the root that does everything itself.
    seconds = {name: Graph.pattern(f"bcast-{name}", 64).simulate()["seconds"] for name in ("linear", "binomial")}
    assert seconds["binomial"] < seconds["linear"]
    for wrong in ({"latency": -1.0}, {"overhead": float("nan")}, {"seconds_per_byte": float("inf")}):
        with pytest.raises(ValueError, match="finite numbers of seconds"):
            graph.simulate(**wrong)
    lonely = Graph(2)
    lonely.recv(0, 0, 8, 1)
    with pytest.raises(ValueError, match="has no matching send"):
        lonely.simulate()
    assert Graph(0).simulate() == {"seconds": 0.0, "operations": []}


def test_svg():
    graph = Graph.pattern("bcast-binomial", 4)
    graph.detect()
    assert "<svg" in graph._repr_svg_()
