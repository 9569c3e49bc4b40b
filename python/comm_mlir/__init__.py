# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comm for Python: MLIR, the comm dialect, and the passes that let communication overlap computation.

ir            contexts, modules, operations, with the names of MLIR's own bindings
passmanager   pipelines, remarks, statistics, passes and patterns in Python
dialects      builders of operations: comm, func, arith, memref, scf, ...
cdag          communication graphs
tools         the command-line tools that come with the package
"""

from ._core import abis, version

__version__ = version()
__all__ = ["__version__", "abis", "version"]
