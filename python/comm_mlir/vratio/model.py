# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base model of a program, fitted from its profile at V = 1, and the running time that follows for each V.

What is assumed of the program, as in the paper: the problem stays the same when V grows, each rank computes its share
of it and sends as many messages of the same size as before, and ranks with numbers side by side are neighbors, so that
what leaves the node does not grow and the rest is exchanged in shared memory.
"""

from __future__ import annotations

import dataclasses

from . import equations
from .calibration import Calibration
from .errors import VratioError
from .profile import Profile

# The age of the universe, about: what takes longer is a mistake in a file.
MOST_SECONDS = 1e18
MODELS = ("overlapped", "paper")
# More ranks have to be worth their memory: the least V within this of the best time is chosen.
WORTHWHILE = 0.02
# And it has to be as good a choice where waiting takes so many times as long: latencies vary from message to message.
LATE = 1.25


class Times(dict[int, float]):
    """Seconds by V; `late` are those of the same program if it waited LATE times as long."""

    def __init__(self, times: dict[int, float], late: dict[int, float]) -> None:
        super().__init__(times)
        self.late = late


@dataclasses.dataclass(frozen=True)
class BaseModel:
    """One core at V = 1, over the whole program: seconds, messages sent, bytes of one message."""

    cores: int  # C, of a process
    span_s: float
    compute_s: float  # without the serial part
    serial_s: float  # what each rank does again, whatever its share: the paper's T_serial
    calls: float  # K: of each rank
    blocking: float  # of those that may wait, of each rank
    network_messages: float  # of the core
    shared_messages: float
    message_bytes: float

    def messages(self) -> float:
        return self.network_messages + self.shared_messages


def fit(profile: Profile, second: Profile | None = None) -> BaseModel:
    """From a profile at V = 1. A second one, at another V, tells the serial part: ranks leave their core only within
    MPI, so what V of them compute is V times the serial part, and the shares."""
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
            raise VratioError("the second profile has to be of the same -nn and -nc, and of V = 2 or more")
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
    """Sent by V ranks to ranks of the same process: all but those that leave it, as many as at V = 1."""
    return v * base.messages() - base.network_messages


def paper(base: BaseModel, machine: Calibration, v: int) -> float:
    """Equations 1 to 5, with the messages of the profile in the place of four an iteration: seconds."""
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
    """What a core does for V ranks beyond their computation: calls, switches, copies, and the network's own calls."""
    ranks = v * (base.calls * machine.call_s + base.blocking * machine.switch_s)
    copies = shared_messages_of_core(base, v) * base.message_bytes / machine.shared_bandwidth
    return ranks + copies + base.network_messages * (machine.network_call_s or 0.0)


def waiting(base: BaseModel, machine: Calibration) -> float:
    """L: what of the time at V = 1 is neither computation nor overhead."""
    return max(base.span_s - base.compute_s - base.serial_s - overhead(base, machine, 1), 0.0)


def overlapped(base: BaseModel, machine: Calibration, v: int, late: float = 1) -> float:
    """max(C, C/V + L, B) + o: seconds, with L `late` times as long. The serial part is done by each rank, one after the
    other."""
    wire = base.cores * base.network_messages * base.message_bytes / machine.network_bandwidth(base.cores)
    return equations.overlapped(
        v,
        computation_s=base.compute_s + v * base.serial_s,
        wait_s=waiting(base, machine) * late,
        wire_s=wire,
        overhead_s=overhead(base, machine, v),
    )


def predict(base: BaseModel, machine: Calibration, ratios: list[int]) -> dict[str, dict[int, float]]:
    """Seconds by the name of the model and V."""
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
    """The least V whose time is within `worthwhile` of the shortest, also where waiting takes longer (Times)."""
    if not times:
        raise VratioError("no virtualization ratio to choose from")

    def good(candidates: dict[int, float]) -> set[int]:
        limit = min(candidates.values()) * (1 + worthwhile)
        return {v for v, time in candidates.items() if time <= limit}

    likely = good(times)
    robust = likely & good(times.late) if isinstance(times, Times) else likely
    # None is both: the one that is predicted, as far as it can be said.
    return min(robust or likely)
