# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Determines the static data that the functions of a C library may write, from its archive (libc.a, libm.a).

A function touches a variable if one of its instructions, or an instruction of a function that it calls and that the
library does not export, writes the variable or takes its address. Calls of exported functions are not followed, since
those have their own entries. Calls through pointers are not seen, so derive.py also reads the standard's lists.
"""

from __future__ import annotations

import bisect
import re
import subprocess
from collections import defaultdict

WRITABLE = (".data", ".bss", ".tdata", ".tbss", "*COM*")
CONSTANT = (".data.rel.ro",)
SYMBOL = re.compile(r"^([0-9a-f]+) (.{7}) (\S+)\s+([0-9a-f]+)(?: \.hidden| \.internal)? (\S+)$")
MEMBER = re.compile(r"^(\S+):\s+file format ")
FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
CODE_SECTION = re.compile(r"^Disassembly of section (\S+):$")
INSTRUCTION = re.compile(r"^\s+([0-9a-f]+):\t(\S+)\s*(.*)$")
NEAR_CALL = re.compile(r"^[0-9a-f]+ <([^>+]+)>$")
RELOCATION = re.compile(r"^\s+([0-9a-f]+): (R_X86_64_\w+)\s+(\S+?)([+-]0x[0-9a-f]+)?$")
# These only read memory, even if it is their last operand.
READS = ("cmp", "test", "ucomis", "comis", "bt", "push", "jmp", "call", "prefetch", "fld", "fild")


class Member:
    """An object file of the archive."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.data: dict[str, list[tuple[int, str]]] = defaultdict(list)  # of a section: addresses and variables
        self.functions: set[str] = set()
        self.global_data: set[str] = set()
        self.aliases: dict[tuple[str, int], list[str]] = defaultdict(list)
        self.local: set[str] = set()


def run(*command: str) -> list[str]:
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout.splitlines()


def is_writable(section: str) -> bool:
    return section.startswith(WRITABLE) and not section.startswith(CONSTANT)


def read_symbols(archive: str) -> list[Member]:
    members: list[Member] = []
    for line in run("objdump", "-t", archive):
        if match := MEMBER.match(line):
            members.append(Member(match[1]))
        elif match := SYMBOL.match(line):
            address, flags, section, _size, name = match.groups()
            member = members[-1]
            if "F" in flags or "i" in flags:
                member.functions.add(name)
                member.aliases[section, int(address, 16)].append(name)
                if flags[0] == "l":
                    member.local.add(name)
            elif is_writable(section) and "d" not in flags:
                member.data[section].append((int(address, 16), name))
                if flags[0] != "l":
                    member.global_data.add(name)
    for member in members:
        for symbols in member.data.values():
            symbols.sort()
    return members


def exported_by(library: str) -> set[str]:
    """Returns the library's functions and variables in their default versions, which a program can use."""
    names = set()
    for line in run("nm", "-D", "--defined-only", library):
        kind, name = line.split()[-2:]
        if kind in "TWiDBV" and ("@@" in name or "@" not in name):
            names.add(name.split("@")[0])
    return names


class Archive:
    def __init__(self, archive: str, exported: set[str]) -> None:
        self.exported = exported
        self.members = read_symbols(archive)
        self.home = {name: member.name for member in self.members for name in member.global_data}
        self.touches: dict[tuple[str, str], set[str]] = defaultdict(set)  # (member, function): variables
        self.calls: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.defined_in: dict[str, str] = {}
        for member in self.members:
            for name in member.functions - member.local:
                self.defined_in.setdefault(name, member.name)
        self.read_code(archive)

    def read_code(self, archive: str) -> None:
        by_name = {member.name: member for member in self.members}
        member = section = function = None
        last = ("", "")
        near = None  # the target of a call in one section, unless a relocation follows
        for line in run("objdump", "-dr", "--no-show-raw-insn", archive):
            if near and member and function and not RELOCATION.match(line):
                self.calls[member.name, function].add(near)
            near = None
            if match := MEMBER.match(line):
                member = by_name[match[1]]
            elif match := CODE_SECTION.match(line):
                section = match[1]
            elif match := FUNCTION.match(line):
                function = match[1]
            elif match := INSTRUCTION.match(line):
                last = (match[2], match[3])
                if match[2].startswith(("call", "j")) and (target := NEAR_CALL.match(match[3].strip())):
                    near = target[1] if target[1] != function else None
            elif (match := RELOCATION.match(line)) and member and function:
                self.add_reference(member, section or "", function, last, match[2], match[3], match[4])

    def add_reference(self, member, section, function, instruction, kind, target, addend) -> None:
        key = (member.name, function)
        if target in member.functions or (target not in self.home and target in self.defined_in):
            self.calls[key].add(target)
            return
        offset = int(addend, 16) if addend else 0
        if target.startswith(".text") and target == section:
            return
        if is_writable(target) and target in member.data:
            symbols = member.data[target]
            place = offset + 4 if "PC32" in kind else offset
            index = bisect.bisect_right(symbols, (place, "\x7f")) - 1
            target = symbols[max(index, 0)][1]
        elif target not in self.home and all(target != n for names in member.data.values() for _, n in names):
            return
        if self.may_write(instruction, kind):
            self.touches[key].add(self.label(member, target))

    def label(self, member: Member, variable: str) -> str:
        home = self.home.get(variable, member.name)
        return f"{home.removesuffix('.o')}:{variable}"

    @staticmethod
    def may_write(instruction: tuple[str, str], kind: str) -> bool:
        name, operands = instruction
        if "GOT" in kind or "TPOFF" in kind and not operands.rstrip().endswith(")"):
            return True  # its address
        if name.startswith("lea"):
            return True
        if name.startswith(READS):
            return False
        return operands.split("#")[0].split("<")[0].rstrip().endswith(")")

    def state(self) -> dict[str, set[str]]:
        """Returns the variables that each exported function of the archive may write."""
        by_name = {member.name: member for member in self.members}
        canonical: dict[tuple[str, str], set[str]] = {}
        for member in self.members:
            for names in member.aliases.values():
                for name in names:
                    canonical[member.name, name] = set(names)
        result: dict[str, set[str]] = defaultdict(set)
        for member in self.members:
            for names in member.aliases.values():
                public = {n for n in names if n in self.exported and not n.startswith("_")}
                if not public:
                    continue
                seen: set[tuple[str, str]] = set()
                stack = [(member.name, name) for name in names]
                found: set[str] = set()
                while stack:
                    key = stack.pop()
                    if key in seen:
                        continue
                    seen.add(key)
                    found |= self.touches[key]
                    for callee in self.calls[key]:
                        home = key[0] if callee in by_name[key[0]].functions else self.defined_in.get(callee)
                        if not home:
                            continue
                        others = canonical.get((home, callee), {callee})
                        if others & self.exported:
                            continue  # has an entry of its own
                        stack += [(home, other) for other in others]
                for name in public:
                    result[name] |= found
        return result
