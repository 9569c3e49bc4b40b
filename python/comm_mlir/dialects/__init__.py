# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builders of operations, with a module for each dialect. Operations of these dialects are objects of their classes:
`isinstance(op, comm.SendOp)`."""

from __future__ import annotations

from importlib import import_module, util


def _load(dialect: str) -> None:
    """Registers the classes of that dialect's operations, if there are any. Called before its first operation is
    used."""
    if dialect.isidentifier() and util.find_spec(f"{__name__}._{dialect}_ops"):
        import_module(f"{__name__}.{dialect}")
