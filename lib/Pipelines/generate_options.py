#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write Comm's options, which options.json lists once, in the forms that their users need.

    generate_options.py --cpp Options.h.inc    members of structs, options of comm-overlap, options of the plugin
    generate_options.py --commcc             one line per option for commcc, to standard output: name, value, default,
                                             values
    generate_options.py --docs commcc.md     the rows of the tables of options, in place
    generate_options.py --docs commcc.md --check    ... or fail if they differ

An option without a type is a flag; one of type "path" takes any text. "bare" is the value of -fcomm-NAME without one.
Options with "pipeline" belong to comm-overlap, and those with "flag": false belong only to it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "options.json"
BINDINGS = TABLE.parent.parent / "MPI" / "Bindings"
# The rows of the two option tables in the documentation: commcc's and the plugin's.
COMMCC_ROW = re.compile(r"^\| `-fcomm-.*\n", re.MULTILINE)
PLUGIN_ROW = re.compile(r"^\| `-comm-(?!ranks-library).*\n", re.MULTILINE)


@dataclass
class Option:
    """A record of options.json."""

    name: str
    member: str
    summary: str
    type: str = "bool"
    default: str = "0"
    bare: str = ""
    values: dict[str, str] = field(default_factory=dict)
    pipeline: bool = False
    flag: bool = True
    documentation: str = ""

    def __post_init__(self) -> None:
        if self.type == "bool":
            self.bare = "1"
        elif self.type == "path":
            self.default = "off"
        elif self.type == "abi":
            self.values = dict.fromkeys(["auto", *sorted(path.stem for path in BINDINGS.glob("*.json"))], "")
        elif self.default not in self.values:
            raise SystemExit(f"{TABLE}: the default of {self.name} is not one of its values")
        if self.flag and not self.documentation:
            raise SystemExit(f"{TABLE}: {self.name} has no documentation")

    @property
    def cpp_type(self) -> str:
        return {"bool": "bool", "abi": "std::string", "path": "std::string"}.get(self.type, f"::comm::{self.type}")

    def enumerator(self, value: str) -> str:
        return f"{self.cpp_type}::{''.join(word.capitalize() for word in value.split('-'))}"

    @property
    def cpp_default(self) -> str:
        if self.type == "bool":
            return "true" if self.default == "1" else "false"
        return '""' if self.type in ("abi", "path") else self.enumerator(self.default)

    @property
    def variable(self) -> str:
        return "COMM_" + self.name.upper().replace("-", "_")

    @property
    def parser(self) -> str:
        return {"bool": "parseFlag", "abi": "parseABI", "path": "parsePath"}.get(
            self.type
        ) or f"parse{self.type.rpartition(':')[2]}"

    @property
    def accepted(self) -> str:
        """Return the accepted values for messages: "off, basic and extended"."""
        if self.type == "path":
            return "names of files and folders, and off"
        names = list(self.values) or ["0", "1"]
        return ", ".join(names) if self.type == "abi" else ", ".join(names[:-1]) + " and " + names[-1]


def read_options() -> list[Option]:
    return [Option(**record) for record in json.loads(TABLE.read_text(encoding="utf-8"))]


def sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_members(options: list[Option]) -> str:
    return "".join(f"/// {sentence(o.summary)}\n{o.cpp_type} {o.member} = {o.cpp_default};\n" for o in options)


def write_parsers(options: list[Option]) -> str:
    text = ""
    for o in options:
        if o.type in ("bool", "abi", "path"):
            continue
        cases = "".join(f"      .Case({quote(value)}, {o.enumerator(value)})\n" for value in o.values)
        text += (
            f"static std::optional<{o.cpp_type}> {o.parser}(llvm::StringRef value) {{\n"
            f"  return llvm::StringSwitch<std::optional<{o.cpp_type}>>(value)\n{cases}"
            "      .Default(std::nullopt);\n}\n"
        )
    return text


def write_pipeline(options: list[Option]) -> str:
    text = ""
    for o in options:
        values = ", ".join(
            f"clEnumValN({o.enumerator(value)}, {quote(value)}, {quote(summary)})"
            for value, summary in o.values.items()
            if o.type != "abi"
        )
        text += (
            f"Option<{o.cpp_type}> {o.member}{{*this, {quote(o.name)}, llvm::cl::desc({quote(o.summary)}),"
            f" llvm::cl::init({o.cpp_default}){f', llvm::cl::values({values})' if values else ''}}};\n"
        )
    assigns = ""
    for o in options:
        value = f'{o.member}.getValue() == "auto" ? "" : {o.member}.getValue()' if o.type == "abi" else o.member
        assigns += f"  result.{o.member} = {value};\n"
    result = f"  ::comm::OverlapOptions result;\n{assigns}  return result;\n"
    return f"{text}::comm::OverlapOptions get() const {{\n{result}}}\n"


