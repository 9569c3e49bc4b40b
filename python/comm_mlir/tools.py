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
    """The folder that has bin and lib: the package's own in a wheel, else the build tree or prefix that it is in."""
    package = Path(__file__).resolve().parent
    for folder in (package, package.parents[1], package.parents[3]):
        if (folder / "bin" / "comm-opt").exists():
            return folder
    raise FileNotFoundError(f"the tools of Comm are neither in {package} nor in {package.parents[1]}: build them")


def find_tool(name: str) -> Path:
    """The path of a tool: `find_tool("commcc")`. FileNotFoundError if there is none."""
    path = root() / "bin" / name
    if os.path.basename(name) != name or not path.is_file():
        raise FileNotFoundError(f"there is no tool '{name}' in {path.parent}")
    return path


def library_dir() -> Path:
    """The folder of the plugin and the runtime's libraries."""
    return root() / "lib"


def plugin_path() -> Path:
    """The plugin, for clang's option -fpass-plugin=."""
    return library_dir() / "libCommPlugin.so"


def command(name: str) -> list[str]:
    """How the tool is started: a program in Python runs with this Python, wherever it was built."""
    path = find_tool(name)
    with open(os.fspath(path), "rb") as file:
        first = file.readline(200)
    if first.startswith(b"#!") and b"python" in first:
        return [sys.executable, str(path)]
    return [str(path)]


# What a process that a launcher started is told: Open MPI's, PMIx's and MPICH's.
_LAUNCHED = re.compile(
    r"PMIX?_|HYDI?_|OMPI_(COMM_WORLD|MCA_(orte|ess|pmix|initial_wdir|shmem_RUNTIME)|COMMAND|UNIVERSE_SIZE"
    r"|NUM_APP_CTX|FIRST_RANKS|APP_CTX_NUM_PROCS|FILE_LOCATION)"
)


def launch_environment() -> dict[str, str]:
    """The environment for an mpirun that this process starts. MPI_Init and mpirun leave variables that tell what this
    process is part of: an mpirun that gets them takes itself for a part of that, and ends without a word."""
    # os.environ has what was there at the start: what MPI_Init set is in the process's environment alone.
    found = dict(os.environ)
    if any(name in found for name in ("OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK")):
        found = {name: value for name, value in found.items() if not _LAUNCHED.match(name)}
    return found


def main() -> int:
    """What the scripts of the package run: the tool of their own name."""
    arguments = command(os.path.basename(sys.argv[0])) + sys.argv[1:]
    os.execv(arguments[0], arguments)
