# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of reports, in the layout of the paper's Tables 2 and 3."""

from __future__ import annotations

import csv
import io

from . import times
from .reading import Durations, Report, Site, SiteKey, SiteNames

FORMATS = ("text", "markdown", "csv")
TOTAL = "Max. MPI Call Overlap"


def _us(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _render(head: list[str], rows: list[list[str]], numbers: set[int], style: str) -> str:
    if style == "csv":
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
        return out.getvalue()
    if style == "markdown":
        rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    table = [head, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]

    def line(row: list[str]) -> str:
        cells = [
            cell.rjust(width) if i in numbers else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))
        ]
        if style == "markdown":
            return "| " + " | ".join(cells) + " |\n"
        return "  ".join(cells).rstrip() + "\n"

    if style == "markdown":
        rule = "".join("|" + "-" * (width + 1) + (":" if i in numbers else "-") for i, width in enumerate(widths))
        rule += "|\n"
    else:
        rule = "  ".join("-" * width for width in widths) + "\n"
    return line(head) + rule + "".join(line(row) for row in rows)


def _render_known(head: list[str], rows: list[list[str]], numbers: set[int], style: str) -> str:
    """Like _render, but omits the last column if it is empty for all sites, as in reports of earlier versions."""
    if all(row[-1] in ("", "-") for row in rows):
        head, rows = head[:-1], [row[:-1] for row in rows]
    return _render(head, rows, numbers, style)


def _seconds(value: float, is_measured: bool = True) -> str:
    """Formats seconds. Upper bounds start with <=."""
    return "-" if value == 0 else ("" if is_measured else "<=") + f"{value:.6f}"


def _mean(durations: Durations | None) -> str:
    return _us(durations.mean if durations else None)


def show_times(report: Report, style: str, least_us: float = 0.0, blocking: Report | None = None) -> str:
    """Formats one run: a row for each executed site, ordered by how much can be saved."""
    found = [t for t in times.of_report(report, blocking) if _longest_us(t.site) >= least_us]
    names = SiteNames(t.site.key for t in found)
    head = ["MPI Call", "File", "Line", "Executions", "Interval (us)", "Start (us)", "Wait (us)", "Blocking (us)"]
    head += ["Saveable (s)", "Saved (s)", "Lost (s)"]
    rows = []
    for t in found:
        site = t.site
        parts = [_mean(part) for part in (site.interval, site.start, site.wait, site.blocking)]
        rows.append([site.key.mpi_call, names.file(site.key), names.line(site.key), str(site.executions), *parts])
        rows[-1] += [_seconds(t.saveable), _seconds(t.saved, t.is_measured), _seconds(t.lost, t.is_measured)]
    saveable = _seconds(sum(t.saveable for t in found))
    measured = all(t.is_measured for t in found)
    sums = [_seconds(sum(part), measured) for part in ([t.saved for t in found], [t.lost for t in found])]
    rows.append(["All Ranks", "", "", "", "", "", "", "", saveable, *sums])
    table = _render(head, rows, set(range(2, 11)), style)
    return table if style == "csv" else _heading(report) + "\n" + table


def _longest_us(site: Site) -> float:
    return max((part.mean for part in (site.interval, site.start, site.wait, site.blocking) if part), default=0.0)


def show(report: Report, style: str, least_us: float = 0.0, blocking: Report | None = None) -> str:
    """Formats one run: a row for each site; longest interval first if the report has only intervals."""
    if report.is_timed:
        return show_times(report, style, least_us, blocking)
    sites = [site for site in report.intervals.values() if site.mean >= least_us]
    sites.sort(key=lambda site: (-site.mean, site.key))
    names = SiteNames(site.key for site in sites)
    head = ["MPI Call", "File", "Line", "Executions", "Interval (us)", "Min (us)", "Max (us)", "Shortest (us)"]
    rows = [
        [
            site.key.mpi_call,
            names.file(site.key),
            names.line(site.key),
            str(site.executions),
            _us(site.mean),
            _us(site.mean_min),
            _us(site.mean_max),
            _us(site.shortest),
        ]
        for site in sites
    ]
    total = _us(sum(site.mean for site in sites))
    rows.append([TOTAL, "", "", "", total, "", "", ""])
    table = _render_known(head, rows, {2, 3, 4, 5, 6, 7}, style)
    return table if style == "csv" else _heading(report) + "\n" + table


def _heading(report: Report) -> str:
    ranks = "1 rank" if report.ranks == 1 else f"{report.ranks} ranks"
    if report.nodes:
        ranks += f" on {report.nodes} node{'s' if report.nodes > 1 else ''}"
    if report.runs > 1:
        ranks += f", {report.runs} runs"
    if report.only_rank is not None:
        ranks = f"only rank {report.only_rank} of {report.ranks}"
    mode = f", mode {report.mode}" if report.mode else ""
    return f"{report.program}: {ranks}{mode}, {report.start_time}, {report.wall_seconds:.3f} s\n"


def paired(basic: Report, extended: Report, least_us: float = 0.0) -> list[tuple[SiteKey, Site | None, Site | None]]:
    """Returns the sites of both runs, longest extended interval first."""
    before, after = basic.intervals, extended.intervals
    pairs = [(key, before.get(key), after.get(key)) for key in before.keys() | after.keys()]
    pairs = [pair for pair in pairs if max(site.mean for site in pair[1:] if site is not None) >= least_us]
    pairs.sort(key=lambda pair: (-pair[2].mean if pair[2] else 0.0, pair[0]))
    return pairs


def ratio(before: float | None, after: float | None) -> float | None:
    """Returns the ratio, or None if it is undefined."""
    return None if before is None or after is None or before == 0 else after / before


def _ratio(before: float | None, after: float | None) -> str:
    return _us(ratio(before, after))


def _sum_shortest(sites: list[Site]) -> float | None:
    shortest = [site.shortest for site in sites]
    known = [length for length in shortest if length is not None]
    return sum(known) if len(known) == len(shortest) else None


def compare(basic: Report, extended: Report, style: str, least_us: float = 0.0) -> str:
    """Formats two runs of one program, like the paper's Table 2."""
    pairs = paired(basic, extended, least_us)
    names = SiteNames(key for key, _, _ in pairs)
    head = ["MPI Call", "File", "Line", "Basic (us)", "Extended (us)", "Ratio", "Ratio of Shortest"]
    rows = []
    for key, before, after in pairs:
        means = [site.mean if site else None for site in (before, after)]
        shortest = [site.shortest if site else None for site in (before, after)]
        rows.append(
            [key.mpi_call, names.file(key), names.line(key), *map(_us, means), _ratio(*means), _ratio(*shortest)]
        )
    columns: list[list[Site]] = [
        [before for _, before, _ in pairs if before],
        [after for _, _, after in pairs if after],
    ]
    sums = [sum(site.mean for site in column) for column in columns]
    rows.append([TOTAL, "", "", *map(_us, sums), _ratio(*sums), _ratio(*map(_sum_shortest, columns))])
    return _render_known(head, rows, {2, 3, 4, 5, 6}, style)
