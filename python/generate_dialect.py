#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write Python builders of the operations of a dialect, from TableGen's records as JSON.

    llvm-tblgen --dump-json Ops.td -o ops.json
    generate_dialect.py --dialect comm ops.json _comm_ops.py

Each operation becomes a class that derives from OpView, with a property for each operand, attribute, result and region,
and a function that builds it. Nothing here names an operation. Parameters have the names of the records, in their
order: first result types that cannot be derived, then required parameters, then optional ones by keyword.
"""

from __future__ import annotations

import argparse
import ast
import json
import keyword
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

# Attributes of all operations: properties of those names get a trailing underscore.
TAKEN = {
    "accesses",
    "attached",
    "attributes",
    "block",
    "clone",
    "completion",
    "context",
    "detach_from_parent",
    "erase",
    "get_asm",
    "is_async",
    "is_before_in_block",
    "is_local",
    "is_mpi",
    "is_one_sided",
    "is_valid",
    "location",
    "matching",
    "move_after",
    "move_before",
    "mpi_called_function",
    "mpi_function",
    "name",
    "operands",
    "operation",
    "opview",
    "outcomes",
    "params",
    "parent",
    "parse",
    "regions",
    "remote_access",
    "result",
    "results",
    "successors",
    "to_bytecode",
    "verify",
    "walk",
    "create",
}
# Names that the generated functions use themselves.
USED = {"loc", "ip", "self", "outcomes", "cls", "property", "list"}

# Python builtins that a module of builders uses itself.
BUILTINS = {"property", "list"}

# Maps the derivation of a type in ODS (TypesMatchWith) to the function of _builders that implements it.
TRANSFORMERS = {
    "::getI1SameShape($_self)": "i1_like",
    "::llvm::cast<MemRefType>($_self).getElementType()": "element_type",
    "::llvm::cast<ShapedType>($_self).getElementType()": "element_type",
}


def python_name(name: str, taken: set[str]) -> str:
    name = re.sub(r"\W", "_", name)
    return name + "_" if keyword.iskeyword(name) or name in taken else name


@dataclass
class Part:
    """An operand, attribute, result, region or successor."""

    name: str
    kind: str  # "operand", "attribute", "result", ...
    record: dict
    group: str = "single"  # or "optional", "variadic"
    default: str = ""
    convert: str = ""  # the function of _builders that makes the attribute
    hint: str = "AttributeLike"
    type_text: str = ""  # the type of a result, if it is fixed

    @property
    def param(self) -> str:
        return python_name(self.name, USED)

    @property
    def accessor(self) -> str:
        return python_name(self.name, TAKEN | USED)


@dataclass
class Op:
    record: dict
    name: str
    operands: list[Part] = field(default_factory=list)
    attributes: list[Part] = field(default_factory=list)
    results: list[Part] = field(default_factory=list)
    regions: list[Part] = field(default_factory=list)
    successors: list[Part] = field(default_factory=list)
    arguments: list[Part] = field(default_factory=list)  # operands and attributes, in the order of the record


class Records:
    def __init__(self, path: Path) -> None:
        self.all = json.loads(path.read_text(encoding="utf-8"))
        self.enums: dict[str, dict] = {}  # by class name, those that operations use

    def get(self, reference: dict) -> dict:
        return self.all[reference["def"]]

    @staticmethod
    def has(record: dict, superclass: str) -> bool:
        return superclass in record["!superclasses"]

    def unwrap(self, record: dict) -> dict:
        """Returns the record inside an Arg<> or Res<>."""
        while record.get("constraint") and self.has(record, "OpVariable"):
            record = self.get(record["constraint"])
        return record

    def group(self, record: dict) -> str:
        if self.has(record, "Optional"):
            return "optional"
        return "variadic" if self.has(record, "Variadic") or self.has(record, "VariadicOfVariadic") else "single"

    # The type of a result that the record determines.
    def fixed_type(self, record: dict) -> str:
        if self.has(record, "Optional"):
            record = self.get(record["baseType"])
        call = record.get("builderCall") or ""
        if match := re.fullmatch(r"\$_builder\.getI(\d+)Type\(\)|\$_builder\.getIntegerType\((\d+)\)", call):
            return f"i{match[1] or match[2]}"
        if match := re.fullmatch(r"\$_builder\.get(F\d+|BF16|Index|None)Type\(\)", call):
            return match[1].lower()
        if match := re.fullmatch(r"\$_builder\.getType<(?:::)?[\w:]*?(\w+)>\(\)", call):
            for other in self.all["!instanceof"].get("TypeDef", []):
                definition = self.all[other]
                if definition.get("cppClassName") == match[1] and definition.get("mnemonic"):
                    return f"!{self.get(definition['dialect'])['name']}.{definition['mnemonic']}"
        return ""

    def enum_of(self, record: dict) -> tuple[str, dict] | None:
        """Returns (how it is stored, the enumeration) for an attribute that is an enumeration."""
        if self.has(record, "EnumAttr"):
            return "attribute", self.get(record["enum"])
        if self.has(record, "EnumAttrInfo"):
            return "integer", record
        return None

    def attribute(self, part: Part) -> None:
        record = part.record
        if self.has(record, "UnitAttr") or record["!name"] == "UnitAttr":
            part.group, part.convert, part.hint = "optional", "unit", "bool"
            return
        if record.get("isOptional"):
            part.group = "optional"
        if record.get("defaultValue"):
            part.group, part.default = "optional", record["defaultValue"]
        while isinstance(record.get("baseAttr"), dict):
            record = self.get(record["baseAttr"])
        if enum := self.enum_of(record):
            self.enum_attribute(part, record, *enum)
            return
        storage = (record.get("storageType") or "").strip().removeprefix("::mlir::")
        if storage == "IntegerAttr":
            width = re.search(
                r"(?:isSignlessInteger|isSignedInteger|isUnsignedInteger|isInteger)\((\d+)\)", json.dumps(record)
            )
            call = record.get("constBuilderCall") or ""
            if not width:
                width = re.search(r"getI(\d+)IntegerAttr|getIntegerType\((\d+)\)", call)
            bits = next((g for g in width.groups() if g), "") if width else ""
            text = f"i{bits}" if bits else "index" if "getIndex" in call else ""
            part.convert, part.hint = (f"integer:{text}", "AttributeLike") if text else ("", "AttributeLike")
        elif storage in ("SymbolRefAttr", "FlatSymbolRefAttr"):
            part.convert = "symbol"
        elif storage in ("DenseI32ArrayAttr", "DenseI64ArrayAttr", "DenseBoolArrayAttr"):
            part.convert, part.hint = f"dense:{storage}", "AttributeLike"

    def enum_attribute(self, part: Part, record: dict, stored: str, enum: dict) -> None:
        # A dialect attribute may wrap its enumeration in a class of the same name.
        name = enum["className"]
        self.enums[name] = enum
        part.hint = f"{name} | AttributeLike"
        if stored == "attribute":
            dialect = self.get(record["dialect"])["name"]
            part.convert = f"enum:{name}:{dialect}.{record['mnemonic']}"
        elif self.attribute_of(enum) is not None:
            part.convert = f"enum:{name}:{self.attribute_of(enum)}"
        else:
            part.convert = f"enum_integer:{name}:i{enum.get('bitwidth', 64)}"
        if part.default:
            part.default = part.default.rsplit("::", 1)[-1]

    def attribute_of(self, enum: dict) -> str | None:
        """Returns the mnemonic of an enumeration's attribute, e.g. `llvm.linkage`; None if it is stored as an
        integer."""
        for name in self.all["!instanceof"].get("EnumAttr", []):
            attribute = self.all[name]
            if attribute["enum"]["def"] == enum["!name"]:
                return f"{self.get(attribute['dialect'])['name']}.{attribute['mnemonic']}"
        return None

    def op(self, record: dict, dialect: str) -> Op:
        result = Op(record, f"{dialect}.{record['opName']}")
        for reference, name in record["arguments"]["args"]:
            if not name:
                continue
            constraint = self.unwrap(self.get(reference))
            if self.has(constraint, "TypeConstraint"):
                part = Part(name, "operand", constraint, self.group(constraint))
                result.operands.append(part)
            else:
                part = Part(name, "attribute", constraint)
                if self.has(constraint, "AttrConstraint"):
                    self.attribute(part)
                else:
                    part.group = "optional"  # a property, which has a default or is checked
                result.attributes.append(part)
            result.arguments.append(part)
        for i, (reference, name) in enumerate(record["results"]["args"]):
            constraint = self.unwrap(self.get(reference))
            part = Part(name or f"result{i}", "result", constraint, self.group(constraint))
            part.type_text = self.fixed_type(constraint)
            result.results.append(part)
        for i, (reference, name) in enumerate(record["regions"]["args"]):
            region = self.get(reference)
            group = "variadic" if self.has(region, "VariadicRegion") else "single"
            result.regions.append(Part(name or f"region{i}", "region", region, group))
        for i, (reference, name) in enumerate(record["successors"]["args"]):
            successor = self.get(reference)
            group = "variadic" if self.has(successor, "VariadicSuccessor") else "single"
            result.successors.append(Part(name or f"dest{i}", "successor", successor, group))
        return result

    def traits(self, record: dict) -> list[dict]:
        found = []
        for reference in record["traits"]:
            trait = self.get(reference)
            if self.has(trait, "TraitList"):
                found += self.traits(trait)
            else:
                found.append(trait)
        return found


class Writer:
    """Writes one operation."""

    def __init__(self, records: Records, op: Op) -> None:
        self.records, self.op = records, op
        self.traits = records.traits(op.record)
        names = {trait.get("trait") for trait in self.traits}
        self.operand_segments = "AttrSizedOperandSegments" in names
        self.result_segments = "AttrSizedResultSegments" in names
        self.same_type = "SameOperandsAndResultType" in names
        self.is_mpi = Records.has(op.record, "Comm_MPIOp")
        self.class_name = self.name_of_class()

    def name_of_class(self) -> str:
        """The record's name without the dialect's prefix, as in C++."""
        return self.op.record["!name"].split("_", 1)[-1]

    def derived_type(self, result: Part) -> str:
        """Returns the expression of a result's type; '' if the caller must provide the type."""
        if result.group == "single" and result.type_text:
            return f"fixed_type({result.type_text!r}, loc, ip)"
        if result.group != "single":
            return ""
        operands = {part.name: part for part in self.op.operands if part.group == "single"}
        if self.same_type and operands:
            return f"type_of({next(iter(operands.values())).param})"
        for trait in self.traits:
            if Records.has(trait, "AllTypesMatch") and result.name in trait["values"]:
                for name in trait["values"]:
                    if name in operands:
                        return f"type_of({operands[name].param})"
            if Records.has(trait, "TypesMatchWith") and trait["rhs"] == result.name and trait["lhs"] in operands:
                transformer = re.sub(r"\s+", " ", trait["transformer"])
                operand = operands[trait["lhs"]].param
                if transformer == "$_self":
                    return f"type_of({operand})"
                if transformer in TRANSFORMERS:
                    return f"{TRANSFORMERS[transformer]}({operand})"
        return ""

    def parameters(self) -> tuple[list[str], list[str]]:
        """Returns positional and keyword-only parameters in Python syntax."""
        first, later = [], []
        for result in self.op.results:
            if self.is_mpi or self.derived_type(result):
                continue
            if result.group == "variadic":
                first.append(f"{result.param}: Sequence[Type]")
            elif result.group == "optional":
                later.append(f"{result.param}: Type | None = None")
            else:
                first.append(f"{result.param}: Type")
        for part in self.op.arguments:
            if part.kind == "operand":
                if part.group == "variadic" and not self.is_mpi:
                    first.append(f"{part.param}: Sequence[ValueLike]")
                elif part.group == "variadic":
                    later.append(f"{part.param}: Sequence[ValueLike] = ()")
                elif part.group == "single":
                    first.append(f"{part.param}: ValueLike")
                else:
                    # MPI's parameters can also be positional; absent ones are None.
                    (first if self.is_mpi else later).append(f"{part.param}: ValueLike | None = None")
            elif self.is_mpi and part.name == "mode":
                later.append(f"{part.param}: {part.hint} | None = None")
            elif part.convert == "unit":
                later.append(f"{part.param}: bool = False")
            elif part.group == "optional":
                later.append(f"{part.param}: {part.hint} | None = None")
            else:
                first.append(f"{part.param}: {part.hint}")
        for part in self.op.successors:
            first.append(f"{part.param}: Sequence[Block]" if part.group == "variadic" else f"{part.param}: Block")
        for part in self.op.regions:
            if part.group == "variadic":
                first.append(f"num_{part.param}: int")
        if self.is_mpi:
            later.append("outcomes: Sequence[str] = ()")
        # Parameters without a default cannot follow those with one.
        required = [p for p in first if " = " not in p]
        return required + [p for p in first if " = " in p], later

    def arguments(self) -> str:
        """Returns the parameters as keyword arguments."""
        first, later = self.parameters()
        names = [re.match(r"\w+", p)[0] for p in first + later]  # type: ignore[index]
        return ", ".join([f"{n}={n}" for n in names] + ["loc=loc", "ip=ip"])

    def signature(self) -> str:
        first, later = self.parameters()
        return ", ".join(
            first + ["*"] + later + ["loc: Location | None = None", "ip: InsertionPoint | bool | None = None"]
        )

    def docstring(self) -> list[str]:
        record = self.op.record
        summary = (record.get("summary") or "").strip().replace("\\", "\\\\").replace('"""', "'''")
        lines = [summary[:1].upper() + summary[1:] + "." if summary else f"{self.op.name}."]
        groups = [
            ("Operands", self.op.operands),
            ("Attributes", self.op.attributes),
            ("Results", self.op.results),
        ]
        for title, parts in groups:
            texts = []
            for part in parts:
                about = (part.record.get("summary") or "").strip()
                how = {"optional": "optional", "variadic": "any number"}.get(part.group, "")
                texts.append(f"    {part.param}: " + ", ".join(t for t in (about, how) if t))
            if texts:
                lines += ["", f"{title}:", *[t.rstrip(": ").replace("\\", "\\\\").replace('"""', "'''") for t in texts]]
        return lines

    def write_init(self, out: list[str]) -> None:
        out.append(f"    def __init__(self, {self.signature()}) -> None:")
        if self.is_mpi:
            names = [r.name.removesuffix("_result") for r in self.op.results]
            types = [r.type_text for r in self.op.results]
            if any(p.name == "mode" for p in self.op.attributes):
                request = "request" if "request" in names else "None"
                out.append(f"        outcomes = mpi_outcomes(outcomes, mode, {request}, {names!r})")
            out.append(f"        _sizes, _types = mpi_results(outcomes, {names!r}, {types!r}, loc, ip)")
        else:
            pieces = []
            for result in self.op.results:
                derived = self.derived_type(result)
                if derived:
                    pieces.append(derived)
                elif result.group == "variadic":
                    pieces.append(f"*{result.param}")
                elif result.group == "optional":
                    pieces.append(f"*([] if {result.param} is None else [{result.param}])")
                else:
                    pieces.append(result.param)
            out.append(f"        _types: list[Type] = [{', '.join(pieces)}]")
        pieces, sizes = [], []
        for part in self.op.operands:
            if part.group == "variadic":
                pieces.append(f"*{part.param}")
                sizes.append(f"len({part.param})")
            elif part.group == "optional":
                pieces.append(f"*(() if {part.param} is None else ({part.param},))")
                sizes.append(f"int({part.param} is not None)")
            else:
                pieces.append(part.param)
                sizes.append("1")
        out.append(f"        _operands: list[ValueLike] = [{', '.join(pieces)}]")
        self.write_attributes(out)
        successors = ", ".join(("*" if p.group == "variadic" else "") + p.param for p in self.op.successors)
        fixed = sum(p.group == "single" for p in self.op.regions)
        regions = " + ".join([str(fixed)] + [f"num_{p.param}" for p in self.op.regions if p.group == "variadic"])
        extra = ""
        if self.operand_segments:
            extra += f", [{', '.join(sizes)}]"
        else:
            extra += ", None"
        if self.result_segments:
            if self.is_mpi:
                extra += ", _sizes"
            else:
                counts = []
                for r in self.op.results:
                    counts.append(
                        f"len({r.param})"
                        if r.group == "variadic"
                        else f"int({r.param} is not None)"
                        if r.group == "optional"
                        else "1"
                    )
                extra += f", [{', '.join(counts)}]"
        else:
            extra += ", None"
        out.append(
            f"        self._build(self.OPERATION_NAME, _types, _operands, _attributes, "
            f"{f'[{successors}]' if successors else None}, {regions}, loc, ip{extra})"
        )

    def write_attributes(self, out: list[str]) -> None:
        if not self.op.attributes:
            out.append("        _attributes = None")
            return
        out.append("        _attributes: dict[str, object] = {}")
        for part in self.op.attributes:
            kind, *rest = part.convert.split(":")
            value = part.param
            if kind == "unit":
                out.append(f"        if {value}:")
                out.append(f"            _attributes[{part.name!r}] = unit(loc, ip)")
                continue
            if kind == "integer":
                value = f"integer({value}, {rest[0]!r}, loc, ip)"
            elif kind == "symbol":
                value = f"symbol({value}, loc, ip)"
            elif kind == "dense":
                value = f"dense({value}, {rest[0]}, loc, ip)"
            elif kind == "enum":
                value = f"enum_attribute({value}, {rest[0]}, {rest[1]!r}, loc, ip)"
            elif kind == "enum_integer":
                value = f"enum_integer({value}, {rest[0]}, {rest[1]!r}, loc, ip)"
            if part.group == "optional":
                out.append(f"        if {part.param} is not None:")
                out.append(f"            _attributes[{part.name!r}] = {value}")
            else:
                out.append(f"        _attributes[{part.name!r}] = {value}")

    def write_accessors(self, out: list[str]) -> None:
        seen: set[str] = set()

        def add(name: str, hint: str, expression: str, doc: str) -> None:
            while name in seen:
                name += "_"
            seen.add(name)
            out.append("    @property")
            out.append(f"    def {name}(self) -> {hint}:")
            if doc:
                out.append(f'        """{doc}"""')
            out.append(f"        return {expression}")
            out.append("")

        hints = {"single": "Value", "optional": "Value | None", "variadic": "list[Value]"}
        for kind, parts, segments in (
            ("operand", self.op.operands, self.operand_segments),
            ("result", self.op.results, self.result_segments),
        ):
            groups = tuple(p.group for p in parts)
            for i, part in enumerate(parts):
                getter = f"{part.group}_{kind}(self, {i}, {groups!r}, {segments})"
                add(part.accessor, hints[part.group], getter, "")
        for part in self.op.attributes:
            if part.convert == "unit":
                add(part.accessor, "bool", f"{part.name!r} in self.attributes", "")
            else:
                add(part.accessor, "Attribute | None", f"attribute_of(self, {part.name!r})", "")
        for i, part in enumerate(self.op.regions):
            if part.group == "single":
                add(part.accessor, "Region", f"self.regions[{i}]", "")
            else:
                add(part.accessor, "list[Region]", f"self.regions[{i}:]", "")

    def write(self, out: list[str]) -> None:
        out.append("@register")
        out.append(f"class {self.class_name}(OpView):")
        out.append('    """' + self.docstring()[0])
        out += ["    " + line if line else "" for line in self.docstring()[1:]]
        out.append('    """')
        out.append("")
        out.append("    __slots__ = ()")
        out.append(f"    OPERATION_NAME = {self.op.name!r}")
        out.append("")
        self.write_init(out)
        out.append("")
        self.write_accessors(out)
        while out and not out[-1]:
            out.pop()
        out += ["", ""]
        self.write_function(out)

    def write_function(self, out: list[str]) -> None:
        name = python_name(self.op.record["opName"].replace(".", "_"), BUILTINS)
        groups = [r.group for r in self.op.results]
        call = f"{self.class_name}({self.arguments()})"
        if not groups:
            hint, body = self.class_name, f"return {call}"
        elif groups == ["single"]:
            hint, body = "Value", f"return {call}.results[0]"
        else:
            hint, body = "Any", f"return results_or_op({call})"
            if all(g == "single" for g in groups):
                hint, body = "list[Value]", f"return list({call}.results)"
        out.append(f"def {name}({self.signature()}) -> {hint}:")
        out.append('    """' + self.docstring()[0])
        out += ["    " + line if line else "" for line in self.docstring()[1:]]
        out.append('    """')
        out.append(f"    {body}")
        out += ["", ""]


