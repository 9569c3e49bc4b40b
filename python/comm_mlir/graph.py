# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs graph programs on Python's graphs, with any number of MPI processes.

    found = comm_mlir.graph.run("sssp.sp", matrix, arguments={"src": 0}, outputs=["dist"], processes=4)
    found.properties["dist"]           # a NumPy array: a value for each vertex

Programs are in StarPlat's language, or modules of the graph dialect (docs/graph.md). commgraph compiles and starts
them.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .ir import Module
from .tools import command, launch_environment

if TYPE_CHECKING:
    import numpy

__all__ = ["GraphError", "Run", "run"]


class GraphError(Exception):
    """commgraph or the program failed; the text is its output."""


@dataclass(frozen=True)
class Run:
    """The results of a program: `properties` by name, each with a value for every vertex or edge; `nodes`, the graph's
    name of the vertex with each number (NetworkX); `stats`, the resources that the run took; `output`, what it
    printed."""

    properties: dict[str, numpy.ndarray[Any, Any]]
    nodes: list[Hashable] | None
    stats: dict[str, Any]
    output: str


@dataclass
class _Edges:
    """Edges as columns of numbers, for a file."""

    sources: Any
    targets: Any
    weights: Any
    vertices: int
    undirected: bool = False
    nodes: list[Hashable] | None = None


def _of_networkx(graph: Any) -> _Edges:
    import numpy

    nodes = list(graph.nodes)
    number = {node: i for i, node in enumerate(nodes)}
    edges = list(graph.edges(data="weight"))
    sources = numpy.array([number[u] for u, _, _ in edges], numpy.int64)
    targets = numpy.array([number[v] for _, v, _ in edges], numpy.int64)
    known = [weight for _, _, weight in edges if weight is not None]
    if known and len(known) != len(edges):
        raise ValueError("some edges of the graph have a weight, and others have none")
    weights = numpy.array(known) if known else None
    return _Edges(sources, targets, weights, len(nodes), not graph.is_directed(), nodes)


def _of_array(array: Any) -> _Edges:
    import numpy

    if array.ndim != 2 or array.shape[1] not in (2, 3) or array.dtype.kind not in "iuf":
        raise ValueError(
            "a NumPy array is a list of edges, of shape (edges, 2), or (edges, 3) with weights, of numbers; got shape"
            f" {array.shape}, {array.dtype}"
        )
    ends = array[:, :2].astype(numpy.int64)
    if (ends != array[:, :2]).any() or (ends < 0).any():
        raise ValueError("vertices are whole numbers from 0 on")
    return _Edges(ends[:, 0], ends[:, 1], array[:, 2] if array.shape[1] == 3 else None, int(ends.max(initial=-1)) + 1)


def _of_matrix(matrix: Any) -> _Edges:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"the matrix of a graph is square, not of shape {matrix.shape}")
    found = matrix.tocoo()
    return _Edges(found.row, found.col, None if found.data.dtype.kind == "b" else found.data, matrix.shape[0])


def _edges(graph: Any) -> _Edges:
    if hasattr(graph, "tocoo"):
        return _of_matrix(graph)
    if hasattr(graph, "is_directed") and hasattr(graph, "edges"):
        return _of_networkx(graph)
    if hasattr(graph, "__array_interface__"):
        return _of_array(graph)
    raise TypeError(
        "a graph is a SciPy sparse matrix, a NetworkX graph, a NumPy array of edges, or the name of a file or"
        f" generator, not {type(graph).__name__}"
    )


def _write(edges: _Edges, path: Path) -> None:
    import numpy

    columns = [numpy.asarray(edges.sources), numpy.asarray(edges.targets)]
    formats = ["%d", "%d"]
    if edges.weights is not None:
        weights = numpy.asarray(edges.weights)
        if not numpy.isfinite(weights).all():
            raise ValueError("weights are finite numbers")
        whole = weights.dtype.kind in "iu" or bool((weights == numpy.floor(weights)).all())
        columns.append(weights.astype(numpy.int64) if whole else weights)
        formats.append("%d" if whole else "%.17g")
    with open(os.fspath(path), "w", encoding="ascii") as file:
        line = " ".join(formats) + "\n"
        file.writelines(line % row for row in zip(*(column.tolist() for column in columns)))


