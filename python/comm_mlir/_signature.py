# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a function takes and returns, as plain data that calls are checked against and the cache can keep."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .ir import (
    ComplexType,
    F16Type,
    F32Type,
    F64Type,
    FunctionType,
    IndexType,
    IntegerType,
    MemRefType,
    Module,
    Operation,
    PointerType,
    StringAttr,
    Type,
    TypeAttr,
)

__all__ = ["Signature", "find_signatures"]

# What objects of mpi4py hold the handles of these types. Requests and statuses have memory that would be gone after the
# call.
HANDLES = {
    "!comm.comm": "Comm",
    "!comm.datatype": "Datatype",
    "!comm.group": "Group",
    "!comm.info": "Info",
    "!comm.op": "Op",
    "!comm.win": "Win",
}


@dataclass
class Signature:
    """A function: what is passed for each parameter and result (Parameter in python/src/Arguments.h)."""

    name: str
    parameters: list[dict[str, Any]] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)

    def mark_read_only(self, arguments: set[int]) -> None:
        """Notes which arguments, counted as LLVM IR has them, the function does not write through."""
        position = 0
        for parameter in self.parameters:
            if parameter["kind"] == "memref":
                # A memref begins with two addresses: what was allocated, and where its elements begin.
                parameter["writes"] = not {position, position + 1} <= arguments
                position += 3 + 2 * len(parameter["shape"])
            else:
                if parameter["kind"] == "pointer":
                    parameter["writes"] = position not in arguments
                position += 1


def _element(type: Type) -> tuple[str, int] | None:
    """Kind and size in bytes of an element in memory."""
    if isinstance(type, (F16Type, F32Type, F64Type)):
        return "f", {F16Type: 2, F32Type: 4, F64Type: 8}[_class(type)]
    if isinstance(type, IndexType):
        return "i", 8
    if isinstance(type, IntegerType):
        if type.width == 1:
            return "b", 1
        return ("i", type.width // 8) if type.width in (8, 16, 32, 64) else None
    if isinstance(type, ComplexType):
        inner = _element(type.element_type)
        return ("c", 2 * inner[1]) if inner and inner[0] == "f" and inner[1] >= 4 else None
    return None


def _class(type: Type) -> Any:
    return type.__class__


def _strides(text: str, where: str) -> list[int | None] | None:
    """The strides of a memref's type; None if it is contiguous."""
    found = re.search(r"strided<\[([^\]]*)\](?:, offset: (\?|-?\d+))?>", text)
    if not found:
        if "affine_map" in text:
            raise TypeError(f"{where} has the type {text}, whose layout no array has: use a strided layout")
        return None
    if found.group(2) not in (None, "?", "0"):
        raise TypeError(f"{where} has the type {text}: arrays have an offset of 0, or one that is not known (?)")
    words = [word.strip() for word in found.group(1).split(",") if word.strip()]
    return [None if word == "?" else int(word) for word in words]


def _memref(type: MemRefType, where: str) -> dict[str, Any]:
    element = _element(type.element_type)
    if element is None:
        raise TypeError(f"{where} has the type {type}, whose elements no array has")
    if type.memory_space is not None:
        raise TypeError(f"{where} has the type {type}: arrays are in the default memory space")
    dynamic = MemRefType.get_dynamic_size()
    return {
        "kind": "memref",
        "element": element[0],
        "size": element[1],
        "shape": [None if size == dynamic else size for size in type.shape],
        "strides": _strides(str(type), where),
    }


def describe(type: Type, name: str, where: str) -> dict[str, Any]:
    """What may be passed for a parameter of that type. TypeError if nothing may."""
    result: dict[str, Any] = {"name": name, "description": f"for {type}"}
    if isinstance(type, MemRefType):
        result.update(_memref(type, where))
    elif isinstance(type, IndexType):
        result.update(kind="integer", bits=64, index=True)
    elif isinstance(type, IntegerType) and type.width in (1, 8, 16, 32, 64):
        result.update(kind="integer", bits=type.width)
    elif isinstance(type, (F32Type, F64Type)):
        result.update(kind="float", bits=32 if isinstance(type, F32Type) else 64)
    elif str(type) in HANDLES:
        result["kind"], result["class"] = "handle", HANDLES[str(type)]
    elif isinstance(type, PointerType):
        result.update(kind="pointer", element="f", size=0)
    else:
        raise TypeError(
            f"{where} has the type {type}, which Python cannot pass: numbers (i1 to i64, index, f32, f64), memrefs with"
            " a rank and handles of mpi4py (communicators, datatypes, operators, groups, windows, infos) can be"
        )
    return result


def _result(type: Type, where: str) -> dict[str, Any]:
    if isinstance(type, (MemRefType, PointerType)):
        raise TypeError(
            f"{where} has the type {type}, and nobody would own that memory: let the caller pass an array to write to"
        )
    return describe(type, "", where)


def _entry(op: Operation, names: list[str] | None) -> Signature | None:
    symbol, kind = op.attributes.get("sym_name"), op.attributes.get("function_type")
    visibility = op.attributes.get("sym_visibility")
    if op.name not in ("func.func", "llvm.func") or not isinstance(symbol, StringAttr) or not len(op.regions[0]):
        return None
    if isinstance(visibility, StringAttr) and visibility.value != "public":
        return None
    if op.name == "llvm.func" and "internal" in str(op.attributes.get("linkage")):
        return None
    type = kind.value if isinstance(kind, TypeAttr) else None
    signature = Signature(symbol.value)
    inputs: list[Type]
    if isinstance(type, FunctionType):
        inputs, results = type.inputs, type.results
    else:
        # A function of the llvm dialect says what it takes by its body.
        inputs = [argument.type for argument in op.regions[0].blocks[0].arguments]
        results = [operand.type for block in op.regions[0] for last in _returns(block) for operand in last.operands][:1]
    for i, input in enumerate(inputs):
        name = names[i] if names else f"arg{i}"
        signature.parameters.append(describe(input, name, f"parameter {i} of @{symbol.value}"))
    for i, result in enumerate(results):
        signature.results.append(_result(result, f"result {i} of @{symbol.value}"))
    return signature


def _returns(block: Any) -> list[Operation]:
    return [op for op in block if op.name == "llvm.return"]


def find_signatures(module: Module, functions: list[str] | None, names: list[str] | None) -> list[Signature]:
    """The functions that are called from outside: those asked for, else all that can be. ValueError if one of those
    asked for is not there, TypeError if its type cannot be passed."""
    found: list[Signature] = []
    skipped: list[TypeError] = []
    for op in module.body:
        symbol = op.attributes.get("sym_name")
        wanted = functions is None or (isinstance(symbol, StringAttr) and symbol.value in functions)
        try:
            signature = _entry(op, names) if wanted else None
        except TypeError as error:
            if functions is not None:
                raise
            skipped.append(error)
            continue
        if signature:
            found.append(signature)
    missing = set(functions or ()) - {signature.name for signature in found}
    if missing:
        raise ValueError(f"the module has no public function @{min(missing)} with a body")
    if not found:
        if skipped:
            raise skipped[0]
        raise ValueError("the module has no public function with a body")
    return found
