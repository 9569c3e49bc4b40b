# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The MPI of this process: mpi4py's. Compiled code calls the same library and has the same handles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

__all__ = ["Implementation", "find"]


@dataclass(frozen=True)
class Implementation:
    """An MPI: the name of its binding, what it says of its version, the library that has its functions, and whether its
    handles are pointers."""

    abi: str
    version: str
    library: str
    has_pointers: bool


def _abi(version: str, module: str, handle_size: int) -> str:
    found = re.match(r"Open MPI v(\d+)", version)
    if "mpiabi" in module:
        return "mpi-abi"
    if found:
        return "openmpi5" if int(found.group(1)) >= 5 else "openmpi4"
    if handle_size == 4:
        return "mpich"
    raise RuntimeError(f"Comm does not know the handles of this MPI ({version.split(',')[0]}): it cannot be called")


def find() -> Implementation:
    """mpi4py's, which is imported and so initialized. ImportError without mpi4py."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise ImportError(
            "the program communicates, which needs mpi4py (pip install mpi4py): its MPI is the one that is called"
            f" ({error})"
        ) from error
    private: Any = MPI
    version = MPI.Get_library_version().rstrip("\0")
    size = private._sizeof(MPI.Comm)
    library = str(MPI.__file__)
    return Implementation(_abi(version, library, size), version, library, size == 8)
