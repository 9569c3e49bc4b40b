# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and checks interval reports (schema: docs/report.md)."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from collections.abc import Iterable
from typing import Any

SCHEMA = "comm-report"
# The version that is written, and all versions that can be read.
VERSION = 2
VERSIONS = (1, 2)
# A million years in microseconds: keeps sums and axes of durations finite.
MOST = 3.2e19
# The members of a site that are durations, by their names in Site.
MEASURES = {"start": "start_us", "interval": "interval_us", "wait": "wait_us", "blocking": "blocking_us"}
# Calls that become two operations, each of which counts as an execution.
TWO_HALVES = ("MPI_Sendrecv", "MPI_Sendrecv_replace")


class ReportError(Exception):
    """An error in a file, as one line that names the file."""


@dataclasses.dataclass(frozen=True, order=True)
class SiteKey:
    """Identifies a call site in the program's source."""

    file: str
    line: int
    column: int
    mpi_call: str
    function: str
    # The calls at which it was inlined, innermost first: "main.c:12:5 < ..."; "" if it was not, or if that is unknown.
    inlined_at: str = ""


@dataclasses.dataclass(frozen=True)
class Durations:
    """Durations of several executions on all ranks, in microseconds."""

    executions: int
    mean: float
    # Over all executions. None in old reports, which do not contain them.
    shortest: float | None
    longest: float | None
    # Averages of single ranks.
    mean_min: float
    mean_max: float

    @property
    def seconds(self) -> float:
        """The sum of the durations."""
        return self.mean * self.executions / 1e6


@dataclasses.dataclass(frozen=True)
class Bytes:
    """The sizes of messages, computed from their counts and datatypes."""

    messages: int
    total: int
    least: int
    most: int


@dataclasses.dataclass(frozen=True)
class Site:
    """A call site of a run. Durations are in microseconds; None if there are none."""

    key: SiteKey
    ranks: int
    executions: int
    executions_min: int
    executions_max: int
    interval: Durations | None
    start: Durations | None = None
    wait: Durations | None = None
    blocking: Durations | None = None
    bytes: Bytes | None = None

    @property
    def mean(self) -> float:
        """The mean interval, or 0 without intervals."""
        return self.interval.mean if self.interval else 0.0

    @property
    def mean_min(self) -> float:
        return self.interval.mean_min if self.interval else 0.0

    @property
    def mean_max(self) -> float:
        return self.interval.mean_max if self.interval else 0.0

    @property
    def shortest(self) -> float | None:
        return self.interval.shortest if self.interval else None

    @property
    def started(self) -> float:
        """The number of calls that were executed as a start and a wait."""
        parts = self.start or self.interval
        halves = 2 if self.key.mpi_call in TWO_HALVES else 1
        return parts.executions / halves if parts else 0.0


@dataclasses.dataclass(frozen=True)
class Report:
    """A run of an instrumented program."""

    path: pathlib.Path
    program: str
    ranks: int
    only_rank: int | None
    mode: str | None
    start_time: str
    wall_seconds: float
    sites: dict[SiteKey, Site]
    # The number of machines, None if unknown; and the number of runs that the report sums up.
    nodes: int | None = None
    runs: int = 1

    @property
    def intervals(self) -> dict[SiteKey, Site]:
        """The sites that had intervals."""
        return {key: site for key, site in self.sites.items() if site.interval}

    @property
    def is_timed(self) -> bool:
        """True if more than intervals was measured."""
        return any(site.wait or site.blocking or site.start for site in self.sites.values())

    @property
    def label(self) -> str:
        """The run's name in tables and legends."""
        return self.mode or self.path.stem


def _is_text(value: object) -> bool:
    """Returns True for a string that can be written: JSON may escape lone surrogates."""
    return isinstance(value, str) and not any(0xD800 <= ord(c) <= 0xDFFF for c in value)


def _member(value: Any, name: str, kind: str, where: str) -> Any:
    """Returns a member of a JSON object after checking its type against the schema."""
    if not isinstance(value, dict):
        raise ReportError(f"{where} is not an object")
    if name not in value:
        raise ReportError(f"{where} has no '{name}'")
    member = value[name]
    number = isinstance(member, (int, float)) and not isinstance(member, bool)
    if kind == "count":
        good = number and isinstance(member, int) and member >= 0
    elif kind == "duration":
        good = number and 0 <= member <= MOST
    elif kind == "text":
        good = _is_text(member)
    elif kind == "list":
        good = isinstance(member, list)
    elif kind == "object":
        good = isinstance(member, dict)
    elif kind == "text or null":
        good = member is None or _is_text(member)
    else:  # "count or null"
        good = member is None or (number and isinstance(member, int) and member >= 0)
    if not good:
        raise ReportError(f"'{name}' of {where} is not a {kind}")
    return member


def _durations(site: Any, name: str, where: str) -> Durations | None:
    if name not in site:
        return None
    value = _member(site, name, "object", where)
    return Durations(
        executions=_member(value, "executions", "count", where),
        mean=float(_member(value, "mean", "duration", where)),
        shortest=float(_member(value, "shortest", "duration", where)),
        longest=float(_member(value, "longest", "duration", where)),
        mean_min=float(_member(value, "rank_min", "duration", where)),
        mean_max=float(_member(value, "rank_max", "duration", where)),
    )


def _old_interval(site: Any, executions: int, where: str) -> Durations:
    """Reads the durations of version 1, which has only intervals."""
    interval = _member(site, "interval_us", "object", where)
    return Durations(
        executions=executions,
        mean=float(_member(interval, "mean", "duration", where)),
        shortest=float(_member(interval, "shortest", "duration", where)) if "shortest" in interval else None,
        longest=None,
        mean_min=float(_member(interval, "rank_min", "duration", where)),
        mean_max=float(_member(interval, "rank_max", "duration", where)),
    )


