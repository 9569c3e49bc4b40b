# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program of user-level ranks under the profiler, using commrun."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from typing import Any

from .. import tools
from . import profile
from .calibration import beside
from .errors import ProgramFailedError, ProgramSilentError, ProgramTimeoutError, VratioError

LIBRARY = "libCommVratioProfile.so"
# The time that mpirun needs to end a program after it was told to.
END_SECONDS = 5.0
# mpirun's messages are between such lines. Messages of the runtime, and mpirun's without these lines, start like this.
LAUNCHER_BLOCK = re.compile(r"^-{20,}\n.*?(^-{20,}$|\Z)", re.MULTILINE | re.DOTALL)
NOT_THE_PROGRAMS = re.compile(r"comm-ranks: |\[[^]]*:\d+\]|mpirun|.*\[0x[0-9a-f]+\]$")


def library() -> str:
    """Returns the path of the profiler, in lib next to bin as in the build tree."""
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
    """Adds the profiler to each process of the program in commrun's mpirun command."""
    path = library()
    if any(c.isspace() or c == "," for c in path):
        raise VratioError(f"{path}: a path without spaces and commas is needed here")
    launcher, *rest = command
    # Do not use this process's own environment: mpirun's daemons must not load the profiler.
    preload = f"LD_PRELOAD={path}"
    return [launcher, "-x", preload, "-x", "COMM_VRATIO_SECONDS", "-x", "COMM_VRATIO_WORK", *rest], environment


def mpirun_command(options: list[str], nv: int, program: list[str]) -> tuple[list[str], dict[str, str]]:
    """Returns the command that commrun would run. commrun checks its options."""
    try:
        from ..ranks import run as commrun
    except ImportError as error:
        raise VratioError(f"commrun's modules are not installed next to these: {error}") from None
    try:
        return commrun.make_command(commrun.Arguments([*options, "-nv", str(nv), "--", *program]))
    except commrun.UsageError as error:
        raise VratioError(str(error)) from None


def said(stdout: str, stderr: str) -> str:
    """Returns the line that best explains why a program ended: its own message, else the runtime's, but not
    mpirun's."""

    def lines(text: str) -> list[str]:
        return [line.strip() for line in text.splitlines() if line.strip()]

    rest = lines(LAUNCHER_BLOCK.sub("", stderr))
    own = [line for line in rest if not NOT_THE_PROGRAMS.match(line)]
    runtimes = [line for line in rest if line.startswith("comm-ranks: error")]
    # Calls of MPI_Abort or exit explain less than earlier messages.
    telling = [line for line in runtimes if "MPI_Abort" not in line and "without calling MPI_Finalize" not in line]
    found = own[:1] or telling[:1] or lines(stdout)[-1:] or runtimes[:1]
    return found[0] if found else ""


def _end(child: subprocess.Popen[str]) -> None:
    """Ends mpirun and its program, first with a signal that mpirun forwards, then by force."""
    child.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.communicate(timeout=END_SECONDS)
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.communicate(timeout=END_SECONDS)


def _execute(
    command: list[str], environment: dict[str, str], stdin: int, timeout: float, folder: str | None
) -> tuple[int, str, str]:
    """Returns exit code, stdout and stderr. Uses a new session, so that signals from the terminal only reach this
    process, which ends the program."""
    from ..ranks import _launch

    try:
        child = subprocess.Popen(
            command,
            env=environment,
            cwd=folder,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            preexec_fn=_launch.in_child,
        )
    except OSError as error:
        raise VratioError(f"cannot run {command[0]}: {os.strerror(error.errno or 0).lower()}") from None
    try:
        stdout, stderr = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _end(child)
        raise ProgramTimeoutError(timeout) from None
    except BaseException:
        _end(child)
        raise
    return child.returncode, stdout, stderr


def run_lines(
    command: list[str],
    environment: dict[str, str],
    *,
    seconds: float = 0.0,
    timeout: float = 600.0,
    quiet: bool = False,
    work: bool = False,
    stdin: int = subprocess.DEVNULL,
    folder: str | None = None,
) -> list[dict[str, Any]]:
    """Returns the profiler's output of one run, either complete or up to `seconds` after its first communication; with
    `work`, the input of growth.from_lines. Raises ProgramFailedError, ProgramSilentError or ProgramTimeoutError if the
    program does not get that far."""
    command, environment = profiled(command, environment)
    complete = {**tools.launch_environment(), **environment}
    complete |= {"COMM_VRATIO_SECONDS": f"{seconds:g}", "COMM_VRATIO_WORK": str(int(work))}
    code, stdout, stderr = _execute(command, complete, stdin, timeout, folder)
    lines, rest = profile.split(stderr)
    if not quiet:
        sys.stderr.write(stdout + rest)
        sys.stderr.flush()
    ended_early = bool(lines) and not all(line.get("complete") for line in lines)
    if code != 0 and not ended_early:
        raise ProgramFailedError(code, said(stdout, rest))
    if not any(line.get("communicating_ranks") for line in lines):
        raise ProgramSilentError(said(stdout, rest))
    return lines


def run(
    command: list[str],
    environment: dict[str, str],
    *,
    seconds: float = 0.0,
    timeout: float = 600.0,
    quiet: bool = False,
) -> profile.Profile:
    """Profiles one run, either complete or up to `seconds` after its first communication. Forwards the program's output
    to stderr unless `quiet`."""
    return profile.from_lines(run_lines(command, environment, seconds=seconds, timeout=timeout, quiet=quiet))


def shortest(
    options: list[str], nv: int, program: list[str], *, repeat: int = 1, timeout: float = 600.0, quiet: bool = False
) -> profile.Profile:
    """Returns the profile of the fastest of `repeat` runs, because other load on the machine only adds time."""
    command, environment = mpirun_command(options, nv, program)
    runs = [run(command, environment, timeout=timeout, quiet=quiet or i > 0) for i in range(repeat)]
    return min(runs, key=lambda p: p.span_s)
