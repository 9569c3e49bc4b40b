# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's IR, with the names and conventions of MLIR's own bindings.

A Module owns its contents. Using an object whose IR is gone (erased, deleted with its module, or possibly deleted by
passes) raises InvalidatedError. Errors of MLIR raise MLIRError, which has the diagnostics.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ._core import (
    Access,
    AffineAddExpr,
    AffineBinaryExpr,
    AffineCeilDivExpr,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineFloorDivExpr,
    AffineMap,
    AffineMapAttr,
    AffineModExpr,
    AffineMulExpr,
    AffineSymbolExpr,
    ArrayAttr,
    Attribute,
    BF16Type,
    Block,
    BlockArgument,
    BlockList,
    BoolAttr,
    CommunicatorType,
    Completion,
    ComplexType,
    Context,
    DatatypeType,
    DenseBoolArrayAttr,
    DenseElementsAttr,
    DenseF32ArrayAttr,
    DenseF64ArrayAttr,
    DenseI32ArrayAttr,
    DenseI64ArrayAttr,
    DiagnosticInfo,
    DiagnosticSeverity,
    DictAttr,
    Extent,
    F16Type,
    F32Type,
    F64Type,
    FlatSymbolRefAttr,
    FloatAttr,
    FunctionType,
    GroupType,
    IndexType,
    InfoType,
    InsertionPoint,
    IntegerAttr,
    IntegerSet,
    IntegerSetAttr,
    IntegerSetConstraint,
    IntegerType,
    InvalidatedError,
    Location,
    Matching,
    MatchingKind,
    MemRefType,
    MessageType,
    MLIRError,
    ModeAttr,
    NoneType,
    OpAttributeMap,
    Operation,
    OperationIterator,
    OperationList,
    OpOperand,
    OpOperandList,
    OpResult,
    PointerType,
    RankedTensorType,
    ReductionOpType,
    Region,
    RemoteAccess,
    RequestType,
    ShapedType,
    Source,
    StatusType,
    StridedLayoutAttr,
    StringAttr,
    SymbolRefAttr,
    TupleType,
    Type,
    TypeAttr,
    UnitAttr,
    UnrankedMemRefType,
    UnrankedTensorType,
    Value,
    VectorType,
    WalkOrder,
    WalkResult,
    WindowType,
    constant_name,
)
from ._core import Module as _Module

__all__ = [
    "Access",
    "AffineAddExpr",
    "AffineBinaryExpr",
    "AffineCeilDivExpr",
    "AffineConstantExpr",
    "AffineDimExpr",
    "AffineExpr",
    "AffineFloorDivExpr",
    "AffineMap",
    "AffineModExpr",
    "AffineMulExpr",
    "AffineSymbolExpr",
    "IntegerSet",
    "IntegerSetAttr",
    "IntegerSetConstraint",
    "AffineMapAttr",
    "ArrayAttr",
    "Attribute",
    "BF16Type",
    "Block",
    "BlockArgument",
    "BlockList",
    "BoolAttr",
    "CommunicatorType",
    "Completion",
    "ComplexType",
    "Context",
    "DatatypeType",
    "DenseBoolArrayAttr",
    "DenseElementsAttr",
    "DenseF32ArrayAttr",
    "DenseF64ArrayAttr",
    "DenseI32ArrayAttr",
    "DenseI64ArrayAttr",
    "DiagnosticInfo",
    "DiagnosticSeverity",
    "DictAttr",
    "Extent",
    "F16Type",
    "F32Type",
    "F64Type",
    "FlatSymbolRefAttr",
    "FloatAttr",
    "FunctionType",
    "GroupType",
    "IndexType",
    "InfoType",
    "InsertionPoint",
    "IntegerAttr",
    "IntegerType",
    "InvalidatedError",
    "Location",
    "MLIRError",
    "Matching",
    "MatchingKind",
    "MemRefType",
    "MessageType",
    "ModeAttr",
    "Module",
    "NoneType",
    "OpAttributeMap",
    "OpOperand",
    "OpOperandList",
    "OpResult",
    "OpView",
    "Operation",
    "OperationIterator",
    "OperationList",
    "PointerType",
    "RankedTensorType",
    "ReductionOpType",
    "Region",
    "RemoteAccess",
    "RequestType",
    "ShapedType",
    "Source",
    "StatusType",
    "StridedLayoutAttr",
    "StringAttr",
    "SymbolRefAttr",
    "SymbolTable",
    "TupleType",
    "Type",
    "TypeAttr",
    "UnitAttr",
    "UnrankedMemRefType",
    "UnrankedTensorType",
    "Value",
    "VectorType",
    "WalkOrder",
    "WalkResult",
    "WindowType",
    "constant_name",
]


class OpView(Operation):
    """An operation with a class of its own, with builders and properties. The generated classes derive from this
    one."""

    __slots__ = ()
    OPERATION_NAME: ClassVar[str]


