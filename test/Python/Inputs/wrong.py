# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors that mypy must find."""

from comm_mlir.ir import Module

Module.parse(3)
Module.parse("").frob()
