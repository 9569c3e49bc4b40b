# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program of user-level ranks under the profiler, by way of commrun."""

from __future__ import annotations

import os
import subprocess
import sys

from .. import tools
from . import profile
from .calibration import beside
from .errors import VratioError

LIBRARY = "libCommVratioProfile.so"


def library() -> str:
    """The profiler, installed in lib next to bin, as in the build tree."""
    override = os.environ.get("COMM_VRATIO_LIBRARY")
    if override:
        return override
    commrun = os.path.realpath(beside("commrun"))
    folders = [os.path.join(os.path.dirname(os.path.dirname(commrun)), name) for name in ("lib", "lib64")]
    multiarch = os.path.join(folders[0], f"{os.uname().machine}-linux-gnu")
    for folder in (*folders, multiarch):
        path = os.path.join(folder, LIBRARY)
        if os.path.isfile(path):
            return path
    raise VratioError(f"cannot find {LIBRARY} in {folders[0]}: install Comm again, or name it in COMM_VRATIO_LIBRARY")


def profiled(command: list[str], environment: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """An mpirun command as commrun makes it, with the profiler in each process of the program."""
    path = library()
    if any(c.isspace() or c == "," for c in path):
        raise VratioError(f"{path}: a path without spaces and commas is needed here")
    launcher, *rest = command
    # Not by this process's own environment: mpirun's daemons are no programs of ranks.
    preload = f"LD_PRELOAD={path}"
    return [launcher, "-x", preload, "-x", "COMM_VRATIO_SECONDS", *rest], environment


def mpirun_command(options: list[str], nv: int, program: list[str]) -> tuple[list[str], dict[str, str]]:
    """What commrun would run; its options are checked there."""
    try:
        from ..ranks import run as commrun
    except ImportError as error:
        raise VratioError(f"commrun's modules are not installed next to these: {error}") from None
    try:
        return commrun.make_command(commrun.Arguments([*options, "-nv", str(nv), "--", *program]))
    except commrun.UsageError as error:
        raise VratioError(str(error)) from None


def run(
    command: list[str],
    environment: dict[str, str],
    *,
    seconds: float = 0.0,
    timeout: float = 600.0,
    quiet: bool = False,
) -> profile.Profile:
    """One run, to its end or for `seconds` after its first communication. What the program prints is passed on to
    stderr unless `quiet`."""
    command, environment = profiled(command, environment)
    complete = {**tools.launch_environment(), **environment, "COMM_VRATIO_SECONDS": f"{seconds:g}"}
    try:
        done = subprocess.run(
            command,
            env=complete,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise VratioError(f"the program runs longer than {timeout:g} s: give a smaller problem, or --timeout") from None
    except OSError as error:
        raise VratioError(f"cannot run {command[0]}: {os.strerror(error.errno or 0).lower()}") from None
    lines, rest = profile.split(done.stderr)
    if not quiet:
        sys.stderr.write(done.stdout + rest)
        sys.stderr.flush()
    ended_early = bool(lines) and not all(line.get("complete") for line in lines)
    if done.returncode != 0 and not ended_early:
        words = [line for line in (rest or done.stdout).splitlines() if line.strip()]
        said = f": {words[0]}" if words else ""
        raise VratioError(f"the program fails under commrun (exit code {done.returncode}){said}")
    return profile.from_lines(lines)


def shortest(
    options: list[str], nv: int, program: list[str], *, repeat: int = 1, timeout: float = 600.0, quiet: bool = False
) -> profile.Profile:
    """The profile of the fastest of `repeat` runs: what else runs on the machine only ever adds."""
    command, environment = mpirun_command(options, nv, program)
    runs = [run(command, environment, timeout=timeout, quiet=quiet or i > 0) for i in range(repeat)]
    return min(runs, key=lambda p: p.span_s)
