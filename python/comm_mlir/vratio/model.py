# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base model of a program, fitted to its profile at V = 1, and the predicted running time for each V.

As in the paper, the model assumes that the problem stays the same when V grows, that each rank computes its share of it
and sends as many messages of the same size as before, and that ranks with consecutive numbers are neighbors, so that
the traffic between nodes does not grow and the rest is exchanged in shared memory.
"""

from __future__ import annotations

import dataclasses

from . import equations
from .calibration import Calibration
from .errors import VratioError
from .profile import Profile

# About the age of the universe: larger times are errors in a file.
MOST_SECONDS = 1e18
MODELS = ("overlapped", "paper")
# More ranks must be worth their memory: choose the least V whose time is within this fraction of the best.
WORTHWHILE = 0.02
# The choice must also be good if waiting takes this many times as long, because latencies vary.
LATE = 1.25


class Times(dict[int, float]):
    """Seconds by V; `late` has the seconds of the same program if it waited LATE times as long."""

    def __init__(self, times: dict[int, float], late: dict[int, float]) -> None:
        super().__init__(times)
        self.late = late


@dataclasses.dataclass(frozen=True)
class BaseModel:
    """One core at V = 1, over the whole program: seconds, messages sent, bytes of one message."""

    cores: int  # C, of a process
    span_s: float
    compute_s: float  # without the serial part
    serial_s: float  # computation that each rank repeats, whatever its share: the paper's T_serial
    calls: float  # K: of each rank
    blocking: float  # calls of each rank that may block
    network_messages: float  # of the core
    shared_messages: float
    message_bytes: float

    def messages(self) -> float:
        return self.network_messages + self.shared_messages


def fit(profile: Profile, second: Profile | None = None) -> BaseModel:
    """Fits the model to a profile at V = 1. A second profile, at another V, determines the serial part: ranks leave
    their core only within MPI, so V of them compute V times the serial part, plus the shares."""
    for given in (profile, profile if second is None else second):
        if not isinstance(given, Profile):
            raise TypeError(f"a profile is what profile.load() returns, not {given!r}")
    if profile.per_thread != 1:
        raise VratioError(f"the base model needs a profile at V = 1, this one is of V = {profile.per_thread}")
    if profile.sends + profile.collectives <= 0:
        raise VratioError("the profile has no communication: there is nothing to overlap")
    serial = 0.0
    if second is not None:
        if (second.processes, second.threads) != (profile.processes, profile.threads) or second.per_thread < 2:
            raise VratioError("the second profile must have the same -nn and -nc, and V = 2 or more")
        if profile.complete and second.complete:
            more = (second.compute_s - profile.compute_s) / (second.per_thread - 1)
            serial = min(max(more, 0.0), profile.compute_s)
    messages = profile.network_messages + profile.shared_messages
    volume = profile.network_bytes + profile.shared_bytes
    return BaseModel(
        cores=profile.threads,
        span_s=profile.span_s,
        compute_s=profile.compute_s - serial,
        serial_s=serial,
        calls=profile.calls(),
        blocking=profile.blocking,
        network_messages=profile.network_messages,
        shared_messages=profile.shared_messages,
        message_bytes=volume / messages if messages else 0.0,
    )


def shared_messages_of_core(base: BaseModel, v: int) -> float:
    """Returns the number of messages from V ranks to ranks of the same process: all except those that leave the
    process, which are as many as at V = 1."""
    return v * base.messages() - base.network_messages


def paper(base: BaseModel, machine: Calibration, v: int) -> float:
    """Equations 1 to 5, with the messages of the profile instead of four per iteration. Returns seconds."""
    t_comp = base.serial_s + base.compute_s / v
    copy = base.message_bytes / machine.shared_bandwidth
    t_shmem = shared_messages_of_core(base, v) / v * (machine.shared_latency_s + copy)
    t_net = 0.0
    if machine.network_latency_s is not None:
        volume = base.cores * base.message_bytes / v
        each = machine.network_latency_s + volume / machine.network_bandwidth(base.cores)
        t_net = base.network_messages * each
    cpu = equations.cpu(v, t_comp=t_comp, t_shmem=t_shmem, calls=base.calls, t_ovhd=machine.call_s)
    return equations.virtualized(v, cpu_s=cpu, t_net=t_net, t_comp=t_comp)


def overhead(base: BaseModel, machine: Calibration, v: int) -> float:
    """Returns the time of a core for V ranks besides their computation: calls, switches, copies, and the network's
    calls."""
    ranks = v * (base.calls * machine.call_s + base.blocking * machine.switch_s)
    copies = shared_messages_of_core(base, v) * base.message_bytes / machine.shared_bandwidth
    return ranks + copies + base.network_messages * (machine.network_call_s or 0.0)


def waiting(base: BaseModel, machine: Calibration) -> float:
    """Returns L: the part of the time at V = 1 that is neither computation nor overhead."""
    return max(base.span_s - base.compute_s - base.serial_s - overhead(base, machine, 1), 0.0)


def overlapped(base: BaseModel, machine: Calibration, v: int, late: float = 1) -> float:
    """max(C, C/V + L, B) + o, with L `late` times as long. Returns seconds. Each rank computes the serial part, one
    after another."""
    wire = base.cores * base.network_messages * base.message_bytes / machine.network_bandwidth(base.cores)
    return equations.overlapped(
        v,
        computation_s=base.compute_s + v * base.serial_s,
        wait_s=waiting(base, machine) * late,
        wire_s=wire,
        overhead_s=overhead(base, machine, v),
    )


def predict(base: BaseModel, machine: Calibration, ratios: list[int]) -> dict[str, dict[int, float]]:
    """Returns seconds by the name of the model and V."""
    if base.network_messages > 0 and not machine.has_network():
        raise VratioError(
            "the program sends between processes, but the calibration knows no network: run comm-vratio calibrate -nn 2"
        )
    times = [function(base, machine, v) for function in (overlapped, paper) for v in ratios]
    longest = max(time if time == time else float("inf") for time in times)
    if longest > MOST_SECONDS:
        raise VratioError(
            f"the figures of the profile and of the calibration give running times of {longest:g} s: profile the"
            " program and calibrate the machine again"
        )
    return {
        "overlapped": Times(
            {v: overlapped(base, machine, v) for v in ratios}, {v: overlapped(base, machine, v, LATE) for v in ratios}
        ),
        "paper": {v: paper(base, machine, v) for v in ratios},
    }


def best(times: dict[int, float], worthwhile: float = WORTHWHILE) -> int:
    """Returns the least V whose time is within `worthwhile` of the shortest, also if waiting takes longer (Times)."""
    if not times:
        raise VratioError("no virtualization ratio to choose from")

    def good(candidates: dict[int, float]) -> set[int]:
        limit = min(candidates.values()) * (1 + worthwhile)
        return {v for v, time in candidates.items() if time <= limit}

    likely = good(times)
    robust = likely & good(times.late) if isinstance(times, Times) else likely
    # If no V satisfies both, use the predicted one.
    return min(robust or likely)
