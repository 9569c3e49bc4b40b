# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Determines if a program's problem grows with the number of ranks, from two profile runs: one rank per core, and V.

A program with a fixed problem (strong scaling) computes about as much with V times as many ranks; one with a fixed
problem per rank (weak scaling) computes V times as much. The comparison uses processor time outside of MPI, which other
programs on the machine do not increase. Runs that were ended early are compared at the same point: when each rank has
called 1, 2, 4, ... collectives, which programs call equally often with any number of ranks. If too little of the runs
precedes such a point (loops without collectives), memory decides: the growth of the processes since MPI_Init. That is
comparable only if the second run got as far as the first: ranks with far fewer MPI calls may not have started.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from .errors import number

# Smaller times are start-up, cold caches, and the clock.
LEAST_WORK_S = 0.005
# The fraction of one of the runs that must precede the point of comparison.
LEAST_SHARE = 0.4
# Memory that a process takes anyway, for example for messages and other ranks' stacks.
LEAST_MEMORY = 4 << 20
RANK_MEMORY = 256 << 10
# A run that was ended early has got as far as another one if its ranks called MPI at least this many times as often.
LEAST_CALLS = 0.5


@dataclasses.dataclass(frozen=True)
class Work:
    """The work of one run, over all ranks."""

    ranks: int
    processes: int
    complete: bool  # whether it ran to its end
    work_s: float  # processor time outside of MPI
    steps_s: tuple[float, ...]  # the same up to the 1st, 2nd, 4th, ... collective of each rank
    memory_bytes: float
    calls: float  # MPI calls of each rank


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The factor by which the work of the second run is larger; `measure` names the kind of work. None: unknown."""

    factor: float | None = None
    measure: str = ""
    grows: bool = False


def from_lines(lines: list[dict[str, Any]]) -> Work:
    """Computes the work from the output of each process of a run (COMM_VRATIO_WORK=1)."""
    where = "the profiler's line"
    steps = [line.get("steps_s", []) for line in lines]
    first = lines[0]
    processes, threads, per_thread = (int(number(first, n, where, 1)) for n in ("processes", "threads", "per_thread"))
    ranks = processes * threads * per_thread
    calls = sum(number(line, name, where) for line in lines for name in ("sends", "receives", "collectives"))
    return Work(
        ranks=ranks,
        processes=processes,
        complete=all(line.get("complete") for line in lines),
        work_s=sum(number(line, "work_s", where) for line in lines),
        steps_s=tuple(sum(values) for values in zip(*steps)),
        memory_bytes=sum(number(line, "memory_bytes", where) for line in lines),
        calls=calls / ranks,
    )


def _computation(first: Work, second: Work) -> float | None:
    if first.complete and second.complete:
        one, other = first.work_s, second.work_s
    else:
        common = min(len(first.steps_s), len(second.steps_s))
        if not common:
            return None
        one, other = first.steps_s[common - 1], second.steps_s[common - 1]
        # Too little of both runs precedes this point.
        if max(one / max(first.work_s, 1e-12), other / max(second.work_s, 1e-12)) < LEAST_SHARE:
            return None
    return other / one if one >= LEAST_WORK_S else None


def _memory(first: Work, second: Work) -> float | None:
    if first.memory_bytes < LEAST_MEMORY * first.processes:
        return None
    own = RANK_MEMORY * (second.ranks - first.ranks)
    factor = max(second.memory_bytes - own, 0.0) / first.memory_bytes
    came_as_far = second.calls >= LEAST_CALLS * first.calls
    return factor if came_as_far or factor > _limit(first, second) else None


def _limit(first: Work, second: Work) -> float:
    """Returns the square root of the ratio of the numbers of ranks, which is the geometric mean of the factors for a
    fixed problem and for one that grows with the ranks."""
    return math.sqrt(second.ranks / first.ranks)


def compare(first: Work, second: Work) -> Verdict:
    """Compares two runs, of which the second has more ranks on each core."""
    for measure, factor in (("compute", _computation(first, second)), ("take memory for", _memory(first, second))):
        if factor is not None:
            return Verdict(factor, measure, factor > _limit(first, second))
    return Verdict()
