# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comm for Python: MLIR, the comm dialect, and the passes that let communication overlap computation.

ir            contexts, modules, operations, with the names of MLIR's own bindings
passmanager   pipelines, remarks, statistics, passes and patterns in Python
dialects      builders of operations: comm, func, arith, memref, scf, ...
compile, jit  modules, and functions that build them, become functions to call with NumPy arrays
clang         C and C++ programs through Comm
cdag          communication graphs
graph         graph programs on graphs of SciPy, NetworkX and NumPy
report        interval reports as tables and pictures
vratio        how many ranks a core should have
tools         the command-line tools that come with the package
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._core import abis, version
    from .execution import Program, compile
    from .tracing import jit

    __version__: str

__all__ = ["Program", "__version__", "abis", "compile", "jit", "version"]

# Modules that need MLIR are loaded on first use, so that the tools that read reports run without it.
_HOMES = {
    "Program": "execution",
    "abis": "_core",
    "compile": "execution",
    "jit": "tracing",
    "version": "_core",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        value: Any = import_module("._core", __name__).version()
    elif name in _HOMES:
        value = getattr(import_module("." + _HOMES[name], __name__), name)
    else:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
