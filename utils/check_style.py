#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check properties that no formatter checks: license lines, white space at line ends, conflict markers, links between
pages, paths and words in pages, rows of tables, and which folder may include which.

check_style.py [FILE ...]      all files of the repository if none is given
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

SOURCES = {".h", ".cpp", ".c", ".td", ".py", ".sh", ".cmake"}
LICENSE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CONFLICT = re.compile(r"^(<{7} |={7}$|>{7} )")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
INCLUDE = re.compile(r'#include "Comm/([\w/]+)/\w+\.h')
# For each folder under lib/ and include/Comm, the other folders that it may include. A folder includes its subfolders.
DIALECT = ("Dialect", "MPI")
MAY_INCLUDE = {
    "MPI": (),
    "Report": (),
    "Dialect/Utils": (),
    "Dialect/Comm/IR": ("Dialect/Utils", "MPI"),
    "Dialect/Graph": ("Dialect/Utils",),
    "Dialect/Comm/Utils": DIALECT,
    "Analysis/Requests": DIALECT,
    "Analysis/Memory": (*DIALECT, "Analysis/Requests"),
    "Analysis/Order": (*DIALECT, "Analysis/Memory", "Analysis/Requests"),
    "Analysis/Footprints": (*DIALECT, "Analysis/Memory", "Analysis/Order", "Analysis/Requests"),
    "Analysis/Phases": (*DIALECT, "Analysis/Memory", "Analysis/Order"),
    "Analysis/Symbolic": (*DIALECT, "CDag"),
    "Analysis/Profile": (*DIALECT, "Report"),
    "Analysis/Graph": ("Dialect/Graph",),
    "Interpreter": ("Dialect/Graph", "Analysis/Graph"),
    "Target": ("Dialect/Graph",),
    "Transforms/Graph": ("Dialect/Graph", "Analysis/Graph"),
    "Transforms": (*DIALECT, "Analysis", "CDag"),
    "Conversion/GraphToComm": (*DIALECT, "Analysis/Graph", "Conversion"),
    "Conversion": DIALECT,
    "Plugin": (*DIALECT, "Analysis", "Report"),
    "Pipelines": (*DIALECT, "Analysis", "Transforms", "Conversion"),
    "CAPI": (*DIALECT, "CDag", "Report", "Pipelines", "Plugin/Annotate", "Plugin/Errors", "Plugin/RoundTrip"),
}
# All operations of the dialect, for files that are built again whenever one is added: no analyses and passes.
ALL_OPS = "Comm/Dialect/Comm/IR/Comm.h"
WITHOUT_ALL_OPS = ("lib/Analysis/", "lib/Transforms/", "include/Comm/Analysis/", "include/Comm/Transforms/")
# Folders whose files include each other as "folder/File.h": each may include those named before it.
LAYERS = {
    "runtime/lib/ranks": ("core", "objects", "message", "collective", "window", "file", "mpi"),
    "lib/Transforms/Overlap": ("Units", "Motion", "Iterations"),
}
LAYER_INCLUDE = re.compile(r'#include "(?:([\w-]+)/)?(\w+\.h)"')
GENERATED_HEADERS = ("Abi.h",)
# Shared parts of the runtime: each may include its own headers and these of the C interface.
RUNTIME_MAY_INCLUDE = {
    "runtime/lib/reduce": ("comm/reduce.h",),
    "runtime/lib/graph": ("comm/graph.h", "comm/reduce.h"),
    "runtime/lib/graph-run": ("comm/graph_run.h", "comm/graph.h", "comm/reduce.h"),
}
RUNTIME_INCLUDE = re.compile(r'#include "([\w/.-]+/[\w.-]+)"')
# Code that programs link must not include the compiler's headers. The code for MPI's rules and for measurements must
# not include MLIR's.
COMPILER = re.compile(r'#include ["<](?:mlir|llvm|Comm)/(?!CDag/)')
MLIR = re.compile(r'#include ["<]mlir/')
WITHOUT_MLIR = ("lib/MPI/", "include/Comm/MPI/", "lib/Report/", "include/Comm/Report/")
# Words that pages do not use, and their replacements (CONTRIBUTING.md, "English").
WORDS = {
    r"anew": "again",
    r"but for(?! (?:a|an|the|each|every|any|now|all|both|two|it|this|that|\w+ing)\b)": "except for",
    r"behind|beside": "after, below; next to, compared with, in addition to",
    r"for ever": "forever",
    r"is no guess": "say what is known",
    r"(?:behaviou|colou|favou|neighbou|honou)r\w*": "American spelling: -or",
    r"(?:analy|paraly)s(?:ed|ing)|(?:optimi|paralleli|initiali|seriali|recogni|generali|summari|vectori)s(?:e|ed|es|ing|ation)":
        "American spelling: -yz-, -iz-",
    r"(?:cancel|model|label|travel|signal)l(?:ed|ing)|centre|grey|whilst|amongst": "American spelling",
}  # fmt: skip
WORD = re.compile("|".join(rf"(?P<w{index}>\b(?:{pattern})\b)" for index, pattern in enumerate(WORDS)), re.IGNORECASE)
# A comment extends to the end of its line; this also matches a line of a longer one.
COMMENT = {"//": re.compile(r"(?://|^ ?\*|/\*)(.*)"), "#": re.compile(r"(?:^|\s)#(.*)")}
# The rule applies to these. Generated files use the words of their sources.
PAGES = ("README.md", "CONTRIBUTING.md", "docs/", "benchmarks/README.md", "examples/README.md")
GENERATED = "docs/reference/"
# Paths in backquotes that start with these folders must exist.
QUOTED = re.compile(
    r"`((?:lib|include|test|unittests|runtime|tools|utils|benchmarks|examples|docs|cmake)/[\w./*+-]*\w)(?=[`: ])"
)
# The start of a command in a page that runs a program of this repository.
COMMAND = re.compile(
    r"^(?:(?:chrt -f \d+|nice -n -?\d+|env|!|[A-Z_]+=\S+) )*((?:test|tools|utils|benchmarks|examples)/[\w./-]+)(?= |$)"
)
# Tests are input to the compiler, and users copy examples, so neither has license lines.
UNLICENSED = ("test/", "examples/")