def _bytes(site: Any, where: str) -> Bytes | None:
    if "bytes" not in site:
        return None
    value = _member(site, "bytes", "object", where)
    return Bytes(*(_member(value, name, "count", where) for name in ("messages", "sum", "min", "max")))


def _site(value: Any, number: int, version: int) -> Site:
    where = f"site {number}"
    key = SiteKey(
        file=_member(value, "file", "text", where),
        line=_member(value, "line", "count", where),
        column=_member(value, "column", "count", where),
        mpi_call=_member(value, "mpi_call", "text", where),
        function=_member(value, "function", "text", where),
        inlined_at=_member(value, "inlined_at", "text", where) if version > 1 else "",
    )
    executions = _member(value, "executions", "object", where)
    total = _member(executions, "total", "count", where)
    durations = {name: _durations(value, member, where) for name, member in MEASURES.items()} if version > 1 else {}
    return Site(
        key=key,
        ranks=_member(value, "ranks", "count", where),
        executions=total,
        executions_min=_member(executions, "rank_min", "count", where),
        executions_max=_member(executions, "rank_max", "count", where),
        interval=durations.pop("interval") if version > 1 else _old_interval(value, total, where),
        bytes=_bytes(value, where) if version > 1 else None,
        **durations,
    )


def _parse(path: pathlib.Path, data: bytes) -> Report:
    if not data.strip():
        raise ReportError("the file is empty (did the program reach MPI_Finalize?)")
    try:
        top = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ReportError("the file is not text in UTF-8") from error
    except RecursionError as error:
        raise ReportError("the file is nested too deeply") from error
    except ValueError as error:
        raise ReportError(f"the file is not JSON, or is truncated: {error}") from error
    if not isinstance(top, dict) or top.get("schema") != SCHEMA:
        raise ReportError(f"the file is not an interval report ('schema' is not '{SCHEMA}')")
    version = top.get("version")
    if isinstance(version, (bool, float)) or version not in VERSIONS:
        known = " and ".join(map(str, VERSIONS))
        raise ReportError(f"the report has version {version!r}, this commreport reads versions {known}")
    run = _member(top, "run", "object", "the report")
    sites: dict[SiteKey, Site] = {}
    for number, value in enumerate(_member(top, "sites", "list", "the report")):
        site = _site(value, number, version)
        if site.key in sites:
            raise ReportError(f"site {number} is there twice")
        sites[site.key] = site
    return Report(
        path=path,
        program=_member(run, "program", "text", "'run'"),
        ranks=_member(run, "ranks", "count", "'run'"),
        only_rank=_member(run, "only_rank", "count or null", "'run'"),
        mode=_member(run, "mode", "text or null", "'run'"),
        start_time=_member(run, "start_time", "text", "'run'"),
        wall_seconds=float(_member(run, "wall_seconds", "duration", "'run'")),
        sites=sites,
        nodes=_member(run, "nodes", "count or null", "'run'") if version > 1 else None,
        runs=_member(run, "runs", "count", "'run'") if version > 1 else 1,
    )


def load(path: str | os.PathLike[str]) -> Report:
    """Reads the report in a file. Raises ReportError if there is none."""
    try:
        data = pathlib.Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ReportError(f"{path}: {reason}") from error
    try:
        return _parse(pathlib.Path(path), data)
    except ReportError as error:
        raise ReportError(f"{path}: {error}") from None


def loaded(report: Report | str | os.PathLike[str]) -> Report:
    """Returns a report, or the report in a file of this name. Raises TypeError for anything else."""
    if isinstance(report, Report):
        return report
    if isinstance(report, (str, os.PathLike)):
        return load(report)
    raise TypeError(f"a report is what load() returns, or the name of its file, not {report!r}")


class SiteNames:
    """Short names of sites: as few folders of a file, and as many details of a line (column, function, where it was
    inlined), as are needed to tell the given sites apart."""

    def __init__(self, sites: Iterable[SiteKey]) -> None:
        keys = set(sites)
        self._files = _short_paths({key.file for key in keys})
        by_line: dict[tuple[str, int, str], set[SiteKey]] = {}
        for key in keys:
            by_line.setdefault((key.file, key.line, key.mpi_call), set()).add(key)
        self._lines: dict[SiteKey, str] = {}
        for same in by_line.values():
            for key in same:
                twins = [other for other in same if other.column == key.column]
                line = str(key.line)
                if len(twins) < len(same):
                    line += f":{key.column}"
                copies = [other for other in twins if other.function == key.function]
                if len(copies) > 1 and key.inlined_at:
                    line += f" (in {key.inlined_at})"
                elif len(twins) > len(copies):
                    line += f" ({key.function})"
                self._lines[key] = line

    def file(self, key: SiteKey) -> str:
        """Returns, for example, 'thermo.cpp'."""
        return self._files[key.file]

    def line(self, key: SiteKey) -> str:
        """Returns, for example, '133', '133:5', '133 (function)' or '133 (in main.c:12:5)'."""
        return self._lines[key]


def _short_paths(paths: set[str]) -> dict[str, str]:
    parts = {path: path.split("/") for path in paths}
    short: dict[str, str] = {}
    for path in paths:
        for depth in range(1, len(parts[path]) + 1):
            tail = parts[path][-depth:]
            if sum(other[-depth:] == tail for other in parts.values()) == 1:
                break
        short[path] = "/".join(tail)
    return short
