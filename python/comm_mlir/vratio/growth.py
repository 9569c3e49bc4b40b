# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a program's problem grows with the number of ranks: two profile runs, with one rank a core and with V.

A program of a given problem (strong scaling) computes about as much with V times as many ranks, one of a given problem
for each rank (weak scaling) V times as much. What is compared is processor time outside of MPI, which other programs on
the machine do not add to. Runs that were ended early are compared at the same place: when each rank has called so many
collectives, 1, 2, 4 and so on, which a program does as often with any number of ranks. Where too little of the runs
lies before such a place (loops without collectives), memory tells: what the processes took from MPI_Init on. That is
the same only if the second run was as far as the first one: ranks that called MPI much less often may not have begun.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from .errors import number

# Less is start-up, caches that get warm, and the clock.
LEAST_WORK_S = 0.005
# So much of one of the runs has to lie before the place where they are compared.
LEAST_SHARE = 0.4
# A process takes so much of its own accord, as messages and other ranks' stacks ask for.
LEAST_MEMORY = 4 << 20
RANK_MEMORY = 256 << 10
# A run that was ended early has come as far as another one if its ranks called MPI this many times as often.
LEAST_CALLS = 0.5


@dataclasses.dataclass(frozen=True)
class Work:
    """Of one run, over all ranks."""

    ranks: int
    processes: int
    complete: bool  # to its end
    work_s: float  # processor time outside of MPI
    steps_s: tuple[float, ...]  # the same until the 1st, 2nd, 4th, ... collective of each rank
    memory_bytes: float
    calls: float  # of MPI, of each rank


@dataclasses.dataclass(frozen=True)
class Verdict:
    """How many times as much the second run worked; `measure` says of what. None: it cannot be told."""

    factor: float | None = None
    measure: str = ""
    grows: bool = False


def from_lines(lines: list[dict[str, Any]]) -> Work:
    """From what each process of a run printed (COMM_VRATIO_WORK=1)."""
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
        # The slower of the two has come just this far.
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
    """The square root of how many times as many ranks: halfway, as factors go, between a problem that stays the same
    and one that grows with them."""
    return math.sqrt(second.ranks / first.ranks)


def compare(first: Work, second: Work) -> Verdict:
    """The second run has more ranks on each core."""
    for measure, factor in (("compute", _computation(first, second)), ("take memory for", _memory(first, second))):
        if factor is not None:
            return Verdict(factor, measure, factor > _limit(first, second))
    return Verdict()
