# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs one generated program."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

REPORT = re.compile(r"ERROR: \w*Sanitizer|runtime error:|SUMMARY: \w+San")
# Below this size Open MPI copies a message when it is started, which hides
# writes into a send buffer that is still in flight.
EAGER = 256
# For compilers: the plugin's child process hides a crashing pass (functions are compiled separately, or unchanged).
SHOW_CRASHES = {"COMM_IN_PROCESS": "1"}


@dataclass
class Result:
    code: int  # exit code; -1: time limit
    out: str
    err: str

    @property
    def report(self) -> bool:
        return bool(REPORT.search(self.err))

    def key(self) -> tuple[int, str]:
        return self.code, self.out


def execute(argv: Sequence[str], timeout: float, env: dict[str, str], cwd: Path) -> Result:
    """Runs a command in a process group of its own, so that the ranks end
    with it when the time is over."""
    with subprocess.Popen(
        argv,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env=env,
        cwd=cwd,
        start_new_session=True,
    ) as child:
        try:
            out, err = child.communicate(timeout=timeout)
            code = child.returncode
        except BaseException as error:
            # mpirun passes SIGTERM on to its ranks, which have groups of
            # their own.
            for number in (signal.SIGTERM, signal.SIGKILL):
                try:
                    os.killpg(child.pid, number)
                    child.wait(timeout=5)
                except (subprocess.TimeoutExpired, ProcessLookupError):
                    continue
            out, err = child.communicate()
            code = -1
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
    return Result(code, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


def split_command(command: str) -> tuple[dict[str, str], list[str]]:
    """Splits `OMPI_CC=clang mpicc -O2` into environment and arguments."""
    words = shlex.split(command)
    env: dict[str, str] = {}
    while words and re.match(r"[A-Za-z_]\w*=", words[0]):
        name, _, value = words.pop(0).partition("=")
        env[name] = value
    if not words:
        raise ValueError(f"no compiler in command '{command}'")
    return env, words


_CXX = (("mpicc", "mpicxx"), ("commcc", "commc++"), ("clang", "clang++"), ("gcc", "g++"))


def _cxx_name(word: str) -> str:
    folder, name = os.path.split(word)
    for c, cxx in _CXX:
        if name == c or name.startswith(c + "-"):
            return os.path.join(folder, cxx + name[len(c) :])
    return word


def cxx_command(command: str) -> str:
    """Returns the C++ command for a C command."""
    env, words = split_command(command)
    names = {"OMPI_CC": "OMPI_CXX", "MPICH_CC": "MPICH_CXX", "CC": "CXX"}
    sets = [f"{names.get(k, k)}={_cxx_name(v) if k in names else v}" for k, v in env.items()]
    words = [_cxx_name(words[0]), "-std=c++17"] + [w for w in words[1:] if not re.match(r"-std=(c|gnu)\d", w)]
    return " ".join(shlex.quote(w) for w in sets + words)


def compile_file(command: str, source: Path, binary: Path, timeout: float = 120) -> Result:
    env, words = split_command(command)
    argv = words + ["-w", str(source), "-o", str(binary)]
    try:
        return execute(argv, timeout, {**SHOW_CRASHES, **os.environ, **env}, source.parent)
    except FileNotFoundError:
        return Result(127, "", f"no such command: {words[0]}")


def complaints(built: Result) -> list[str]:
    """Returns the functions that Comm reports as not compiled, except for intended ones."""
    lines = [x for x in built.err.splitlines() if "Comm leaves" in x]
    return [x for x in lines if "setjmp" not in x and "error codes as they are" not in x]


@cache
def mpirun_flags(mpirun: str) -> tuple[str, ...]:
    """Returns the options for this mpirun to run as root and with more ranks than cores."""
    text = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
    if "Open MPI" not in text and "OpenRTE" not in text:
        return ()
    flags = [
        "--oversubscribe",
        "--bind-to",
        "none",
        "--mca",
        "mpi_yield_when_idle",
        "1",
        "--mca",
        "btl_vader_eager_limit",
        str(EAGER),
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--allow-run-as-root")
    return tuple(flags)


# Ranks as user-level threads: processes and kernel threads for a number of ranks, so that each way of transferring a
# message (one thread, two threads, two processes) gets its share.
THREADED = {2: (1, 2), 4: (2, 1)}


def launcher(command: str, ranks: int, mpirun: str) -> list[str]:
    """Returns the command that starts the output of `command`: with commrun or mpirun."""
    threaded = "-fcomm-ranks" in shlex.split(command)
    name = "commrun" if threaded else mpirun
    path = shutil.which(name)
    if not path:
        raise FileNotFoundError(f"no such command: {name}")
    if not threaded:
        return [path, *mpirun_flags(path), "-n", str(ranks)]
    nodes, cores = THREADED.get(ranks, (1, 1))
    return [path, "-nn", str(nodes), "-nc", str(cores), "-nv", str(ranks // (nodes * cores))]


def run_ranks(
    binary: Path,
    ranks: int,
    timeout: float,
    arguments: Sequence[str] = (),
    mpirun: str = "mpirun",
    command: str = "",
    partner: Path | None = None,
) -> Result:
    """Runs the output of `command`; with a partner, the second half of the ranks runs that program."""
    own = ranks // 2 if partner else ranks
    start = [*launcher(command, own, mpirun), str(binary), *arguments]
    if partner:
        start += [":", "-n", str(ranks - own), str(partner), *arguments]
    env = dict(os.environ)
    # MPI libraries leak by design; only accesses to memory matter here.
    env.setdefault("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1")
    env.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    env.setdefault("OMP_NUM_THREADS", "2")
    return execute(start, timeout, env, binary.parent)
