# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The MPI of this process, which is that of mpi4py. Compiled code calls the same library and has the same handles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._implementations import HAS_POINTERS, LIBRARIES

__all__ = ["Implementation", "find"]


@dataclass(frozen=True)
class Implementation:
    """An MPI implementation: the name of its binding, its version string, the library with its functions, and whether
    its handles are pointers."""

    abi: str
    version: str
    library: str
    has_pointers: bool


def _abi(version: str, module: str, handle_size: int) -> str:
    """Returns the ABI: by mpi4py's module name, if that names the standard ABI; by the library's version string; or by
    handles that only one ABI has, since many libraries derive from MPICH."""
    has_pointers = handle_size > 4
    for abi in HAS_POINTERS:
        if abi.replace("-", "") in Path(module).name.split("."):
            return abi
    for begin, least, abi in LIBRARIES:
        found = re.match(re.escape(begin) + r"\s*(\d+)", version)
        if found and int(found.group(1)) >= least and HAS_POINTERS[abi] == has_pointers:
            return abi
    same = [abi for abi in HAS_POINTERS if HAS_POINTERS[abi] == has_pointers]
    if len(same) == 1:
        return same[0]
    raise RuntimeError(f"Comm does not know the handles of this MPI ({version.split(',')[0]}): it cannot be called")


def find() -> Implementation:
    """Returns mpi4py's MPI. Imports mpi4py, and thereby initializes MPI. Raises ImportError without mpi4py."""
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
    abi = _abi(version, library, size)
    return Implementation(abi, version, library, HAS_POINTERS[abi])
