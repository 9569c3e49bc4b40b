#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derive which functions of the C library keep state, and what replaces them for ranks as user-level threads.

    utils/library-state/derive.py -o lib/Plugin/Ranks/LibraryState.json

Three sources say that a function keeps state: the library's own objects (objects.py), POSIX's list of functions that
need not be thread-safe (XSH 2.9.1, in pthreads(7)), and the attributes of the manual's pages ("MT-Unsafe"). Two specify
the handling: a `comm_ranks_NAME` in the runtime is a copy for each rank, and decisions.json gives reasons. Functions
without a decision are unknown, and the compiler warns about them as it does about shared ones.

Needs the Debian packages libc6-dev, binutils, manpages and manpages-dev, and reads the machine's own C library.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

from objects import Archive, exported_by

TOP = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
LIBRARIES = (("libc.a", "libc.so.6"), ("libm-*.a", "libm.so.6"))
DEVELOPMENT = Path("/usr/lib/x86_64-linux-gnu")
PAGES = Path("/usr/share/man")
TABLE_ENTRY = re.compile(
    r"T\{\n((?:\.[BR]+ .*\n|\.(?:ad|nh).*\n|[^T\n].*\n)*?)T\}\t+Thread safety\t(?:T\{\n((?:.*\n)*?)T\}|(.*)\n)"
)


def page(path: Path) -> str:
    with gzip.open(path, "rt", errors="replace") as file:
        return file.read()


def standard_list() -> set[str]:
    """Returns POSIX's functions that need not be thread-safe."""
    text = page(PAGES / "man7" / "pthreads.7.gz")
    text = text[text.index("except for the following functions:") :]
    return set(re.findall(r"^(\w+)\(\)", text[: text.index(".EE")], re.M))


def manual() -> dict[str, str]:
    """Returns the functions that the manual calls unsafe with threads, and why."""
    found = {}
    for path in sorted((PAGES / "man3").glob("*.3.gz")):
        for match in TABLE_ENTRY.finditer(page(path)):
            safety = " ".join((match[2] or match[3]).split())
            if not safety.startswith("MT-Unsafe"):
                continue
            for name in re.findall(r"^\.[BR]+ (\w+)", match[1], re.M):
                found[name] = safety.removeprefix("MT-Unsafe").replace("\\", "").strip()
    return found


def from_objects() -> dict[str, set[str]]:
    state: dict[str, set[str]] = defaultdict(set)
    for archive, library in LIBRARIES:
        path = next(iter(DEVELOPMENT.glob(archive)), None)
        if path is None:
            sys.exit(f"error: no {archive} in {DEVELOPMENT}: install libc6-dev")
        for name, variables in Archive(str(path), exported_by(str(DEVELOPMENT / library))).state().items():
            state[name] |= variables
    return state


def replacements() -> set[str]:
    """Returns X for each comm_ranks_X in the start's archive or the runtime."""
    found: set[str] = set()
    start = TOP / "runtime" / "lib" / "ranks-start"
    for path in [*start.glob("*.c"), TOP / "runtime" / "include" / "comm" / "ranks.h"]:
        text = path.read_text()
        found |= set(re.findall(r"^(?!static|extern)\w[\w *]*\bcomm_ranks_(\w+)(?:\(| =|;)", text, re.M))
        found |= set(re.findall(r"^REPLACES_\w+\((?:\w+, )?(\w+), ", text, re.M))
        found |= set(re.findall(r"^REPLACES_\w+\((\w+), ", text, re.M))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", required=True, help="LibraryState.json")
    args = parser.parse_args()
    decisions = json.loads((HERE / "decisions.json").read_text())
    harmless = [(re.compile(pattern), why) for pattern, why in decisions["variables"].items()]
    objects, posix, pages = from_objects(), standard_list(), manual()
    real = set().union(*(exported_by(str(DEVELOPMENT / library)) for _, library in LIBRARIES))
    copies = replacements() & (real | {"atexit"})  # atexit is linked into the program
    entries = []
    names = set(posix) | set(pages) | set(decisions["private"]) | set(decisions["harmless"]) | set(decisions["warned"])
    for name in sorted(names | set(objects) | copies):
        kept = {v for v in objects.get(name, ()) if not any(pattern.search(v) for pattern, _ in harmless)}
        sources = [s for s, has in (("objects", kept), ("posix", name in posix), ("manual", name in pages)) if has]
        entry = {"name": name}
        if name in decisions["private"]:
            entry |= {"class": "private", "replacement": decisions["private"][name]}
        elif name in copies:
            entry |= {"class": "private", "replacement": name}
        elif name in decisions["warned"]:
            entry |= {"class": "warned", "why": decisions["warned"][name]}
        elif name in decisions["harmless"]:
            entry |= {"class": "harmless", "why": decisions["harmless"][name]}
        elif sources:
            entry |= {"class": "unknown"}
        else:
            continue
        if name in pages and pages[name]:
            entry["manual"] = pages[name]
        if kept:
            entry["state"] = sorted(kept)[:4]
        entry["from"] = sources
        entries.append(entry)
    for entry in entries:
        if entry["class"] == "harmless" and not entry["from"]:
            print(f"warning: decisions.json has '{entry['name']}', which no source mentions", file=sys.stderr)
    lines = ",\n".join("  " + json.dumps(entry) for entry in entries)
    Path(args.output).write_text(f"[\n{lines}\n]\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
