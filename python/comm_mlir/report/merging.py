# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Combines the reports of several runs, or of several ranks of one run, and writes reports as text."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

from .reading import MEASURES, SCHEMA, VERSION, Bytes, Durations, Report, ReportError, Site, loaded


def _known(choose: Callable[..., float], *values: float | None) -> float | None:
    known = [value for value in values if value is not None]
    return choose(known) if known else None


def _durations(a: Durations | None, b: Durations | None) -> Durations | None:
    """Combines durations. Averages are weighted by executions."""
    if not a or not b:
        return a or b
    total = a.executions + b.executions
    return Durations(
        executions=total,
        mean=(a.mean * a.executions + b.mean * b.executions) / total if total else 0.0,
        shortest=_known(min, a.shortest, b.shortest),
        longest=_known(max, a.longest, b.longest),
        mean_min=min(a.mean_min, b.mean_min),
        mean_max=max(a.mean_max, b.mean_max),
    )


def _bytes(a: Bytes | None, b: Bytes | None) -> Bytes | None:
    if not a or not b:
        return a or b
    return Bytes(a.messages + b.messages, a.total + b.total, min(a.least, b.least), max(a.most, b.most))


def _site(a: Site, b: Site, are_ranks: bool) -> Site:
    executed = [site for site in (a, b) if site.executions]
    return Site(
        key=a.key,
        ranks=a.ranks + b.ranks if are_ranks else max(a.ranks, b.ranks),
        executions=a.executions + b.executions,
        executions_min=min((site.executions_min for site in executed), default=0),
        executions_max=max(a.executions_max, b.executions_max),
        bytes=_bytes(a.bytes, b.bytes),
        **{name: _durations(getattr(a, name), getattr(b, name)) for name in MEASURES},
    )


def merge(reports: Sequence[Report | str | pathlib.Path]) -> Report:
    """Returns the sum of reports: of several runs, or of single ranks of one run. Averages are weighted by executions.
    If the programs differ, the first one is named. Raises ReportError without any report."""
    runs = [loaded(report) for report in reports]
    if not runs:
        raise ReportError("nothing to merge: no report was given")
    first = runs[0]
    ranks = {report.only_rank for report in runs}
    are_ranks = len(runs) > 1 and len(ranks) == len(runs) and None not in ranks
    sites = dict(first.sites)
    for report in runs[1:]:
        for key, site in report.sites.items():
            sites[key] = _site(sites[key], site, are_ranks) if key in sites else site
    return dataclasses.replace(
        first,
        ranks=max(report.ranks for report in runs),
        nodes=max((report.nodes for report in runs if report.nodes), default=None),
        runs=1 if are_ranks else sum(report.runs for report in runs),
        only_rank=first.only_rank if ranks == {first.only_rank} else None,
        mode=first.mode if all(report.mode == first.mode for report in runs) else None,
        start_time=min(report.start_time for report in runs),
        wall_seconds=max(report.wall_seconds for report in runs)
        if are_ranks
        else sum(report.wall_seconds for report in runs),
        sites=dict(sorted(sites.items())),
    )


def _durations_json(durations: Durations) -> dict[str, Any]:
    # Old reports do not have a shortest duration; use the average instead.
    shortest = durations.mean if durations.shortest is None else durations.shortest
    return {
        "executions": durations.executions,
        "mean": durations.mean,
        "shortest": shortest,
        "longest": durations.mean_max if durations.longest is None else durations.longest,
        "rank_min": durations.mean_min,
        "rank_max": durations.mean_max,
    }


def _site_json(site: Site) -> dict[str, Any]:
    value: dict[str, Any] = {
        name: getattr(site.key, name) for name in ("mpi_call", "function", "file", "inlined_at", "line", "column")
    }
    value["ranks"] = site.ranks
    value["executions"] = {
        "total": site.executions,
        "rank_min": site.executions_min,
        "rank_max": site.executions_max,
    }
    for name, member in MEASURES.items():
        if durations := getattr(site, name):
            value[member] = _durations_json(durations)
    if site.bytes:
        sizes = site.bytes
        value["bytes"] = {"messages": sizes.messages, "sum": sizes.total, "min": sizes.least, "max": sizes.most}
    return value


def text(report: Report) -> str:
    """Returns the report in its file format (docs/report.md)."""
    run = {
        name: getattr(report, name)
        for name in ("program", "ranks", "nodes", "runs", "only_rank", "mode", "start_time", "wall_seconds")
    }
    sites = [_site_json(site) for site in report.sites.values()]
    top = {"schema": SCHEMA, "version": VERSION, "run": run, "sites": sites}
    return json.dumps(top, indent=2, ensure_ascii=False) + "\n"


def write(report: Report, path: str | pathlib.Path) -> None:
    """Writes it to a file; ReportError if that fails, TypeError for anything but a report."""
    if not isinstance(report, Report):
        raise TypeError(f"report must be a Report, not {type(report).__name__}")
    try:
        pathlib.Path(path).write_text(text(report), encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ReportError(f"{path}: {reason}") from error
