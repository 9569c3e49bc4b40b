# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program's profile: the computation, messages and waits of its ranks, as recorded by libCommVratioProfile.so."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from .errors import ProgramSilentError, VratioError, number, read_json, write_json

FORMAT = "comm-vratio profile"
MARK = "comm-vratio-profile: "


@dataclasses.dataclass(frozen=True)
class Profile:
    """Means over the cores (kernel threads of all processes) of the activity of their ranks, in seconds and bytes, from
    the first communication to MPI_Finalize. "network" is between processes, "shared" within one."""

    processes: int
    threads: int
    per_thread: int
    span_s: float  # of the longest process
    compute_s: float  # outside of MPI
    wait_s: float  # in calls that may block; with several ranks on a core, others' computation as well
    sends: float
    receives: float
    collectives: float
    blocking: float
    network_messages: float
    network_bytes: float
    shared_messages: float
    shared_bytes: float
    longest_compute_s: float = 0.0  # of any rank
    complete: bool = True  # whether the program ran to its end

    def calls(self) -> float:
        """Returns the paper's K for the ranks of a core."""
        return self.sends + self.receives + self.collectives


COUNTS = ("processes", "threads", "per_thread")
MEANS: tuple[str, ...] = (
    "compute_s",
    "wait_s",
    "sends",
    "receives",
    "collectives",
    "blocking",
    "network_messages",
    "network_bytes",
)
MEANS += ("shared_messages", "shared_bytes")


def load(path: str) -> Profile:
    data = read_json(path, FORMAT)
    values: dict[str, Any] = {name: int(number(data, name, path, 1)) for name in COUNTS}
    values |= {name: number(data, name, path) for name in MEANS}
    values["span_s"] = number(data, "span_s", path, 0.0, more_than_least=True)
    values["longest_compute_s"] = number({"longest_compute_s": 0.0, **data}, "longest_compute_s", path)
    values["complete"] = data.get("complete") is not False
    if values["compute_s"] > values["span_s"] * 1.001:
        raise VratioError(f"{path}: a core computes longer (compute_s) than the program runs (span_s)")
    return Profile(**values)


def save(profile: Profile, path: str) -> None:
    write_json(path, {"format": FORMAT, "version": 1, **dataclasses.asdict(profile)})


def split(text: str) -> tuple[list[dict[str, Any]], str]:
    """Splits the stderr of a program into the profiler's lines and the rest."""
    lines, rest = [], []
    for line in text.splitlines(keepends=True):
        before, mark, data = line.partition(MARK)
        if not mark:
            rest.append(line)
            continue
        rest.append(before)
        try:
            lines.append(json.loads(data))
        except ValueError:
            raise VratioError("a line of the profiler was torn apart by other output: run again") from None
    return lines, "".join(rest)


def from_lines(lines: list[dict[str, Any]]) -> Profile:
    """Computes the profile of a program from the output of its processes."""
    if not lines:
        raise ProgramSilentError()
    where = "the profiler's line"
    counts: dict[str, Any] = {name: int(number(lines[0], name, where, 1)) for name in COUNTS}
    if len({line.get("process") for line in lines}) != counts["processes"]:
        raise VratioError(
            f"{len(lines)} of {counts['processes']} processes were profiled: did all ranks call MPI_Finalize?"
        )
    if not all(number(line, "communicating_ranks", where) for line in lines):
        raise VratioError("some process does not communicate before MPI_Finalize: there is nothing to model")
    cores = counts["processes"] * counts["threads"]
    values: dict[str, Any] = {name: sum(number(line, name, where) for line in lines) / cores for name in MEANS}
    values["span_s"] = max(number(line, "span_s", where) for line in lines)
    values["longest_compute_s"] = max(number(line, "longest_compute_s", where) for line in lines)
    values["complete"] = all(line.get("complete") for line in lines)
    if values["span_s"] <= 0:
        raise VratioError("the program ends with its first communication: there is nothing to model")
    return Profile(**counts, **values)
