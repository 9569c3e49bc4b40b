#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check what no formatter checks: license lines, white space at line ends, conflict markers, links between pages, and
which folder may include which.

check_style.py [FILE ...]      all files of the repository if none is given
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SOURCES = {".h", ".cpp", ".c", ".td", ".py", ".sh", ".cmake"}
LICENSE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CONFLICT = re.compile(r"^(<{7} |={7}$|>{7} )")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
INCLUDE = re.compile(r'#include "Comm/([\w/]+)/\w+\.h')
# Of each folder under lib/ and include/Comm, the others that it may include; a folder stands for those in it.
DIALECT = ("Dialect", "MPI")
MAY_INCLUDE = {
    "MPI": (),
    "Dialect/Comm/IR": ("MPI",),
    "Dialect/Comm/Utils": DIALECT,
    "Analysis/Memory": DIALECT,
    "Analysis/Order": (*DIALECT, "Analysis/Memory"),
    "Analysis/Footprints": (*DIALECT, "Analysis/Memory", "Analysis/Order"),
    "Analysis/Phases": (*DIALECT, "Analysis/Memory", "Analysis/Order"),
    "Analysis/Symbolic": (*DIALECT, "CDag"),
    "Transforms": (*DIALECT, "Analysis", "CDag"),
    "Conversion": DIALECT,
    "Plugin": (*DIALECT, "Analysis"),
    "Pipelines": (*DIALECT, "Analysis", "Transforms", "Conversion"),
}
# Tests are input to the compiler, and examples are for users to copy: no license line each.
UNLICENSED = ("test/", "examples/")


def is_below(folder: str, parent: str) -> bool:
    return folder == parent or folder.startswith(parent + "/")


def forbidden_includes(path: Path, lines: list[str]) -> list[str]:
    """Includes that point against the order of the folders, or at another folder's private header."""
    if not str(path).startswith(("lib/", "include/Comm/")):
        return []
    folder = str(path.parent).removeprefix("lib/").removeprefix("include/Comm/")
    subject = next((parent for parent in MAY_INCLUDE if is_below(folder, parent)), None)
    if subject is None:
        return []
    allowed = (subject, *MAY_INCLUDE[subject])
    found = []
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match and not any(is_below(match[1], name) for name in allowed):
            found.append(f"{path}:{number}: {folder} must not include {match[1]} (see CONTRIBUTING.md)")
    return found


def errors_of(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError):
        return []  # no text, or a link that leads nowhere
    lines = text.split("\n")
    found = []
    if path.suffix in SOURCES and not str(path).startswith(UNLICENSED) and LICENSE not in "\n".join(lines[:8]):
        found.append(f"{path}:1: the license line is missing: {LICENSE}")
    for number, line in enumerate(lines, 1):
        if line != line.rstrip() and path.suffix not in (".md", ".svg"):
            found.append(f"{path}:{number}: white space at the end of the line")
        if CONFLICT.match(line) and path.name != "LICENSE" and path.suffix != ".md":
            found.append(f"{path}:{number}: conflict marker")
    found += forbidden_includes(path, lines)
    if path.suffix == ".md":
        links = [link for link in LINK.findall(text) if "://" not in link and not link.startswith("mailto:")]
        found += [f"{path}: the link to {link} leads nowhere" for link in links if not (path.parent / link).exists()]
    if text and not text.endswith("\n"):
        found.append(f"{path}:{len(lines)}: no newline at the end of the file")
    return found


def main() -> int:
    names = sys.argv[1:]
    if not names:
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        names = [name for name in names if "/Inputs/bad" not in name]  # what the test of this check gives it
    errors = [error for name in names for error in errors_of(Path(name))]
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
