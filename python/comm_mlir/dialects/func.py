# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builders of the dialect func."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from typing import Any, Callable

from ..ir import (
    Block,
    FlatSymbolRefAttr,
    FunctionType,
    InsertionPoint,
    InvalidatedError,
    Location,
    StringAttr,
    Type,
    TypeAttr,
    Value,
)
from . import _func_ops
from ._builders import ValueLike, context_of, register, value_of
from ._func_ops import *  # noqa: F403


@register
class FuncOp(_func_ops.FuncOp):
    """A function: `FuncOp("step", ([f64], [f64]))` or `FuncOp("step", FunctionType.get([f64], [f64]))`. A function that
    is only declared is private."""

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

    @classmethod
    def from_py_func(
        cls,
        *inputs: Type,
        results: Sequence[Type] | None = None,
        name: str | None = None,
        visibility: str | None = None,
        loc: Location | None = None,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorates a Python function that builds the body of a function of that name with these parameter types:
        `@FuncOp.from_py_func(f64, f64)`. The Python function runs immediately, with the arguments of the body. The
        built function returns what the Python function returns (a value, several, or None), unless that has built a
        func.return; this determines the result types.

        Afterwards the name stands for a Python function that builds a call: `step(x)` builds a func.call and returns
        its result, the list of its results if there are several, or None. `step.func_op` is the operation.
        """
        if not all(isinstance(input, Type) for input in inputs):
            raise TypeError("from_py_func takes the types of the parameters: @FuncOp.from_py_func(f64, f64)")

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            symbol = name if name is not None else function.__name__
            op = cls(symbol, (list(inputs), list(results or ())), visibility=visibility, loc=loc)
            try:
                _build_body(op, function, inputs, results)
            except BaseException:
                with contextlib.suppress(InvalidatedError):
                    op.erase()
                raise

            @functools.wraps(function)
            def caller(*args: ValueLike) -> Any:
                found = call(op, args)
                return found[0] if len(found) == 1 else found or None

            caller.func_op = op  # type: ignore[attr-defined]
            return caller

        return decorate

    def add_entry_block(self, arg_locs: Sequence[Location] | None = None) -> Block:
        """Adds the first block, whose arguments are those of the function. Raises ValueError if there is one."""
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
        """The function's name."""
        name = self.attributes["sym_name"]
        if not isinstance(name, StringAttr):
            raise ValueError("the function is not valid: it has no name")
        return name.value

    @property
    def is_external(self) -> bool:
        """True if the function has no body."""
        return len(self.regions[0]) == 0

    @property
    def entry_block(self) -> Block:
        return self.regions[0].blocks[0]

    @property
    def arguments(self) -> list[Value]:
        return list(self.entry_block.arguments)


def _build_body(
    op: FuncOp, function: Callable[..., Any], inputs: Sequence[Type], results: Sequence[Type] | None
) -> None:
    """Builds the body for from_py_func and sets the function's type."""
    block = op.add_entry_block()
    with InsertionPoint(block):
        returned = function(*block.arguments)
        last = list(block)[-1:]
        if last and last[0].name == "func.return":
            if returned is not None:
                raise ValueError(f"{op.symbol}() returns values and has built a func.return as well")
            values = list(last[0].operands)
        else:
            items = [] if returned is None else returned
            values = [value_of(item) for item in (items if isinstance(items, (list, tuple)) else [items])]
            return_(values)
    types = [value.type for value in values]
    if results is not None and types != list(results):
        raise ValueError(f"{op.symbol}() returns {types}, and {list(results)} are its results")
    op.attributes["function_type"] = TypeAttr.get(FunctionType.get(list(inputs), types, op.context))


def call(
    callee: FuncOp | str,
    operands: Sequence[ValueLike],
    results: Sequence[Type] | None = None,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> list[Value]:
    """Builds a call and returns its results. The result types are required if the callee is a name."""
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
    """Builds a return from the function."""
    return _func_ops.ReturnOp(operands, loc=loc, ip=ip)
