# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parameters and results of a function, as plain data against which calls are checked and which the cache can
store."""

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

__all__ = ["Signature", "check_lowered", "find_signatures"]

# The mpi4py classes whose objects hold handles of these types. Requests and statuses are not supported, because their
# memory would be gone after the call.
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
    """A function: what each parameter and result accepts (Parameter in python/src/Arguments.h)."""

    name: str
    parameters: list[dict[str, Any]] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)

    def mark_read_only(self, arguments: set[int]) -> None:
        """Records the arguments, numbered as in LLVM IR, through which the function does not write."""
        position = 0
        for parameter in self.parameters:
            if parameter["kind"] == "memref":
                # A memref starts with two pointers: to the allocation and to its elements.
                parameter["writes"] = not {position, position + 1} <= arguments
                position += 3 + 2 * len(parameter["shape"])
            else:
                if parameter["kind"] == "pointer":
                    parameter["writes"] = position not in arguments
                position += 1


def _element(type: Type) -> tuple[str, int] | None:
    """Returns the kind and size in bytes of an element in memory."""
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
    """Returns the strides of a memref's type, or None if it is contiguous."""
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
    """Returns a description of the arguments that a parameter of that type accepts. Raises TypeError if there are
    none."""
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
            f"{where} has the type {type}, and its memory would have no owner: let the caller pass an array to write to"
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
        # The body of a function of the llvm dialect shows its types.
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
    """Returns the functions to call from outside: the requested ones, or all that can be called. Raises ValueError if a
    requested function does not exist, and TypeError if its type cannot be passed."""
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


def _fits(parameter: dict[str, Any], types: list[str]) -> bool:
    """Returns True if the next parameters in the llvm dialect match the words that calls pass. Removes those
    parameters."""
    if parameter["kind"] == "memref":
        wanted = ["!llvm.ptr", "!llvm.ptr"] + ["i64"] * (1 + 2 * len(parameter["shape"]))
    elif parameter["kind"] == "integer":
        wanted = [f"i{parameter['bits']}"]
    elif parameter["kind"] == "float":
        wanted = [f"f{parameter['bits']}"]
    elif parameter["kind"] == "handle" and types[:1] == ["i32"]:
        wanted = ["i32"]
    else:
        wanted = ["!llvm.ptr"]
    found, types[: len(wanted)] = types[: len(wanted)], []
    return found == wanted


def check_lowered(module: Module, signatures: list[Signature]) -> None:
    """Raises ValueError if a function of the llvm dialect does not match the words that calls pass, since a pipeline
    may change any type."""
    functions: dict[str, Operation] = {}
    for op in module.body:
        symbol = op.attributes.get("sym_name")
        if op.name == "llvm.func" and isinstance(symbol, StringAttr) and len(op.regions[0]):
            functions[symbol.value] = op
    for signature in signatures:
        op_ = functions.get(signature.name)
        if op_ is None:
            raise ValueError(f"the pipeline left no function @{signature.name} of the llvm dialect with a body")
        types = [str(argument.type) for argument in op_.regions[0].blocks[0].arguments]
        if not all(_fits(parameter, types) for parameter in signature.parameters) or types:
            raise ValueError(
                f"the pipeline changed what @{signature.name} takes: let it keep the types of functions, which calls"
                " are checked against"
            )