def is_below(folder: str, parent: str) -> bool:
    return folder == parent or folder.startswith(parent + "/")


def forbidden_includes(path: Path, lines: list[str]) -> list[str]:
    """Finds includes that violate the order of the folders, or that use another folder's private header."""
    if not str(path).startswith(("lib/", "include/Comm/")):
        return []
    folder = str(path.parent).removeprefix("lib/").removeprefix("include/Comm/")
    subject = next((parent for parent in MAY_INCLUDE if is_below(folder, parent)), None)
    if subject is None:
        return []
    allowed = (subject, *MAY_INCLUDE[subject])
    found = []
    for number, line in enumerate(lines, 1):
        if f'"{ALL_OPS}"' in line and str(path).startswith(WITHOUT_ALL_OPS):
            found.append(f"{path}:{number}: include CommStructuralOps.h, and ask interfaces about other operations")
        match = INCLUDE.match(line)
        if match and not any(is_below(match[1], name) for name in allowed):
            found.append(f"{path}:{number}: {folder} must not include {match[1]} (see CONTRIBUTING.md)")
    return found


def forbidden_in_layers(path: Path, lines: list[str]) -> list[str]:
    """Finds includes in layered folders that point upwards, or do not name the folder."""
    folder = path.parent.name
    order = LAYERS.get(str(path.parent.parent))
    if order is None or path.suffix not in SOURCES:
        return []
    if folder not in order:
        return [f"{path}:1: {folder} is not one of {', '.join(order)} (see CONTRIBUTING.md)"]
    allowed = order[: order.index(folder) + 1]
    found = []
    for number, line in enumerate(lines, 1):
        match = LAYER_INCLUDE.match(line)
        if not match or match[1] == "comm" or match[2] in GENERATED_HEADERS:
            continue
        if match[1] not in allowed:
            found.append(f"{path}:{number}: {folder} must not include {match[1] or match[2]} (see CONTRIBUTING.md)")
    return found


def forbidden_in_runtime(path: Path, lines: list[str]) -> list[str]:
    """Finds includes between parts of the runtime that must be independent: for example, reductions do not depend on
    graphs."""
    allowed = RUNTIME_MAY_INCLUDE.get(str(path.parent))
    if allowed is None:
        return []
    return [
        f"{path}:{number}: {path.parent.name} must not include {match[1]} (see CONTRIBUTING.md)"
        for number, line in enumerate(lines, 1)
        if (match := RUNTIME_INCLUDE.match(line)) and match[1] not in allowed
    ]


def forbidden_libraries(path: Path, lines: list[str]) -> list[str]:
    """Finds includes of the compiler in code that must not depend on it."""
    is_runtime = str(path).startswith("runtime/")
    if not is_runtime and not str(path).startswith(WITHOUT_MLIR):
        return []
    wrong, what = (COMPILER, "the runtime includes neither MLIR nor LLVM") if is_runtime else (MLIR, "no MLIR here")
    return [
        f"{path}:{number}: {what} (see CONTRIBUTING.md)" for number, line in enumerate(lines, 1) if wrong.match(line)
    ]


