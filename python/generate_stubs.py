#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the type stubs of comm_mlir._core from the module itself.

    PYTHONPATH=build/python generate_stubs.py -o python/comm_mlir/_core.pyi [--check]

Signatures are pybind11's. Where the module takes or returns any object (e.g. the most derived class of a type), the
tables below specify its type. With --check, nothing is written; the exit code says if the file is up to date.
"""

from __future__ import annotations

import argparse
import enum
import re
import sys
from pathlib import Path

# Types of parameters with these names.
PARAMETERS = {
    "context": "Context | None",
    "loc": "Location | None",
    "ip": "InsertionPoint | bool | None",
    "arg_locs": "Sequence[Location] | None",
    "arg_types": "Sequence[Type]",
    "results": "Sequence[Type] | None",
    "operands": "Sequence[Value | Operation] | None",
    "attributes": "Mapping[str, Any] | None",
    "successors": "Sequence[Block] | None",
    "with_": "Value | Operation",
    "exceptions": "Operation | Sequence[Operation]",
    "function": "Callable[[Any], object]",
    "callback": "Callable[[Any], object]",
    "returns": "Sequence[dict[str, Any]]",
    "takes": "Sequence[dict[str, Any]]",
    "python_type": "type | None",
}
# Types of results and properties that the module declares as `object` or `list`.
RETURNS = {
    "AffineBinaryExpr.lhs": "AffineExpr",
    "AffineBinaryExpr.rhs": "AffineExpr",
    "AffineExpr.compose": "AffineExpr",
    "AffineExpr.get_constant": "AffineConstantExpr",
    "AffineExpr.get_dim": "AffineDimExpr",
    "AffineExpr.get_symbol": "AffineSymbolExpr",
    "AffineConstantExpr.get": "AffineConstantExpr",
    "AffineDimExpr.get": "AffineDimExpr",
    "AffineMap.results": "list[AffineExpr]",
    "AffineSymbolExpr.get": "AffineSymbolExpr",
    "IntegerSet.constraints": "list[IntegerSetConstraint]",
    "IntegerSetConstraint.expr": "AffineExpr",
    "Access.buffer": "Value | None",
    "Access.count": "Value | None",
    "Access.datatype": "Value | None",
    "ArrayAttr.__getitem__": "Attribute",
    "ArrayAttr.__iter__": "Iterator[Attribute]",
    "Attribute.parse": "Attribute",
    "Attribute.type": "Type",
    "Block.add_argument": "BlockArgument",
    "Block.arguments": "list[BlockArgument]",
    "Block.owner": "Operation",
    "Block.predecessors": "list[Block]",
    "Block.successors": "list[Block]",
    "BlockList.__iter__": "Iterator[Block]",
    "ComplexType.element_type": "Type",
    "CompiledFunction.__call__": "Any",
    "CompiledFunction.try_call": "Any",
    "Completion.requests": "list[Value]",
    "Context.current": "Context | None",
    "DenseF32ArrayAttr.__iter__": "Iterator[float]",
    "DenseF64ArrayAttr.__iter__": "Iterator[float]",
    "DenseI32ArrayAttr.__iter__": "Iterator[int]",
    "DenseI64ArrayAttr.__iter__": "Iterator[int]",
    "DenseElementsAttr.__array__": "Any",
    "DenseElementsAttr.get_splat_value": "Attribute",
    "DictAttr.__getitem__": "Attribute",
    "DictAttr.__iter__": "Iterator[str]",
    "FloatAttr.__float__": "float",
    "FloatAttr.type": "Type",
    "FunctionType.inputs": "list[Type]",
    "FunctionType.results": "list[Type]",
    "Graph.collectives": "list[dict[str, Any]]",
    "Graph.detect": "dict[str, Any]",
    "Graph.simulate": "dict[str, Any]",
    "InsertionPoint.current": "InsertionPoint",
    "InsertionPoint.ref_operation": "Operation | None",
    "IntegerAttr.__int__": "int",
    "IntegerAttr.type": "Type",
    "IntegerAttr.value": "int",
    "Location.current": "Location | None",
    "Matching.communicator": "Value | None",
    "Matching.peer": "Value | None",
    "Matching.tag": "Value | None",
    "MemRefType.get_strides_and_offset": "tuple[list[int], int]",
    "MemRefType.layout": "Attribute",
    "MemRefType.memory_space": "Attribute | None",
    "Module.operation": "Operation",
    "OpAttributeMap.__getitem__": "Attribute",
    "OpAttributeMap.__iter__": "Iterator[str]",
    "OpAttributeMap.get": "Any",
    "OpAttributeMap.items": "list[tuple[str, Attribute]]",
    "OpAttributeMap.keys": "list[str]",
    "OpOperand.owner": "Operation",
    "OpOperandList.__getitem__": "Value",
    "OpOperandList.__iter__": "Iterator[Value]",
    "Operation.block": "Block | None",
    "Operation.clone": "Operation",
    "Operation.create": "Any",
    "Operation.detach_from_parent": "Operation",
    "Operation.operation": "Operation",
    "Operation.opview": "Any",
    "Operation.outcomes": "dict[str, Value]",
    "Operation.params": "dict[str, list[Value]]",
    "Operation.parent": "Operation | None",
    "Operation.parse": "Any",
    "Operation.regions": "list[Region]",
    "Operation.result": "OpResult",
    "Operation.results": "list[OpResult]",
    "Operation.successors": "list[Block]",
    "OperationIterator.__iter__": "Iterator[Any]",
    "OperationIterator.__next__": "Any",
    "OperationList.__getitem__": "Any",
    "PassManager.statistics": "dict[str, dict[str, int]]",
    "compile_module": "tuple[bytes, list[tuple[str, int]], "
    "list[tuple[RemarkKind, str, str, str, Location, list[tuple[str, str]]]]]",
    "PassManager.timing": "dict[str, tuple[float, int]]",
    "Region.__iter__": "Iterator[Block]",
    "Region.owner": "Operation",
    "RemoteAccess.count": "Value",
    "RemoteAccess.datatype": "Value",
    "RemoteAccess.displacement": "Value",
    "RemoteAccess.origin": "Value",
    "RemoteAccess.target": "Value",
    "RemoteAccess.target_count": "Value",
    "RemoteAccess.target_datatype": "Value",
    "RemoteAccess.window": "Value",
    "ShapedType.element_type": "Type",
    "TupleType.get_type": "Type",
    "Type.parse": "Type",
    "TypeAttr.value": "Type",
    "Value.owner": "Any",
    "Value.type": "Type",
}
# Complete signatures where pybind11's are not good enough.
SIGNATURES = {
    "AffineMap.get": "(dim_count: int, symbol_count: int, exprs: Sequence[AffineExpr | int], "
    "context: Context | None = None) -> AffineMap",
    "IntegerSet.get": "(num_dims: int, num_symbols: int, exprs: Sequence[AffineExpr | int], eq_flags: Sequence[bool], "
    "context: Context | None = None) -> IntegerSet",
    "Location.callsite": "(callee: Location, frames: Location | Sequence[Location]) -> Location",
    "Module.parse": "(asm: str | bytes, context: Context | None = None) -> Module",
    "PassManager.run": "(self, operation: Operation | Module) -> None",
    "Value.replace_all_uses_with": "(self, value: Value | Operation) -> None",
    "Block.create_before": "(self, *args: Type, arg_locs: Sequence[Location] | None = None) -> Block",
    "Block.create_after": "(self, *args: Type, arg_locs: Sequence[Location] | None = None) -> Block",
    "BlockList.append": "(self, *args: Type, arg_locs: Sequence[Location] | None = None) -> Block",
    "OpOperandList.__setitem__": "(self, arg0: int, arg1: Value | Operation) -> None",
    "OpAttributeMap.__setitem__": "(self, arg0: str, arg1: Any) -> None",
    "register_operation": "(name: str, cls: type[Operation]) -> None",
    "ArrayAttr.get": "(attributes: Sequence[Any], context: Context | None = None) -> ArrayAttr",
    "DictAttr.get": "(value: Mapping[str, Any], context: Context | None = None) -> DictAttr",
    "Operation._build": "(self, name: str, results: Sequence[Type] | None, "
    "operands: Sequence[Value | Operation] | None, "
    "attributes: Mapping[str, Any] | None, successors: Sequence[Block] | None, regions: int, loc: Location | None, "
    "ip: InsertionPoint | bool | None, operand_segments: Sequence[int] | None, "
    "result_segments: Sequence[int] | None) -> None",
}


for _kind in ("add", "mul", "mod", "floordiv", "sub"):
    SIGNATURES[f"AffineExpr.__{_kind}__"] = "(self, other: AffineExpr | int) -> AffineExpr"
    SIGNATURES[f"AffineExpr.__r{_kind}__"] = "(self, other: AffineExpr | int) -> AffineExpr"
SIGNATURES["AffineExpr.__neg__"] = "(self) -> AffineExpr"
for _kind in ("add", "mul", "mod", "floor_div", "ceil_div"):
    SIGNATURES[f"AffineExpr.get_{_kind}"] = "(lhs: AffineExpr | int, rhs: AffineExpr | int) -> AffineExpr"
for _kind in ("Add", "Mul", "Mod", "FloorDiv", "CeilDiv"):
    SIGNATURES[f"Affine{_kind}Expr.get"] = "(lhs: AffineExpr | int, rhs: AffineExpr | int) -> AffineExpr"


class StubError(Exception):
    """The module has an entity whose type the tables do not specify."""


def clean(text: str) -> str:
    """Converts pybind11's types to Python's."""
    text = text.replace("comm_mlir._core.", "").replace("collections.abc.", "").replace("typing.", "")
    # Classes that pybind11 did not know yet.
    text = text.replace("comm::python::ContextObject", "Context")
    # Python 3.12 has a type for it.
    text = text.replace("typing_extensions.Buffer", "Any")
    text = re.sub(r"(?:\(anonymous namespace\)|comm::python)::Py(\w+)", r"\1", text)
    text = re.sub(r"(?:SupportsInt \| SupportsIndex|SupportsInt)\b", "int", text)
    text = re.sub(r"(?:SupportsFloat \| SupportsIndex|SupportsFloat)\b", "float", text)
    text = re.sub(r"Annotated\[(.+?), .*?\]", r"\1", text)
    return text


def parameters(text: str, name: str) -> str:
    parts, depth, current = [], 0, ""
    for c in text:
        depth += (c in "([{<") - (c in ")]}>")
        if c == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += c
    parts += [current.strip()] if current.strip() else []
    out = []
    for part in parts:
        label, _, rest = part.partition(":")
        hint, _, default = rest.partition(" = ")
        label, hint, default = label.strip(), clean(hint.strip()), default.strip()
        if label == "self":
            out.append("self")
            continue
        if label.startswith("*"):
            out.append(f"{label}: Any" if hint in ("", "object") else part)
            continue
        if label == "results" and name.endswith("FunctionType.get"):
            hint = "Sequence[Type]"
        else:
            hint = PARAMETERS.get(label, hint)
        if default.startswith("<"):
            default = "..."
        out.append(f"{label}: {hint}" + (f" = {default}" if default else ""))
    return ", ".join(out)


def split_signature(line: str) -> tuple[str, str]:
    """Returns the parameters and the result of `f(a: int) -> str`."""
    begin = line.index("(")
    depth = 0
    for i in range(begin, len(line)):
        depth += (line[i] == "(") - (line[i] == ")")
        if depth == 0:
            return line[begin + 1 : i], line[i + 1 :].removeprefix(" -> ").strip() or "None"
    raise StubError(f"no signature: {line}")


def returned(hint: str, key: str, classes: set[str]) -> str:
    hint = clean(hint)
    if key in RETURNS:
        return RETURNS[key]
    if key.endswith(("__enter__",)):
        return "Self"
    if re.search(r"\bobject\b|\blist\b(?!\[)|\bdict\b(?!\[)|\bIterator\b(?!\[)", hint):
        raise StubError(f"what {key} returns is not known ({hint}): tell it in RETURNS")
    return hint


def signatures(doc: str) -> list[str]:
    lines = doc.split("\n")
    if len(lines) > 1 and lines[1].startswith("Overloaded function"):
        return [re.sub(r"^\d+\. ", "", line) for line in lines if re.match(r"^\d+\. \w+\(", line)]
    return [lines[0]]


def text_of(doc: str) -> str:
    """Returns the docstring without the signatures."""
    rest = [line for line in doc.split("\n")[1:] if line.strip() and not re.match(r"^(\d+\. )?\w+\(|^Overloaded", line)]
    return " ".join(line.strip() for line in rest)


def write_function(
    out: list[str], name: str, function: object, key: str, indent: str, classes: set[str], static: bool
) -> None:
    doc = getattr(function, "__doc__", None) or ""
    found = signatures(doc) if "(" in doc else [f"{name}(self) -> object"]
    if key in SIGNATURES:
        found = [name + SIGNATURES[key]]
    if name in ("__eq__",):
        out.append(f"{indent}def __eq__(self, other: object, /) -> bool: ...")
        return
    if name == "__exit__":
        out.append(f"{indent}def __exit__(self, *args: object) -> None: ...")
        return
    for signature in found:
        params, hint = split_signature(signature)
        if key in SIGNATURES:
            text, result = params, hint
        else:
            text, result = parameters(params, key), returned(hint, key, classes)
        if len(found) > 1:
            out.append(f"{indent}@overload")
            if key == "OpOperandList.__getitem__" and "slice" in text:
                result = "list[Value]"
        if static:
            out.append(f"{indent}@staticmethod")
        text = (
            text
            if static or not indent or text.startswith("self")
            else "self" + (", " + re.sub(r"^\w+: \w+(, )?", "", text) if text else "")
        )
        if name.startswith("__") and name != "__init__" and "arg" in text and "*" not in text:
            text += ", /"
        said = text_of(doc)
        out.append(f"{indent}def {name}({text}) -> {result}:" + ("" if said and len(found) == 1 else " ..."))
        if said and len(found) == 1:
            said = said.replace("\\", "\\\\")
            out.append(f'{indent}    """{said}"""')


def write_class(out: list[str], cls: type, classes: set[str]) -> None:
    bases = [b.__name__ for b in cls.__bases__ if b.__name__ in classes or b.__name__ in ("Exception", "RuntimeError")]
    out.append(f"class {cls.__name__}({', '.join(bases)}):" if bases else f"class {cls.__name__}:")
    if cls.__doc__:
        out.append(f'    """{cls.__doc__}"""')
    size = len(out)
    if cls.__name__ == "MLIRError":
        out += ["    message: str", "    error_diagnostics: list[DiagnosticInfo]"]
    for name, member in sorted(vars(cls).items()):
        key = f"{cls.__name__}.{name}"
        if isinstance(member, property):
            getter = member.fget
            hint = (
                clean(split_signature((getter.__doc__ or "").split("\n")[0])[1])
                if getter and getter.__doc__
                else "object"
            )
            is_static = type(member).__name__ == "pybind11_static_property"
            hint = returned(hint, key, classes)
            if is_static:
                out.append(f"    {name}: ClassVar[{hint}]")
                continue
            out += ["    @property", f"    def {name}(self) -> {hint}:"]
            said = (member.__doc__ or "").strip()
            if said and "->" not in said:
                out.append(f'        """{said}"""')
            else:
                out[-1] += " ..."
            if member.fset:
                out += [f"    @{name}.setter", f"    def {name}(self, value: {hint}) -> None: ..."]
        elif name == "__hash__":
            out.append("    def __hash__(self) -> int: ...")
        elif callable(member) or isinstance(member, staticmethod):
            if name.startswith("__") and name in ("__new__", "__doc__", "__module__", "__setattr__"):
                continue
            if name == "_pybind11_conduit_v1_":
                continue
            function = member.__func__ if isinstance(member, staticmethod) else member
            if name == "__init__" and "__init__(" not in (getattr(member, "__doc__", "") or ""):
                continue
            write_function(out, name, function, key, "    ", classes, isinstance(member, staticmethod))
    if len(out) == size:
        out.append("    ..." if not cls.__doc__ else "")
    out += ["", ""]


def write_enum(out: list[str], cls: type[enum.Enum]) -> None:
    out.append(f"class {cls.__name__}({'enum.IntEnum' if issubclass(cls, enum.IntEnum) else 'enum.Enum'}):")
    if cls.__doc__:
        out.append(f'    """{cls.__doc__}"""')
    out += [f"    {member.name} = {member.value!r}" for member in cls] + ["", ""]


def make() -> str:
    # The package's sources are next to this file and have no extension module.
    sys.path[:] = [p for p in sys.path if Path(p).resolve() != Path(__file__).resolve().parent]
    from comm_mlir import _core

    out = [
        "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
        "# Generated by generate_stubs.py: do not edit.",
        "import enum",
        "from collections.abc import Callable, Iterator, Mapping, Sequence",
        "from typing import Any, ClassVar, Self, overload",
        "",
    ]
    members = {n: m for n, m in vars(_core).items() if not n.startswith("_")}
    classes = {n for n, m in members.items() if isinstance(m, type)}
    # Base classes first.
    kinds = sorted((m for m in members.values() if isinstance(m, type)), key=lambda c: (len(c.__mro__), c.__name__))
    for cls in kinds:
        if issubclass(cls, enum.Enum):
            write_enum(out, cls)
    for cls in kinds:
        if not issubclass(cls, enum.Enum):
            write_class(out, cls, classes)
    for name, member in sorted(members.items()):
        if not isinstance(member, type) and callable(member):
            write_function(out, name, member, name, "", classes, True)
            index = max(i for i, line in enumerate(out) if line == "@staticmethod")
            del out[index]
    text = "\n".join(out)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    parser.add_argument("--check", action="store_true", help="only compare")
    args = parser.parse_args()
    try:
        text = make()
    except StubError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if args.check:
        if args.output.read_text(encoding="utf-8") == text:
            return 0
        print(f"error: {args.output} is not up to date: run {Path(__file__).name}", file=sys.stderr)
        return 1
    args.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
