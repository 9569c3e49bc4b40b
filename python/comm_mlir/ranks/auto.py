# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""commrun -nv auto: a short profile run at V = 1, then the model of the virtualization ratio (docs/vratio.md)."""

from __future__ import annotations

import hashlib
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .run import Arguments

RATIOS = [1, 2, 4, 8, 16]
SECONDS = 2.0
TIMEOUT = 300.0


class AutoError(Exception):
    """Why no ratio can be chosen; the text says what to do."""


def calibration_file(arguments: Arguments) -> str:
    """Where the machine's figures are kept: one file for each set of nodes."""
    given = os.environ.get("COMM_VRATIO_CALIBRATION")
    if given:
        return given
    nodes = [os.uname().nodename, arguments.nn, arguments.nc, arguments.host, arguments.hostfile]
    nodes.append(os.environ.get("COMM_MPIRUN", ""))
    name = hashlib.sha256("\0".join(nodes).encode()).hexdigest()[:16]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "comm", f"calibration-{name}.json")


def choose(arguments: Arguments, threads: int) -> int:
    """The ratio for the program of the command line; says on stderr which and why."""
    try:
        from ..vratio import calibration, measure, model
        from ..vratio.errors import VratioError
    except ImportError as error:
        raise AutoError(f"-nv auto needs comm-vratio, whose modules are not installed: {error}") from None

    def say(text: str) -> None:
        print(f"commrun: -nv auto: {text}", file=sys.stderr, flush=True)

    try:
        nodes = [
            word
            for name in ("host", "hostfile")
            if getattr(arguments, name)
            for word in (f"--{name}", getattr(arguments, name))
        ]
        options = ["-nn", arguments.nn, "-nc", str(threads), *nodes]
        if arguments.stack:
            options += ["--stack", arguments.stack]
        try:
            command, environment = measure.mpirun_command(options, 1, arguments.command)
        except VratioError as error:  # as it would be with a number
            raise AutoError(str(error)) from None
        found = measure.run(command, environment, seconds=SECONDS, timeout=TIMEOUT, quiet=True)
        base = model.fit(found)
        path = calibration_file(arguments)
        if os.path.exists(path):
            machine = calibration.load(path)
        else:
            say(f"measuring the machine, once, into {path}")
            machine = calibration.measure(int(arguments.nn), threads, nodes)
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            calibration.save(machine, path)
        times = model.predict(base, machine, RATIOS)["overlapped"]
    except VratioError as error:
        raise AutoError(f"-nv auto: {error}; or give the number of ranks on each core, such as -nv 4") from None
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise AutoError(f"-nv auto: cannot keep the machine's figures in {path}: {reason}") from None
    chosen = model.best(times)
    wait = model.waiting(base, machine)
    say(
        f"chose {chosen}: with one rank a core, {wait / base.span_s:.0%} of {base.span_s:.3g} s are waiting; with"
        f" {chosen} the same takes {times[chosen]:.3g} s by the model (V: s = "
        + ", ".join(f"{v}: {time:.3g}" for v, time in times.items())
        + ")"
    )
    return chosen
