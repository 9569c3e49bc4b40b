# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the parts of ELF files that commcc and commrun need: 64 bits, little endian (System V ABI, chapters 4 and 5).

Ignores broken and other files: the linker and the kernel report those.
"""

from __future__ import annotations

import contextlib
import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

BUILT_SECTION = b".comm_ranks.built"
NOTE_OWNER = b"Comm\0"
SHT_SYMTAB, SHT_DYNSYM, PT_NOTE = 2, 11, 4
ET_DYN = 3
STT_OBJECT, STT_COMMON = 1, 5
SHF_WRITE, SHF_ALLOC, SHF_TLS = 1, 2, 0x400
SHN_COMMON = 0xFFF2
# Written only by the loader, or by code for all ranks.
HARMLESS_SECTIONS = (b".data.rel.ro", b".init_array", b".fini_array", b".ctors", b".dtors", b".eh_frame", b".tm_clone")


class Object:
    """An object file or shared library: whether it was built for ranks, and its symbols if it was not."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_for_ranks = False
        self.undefined: list[str] = []
        self.variables: list[str] = []


def objects(path: str) -> Iterator[Object]:
    """Returns the object of a .o file, those of an archive, or a shared library. Of the latter only the called
    functions matter: the variables of a library that was built for all programs exist once per process."""
    try:
        with open(os.fspath(path), "rb") as file:
            data = file.read()
    except OSError:
        return
    members = archive_members(data) if data.startswith(b"!<arch>\n") else [("", data)]
    for member, content in members:
        parsed = Object(f"{path}({member})" if member else path)
        try:
            if parse_object(content, parsed):
                yield parsed
        except (struct.error, IndexError, ValueError, OverflowError):
            continue


def archive_members(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Returns names and contents of a System V archive with GNU's long names."""
    at, long_names = 8, b""
    while at + 60 <= len(data):
        field = data[at : at + 16].rstrip()
        digits = data[at + 48 : at + 58].rstrip()
        if not digits.isdigit():
            return
        size = int(digits)
        content = data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
        if field == b"//":
            long_names = content
        elif field not in (b"/", b"/SYM64/"):
            if field.startswith(b"/") and field[1:].isdigit():
                field = long_names[int(field[1:]) :].split(b"\n", 1)[0]
            yield field.rstrip(b"/").decode(errors="replace"), content


def parse_object(data: bytes, result: Object) -> bool:
    if data[:6] != b"\x7fELF\x02\x01":
        return False
    (table,) = struct.unpack_from("<Q", data, 40)
    entry, count, names_index = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * entry) for i in range(count)]
    names = sections[names_index][4]

    def text(base: int, offset: int) -> bytes:
        return data[base + offset : data.index(b"\0", base + offset)]

    section_names = [text(names, section[0]) for section in sections]
    result.is_for_ranks = BUILT_SECTION in section_names
    if result.is_for_ranks:
        return True
    (kind,) = struct.unpack_from("<H", data, 16)
    for section in sections:
        if section[1] != (SHT_DYNSYM if kind == ET_DYN else SHT_SYMTAB):
            continue
        strings = sections[section[6]][4]
        for at in range(section[4] + 24, section[4] + section[5], 24):
            name, info, _, index, _, size = struct.unpack_from("<IBBHQQ", data, at)
            if index == 0:
                result.undefined.append(text(strings, name).decode(errors="replace"))
                continue
            if info & 15 not in (STT_OBJECT, STT_COMMON) or not size or kind == ET_DYN:
                continue
            if index == SHN_COMMON or (index < count and is_writable(sections[index], section_names[index])):
                result.variables.append(text(strings, name).decode(errors="replace"))
    return True


def is_writable(section: tuple[int, ...], name: bytes) -> bool:
    wanted = SHF_WRITE | SHF_ALLOC
    return section[2] & (wanted | SHF_TLS) == wanted and not name.startswith(HARMLESS_SECTIONS)


def ranks_version(path: str) -> int | None:
    """Returns the version of the interface that a program of user-level ranks was built for, or None for other files.
    Reads the program headers, which survive stripping. Raises OSError if the file cannot be read."""
    with open(os.fspath(path), "rb") as file, contextlib.suppress(ValueError, OverflowError):  # offsets beyond any file
        return _version_in(file)
    return None


def _version_in(file: BinaryIO) -> int | None:
    header = file.read(64)
    if header[:6] != b"\x7fELF\x02\x01" or len(header) < 64:
        return None
    (table,) = struct.unpack_from("<Q", header, 32)
    entry, count = struct.unpack_from("<HH", header, 54)
    file.seek(table)
    headers = file.read(entry * count)
    for i in range(count):
        if len(headers) < i * entry + 56:
            return None
        kind, _, offset, _, _, size = struct.unpack_from("<IIQQQQ", headers, i * entry)
        if kind == PT_NOTE and size < 1 << 20:
            file.seek(offset)
            version = note_version(file.read(size))
            if version is not None:
                return version
    return None


def note_version(data: bytes) -> int | None:
    at = 0
    while at + 12 <= len(data):
        name_size, value_size, kind = struct.unpack_from("<III", data, at)
        name = data[at + 12 : at + 12 + name_size]
        at += 12 + (name_size + 3) // 4 * 4
        if name == NOTE_OWNER and kind == 1 and value_size == 4 and at + 4 <= len(data):
            return int(struct.unpack_from("<I", data, at)[0])
        at += (value_size + 3) // 4 * 4
    return None