class Module(_Module):
    """A module of operations, which it owns: its contents are gone when the Module is."""

    __slots__ = ()

    @staticmethod
    def parse(asm: str | bytes, context: Context | None = None) -> Module:
        """Parses a module from text or bytecode and verifies it. Raises MLIRError if it is not valid."""
        return Module(_Module.parse(asm, context))

    @staticmethod
    def parse_file(path: str | os.PathLike[str], context: Context | None = None) -> Module:
        """Parses the module in a file of text or bytecode."""
        with open(os.fspath(path), "rb") as file:
            content = file.read()
        return Module.parse(content if content.startswith(b"ML\xefR") else content.decode(), context)

    # The name in MLIR's bindings.
    parseFile = parse_file  # noqa: N815

    @staticmethod
    def create(loc: Location | None = None) -> Module:
        """Makes an empty module."""
        return Module(_Module.create(loc))

    def write_bytecode(self, path: str | os.PathLike[str]) -> None:
        """Writes the module to a file."""
        with open(os.fspath(path), "wb") as file:
            file.write(self.operation.to_bytecode())

    def verify(self) -> bool:
        """Returns True. Raises MLIRError if the module is not valid."""
        return self.operation.verify()

    def walk(self, callback: Any, walk_order: WalkOrder = WalkOrder.POST_ORDER) -> None:
        """Visits all operations, as Operation.walk does."""
        self.operation.walk(callback, walk_order)

    def dump(self) -> None:
        """Prints the module to standard error."""
        print(self, file=sys.stderr)

    def clone(self) -> Module:
        """Returns a copy that owns its operations."""
        return Module.parse(self.operation.to_bytecode(), self.context)

    def __str__(self) -> str:
        return str(self.operation)


class SymbolTable:
    """The symbols of an operation, such as the functions of a module, by name."""

    def __init__(self, op: Operation | _Module) -> None:
        if not isinstance(op, (Operation, _Module)):
            raise TypeError(f"symbols are in an Operation or a Module, not in {op!r}")
        self._op = op.operation if isinstance(op, _Module) else op
        if len(self._op.regions) != 1:
            raise ValueError(f"{self._op.name} holds no symbols")

    def _operations(self) -> Iterator[Operation]:
        for block in self._op.regions[0]:
            yield from block

    def _find(self, name: str) -> Operation | None:
        for op in self._operations():
            attribute = op.attributes.get("sym_name")
            if isinstance(attribute, StringAttr) and attribute.value == name:
                return op
        return None

    def __contains__(self, name: str) -> bool:
        return self._find(name) is not None

    def __getitem__(self, name: str) -> Operation:
        found = self._find(name)
        if found is None:
            raise KeyError(f"there is no symbol '{name}'")
        return found

    def __delitem__(self, name: str) -> None:
        self[name].erase()

    def insert(self, op: Operation) -> StringAttr:
        """Inserts a detached symbol at the end, under a name that is unique in the table. Returns the name."""
        if not isinstance(op, Operation):
            raise TypeError(f"a symbol is an Operation, not {op!r}")
        wanted = op.attributes.get("sym_name")
        if not isinstance(wanted, StringAttr):
            raise ValueError("the operation has no name")
        name, number = wanted.value, 0
        while name in self:
            name, number = f"{wanted.value}_{number}", number + 1
        attribute = StringAttr.get(name, op.context)
        op.attributes["sym_name"] = attribute
        self._op.regions[0].blocks[0].append(op)
        return attribute

    @staticmethod
    def get_symbol_name(symbol: Operation) -> StringAttr:
        if not isinstance(symbol, Operation):
            raise TypeError(f"a symbol is an Operation, not {symbol!r}")
        name = symbol.attributes.get("sym_name")
        if not isinstance(name, StringAttr):
            raise ValueError("the operation has no name")
        return name

    def erase(self, symbol: Operation) -> None:
        """Deletes a symbol of this table. Raises ValueError if it is not one."""
        if not any(op == symbol for op in self._operations()):
            raise ValueError("the operation is not a symbol of this table")
        symbol.erase()

    @staticmethod
    def set_symbol_name(symbol: Operation, name: str) -> None:
        """Renames a symbol. Uses of the old name stay."""
        SymbolTable.get_symbol_name(symbol)
        symbol.attributes["sym_name"] = StringAttr.get(name, symbol.context)

    @staticmethod
    def get_visibility(symbol: Operation) -> StringAttr:
        """Returns 'public', 'private' or 'nested'."""
        SymbolTable.get_symbol_name(symbol)
        found = symbol.attributes.get("sym_visibility")
        return found if isinstance(found, StringAttr) else StringAttr.get("public", symbol.context)

    @staticmethod
    def set_visibility(symbol: Operation, visibility: str) -> None:
        SymbolTable.get_symbol_name(symbol)
        if visibility not in ("public", "private", "nested"):
            raise ValueError(f"a symbol is 'public', 'private' or 'nested', not {visibility!r}")
        symbol.attributes["sym_visibility"] = StringAttr.get(visibility, symbol.context)

    @property
    def names(self) -> Sequence[str]:
        """Returns the names of all symbols, in their order."""
        found = [op.attributes.get("sym_name") for op in self._operations()]
        return [attribute.value for attribute in found if isinstance(attribute, StringAttr)]
