# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What mypy is to find."""

from comm_mlir.ir import Module

Module.parse(3)
Module.parse("").frob()