def write_plugin(options: list[Option]) -> tuple[str, str]:
    """Return the declarations of the command-line options, and the code that reads them."""
    declared = read = ""
    for o in options:
        form = {"bool": "0|1", "abi": "abi", "path": "path"}.get(o.type) or "|".join(o.values)
        optional = "llvm::cl::ValueOptional, " if o.bare else ""
        declared += (
            f"static llvm::cl::opt<std::string> {o.member}Option({quote('comm-' + o.name)}, {optional}"
            f"llvm::cl::desc({quote(sentence(o.summary)[:-1])}), llvm::cl::value_desc({quote(form)}),"
            " llvm::cl::cat(category));\n"
        )
        holder = "options.overlap." if o.pipeline else "options."
        read += (
            f"if (llvm::Error error = read<{o.cpp_type}>({o.member}Option, {quote(o.variable)}, {quote(o.bare)},"
            f" {o.parser}, {quote(o.accepted)}, {holder}{o.member}))\n  return error;\n"
        )
    return declared, read


def write_cpp(options: list[Option]) -> str:
    flags = [o for o in options if o.flag]
    declared, read = write_plugin(flags)
    sections = {
        "GEN_OVERLAP_MEMBERS": write_members([o for o in options if o.pipeline]),
        "GEN_PLUGIN_MEMBERS": write_members([o for o in options if not o.pipeline]),
        "GEN_PIPELINE_OPTIONS": write_pipeline([o for o in options if o.pipeline]),
        "GEN_PLUGIN_OPTIONS": write_parsers(flags) + declared,
        "GEN_PLUGIN_READ": read,
    }
    text = "// Written by generate_options.py from options.json.\n"
    for macro, section in sections.items():
        text += f"\n#ifdef {macro}\n#undef {macro}\n{section}#endif\n"
    return text


def write_commcc(options: list[Option]) -> str:
    def values(o: Option) -> str:
        return "*" if o.type == "path" else "|".join(o.values) or "0|1"

    return "".join(f"{o.name} {o.bare or '-'} {o.default} {values(o)}\n" for o in options if o.flag)


def write_commcc_rows(options: list[Option]) -> str:
    text = ""
    for o in options:
        values = "\\|".join(o.values)
        form = f"`-fcomm-{o.name}`" if o.bare else f"`-fcomm-{o.name}={values}`"
        if o.bare and o.values:
            form += f", `-fcomm-{o.name}={values}`"
        if o.type == "path":
            form += f", `-fcomm-{o.name}=PATH`"
        text += f"| {form} | {o.documentation} |\n"
    return text


def write_plugin_rows(options: list[Option]) -> str:
    def values(o: Option) -> str:
        return "paths, off" if o.type == "path" else ", ".join(o.values or "01")

    return "".join(f"| `-comm-{o.name}=` | `{o.variable}` | {values(o)} |\n" for o in options)


def replace_rows(text: str, pattern: re.Pattern[str], rows: str) -> str:
    """Replace all table rows that match the pattern by these, at the place of the first one."""
    first = pattern.search(text)
    if not first:
        raise SystemExit(f"no table row matches {pattern.pattern}")
    return text[: first.start()] + rows + pattern.sub("", text[first.start() :])


def update_docs(page: Path, options: list[Option], check: bool) -> int:
    text = page.read_text(encoding="utf-8")
    flags = [o for o in options if o.flag]
    new = replace_rows(text, COMMCC_ROW, write_commcc_rows(flags))
    new = replace_rows(new, PLUGIN_ROW, write_plugin_rows(flags))
    if not check:
        page.write_text(new, encoding="utf-8")
    elif new != text:
        print(f"{page}: the tables of options are not those of {TABLE.name}: make docs writes them", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpp", type=Path, help="the file for C++")
    parser.add_argument("--commcc", action="store_true", help="print the table for commcc")
    parser.add_argument("--docs", type=Path, help="the page with the tables of options")
    parser.add_argument("--check", action="store_true", help="only see whether the page is current")
    arguments = parser.parse_args()
    options = read_options()
    if arguments.cpp:
        arguments.cpp.write_text(write_cpp(options), encoding="utf-8")
    if arguments.commcc:
        print(write_commcc(options), end="")
    return update_docs(arguments.docs, options, arguments.check) if arguments.docs else 0


if __name__ == "__main__":
    sys.exit(main())
