# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Communication graphs: sends, receives and local operations of all processes, and the collectives in them.

    graph = Graph.pattern("allgather-ring", 8)
    graph.detect()
    graph.collectives()      # [{'kind': 'allgather', ...}]

In a notebook a graph is drawn before and after detection if Graphviz is installed. docs/cdag.md describes detection.
"""

from __future__ import annotations

import subprocess

from ._core import Graph

__all__ = ["Graph", "draw"]


def draw(graph: Graph) -> str:
    """Returns the graph before and after detection as SVG. Raises RuntimeError without Graphviz."""
    if not isinstance(graph, Graph):
        raise TypeError(f"a Graph is drawn, not {graph!r}")
    try:
        done = subprocess.run(
            ["dot", "-Tsvg"], input=graph.dot(), capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RuntimeError(f"Graphviz's `dot` did not draw the graph: {error}") from error
    return done.stdout


# Called by notebooks.
Graph._repr_svg_ = draw  # type: ignore[attr-defined]
