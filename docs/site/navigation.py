# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site's navigation: groups of (short title, page). Pages that no group names are found under "More"."""

from __future__ import annotations

# The front page. Paths are those of the repository, without the suffix.
FRONT = "README"

GROUPS: list[tuple[str, list[tuple[str, str]]]] = [
    (
        "Start here",
        [
            ("Tutorial", "docs/tutorial"),
            ("Notebook: overlap, step by step", "examples/notebooks/overlap"),
            ("Notebook: a collective in messages", "examples/notebooks/collective"),
            ("Notebook: a pass in Python", "examples/notebooks/pass"),
            ("Examples", "examples/README"),
            ("Architecture", "docs/Architecture"),
            ("Glossary", "docs/glossary"),
        ],
    ),
    (
        "C and C++",
        [
            ("commcc", "docs/commcc"),
            ("Reports and checks", "docs/report"),
            ("What is sound", "docs/soundness"),
            ("Footprints", "docs/footprints"),
            ("Loops by iterations", "docs/iterations"),
            ("Collectives in messages", "docs/detect"),
            ("Communication graphs", "docs/cdag"),
            ("How graphs are analyzed", "docs/cdag-algorithms"),
        ],
    ),
    (
        "Python",
        [
            ("Comm in Python", "docs/python"),
            ("Reference of the package", "api/index"),
            ("An array language", "docs/array-language"),
        ],
    ),
    (
        "MLIR",
        [
            ("The comm dialect", "docs/Dialects/Comm"),
            ("comm: operations", "docs/reference/Dialects/CommOps"),
            ("comm: interfaces", "docs/reference/Dialects/CommInterfaces"),
            ("Passes", "docs/reference/Passes/Transforms"),
            ("Conversions", "docs/reference/Passes/Conversion"),
            ("Embedding Comm", "docs/embedding"),
            ("A stencil language", "docs/stencil-dsl"),
            ("The mpi dialect", "docs/mpi-dialect"),
            ("Example: the mpi dialect", "examples/mpi-dialect/README"),
            ("xDSL", "docs/xdsl"),
            ("Devito", "docs/devito"),
        ],
    ),
    (
        "Many ranks a core",
        [
            ("Compiling", "docs/ranks-compiler"),
            ("The runtime", "docs/ranks-runtime"),
            ("How many ranks", "docs/vratio"),
        ],
    ),
    (
        "Graph programs",
        [
            ("Programs on graphs", "docs/graph"),
            ("graph: operations", "docs/reference/Dialects/GraphOps"),
            ("graph: interfaces", "docs/reference/Dialects/GraphInterfaces"),
            ("graph: passes", "docs/reference/Passes/Graph"),
            ("Graphs over processes", "docs/graph-runtime"),
            ("Bulk reductions", "docs/reduce"),
        ],
    ),
    (
        "Results",
        [
            ("What was measured", "docs/results/README"),
            ("Overlap", "docs/results/overlap"),
            ("Halo exchanges", "docs/results/halo"),
            ("Applications", "docs/results/mini-apps"),
            ("Ranks: a stencil", "docs/results/ranks-stencil"),
            ("Ranks: the runtime", "docs/results/ranks-runtime"),
            ("Ranks: programs", "docs/results/ranks-programs"),
            ("Graphs", "docs/results/cdag"),
            ("Graphs: applications", "docs/results/cdag-apps"),
            ("Graphs: detection", "docs/results/cdag-detection"),
            ("Benchmarks", "benchmarks/README"),
        ],
    ),
    (
        "Project",
        [
            ("Contributing", "CONTRIBUTING"),
            ("Fuzzing", "docs/fuzzing"),
            ("All pages", "docs/README"),
            ("Changes", "CHANGELOG"),
        ],
    ),
]
