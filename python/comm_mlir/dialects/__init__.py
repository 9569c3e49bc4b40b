# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builders of operations, a module for each dialect. Operations of a dialect that was imported are objects of its
classes: `isinstance(op, comm.SendOp)`."""
