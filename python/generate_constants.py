#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the types of MPI's predefined objects as Python, from the bindings of all implementations.

generate_constants.py openmpi5.json mpich.json ... -o _constants.py
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import generated_module

# Classes of handles to types of the comm dialect; the dialect has no others.
TYPES = {
    "Comm": "comm",
    "Datatype": "datatype",
    "Group": "group",
    "Info": "info",
    "Message": "message",
    "Op": "op",
    "Request": "request",
    "Win": "win",
}
# Numbers that are not ints.
WIDER = {"MPI_DISPLACEMENT_CURRENT"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bindings", nargs="+", type=Path, help="files of lib/MPI/Bindings")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    args = parser.parse_args()
    names: dict[str, str] = {}
    for path in args.bindings:
        bindings = json.loads(path.read_text(encoding="utf-8"))
        names.update(dict.fromkeys(bindings["constants"], "i32"))
        names.update(dict.fromkeys(bindings["addresses"], "!llvm.ptr"))
        for kind, handles in bindings["handles"].items():
            if kind in TYPES:
                names.update(dict.fromkeys(handles, f"!comm.{TYPES[kind]}"))
    names = {name: kind for name, kind in names.items() if name not in WIDER}
    lines = [
        "TYPES: dict[str, str] = {",
        *[f'    "{name}": "{kind}",' for name, kind in sorted(names.items())],
        "}",
    ]
    generated_module.write(args.output, __file__, "The types of MPI's predefined objects.", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
