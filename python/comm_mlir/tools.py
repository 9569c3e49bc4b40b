# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command-line tools and libraries that come with the package: comm-opt, commcc, commc++, commrun, commreport,
comm-cdag, comm-vratio, the clang plugin, the runtime."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["command", "find_tool", "library_dir", "main", "plugin_path"]


def root() -> Path:
    """The folder that has bin and lib: the package's own in a wheel, else the build tree or prefix that it is in."""
    package = Path(__file__).resolve().parent
    for folder in (package, package.parents[1], package.parents[3]):
        if (folder / "bin" / "comm-opt").exists():
            return folder
    raise FileNotFoundError(f"the tools of Comm are neither in {package} nor in {package.parents[1]}: build them")


def find_tool(name: str) -> Path:
    """The path of a tool: `find_tool("commcc")`. FileNotFoundError if there is none."""
    path = root() / "bin" / name
    if os.path.basename(name) != name or not path.is_file():
        raise FileNotFoundError(f"there is no tool '{name}' in {path.parent}")
    return path


def library_dir() -> Path:
    """The folder of the plugin and the runtime's libraries."""
    return root() / "lib"


def plugin_path() -> Path:
    """The plugin, for clang's option -fpass-plugin=."""
    return library_dir() / "libCommPlugin.so"


def command(name: str) -> list[str]:
    """How the tool is started: a program in Python runs with this Python, wherever it was built."""
    path = find_tool(name)
    with open(os.fspath(path), "rb") as file:
        first = file.readline(200)
    if first.startswith(b"#!") and b"python" in first:
        return [sys.executable, str(path)]
    return [str(path)]


def main() -> int:
    """What the scripts of the package run: the tool of their own name."""
    arguments = command(os.path.basename(sys.argv[0])) + sys.argv[1:]
    os.execv(arguments[0], arguments)
