# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that the generated builders of operations share. Users do not need them."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, TypeVar, Union

from .. import _core
from ..ir import (
    Attribute,
    Context,
    DenseI32ArrayAttr,
    FlatSymbolRefAttr,
    IndexType,
    InsertionPoint,
    IntegerAttr,
    IntegerType,
    Location,
    ModeAttr,
    Operation,
    OpView,
    ShapedType,
    Type,
    UnitAttr,
    Value,
)

__all__ = [
    "ENUM_TEXTS",
    "AttributeLike",
    "ValueLike",
    "attribute_of",
    "dense",
    "element_type",
    "enum_attribute",
    "enum_integer",
    "fixed_type",
    "i1_like",
    "integer",
    "mpi_outcomes",
    "mpi_results",
    "optional_operand",
    "optional_result",
    "register",
    "results_or_op",
    "single_operand",
    "single_result",
    "symbol",
    "type_of",
    "unit",
    "variadic_operand",
    "variadic_result",
]

AttributeLike = Union[Attribute, Type, int, float, str, Sequence[Any]]
ValueLike = Union[Value, Operation]
Where = Union[InsertionPoint, bool, None]

# MLIR's names of the cases of enumerations, by value.
ENUM_TEXTS: dict[type[enum.IntEnum] | type[enum.IntFlag], dict[int, str]] = {}

_Class = TypeVar("_Class", bound="type[OpView]")


def register(cls: _Class) -> _Class:
    """Makes operations of that name objects of the class."""
    _core.register_operation(cls.OPERATION_NAME, cls)
    return cls


def context_of(loc: Location | None, ip: Where) -> Context:
    if loc is not None:
        if not isinstance(loc, Location):
            raise TypeError(f"loc must be a Location, not {loc!r}")
        return loc.context
    if isinstance(ip, InsertionPoint):
        return ip.block.context
    current = Context.current
    if current is None:
        raise ValueError("no context: use `with Context():`, or give loc or ip")
    return current


# Types of results.


def fixed_type(text: str, loc: Location | None, ip: Where) -> Type:
    return Type.parse(text, context_of(loc, ip))


def value_of(value: ValueLike) -> Value:
    if isinstance(value, Operation):
        return value.result
    if isinstance(value, Value):
        return value
    if isinstance(value, (int, float)):
        raise TypeError(
            f"an operand is a Value, not the number {value!r}: build one, as arith.constant(type, {value!r}) does"
        )
    raise TypeError(f"an operand is a Value, or an Operation with one result, not {value!r}")


def type_of(value: ValueLike) -> Type:
    # The common case first: this runs for each operation that is built.
    return value.type if isinstance(value, Value) else value_of(value).type


def element_type(value: ValueLike) -> Type:
    found = type_of(value)
    if not isinstance(found, ShapedType):
        raise ValueError(f"a value of the type {found} has no elements")
    return found.element_type


def i1_like(value: ValueLike) -> Type:
    """Returns the type of a boolean per element."""
    found = type_of(value)
    i1 = IntegerType.get_signless(1, found.context)
    if not isinstance(found, ShapedType):
        return i1
    return Type.parse(str(found).replace(f"{found.element_type}", "i1"), found.context)


# Attributes.


def unit(loc: Location | None, ip: Where) -> Attribute:
    return UnitAttr.get(context_of(loc, ip))


def integer(value: AttributeLike, text: str, loc: Location | None, ip: Where) -> AttributeLike:
    if isinstance(value, Attribute) or not isinstance(value, int):
        return value
    context = context_of(loc, ip)
    kind: Type = IndexType.get(context) if text == "index" else IntegerType.get_signless(int(text[1:]), context)
    return IntegerAttr.get(kind, value)


def symbol(value: AttributeLike, loc: Location | None, ip: Where) -> AttributeLike:
    return FlatSymbolRefAttr.get(value, context_of(loc, ip)) if isinstance(value, str) else value


def dense(value: AttributeLike, cls: Any, loc: Location | None, ip: Where) -> AttributeLike:
    if isinstance(value, (list, tuple)):
        array: Attribute = cls.get(list(value), context_of(loc, ip))
        return array
    return value


def enum_value(value: object, cls: Any) -> int:
    """Returns the number of a case, given as a number, as a member, or by its name in MLIR or C++."""
    if isinstance(value, str):
        for number, text in ENUM_TEXTS[cls].items():
            if text == value:
                return number
        if value in cls.__members__:
            return int(cls[value])
        raise ValueError(f"'{value}' is not one of {', '.join(ENUM_TEXTS[cls].values())}")
    if isinstance(value, int) and not isinstance(value, bool):
        return int(cls(value))
    raise TypeError(f"{value!r} is not an instance of {cls.__name__}")


