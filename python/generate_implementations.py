#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the names that identify MPI implementations as Python, from include/Comm/MPI/Headers.def and the bindings.

generate_implementations.py Headers.def openmpi5.json mpich.json ... -o _implementations.py
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

import generated_module

HEADER = re.compile(r'^COMM_MPI_HEADER\([A-Z_]+, (\d+), "([^"]+)", "([^"]*)"\)$', re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("headers", type=Path, help="include/Comm/MPI/Headers.def")
    parser.add_argument("bindings", nargs="+", type=Path, help="files of lib/MPI/Bindings")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    args = parser.parse_args()
    pointers: dict[str, bool] = {}
    for path in args.bindings:
        binding = json.loads(path.read_text(encoding="utf-8"))
        pointers[binding["name"]] = binding["representation"]["Comm"] == "pointer"
    lines = [
        "# What MPI_Get_library_version begins with, the least number after it, and the ABI; the first that is right.",
        "LIBRARIES: list[tuple[str, int, str]] = [",
        *[
            f'    ("{library}", {least}, "{abi}"),'
            for least, abi, library in HEADER.findall(args.headers.read_text(encoding="utf-8"))
            if library
        ],
        "]",
        "# Whether handles of the ABI are pointers; else they are numbers.",
        "HAS_POINTERS: dict[str, bool] = {",
        *[f'    "{name}": {value},' for name, value in sorted(pointers.items())],
        "}",
    ]
    generated_module.write(args.output, __file__, "The names that identify MPI implementations.", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
