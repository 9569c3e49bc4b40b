# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time that overlap saved at each site, the time that could still be saved, and the time that it lost."""

from __future__ import annotations

import dataclasses
import re

from .reading import Durations, Report, Site, SiteKey


@dataclasses.dataclass(frozen=True)
class Times:
    """The times of a site, in seconds of all executions of all ranks together."""

    site: Site
    # Time that the program still waits: in waits, in blocking calls, and in starts that take longer than the shortest
    # one. An upper bound of what overlap could hide.
    saveable: float
    # Time by which start and wait were shorter than the blocking call. If that was not measured, at most the time of
    # the interval.
    saved: float
    # Time by which they were longer. If the blocking call was not measured: starts that had nothing to hide.
    lost: float
    # Whether saved and lost are measured differences; otherwise they are upper bounds.
    is_measured: bool


POINT_TO_POINT = re.compile("send|recv", re.IGNORECASE)


def _was_blocking(site: Site, blocking: Durations | None) -> bool:
    """Returns True if the program chose the blocking call at run time for the starts of this collective: they take as
    long as that call, and waits find nothing to do (lib/Analysis/Profile/SiteFacts.cpp)."""
    if not site.start or not site.wait or POINT_TO_POINT.search(site.key.mpi_call):
        return False
    least = blocking.mean / 2 if blocking else 20.0
    return site.wait.mean < site.start.mean / 10 and site.start.mean >= least


def _waited(site: Site, was_blocking: bool) -> float:
    waited = sum(part.seconds for part in (site.wait, site.blocking) if part)
    start = site.start
    if start and was_blocking:
        waited += start.seconds
    elif start and start.shortest is not None:
        waited += max(0.0, start.seconds - start.executions * start.shortest / 1e6)
    return waited


def of_site(site: Site, blocking: Durations | None = None) -> Times:
    """Returns the times of a site. `blocking` has the times of the blocking call in another run, if this run has
    none."""
    blocking = site.blocking or blocking
    own = sum(part.seconds for part in (site.start, site.wait) if part)
    was_blocking = _was_blocking(site, blocking)
    waited = _waited(site, was_blocking)
    if not site.started or was_blocking:
        return Times(site, waited, 0.0, 0.0, True)
    if blocking:
        gain = blocking.mean * site.started / 1e6 - own
        return Times(site, waited, max(0.0, gain), max(0.0, -gain), True)
    interval = site.interval.seconds if site.interval else 0.0
    start = site.start.seconds if site.start else 0.0
    return Times(site, waited, interval, start if interval < start else 0.0, False)


def of_report(report: Report, blocking: Report | None = None) -> list[Times]:
    """Returns the times of all executed sites, ordered by how much can be saved. `blocking`: a run of the same program
    with -fcomm-mode=off."""

    def other(key: SiteKey) -> Durations | None:
        known = blocking.sites.get(key) if blocking else None
        return known.blocking if known else None

    times = [of_site(site, other(key)) for key, site in report.sites.items() if site.executions]
    return sorted(times, key=lambda t: (-t.saveable, t.site.key))
