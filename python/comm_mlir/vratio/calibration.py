# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The properties of the machine that the model needs, measured by calibrate.c."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import shutil
import subprocess
import tempfile
from typing import Any

from .. import tools
from .errors import VratioError, number, read_json, write_json

FORMAT = "comm-vratio calibration"
# Lower bound of times; a smaller figure is an error of the clock.
LEAST = 1e-12


@dataclasses.dataclass(frozen=True)
class Calibration:
    """Seconds, and bytes per second. With a single process the network's figures are unknown (None)."""

    switch_s: float  # from one rank to another of the same core
    call_s: float  # a nonblocking call with its share of the completion: the paper's T_ovhd
    shared_latency_s: float  # L_s, one way, with the switch
    shared_bandwidth: float  # B_s
    network_latency_s: float | None = None  # L_N, one way
    network_call_s: float | None = None  # processor time of a computing core for a message in each direction
    core_nic_bandwidth: float | None = None  # B_CORE-NIC: the network bandwidth of one core
    nic_nic_bandwidth: float | None = None  # B_NIC-NIC: the network bandwidth of all cores of a node

    def has_network(self) -> bool:
        return self.network_latency_s is not None

    def network_bandwidth(self, cores: int) -> float:
        """Returns min(B_NIC-NIC, C * B_CORE-NIC), as in the maxrate model; infinite without a network."""
        if self.nic_nic_bandwidth is None or self.core_nic_bandwidth is None:
            return float("inf")
        return min(self.nic_nic_bandwidth, cores * self.core_nic_bandwidth)


def load(path: str) -> Calibration:
    data = read_json(path, FORMAT)
    values = {}
    for field in dataclasses.fields(Calibration):
        if field.default is None and data.get(field.name) is None:
            continue
        values[field.name] = number(data, field.name, path, 0.0, more_than_least=True)
    network = [name for name in values if name.startswith(("network", "core", "nic"))]
    if len(network) not in (0, 4):
        raise VratioError(f"{path}: only part of the network's figures is there: run comm-vratio calibrate again")
    return Calibration(**values)


def save(calibration: Calibration, path: str) -> None:
    data = {k: v for k, v in dataclasses.asdict(calibration).items() if v is not None}
    write_json(path, {"format": FORMAT, "version": 1, **data})


def from_lines(
    core: dict[str, Any],
    single: dict[str, Any],
    network: dict[str, Any] | None = None,
    streams: dict[str, Any] | None = None,
) -> Calibration:
    """Computes the figures from the output of calibrate.c: two ranks of a core, one rank, two processes with one rank,
    and with several."""
    values = {
        "switch_s": max(number(core, "yield_s", "calibrate") - number(single, "look_s", "calibrate"), LEAST),
        "call_s": number(single, "call_s", "calibrate", LEAST),
        "shared_latency_s": number(core, "shared_latency_s", "calibrate", LEAST),
        "shared_bandwidth": number(core, "shared_bandwidth", "calibrate", LEAST),
    }
    if network is not None and streams is not None:
        one = number(network, "network_stream_bandwidth", "calibrate", LEAST)
        values |= {
            "network_latency_s": number(network, "network_latency_s", "calibrate", LEAST),
            "network_call_s": number(network, "network_call_s", "calibrate", LEAST),
            "core_nic_bandwidth": one,
            "nic_nic_bandwidth": max(one, number(streams, "network_stream_bandwidth", "calibrate", LEAST)),
        }
    return Calibration(**values)


def parse(text: str) -> dict[str, Any]:
    """Returns the figures in the output."""
    found = {}
    for name, value in re.findall(r"^(\w+) ([0-9.eE+-]+)$", text, re.MULTILINE):
        try:
            found[name] = float(value)
        except ValueError:
            continue
    return found


def beside(name: str) -> str:
    """Returns the path of a program of this installation, or of one on the search path."""
    try:
        return str(tools.find_tool(name))
    except FileNotFoundError:
        found = shutil.which(name)
    if not found:
        raise VratioError(f"cannot find {name}: install Comm, or put its bin folder on the path")
    return found


def source() -> str:
    """Returns the path of calibrate.c, which is installed with these modules."""
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(here, "calibrate.c")]
    with contextlib.suppress(FileNotFoundError):
        places.append(os.path.join(tools.root(), "share", "comm", "python", "comm_mlir", "vratio", "calibrate.c"))
    for path in places:
        if os.path.isfile(path):
            return path
    raise VratioError("cannot find calibrate.c next to the modules of comm-vratio: install Comm again")


def run(command: list[str], what: str, timeout: float) -> str:
    """Runs a command and returns its stdout. Raises VratioError with its last output if it fails or takes too long."""
    try:
        done = subprocess.run(
            command,
            env=tools.launch_environment(),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise VratioError(f"{what} takes longer than {timeout:g} s: the machine may be overloaded") from None
    except OSError as error:
        raise VratioError(f"{what}: cannot run {command[0]}: {os.strerror(error.errno or 0).lower()}") from None
    if done.returncode != 0:
        words = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise VratioError(f"{what} fails (exit code {done.returncode}): {' '.join(words[-3:]) or 'no message'}")
    return done.stdout


def measure(processes: int, threads: int, launcher_options: list[str], timeout: float = 120.0) -> Calibration:
    """Builds and runs calibrate.c, which takes some seconds. `launcher_options` are commrun's own (--host,
    --hostfile)."""
    commrun = [beside("commrun"), *launcher_options]
    with tempfile.TemporaryDirectory(prefix="comm-vratio-") as folder:
        program = os.path.join(folder, "calibrate")
        run([beside("commcc"), "-O2", "-fcomm-ranks", source(), "-o", program], "building calibrate.c", timeout)

        def figures(nn: int, nc: int, nv: int, what: str) -> dict[str, Any]:
            options = ["-nn", str(nn), "-nc", str(nc), "-nv", str(nv)]
            return parse(run([*commrun, *options, program, what], f"calibrating ({what})", timeout))

        core, single = figures(1, 1, 2, "core"), figures(1, 1, 1, "single")
        if processes < 2:
            return from_lines(core, single)
        several = figures(2, 1, 4, "network") if threads == 1 else figures(2, threads, 1, "network")
        return from_lines(core, single, figures(2, 1, 1, "network"), several)
