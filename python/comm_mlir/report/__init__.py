# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interval reports: how long each communication of a run was in flight (docs/report.md). commreport uses this package.

    basic, extended = load("basic.json"), load("extended.json")
    frame(extended)                    # a pandas table; a file name works as well
    compare(basic, extended)           # both, and their ratio
    figure([basic, extended])          # a matplotlib figure
    times_frame(extended)              # seconds saved, saveable and lost at each site
    times_figure(extended)             # the same as a figure
    write(merge([first, second]), path)    # several runs as one

pandas and matplotlib are imported on first use.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import plots, tables, times
from .merging import merge, write
from .plots import figure, times_figure
from .reading import Bytes, Durations, Report, ReportError, Site, SiteKey, load, loaded

if TYPE_CHECKING:
    import pandas

__all__ = [
    "Bytes",
    "Durations",
    "Report",
    "ReportError",
    "Site",
    "SiteKey",
    "compare",
    "figure",
    "frame",
    "load",
    "merge",
    "plots",
    "tables",
    "times",
    "times_figure",
    "times_frame",
    "write",
]


def frame(report: Report | str | os.PathLike[str], least_us: float = 0.0) -> pandas.DataFrame:
    """Returns a row for each call site of a run, longest interval first: mpi_call, file, line, column, function, ranks,
    executions (of all ranks; executions_min and executions_max of one), and in microseconds the mean interval (mean_us;
    mean_min_us and mean_max_us of one rank) and the shortest of all (shortest_us, None if it was not measured). Omits
    sites with means below `least_us`."""
    import pandas

    columns = ["mpi_call", "file", "line", "column", "function", "ranks", "executions", "executions_min"]
    columns += ["executions_max", "mean_us", "mean_min_us", "mean_max_us", "shortest_us"]
    sites = sorted((s for s in loaded(report).intervals.values() if s.mean >= least_us), key=lambda s: (-s.mean, s.key))
    rows = [
        (s.key.mpi_call, s.key.file, s.key.line, s.key.column, s.key.function, s.ranks, s.executions)
        + (s.executions_min, s.executions_max, s.mean, s.mean_min, s.mean_max, s.shortest)
        for s in sites
    ]
    return pandas.DataFrame(rows, columns=columns)


def times_frame(
    report: Report | str | os.PathLike[str], blocking: Report | str | os.PathLike[str] | None = None
) -> pandas.DataFrame:
    """Returns a row for each executed site, ordered by how much can be saved: mpi_call, file, line, column, function,
    inlined_at, executions; in microseconds the means of its parts (interval_us, start_us, wait_us, blocking_us; None
    where it has none); and in seconds of all ranks together saveable_s, saved_s and lost_s. The last two are measured
    differences or, without is_measured, upper bounds. `blocking`: a run of the program with -fcomm-mode=off."""
    import pandas

    columns = ["mpi_call", "file", "line", "column", "function", "inlined_at", "executions"]
    columns += ["interval_us", "start_us", "wait_us", "blocking_us", "saveable_s", "saved_s", "lost_s", "is_measured"]
    rows = []
    for t in times.of_report(loaded(report), loaded(blocking) if blocking else None):
        site, key = t.site, t.site.key
        parts = [part.mean if part else None for part in (site.interval, site.start, site.wait, site.blocking)]
        named = (key.mpi_call, key.file, key.line, key.column, key.function, key.inlined_at, site.executions)
        rows.append((*named, *parts, t.saveable, t.saved, t.lost, t.is_measured))
    return pandas.DataFrame(rows, columns=columns)


def compare(
    basic: Report | str | os.PathLike[str], extended: Report | str | os.PathLike[str], least_us: float = 0.0
) -> pandas.DataFrame:
    """Returns a row for each call site of two runs of a program, longest interval of the second run first: mpi_call,
    file, line, column, function, basic_us and extended_us (mean intervals; None if a run does not have the site), their
    ratio, and the ratio of the shortest intervals. Omits sites whose means are all below `least_us`."""
    import pandas

    columns = ["mpi_call", "file", "line", "column", "function", "basic_us", "extended_us", "ratio", "shortest_ratio"]
    rows = []
    for key, before, after in tables.paired(loaded(basic), loaded(extended), least_us):
        means = [site.mean if site else None for site in (before, after)]
        shortest = [site.shortest if site else None for site in (before, after)]
        ratios = [tables.ratio(*means), tables.ratio(*shortest)]
        rows.append((key.mpi_call, key.file, key.line, key.column, key.function, *means, *ratios))
    return pandas.DataFrame(rows, columns=columns)
