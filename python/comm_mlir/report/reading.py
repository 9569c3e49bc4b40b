# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads an interval report and checks that it is one (schema: docs/report.md)."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from collections.abc import Iterable
from typing import Any

SCHEMA = "comm-report"
VERSION = 1
# A million years in microseconds: sums and axes of durations stay finite.
MOST = 3.2e19


class ReportError(Exception):
    """What is wrong with a file, in one line that names it."""


@dataclasses.dataclass(frozen=True, order=True)
class SiteKey:
    """What names a call site in the program's source."""

    file: str
    line: int
    column: int
    mpi_call: str
    function: str


@dataclasses.dataclass(frozen=True)
class Site:
    """A call site of a run. Durations are microseconds."""

    key: SiteKey
    ranks: int
    executions: int
    executions_min: int
    executions_max: int
    mean: float
    mean_min: float
    mean_max: float
    # Of all executions of all ranks; None in a report that was written before it was measured.
    shortest: float | None


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

    @property
    def label(self) -> str:
        """The run's name in tables and legends."""
        return self.mode or self.path.stem


def _is_text(value: object) -> bool:
    """A string that can be written: JSON may escape halves of characters."""
    return isinstance(value, str) and not any(0xD800 <= ord(c) <= 0xDFFF for c in value)


def _member(value: Any, name: str, kind: str, where: str) -> Any:
    """A member of a JSON object, of the type that the schema asks for."""
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


def _site(value: Any, number: int) -> Site:
    where = f"site {number}"
    key = SiteKey(
        file=_member(value, "file", "text", where),
        line=_member(value, "line", "count", where),
        column=_member(value, "column", "count", where),
        mpi_call=_member(value, "mpi_call", "text", where),
        function=_member(value, "function", "text", where),
    )
    executions = _member(value, "executions", "object", where)
    interval = _member(value, "interval_us", "object", where)
    return Site(
        key=key,
        ranks=_member(value, "ranks", "count", where),
        executions=_member(executions, "total", "count", where),
        executions_min=_member(executions, "rank_min", "count", where),
        executions_max=_member(executions, "rank_max", "count", where),
        mean=float(_member(interval, "mean", "duration", where)),
        mean_min=float(_member(interval, "rank_min", "duration", where)),
        mean_max=float(_member(interval, "rank_max", "duration", where)),
        shortest=float(_member(interval, "shortest", "duration", where)) if "shortest" in interval else None,
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
        raise ReportError(f"the file is no interval report ('schema' is not '{SCHEMA}')")
    version = top.get("version")
    if isinstance(version, bool) or version != VERSION:
        raise ReportError(f"the report has version {version!r}, this commreport reads version {VERSION}")
    run = _member(top, "run", "object", "the report")
    sites: dict[SiteKey, Site] = {}
    for number, value in enumerate(_member(top, "sites", "list", "the report")):
        site = _site(value, number)
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
    )


def load(path: str | os.PathLike[str]) -> Report:
    """The report in a file; ReportError if there is none."""
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
    """A report, or that in a file of this name. TypeError for anything else."""
    if isinstance(report, Report):
        return report
    if isinstance(report, (str, os.PathLike)):
        return load(report)
    raise TypeError(f"a report is what load() returns, or the name of its file, not {report!r}")


class SiteNames:
    """Short names of sites: a file by as few folders, and a line with as much
    after it (column, function), as tell the given sites apart."""

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
                if len(twins) > 1:
                    line += f" ({key.function})"
                self._lines[key] = line

    def file(self, key: SiteKey) -> str:
        """As in 'thermo.cpp'."""
        return self._files[key.file]

    def line(self, key: SiteKey) -> str:
        """As in '133', '133:5' or '133 (function)'."""
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