def enum_integer(value: AttributeLike, cls: Any, text: str, loc: Location | None, ip: Where) -> AttributeLike:
    if isinstance(value, Attribute):
        return value
    return IntegerAttr.get(IntegerType.get_signless(int(text[1:]), context_of(loc, ip)), enum_value(value, cls))


def enum_attribute(value: AttributeLike, cls: Any, mnemonic: str, loc: Location | None, ip: Where) -> AttributeLike:
    if isinstance(value, Attribute):
        return value
    number = enum_value(value, cls)
    texts = ENUM_TEXTS[cls]
    text = texts.get(number) or ", ".join(t for bit, t in texts.items() if bit and number & bit == bit)
    context = context_of(loc, ip)
    if mnemonic == "comm.mode":
        return ModeAttr.get(text, context)
    return Attribute.parse(f"#{mnemonic}<{text}>", context)


# Results of MPI operations, which are requested by name.


def mpi_outcomes(outcomes: Sequence[str], mode: object, request: object, names: list[str]) -> Sequence[str]:
    """Adds the request to the results of a started operation, unless the request is in memory."""
    if isinstance(mode, Attribute):
        is_async = isinstance(mode, ModeAttr) and mode.value == "async"
    else:
        is_async = mode in ("async", 1)
    if is_async and request is None and "request" in names and "request" not in outcomes:
        return ["request", *outcomes]
    return outcomes


def mpi_results(
    outcomes: Sequence[str], names: list[str], texts: list[str], loc: Location | None, ip: Where
) -> tuple[list[int] | None, list[Type]]:
    if isinstance(outcomes, str):
        outcomes = [outcomes]
    clean = [name[: -len("_result")] if name.endswith("_result") else name for name in names]
    for outcome in outcomes:
        if outcome not in clean:
            raise ValueError(f"there is no outcome '{outcome}': the outcomes are {', '.join(clean)}")
    wanted = [name in outcomes for name in clean]
    context = context_of(loc, ip)
    types = [Type.parse(text, context) for text, is_wanted in zip(texts, wanted) if is_wanted]
    return [int(w) for w in wanted], types


def results_or_op(op: OpView) -> Any:
    """Returns the operation if it has no results, its only result, or the list of its results."""
    results = op.results
    if len(results) == 1:
        return results[0]
    return results if results else op


def attribute_of(op: OpView, name: str) -> Attribute | None:
    found = op.attributes.get(name)
    return found if isinstance(found, Attribute) else None


# Groups of operands and results.


def _group(kind: str, op: OpView, values: list[Value], index: int, groups: tuple[str, ...], sized: bool) -> list[Value]:
    if sized:
        stored = op.attributes.get(f"{kind}SegmentSizes")
        sizes = list(stored) if isinstance(stored, DenseI32ArrayAttr) else []
    else:
        flexible = len(values) - sum(g == "single" for g in groups)
        sizes = [1 if g == "single" else flexible for g in groups]
    if len(sizes) != len(groups) or min(sizes, default=0) < 0 or sum(sizes) != len(values):
        raise ValueError(f"the operation is not valid: it has not the {kind}s that {op.name} has")
    begin = sum(sizes[:index])
    return values[begin : begin + sizes[index]]


def _one(found: list[Value]) -> Value:
    if len(found) != 1:
        raise ValueError("the operation is not valid: a value is missing")
    return found[0]


def single_operand(op: OpView, index: int, groups: tuple[str, ...], sized: bool) -> Value:
    return _one(_group("operand", op, list(op.operands), index, groups, sized))


def optional_operand(op: OpView, index: int, groups: tuple[str, ...], sized: bool) -> Value | None:
    found = _group("operand", op, list(op.operands), index, groups, sized)
    return found[0] if found else None


def variadic_operand(op: OpView, index: int, groups: tuple[str, ...], sized: bool) -> list[Value]:
    return _group("operand", op, list(op.operands), index, groups, sized)


def single_result(op: OpView, index: int, groups: tuple[str, ...], sized: bool) -> Value:
    return _one(_group("result", op, list(op.results), index, groups, sized))


def optional_result(op: OpView, index: int, groups: tuple[str, ...], sized: bool) -> Value | None:
    found = _group("result", op, list(op.results), index, groups, sized)
    return found[0] if found else None


def variadic_result(op: OpView, index: int, groups: tuple[str, ...], sized: bool) -> list[Value]:
    return _group("result", op, list(op.results), index, groups, sized)
