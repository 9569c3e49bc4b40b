# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builders of the dialect arith."""

from __future__ import annotations

from ..ir import Attribute, FloatAttr, IndexType, InsertionPoint, IntegerAttr, IntegerType, Location, Type, Value
from ._arith_ops import *  # noqa: F403
from ._arith_ops import ConstantOp


def constant(
    type: Type,
    value: Attribute | int | float,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Value:
    """Builds a constant of that type: from a number for integers, index and floating point, and from an attribute for
    other types. Raises ValueError for a number with a fraction if the type is an integer."""
    if not isinstance(value, Attribute):
        if isinstance(type, (IntegerType, IndexType)):
            whole = int(value)
            if whole != value:
                raise ValueError(f"{value!r} is not a constant of the type {type}: it is not an integer")
            value = IntegerAttr.get(type, whole)
        else:
            value = FloatAttr.get(type, float(value))
    return ConstantOp(type, value, loc=loc, ip=ip).results[0]