def _program(program: Any, folder: Path) -> Path:
    if isinstance(program, Module):
        path = folder / "program.mlir"
        path.write_text(str(program))
        return path
    if isinstance(program, str) and "\n" in program:
        path = folder / "program.sp"
        path.write_text(program)
        return path
    path = Path(program)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    return path


def _said(output: str) -> str:
    """Returns the error message of a failed program, without mpirun's own message (between rules) and the usage."""
    kept, rules, usage = [], 0, False
    for line in output.splitlines():
        is_rule = len(line) > 20 and set(line) == {"-"}
        rules += is_rule
        usage = line.startswith("usage: ") or (usage and line.startswith("  "))
        if not is_rule and rules % 2 == 0 and not usage and line not in kept:
            kept.append(line)
    return "\n".join(kept).strip() or output.strip()


def run(
    program: str | os.PathLike[str] | Module,
    graph: Any,
    *,
    outputs: Sequence[str] = (),
    arguments: Mapping[str, Any] | None = None,
    processes: int = 1,
    function: str = "",
    options: Sequence[str] = (),
    timeout: float | None = None,
) -> Run:
    """Compiles a graph program, once, and runs it.

    program     a file (.sp, .mlir), StarPlat's text (of several lines), or a module of the graph dialect
    graph       a SciPy sparse matrix (an entry is an edge from its row to its column, with its weight; booleans have
                none), a NetworkX graph (edges may have `weight`; those of an undirected graph lead both ways), a NumPy
                array of edges (source, target, and optionally weight), or a file or generator in commgraph's syntax
    outputs     the properties to return
    arguments   of the program's function, by name
    processes   the number of processes; COMM_MPIRUN starts them, by default mpirun (`mpirun --oversubscribe` for more
                processes than cores)
    function    the function to run, if there are several
    options     further options of `commgraph run`: "--unit-weights", "--weights=1:9", "--undirected"
    timeout     in seconds; raises subprocess.TimeoutExpired after that

    Raises GraphError if the program does not compile or fails.
    """
    if isinstance(processes, bool) or not isinstance(processes, int) or processes < 1:
        raise ValueError(f"the number of processes is a whole number from 1 on, not {processes!r}")
    if isinstance(outputs, str) or any("=" in name or not name for name in outputs):
        raise ValueError("outputs is a list of names of properties")
    import numpy

    with tempfile.TemporaryDirectory(prefix="comm-graph-") as where:
        folder = Path(where)
        line = [*command("commgraph"), "run", str(_program(program, folder)), "-n", str(processes), "--quiet"]
        nodes = None
        if isinstance(graph, (str, os.PathLike)):
            line += ["--graph", os.fspath(graph)]
        else:
            edges = _edges(graph)
            nodes = edges.nodes
            path = folder / ("graph.el" if edges.weights is None else "graph.wel")
            _write(edges, path)
            line += ["--graph", str(path), "--vertices", str(edges.vertices)]
            line += ["--undirected"] if edges.undirected else []
        line += [f"--function={function}"] if function else []
        line += [f"--arg={name}={value}" for name, value in (arguments or {}).items()]
        line += [f"--output={name}={folder / f'{i}.npy'}" for i, name in enumerate(outputs)]
        line += [f"--stats={folder / 'stats.json'}", *options]
        done = subprocess.run(
            line,
            env=launch_environment(),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
        if done.returncode:
            said = (done.stderr + done.stdout).replace(f"{folder / 'graph.el'}:1", "the graph")
            raise GraphError(_said(said) or f"commgraph ends with {done.returncode}")
        properties = {name: numpy.load(folder / f"{i}.npy") for i, name in enumerate(outputs)}
        stats = folder / "stats.json"
        return Run(properties, nodes, json.loads(stats.read_text()) if stats.exists() else {}, done.stdout)