def write_enum(name: str, enum: dict, records: Records, out: list[str]) -> None:
    is_bits = Records.has(enum, "BitEnumBase") or Records.has(enum, "BitEnum") or Records.has(enum, "BitEnumAttrBase")
    out.append(f"class {name}(enum.{'IntFlag' if is_bits else 'IntEnum'}):")
    summary = (enum.get("summary") or name).strip().replace("\\", "\\\\").replace('"""', "'''")
    out.append(f'    """{summary[:1].upper() + summary[1:]}."""')
    out.append("")
    strings = {}
    for reference in enum["enumerants"]:
        case = records.get(reference)
        symbol = python_name(case["symbol"], {"mro", "name", "value"})
        if symbol[0].isdigit():
            symbol = "_" + symbol
        out.append(f"    {symbol} = {case['value']}")
        strings[case["value"]] = case["str"]
    out += ["", ""]
    out.append(f"ENUM_TEXTS[{name}] = {strings!r}")
    out += ["", ""]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dialect", required=True, help="the dialect's name")
    parser.add_argument("records", type=Path, help="what llvm-tblgen --dump-json wrote")
    parser.add_argument("output", type=Path, help="the Python file to write")
    args = parser.parse_args()
    records = Records(args.records)
    writers = []
    for name in records.all["!instanceof"].get("Op", []):
        record = records.all[name]
        if record["!anonymous"] or records.get(record["opDialect"])["name"] != args.dialect:
            continue
        writers.append(Writer(records, records.op(record, args.dialect)))
    if not writers:
        print(f"error: there are no operations of the dialect {args.dialect} in {args.records}", file=sys.stderr)
        return 1
    out = [
        "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
        f'"""Operations of the dialect {args.dialect}. Generated by generate_dialect.py: do not edit."""',
        "# ruff: noqa",
        "",
        "from __future__ import annotations",
        "",
        "import enum",
        "from typing import Any, Sequence",
        "",
        "from ..ir import Attribute, Block, InsertionPoint, Location, OpView, Region, Type, Value",
        "from ..ir import DenseBoolArrayAttr, DenseI32ArrayAttr, DenseI64ArrayAttr",
        "from ._builders import *",
        "",
        "",
    ]
    for name, enum in sorted(records.enums.items()):
        write_enum(name, enum, records, out)
    names = sorted(records.enums)
    for writer in sorted(writers, key=lambda w: w.op.name):
        writer.write(out)
        names += [writer.class_name, python_name(writer.op.record["opName"].replace(".", "_"), BUILTINS)]
    # Names that the handwritten module defines are not exported.
    by_hand = Path(__file__).parent / "comm_mlir" / "dialects" / f"{args.dialect}.py"
    own = set()
    if by_hand.exists():
        tree = ast.parse(by_hand.read_text(encoding="utf-8"))
        own = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    out.append(f"__all__ = {[name for name in names if name not in own]!r}")
    args.output.parent.mkdir(parents=True, exist_ok=True)
    args.output.write_text("\n".join(out) + "\n", encoding="utf-8")
    # A dialect without a handwritten module exports all of its operations.
    wrapper = args.output.with_name(f"{args.dialect}.py")
    if not by_hand.exists():
        wrapper.write_text(
            "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
            f'"""Builders of the dialect {args.dialect}."""\n\n'
            f"from ._{args.dialect}_ops import *  # noqa: F403\n",
            encoding="utf-8",
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
