# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builders of the dialect func."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import (
    Block,
    FlatSymbolRefAttr,
    FunctionType,
    InsertionPoint,
    Location,
    StringAttr,
    Type,
    TypeAttr,
    Value,
)
from . import _func_ops
from ._builders import ValueLike, context_of, register
from ._func_ops import *  # noqa: F403


@register
class FuncOp(_func_ops.FuncOp):
    """A function: `FuncOp("step", ([f64], [f64]))` or `FuncOp("step", FunctionType.get([f64], [f64]))`. One that is
    only declared is private."""

    __slots__ = ()

    def __init__(
        self,
        name: str,
        type: FunctionType | tuple[Sequence[Type], Sequence[Type]],
        *,
        visibility: str | None = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None:
        if isinstance(type, tuple):
            type = FunctionType.get(list(type[0]), list(type[1]), context_of(loc, ip))
        super().__init__(name, type, sym_visibility=visibility, loc=loc, ip=ip)

    def add_entry_block(self, arg_locs: Sequence[Location] | None = None) -> Block:
        """The first block, whose arguments are the function's. ValueError if there is one."""
        if len(self.regions[0]):
            raise ValueError("the function has a body")
        return self.regions[0].blocks.append(*self.type.inputs, arg_locs=arg_locs)

    @property
    def type(self) -> FunctionType:
        attribute = self.attributes["function_type"]
        found = attribute.value if isinstance(attribute, TypeAttr) else None
        if not isinstance(found, FunctionType):
            raise ValueError("the function is not valid: it has no type")
        return found

    @property
    def symbol(self) -> str:
        """Its name."""
        name = self.attributes["sym_name"]
        if not isinstance(name, StringAttr):
            raise ValueError("the function is not valid: it has no name")
        return name.value

    @property
    def is_external(self) -> bool:
        """It has no body."""
        return len(self.regions[0]) == 0

    @property
    def entry_block(self) -> Block:
        return self.regions[0].blocks[0]

    @property
    def arguments(self) -> list[Value]:
        return list(self.entry_block.arguments)


def call(
    callee: FuncOp | str,
    operands: Sequence[ValueLike],
    results: Sequence[Type] | None = None,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> list[Value]:
    """Calls a function; its results. The types of results are needed where the callee is a name."""
    if isinstance(callee, FuncOp):
        types = list(callee.type.results)
        name = callee.symbol
    else:
        if results is None:
            raise ValueError("a call of a function by its name needs the types of its results")
        types, name = list(results), callee
    symbol = FlatSymbolRefAttr.get(name, context_of(loc, ip))
    return list(_func_ops.CallOp(types, symbol, operands, loc=loc, ip=ip).results)


def return_(
    operands: Sequence[ValueLike] = (),
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> _func_ops.ReturnOp:
    """Returns from the function."""
    return _func_ops.ReturnOp(operands, loc=loc, ip=ip)
