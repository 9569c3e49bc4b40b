# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mermaid's flowcharts as Graphviz: the site draws them when it is built, and a reader's browser loads no program.

Of Mermaid this is what the pages use: `flowchart TB`, nodes `a["text"]` and `a{"text"}`, arrows `-->`, `-.->` and
`-->|text|`, subgraphs. Anything else is a FlowchartError.
"""

from __future__ import annotations

import re
import subprocess
import textwrap

_NODE = re.compile(r'\s*(\w+)(?:(\[|\{)"([^"]*)"[\]}])?\s*')
_ARROW = re.compile(r"(-->|-\.->)(?:\|([^|]*)\|)?")
_SUBGRAPH = re.compile(r'subgraph (\w+)\["([^"]*)"\]')
_WIDTH = 34


class FlowchartError(Exception):
    """A line that is not understood."""


def _quote(text: str) -> str:
    lines = [line for part in text.split("<br/>") for line in textwrap.wrap(part, _WIDTH) or [""]]
    return '"' + "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines) + '"'


def _statement(line: str) -> list[str]:
    """A chain of nodes and arrows."""
    found: list[str] = []
    position, before, arrow = 0, "", None
    while True:
        node = _NODE.match(line, position)
        if not node:
            raise FlowchartError(f"not understood: {line!r}")
        name, bracket, text = node.groups()
        if text is not None:
            shape = "diamond, margin=0" if bracket == "{" else "box"
            found.append(f"{name} [label={_quote(text)}, shape={shape}]")
        if arrow:
            style = "dashed" if arrow[1] == "-.->" else "solid"
            label = f", label={_quote(arrow[2])}" if arrow[2] else ""
            found.append(f"{before} -> {name} [style={style}{label}]")
        before, position = name, node.end()
        if position == len(line):
            return found
        arrow = _ARROW.match(line, position)
        if not arrow:
            raise FlowchartError(f"not understood: {line!r}")
        position = arrow.end()


def to_dot(chart: str) -> str:
    """The flowchart as a graph of Graphviz."""
    lines = [line.strip() for line in chart.strip().splitlines()]
    if lines[:1] != ["flowchart TB"]:
        raise FlowchartError("a flowchart begins with 'flowchart TB'")
    out = [
        "digraph {",
        'bgcolor="transparent"; rankdir=TB; nodesep=0.25; ranksep=0.35; fontname="sans-serif"; fontsize=11',
        'node [shape=box, style="rounded,filled", fillcolor="#eef3fb", color="#5b7fb5", fontname="sans-serif",'
        ' fontsize=11, fontcolor="#1b2a41", margin="0.12,0.07"]',
        'edge [color="#7a8ba6", fontname="sans-serif", fontsize=10, fontcolor="#7a8ba6", arrowsize=0.7]',
    ]
    for line in lines[1:]:
        subgraph = _SUBGRAPH.fullmatch(line)
        if subgraph:
            out.append(f'subgraph cluster_{subgraph[1]} {{ label={_quote(subgraph[2])}; color="#b5c3d9"')
            out.append('fontcolor="#7a8ba6"')
        elif line == "end":
            out.append("}")
        elif line:
            out += _statement(line)
    return "\n".join([*out, "}"])


def to_svg(chart: str) -> str:
    """The flowchart as SVG. FlowchartError if it is not understood, or there is no Graphviz."""
    try:
        done = subprocess.run(
            ["dot", "-Tsvg"], input=to_dot(chart), capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise FlowchartError(f"Graphviz's `dot` did not draw it: {error}") from error
    return done.stdout
