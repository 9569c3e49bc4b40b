# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bar charts of interval durations, with matplotlib."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import times
from .reading import Report, ReportError, SiteKey, SiteNames, loaded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png")
# If the ratio of the longest to the shortest bar is larger, a linear axis hides the short ones.
LINEAR_RANGE = 100
# A picture of more sites is not readable.
MOST_SITES = 40
# The left limit of a logarithmic axis: a picosecond.
SHORTEST = 1e-6


def check_output(path: str) -> None:
    """Raises ReportError if no picture can be written under that name."""
    if pathlib.Path(path).suffix.lower() not in FORMATS:
        raise ReportError(f"{path}: name a picture ending in .svg or .png")


def _figure(height: float) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ReportError(
            f"drawing needs matplotlib: pip install matplotlib (for this Python; the import said: {error})"
        ) from error
    return Figure(figsize=(9, height), layout="constrained")


def _plain(text: str) -> str:
    """Escapes $ in text, because matplotlib treats it as the start of a formula."""
    return text.replace("$", r"\$")


def _labels(reports: Sequence[Report]) -> list[str]:
    """Returns distinct names of runs for the legend."""
    labels = [report.label for report in reports]
    if len(set(labels)) < len(labels):
        labels = [f"{label} ({report.path})" for label, report in zip(labels, reports)]
    return labels


def figure(
    reports: Sequence[Report | str | os.PathLike[str]] | Report | str | os.PathLike[str],
    labels: Sequence[str] | None = None,
    least_us: float = 0.0,
) -> Figure:
    """Returns a matplotlib figure with a group of bars for each site and a bar for each run. Notebooks show it and
    savefig writes it. A report may be given by its file name. Omits sites whose intervals are shorter than `least_us`
    microseconds in all runs. Raises ReportError if nothing is left, or without matplotlib."""
    given = [reports] if isinstance(reports, (Report, str, os.PathLike)) else reports
    runs = [loaded(report) for report in given]
    if not runs:
        raise ReportError("nothing to draw: no report was given")
    keys = {key for report in runs for key, site in report.intervals.items() if site.mean >= least_us}
    if not keys:
        raise ReportError("nothing to draw: no site was executed")

    def longest(key: SiteKey) -> float:
        return max(report.intervals[key].mean for report in runs if key in report.intervals)

    ordered = sorted(keys, key=lambda key: (-longest(key), key))
    names = SiteNames(ordered)
    labels = labels or _labels(runs)

    thickness = 0.8 / len(runs)
    height = 1.6 + max(0.3, 0.2 * len(runs) + 0.12) * len(ordered)
    drawing = _figure(min(height, 400))
    axes = drawing.add_subplot()
    shown = [report.intervals[key].mean for report in runs for key in ordered if key in report.intervals]
    positive = [length for length in shown if length > 0]
    logarithmic = bool(positive) and max(positive) > LINEAR_RANGE * min(positive)
    # A logarithmic axis has no zero, so such bars end at its left edge.
    left = max(min(positive) / 2, SHORTEST) if logarithmic else 0
    for number, (report, label) in enumerate(zip(runs, labels)):
        positions, lengths = [], []
        for place, key in enumerate(ordered):
            if key in report.intervals:
                positions.append(place + (number - (len(runs) - 1) / 2) * thickness)
                lengths.append(report.intervals[key].mean)
        drawn = [max(length, left) for length in lengths]
        bars = axes.barh(positions, drawn, height=thickness, label=_plain(label))
        axes.bar_label(bars, labels=[f"{length:.2f}" for length in lengths], padding=2, fontsize=8)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_xlabel("interval from start to wait, average (µs, logarithmic)")
        axes.set_xlim(left, max(positive) * 4)
    else:
        axes.set_xlabel("interval from start to wait, average (µs)")
        axes.set_xlim(0, max(shown) * 1.15 or 1)
    axes.set_yticks(
        range(len(ordered)),
        [_plain(f"{key.mpi_call}\n{names.file(key)}:{names.line(key)}") for key in ordered],
        fontsize=8,
    )
    axes.set_ylabel("call site")
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_title(_plain(pathlib.PurePath(runs[0].program).name))
    if len(runs) > 1:
        drawing.legend(loc="outside lower center", ncols=min(len(runs), 3))
    return drawing


def times_figure(
    report: Report | str | os.PathLike[str], blocking: Report | str | os.PathLike[str] | None = None
) -> Figure:
    """Returns a figure of the seconds of each site of a run, ordered by how much can be saved: the time that could
    still be saved, the time that overlap saved, and the time that it lost. Pale bars are upper bounds. `blocking`: a
    run with -fcomm-mode=off. Raises ReportError if nothing was executed, or without matplotlib."""
    run = loaded(report)
    found = times.of_report(run, loaded(blocking) if blocking else None)[:MOST_SITES]
    if not found:
        raise ReportError("nothing to draw: no site was executed")
    names = SiteNames(t.site.key for t in found)
    drawing = _figure(1.8 + 0.62 * len(found))
    axes = drawing.add_subplot()
    bars = (
        ("still waited for (saveable)", "tab:orange", [t.saveable for t in found], [True] * len(found)),
        ("saved", "tab:green", [t.saved for t in found], [t.is_measured for t in found]),
        ("lost", "tab:red", [t.lost for t in found], [t.is_measured for t in found]),
    )
    for number, (label, color, lengths, measured) in enumerate(bars):
        places = [place + (number - 1) * 0.27 for place in range(len(found))]
        drawn = axes.barh(places, lengths, height=0.27, color=color, label=label)
        for bar, is_measured in zip(drawn, measured):
            bar.set_alpha(1.0 if is_measured else 0.35)
        texts = [f"{'' if known else '≤ '}{length:.3g}" if length else "" for length, known in zip(lengths, measured)]
        axes.bar_label(drawn, labels=texts, padding=2, fontsize=8)
    longest = max(length for _, _, lengths, _ in bars for length in lengths)
    axes.set_xlim(0, longest * 1.15 or 1)
    axes.set_xlabel("seconds, all ranks together (pale: at most)")
    labels = [f"{t.site.key.mpi_call}\n{names.file(t.site.key)}:{names.line(t.site.key)}" for t in found]
    axes.set_yticks(range(len(found)), [_plain(label) for label in labels], fontsize=8)
    axes.set_ylabel("call site")
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_title(_plain(pathlib.PurePath(run.program).name))
    drawing.legend(loc="outside lower center", ncols=3)
    return drawing


def draw(reports: Sequence[Report], path: str, labels: Sequence[str] | None = None, least_us: float = 0.0) -> None:
    """Writes the figure of intervals to a file, .svg or .png."""
    _save(path, lambda: figure(reports, labels, least_us))


def draw_times(report: Report, path: str, blocking: Report | None = None) -> None:
    """Writes the figure of times to a file, .svg or .png."""
    _save(path, lambda: times_figure(report, blocking))


def _save(path: str, make: Callable[[], Figure]) -> None:
    check_output(path)
    try:
        drawing = make()
    except ReportError as error:
        raise ReportError(f"{path}: {error}" if "matplotlib" not in str(error) else str(error)) from None
    import matplotlib

    metadata: Any = {"Date": None} if path.lower().endswith(".svg") else None
    try:
        # Keep text in an SVG as text, and make the file reproducible.
        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "commreport"}):
            drawing.savefig(path, dpi=150, metadata=metadata)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ReportError(f"{path}: {reason}") from error
