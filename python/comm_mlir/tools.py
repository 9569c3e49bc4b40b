# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command-line tools and libraries that come with the package: comm-opt, commcc, commc++, commfort, commgraph,
commrun, commreport, comm-cdag, comm-vratio, the clang plugin, the runtime."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

__all__ = ["command", "find_tool", "launch_environment", "library_dir", "main", "plugin_path"]


def root() -> Path:
    """Returns the folder that contains bin and lib: the package in a wheel, or else the build tree or prefix around
    it."""
    package = Path(__file__).resolve().parent
    for folder in (package, package.parents[1], package.parents[3]):
        if (folder / "bin" / "comm-opt").exists():
            return folder
    raise FileNotFoundError(f"the tools of Comm are neither in {package} nor in {package.parents[1]}: build them")


def find_tool(name: str) -> Path:
    """Returns the path of a tool: `find_tool("commcc")`. Raises FileNotFoundError if there is none."""
    path = root() / "bin" / name
    if os.path.basename(name) != name or not path.is_file():
        raise FileNotFoundError(f"there is no tool '{name}' in {path.parent}")
    return path


def library_dir() -> Path:
    """Returns the folder of the plugin and the runtime's libraries."""
    return root() / "lib"


def plugin_path() -> Path:
    """Returns the path of the plugin, for clang's option -fpass-plugin=."""
    return library_dir() / "libCommPlugin.so"


def command(name: str) -> list[str]:
    """Returns the command that starts a tool. Python programs run with this Python, wherever they were built."""
    path = find_tool(name)
    with open(os.fspath(path), "rb") as file:
        first = file.readline(200)
    if first.startswith(b"#!") and b"python" in first:
        return [sys.executable, str(path)]
    return [str(path)]


# Variables for a process that a launcher started: those of Open MPI, PMIx and MPICH.
_LAUNCHED = re.compile(
    r"PMIX?_|HYDI?_|OMPI_(COMM_WORLD|MCA_(orte|ess|pmix|initial_wdir|shmem_RUNTIME)|COMMAND|UNIVERSE_SIZE"
    r"|NUM_APP_CTX|FIRST_RANKS|APP_CTX_NUM_PROCS|FILE_LOCATION)"
)


def launch_environment() -> dict[str, str]:
    """Returns the environment for an mpirun that this process starts. MPI_Init and mpirun set variables that describe
    the job of this process; an mpirun that inherits them considers itself part of that job and ends silently."""
    # os.environ is a copy from the start: the variables that MPI_Init set are only in the process's environment.
    found = dict(os.environ)
    if any(name in found for name in ("OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK")):
        found = {name: value for name, value in found.items() if not _LAUNCHED.match(name)}
    return found


def main() -> int:
    """Entry point of the package's scripts: runs the tool of the script's name."""
    arguments = command(os.path.basename(sys.argv[0])) + sys.argv[1:]
    os.execv(arguments[0], arguments)
