# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted and measured running times as a table, as text, Markdown or JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from .model import Times, best

FORMATS = ("text", "markdown", "json")
TITLES = {"overlapped": "max(C, C/V + L, B) + o", "paper": "paper, equation 4"}


def error_percent(predicted: float, measured: float) -> float:
    return (predicted - measured) / measured * 100


def mean_error(predicted: dict[int, float], measured: dict[int, float]) -> float:
    """Returns the mean of the absolute errors in percent over the measured V, except V = 1, which was profiled: the
    models reproduce it by construction. NaN if nothing else was measured."""
    errors = [abs(error_percent(predicted[v], measured[v])) for v in measured if v in predicted and v != 1]
    return sum(errors) / len(errors) if errors else math.nan


def loss_percent(predicted: dict[int, float], measured: dict[int, float]) -> float:
    """Returns how much longer, in percent, the program runs at the V that a model chooses than at the best measured
    V."""
    candidates = {v: time for v, time in predicted.items() if v in measured}
    if isinstance(predicted, Times):
        candidates = Times(candidates, {v: predicted.late[v] for v in candidates})
    return (measured[best(candidates)] / min(measured.values()) - 1) * 100


def rows(predicted: dict[str, dict[int, float]], measured: dict[int, float]) -> tuple[list[str], list[list[str]]]:
    heads = ["V"] + (["measured (s)"] if measured else [])
    for name in predicted:
        heads += [f"{TITLES[name]} (s)"] + (["error (%)"] if measured else [])
    cells = []
    for v in sorted({v for times in predicted.values() for v in times} | set(measured)):
        row = [str(v)]
        if measured:
            row.append(f"{measured[v]:.4f}" if v in measured else "")
        for times in predicted.values():
            row.append(f"{times[v]:.4f}" if v in times else "")
            if measured:
                row.append(f"{error_percent(times[v], measured[v]):+.1f}" if v in times and v in measured else "")
        cells.append(row)
    return heads, cells


def summary(predicted: dict[str, dict[int, float]], measured: dict[int, float]) -> list[str]:
    lines = []
    for name, times in predicted.items():
        line = f"{TITLES[name]}: best V {best(times)}"
        if measured:
            error = mean_error(times, measured)
            line += "" if math.isnan(error) else f"; mean error beyond V = 1 {error:.1f}%"
            line += f"; its V is {loss_percent(times, measured):.1f}% above the best time measured"
        lines.append(line)
    if measured:
        lines.append(f"measured: best V {best(measured, 0.0)}")
    return lines


def show(predicted: dict[str, dict[int, float]], measured: dict[int, float], form: str) -> str:
    if form == "json":
        data: dict[str, Any] = {
            "predicted_s": predicted,
            "best": {name: best(times) for name, times in predicted.items()},
        }
        if measured:
            data["measured_s"] = measured
            errors = {name: mean_error(times, measured) for name, times in predicted.items()}
            data["mean_error_percent"] = {name: None if math.isnan(error) else error for name, error in errors.items()}
        return json.dumps(data, indent=2) + "\n"
    heads, cells = rows(predicted, measured)
    # `-:` is the shortest column separator in Markdown.
    least = 2 if form == "markdown" else 0
    widths = [max(least, *(len(row[i]) for row in [heads, *cells])) for i in range(len(heads))]
    edge = "| " if form == "markdown" else ""
    end = " |" if form == "markdown" else ""
    join = " | " if form == "markdown" else "  "

    def line(row: list[str]) -> str:
        return (edge + join.join(cell.rjust(width) for cell, width in zip(row, widths)) + end).rstrip()

    out = [line(heads)]
    if form == "markdown":
        out.append("| " + " | ".join("-" * (width - 1) + ":" for width in widths) + " |")
    out += [line(row) for row in cells]
    out += ["", *(f"- {s}" if form == "markdown" else s for s in summary(predicted, measured))]
    return "\n".join(out) + "\n"