def forbidden_in_python(path: Path, lines: list[str]) -> list[str]:
    """Finds C++ headers of MLIR or Comm in the bindings, which use only the C APIs."""
    if not str(path).startswith("python/src/"):
        return []
    wrong = re.compile(r'#include ["<](?:Comm|mlir|llvm)/')
    return [
        f"{path}:{number}: the bindings include comm-c and mlir-c only (see CONTRIBUTING.md)"
        for number, line in enumerate(lines, 1)
        if wrong.match(line)
    ]


def comment_errors(path: Path, lines: list[str]) -> list[str]:
    """Finds words that comments must not use, outside of quotes. This file, which lists the words, is exempt."""
    if path.suffix not in SOURCES or str(path).startswith(UNLICENSED) or path.name == Path(__file__).name:
        return []
    found, mark = [], COMMENT["#" if path.suffix in (".py", ".sh", ".cmake") else "//"]
    for number, line in enumerate(lines, 1):
        match = mark.search(line)
        text = re.sub(r"`[^`]*`|\"[^\"]*\"", "``", match[1]) if match else ""
        for word in WORD.finditer(text):
            advice = list(WORDS.values())[int(word.lastgroup[1:])]
            found.append(f"{path}:{number}: '{word.group()}': write otherwise ({advice}; CONTRIBUTING.md, English)")
    return found


def page_errors(path: Path, lines: list[str]) -> list[str]:
    """Finds words that pages must not use, outside of code and quotes; paths that do not exist; commands that cannot
    run."""
    if not str(path).startswith(PAGES) or str(path).startswith(GENERATED):
        return []
    found, is_code = [], False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            is_code = not is_code
        command = COMMAND.match(line) if is_code else None
        if command and not os.access(command[1], os.X_OK):
            found.append(f"{path}:{number}: {command[1]} cannot be executed")
        text = "" if is_code else re.sub(r"`[^`]*`|\"[^\"]*\"", "``", line)
        for match in WORD.finditer(text):
            advice = list(WORDS.values())[int(match.lastgroup[1:])]
            found.append(f"{path}:{number}: '{match.group()}': write otherwise ({advice}; CONTRIBUTING.md, English)")
        for name in QUOTED.findall(line):
            is_placeholder = re.search(r"\b[A-Z]{4,}\b", name)  # lib/Transforms/SUBJECT
            if not is_placeholder and not any(Path().glob(name)):
                found.append(f"{path}:{number}: there is no {name}")
    return found


def table_errors(path: Path, lines: list[str]) -> list[str]:
    """Finds rows of tables that continue on the next line, where they are no longer part of the table."""
    found, is_code = [], False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        if not is_code and line.startswith("|") and not line.rstrip().endswith("|"):
            found.append(f"{path}:{number}: a row of a table is one line, and ends in '|'")
    return found


def pass_errors(path: Path, text: str) -> list[str]:
    """Finds passes whose description has no example."""
    if path.name != "Passes.td":
        return []
    records = re.split(r"^def (\w+) : Pass<", text, flags=re.MULTILINE)[1:]
    named = zip(records[::2], records[1::2])
    return [f"{path}: the description of {name} has no example" for name, record in named if "```mlir" not in record]


def errors_of(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError):
        return []  # not text, or a broken link
    lines = text.split("\n")
    found = []
    if path.suffix in SOURCES and not str(path).startswith(UNLICENSED) and LICENSE not in "\n".join(lines[:8]):
        found.append(f"{path}:1: the license line is missing: {LICENSE}")
    for number, line in enumerate(lines, 1):
        if line != line.rstrip() and path.suffix not in (".md", ".svg"):
            found.append(f"{path}:{number}: white space at the end of the line")
        if CONFLICT.match(line) and path.name != "LICENSE" and path.suffix != ".md":
            found.append(f"{path}:{number}: conflict marker")
    checks = (
        forbidden_includes,
        forbidden_in_layers,
        forbidden_in_runtime,
        forbidden_libraries,
        forbidden_in_python,
        comment_errors,
    )
    for check in checks:
        found += check(path, lines)
    found += pass_errors(path, text)
    if path.suffix == ".md":
        links = [link for link in LINK.findall(text) if "://" not in link and not link.startswith("mailto:")]
        found += [f"{path}: the link to {link} leads nowhere" for link in links if not (path.parent / link).exists()]
        found += page_errors(path, lines)
        found += table_errors(path, lines)
    if text and not text.endswith("\n"):
        found.append(f"{path}:{len(lines)}: no newline at the end of the file")
    return found


def main() -> int:
    names = sys.argv[1:]
    if not names:
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        names = [name for name in names if "/Inputs/bad" not in name]  # the inputs of this script's test
    errors = [error for name in names for error in errors_of(Path(name))]
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
