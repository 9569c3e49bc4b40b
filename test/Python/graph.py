# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# UNSUPPORTED: asan
# RUN: env "COMM_MPIRUN=%mpirun" COMM_SOURCES=%comm_src_root XDG_CACHE_HOME=%t.cache %pytest %s
"""Graph programs on graphs of SciPy, NetworkX and NumPy, compared with the results of these."""

import os
import subprocess
import sys

import networkx
import numpy as np
import pytest
import scipy.sparse

from comm_mlir import graph, tools
from comm_mlir.ir import Context, Module

PROGRAMS = os.path.join(os.environ["COMM_SOURCES"], "examples", "graph")
SSSP = os.path.join(PROGRAMS, "sssp.sp")
INFINITE = np.iinfo(np.int32).max


def matrix():
    generator = np.random.default_rng(1)
    dense = np.triu(generator.integers(1, 9, (20, 20)) * (generator.random((20, 20)) < 0.15), 1)
    return scipy.sparse.csr_matrix(dense)


@pytest.mark.parametrize("processes", [1, 3])
def test_sparse_matrices(processes):
    found = graph.run(SSSP, matrix(), arguments={"src": 2}, outputs=["dist", "parent"], processes=processes)
    expected = scipy.sparse.csgraph.dijkstra(matrix(), indices=2)
    expected[np.isinf(expected)] = INFINITE
    assert found.properties["dist"].tolist() == expected.tolist() and found.nodes is None
    parents = found.properties["parent"]
    assert (parents[(expected < INFINITE)][1:] >= 0).all() and len(parents) == 20


def test_networkx():
    names = networkx.DiGraph()
    names.add_weighted_edges_from([("a", "b", 4), ("a", "c", 1), ("c", "b", 2)])
    names.add_node("alone")
    found = graph.run(SSSP, names, arguments={"src": 0}, outputs=["dist"])
    assert dict(zip(found.nodes, found.properties["dist"].tolist())) == {"a": 0, "b": 3, "c": 1, "alone": INFINITE}
    path = networkx.path_graph(5)
    found = graph.run(SSSP, path, arguments={"src": 4}, outputs=["dist"], options=["--unit-weights"])
    assert found.properties["dist"].tolist() == [4, 3, 2, 1, 0]
    names.add_edge("b", "alone")
    with pytest.raises(ValueError, match="some edges of the graph have a weight"):
        graph.run(SSSP, names)


def test_arrays_texts_and_modules():
    edges = np.array([[0, 1, 5], [1, 2, 7], [0, 3, 1], [3, 2, 2]])
    with open(SSSP, encoding="utf-8") as file:
        text = file.read()
    found = graph.run(text, edges, arguments={"src": 0}, outputs=["dist"])
    assert found.properties["dist"].tolist() == [0, 5, 3, 1]
    line = [tools.find_tool("comm-translate"), "--import-starplat", SSSP]
    translated = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    with Context():
        found = graph.run(Module.parse(translated), edges[:, :2], arguments={"src": 3}, outputs=["dist"],
                          options=["--unit-weights"])  # fmt: skip
    assert found.properties["dist"].tolist() == [INFINITE, INFINITE, 1, 0]
    found = graph.run(SSSP, "grid:3:3", arguments={"src": 0}, outputs=["dist"], options=["--unit-weights"])
    assert len(found.properties["dist"]) == 9


def test_in_a_process_that_has_mpi(tmp_path):
    """MPI_Init and mpirun leave variables that an mpirun must not get."""
    code = (
        "from mpi4py import MPI\nimport numpy as np\nfrom comm_mlir import graph\n"
        f"found = graph.run({SSSP!r}, np.array([[0, 1, 5]]), arguments={{'src': 0}}, outputs=['dist'])\n"
        "print(found.properties['dist'].tolist())\n"
    )
    for start in ([], [*os.environ.get("COMM_MPIRUN", "mpirun").split(), "-n", "1"]):
        environment = tools.launch_environment()
        done = subprocess.run(
            [*start, sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60
        )
        assert done.stdout == "[0, 5]\n", done.stderr


@pytest.mark.parametrize(
    "wrong, error, text",
    [
        (np.zeros((3, 4)), ValueError, r"shape \(edges, 2\)"),
        (np.array([[0.5, 1]]), ValueError, "whole numbers from 0 on"),
        (np.array([[-1, 1]]), ValueError, "whole numbers from 0 on"),
        (np.array([[0, 1, np.nan]]), ValueError, "weights are finite"),
        (scipy.sparse.csr_matrix(np.ones((2, 3))), ValueError, "square"),
        (3, TypeError, "a graph is"),
        ([(0, 1)], TypeError, "a graph is"),
    ],
)
def test_what_is_no_graph(wrong, error, text):
    with pytest.raises(error, match=text):
        graph.run(SSSP, wrong)


def test_mistakes(tmp_path):
    edges = np.array([[0, 1, 5]])
    with pytest.raises(FileNotFoundError, match="there is no file"):
        graph.run(tmp_path / "nowhere.sp", edges)
    with pytest.raises(graph.GraphError, match="error"):
        graph.run("function f(Graph g) {\n  frob;\n}", edges)
    with pytest.raises(graph.GraphError, match="src"):
        graph.run(SSSP, edges)
    with pytest.raises(graph.GraphError, match="frob"):
        graph.run(SSSP, edges, arguments={"src": 0}, outputs=["frob"])
    with pytest.raises(graph.GraphError) as caught:
        graph.run(SSSP, edges, arguments={"src": 0, "frob": 1})
    # Neither mpirun's message about a failed program, nor the usage.
    assert str(caught.value).startswith("sssp: error: the function has no parameter 'frob'")
    for processes in (0, True, "2", 1.5):
        with pytest.raises(ValueError, match="number of processes"):
            graph.run(SSSP, edges, processes=processes)
    with pytest.raises(ValueError, match="list of names"):
        graph.run(SSSP, edges, outputs="dist")
