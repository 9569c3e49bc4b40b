# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the compiler's handling of each function of lib/Plugin/Ranks/LibraryState.json.

library_state.py program JSON            a program that calls each
library_state.py expect JSON IR STDERR   that the compiler replaced, warned of, or left each as the data says
library_state.py standard JSON LIST      that the data have an answer for each function of the standard's list
library_state.py tested JSON SOURCE...   that each function with a copy for each rank is in a test
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

# Variables of the library.
VARIABLES = ("optarg", "optind", "opterr", "optopt", "signgam")


def main() -> int:
    action, path, *rest = sys.argv[1:]
    functions = {f["name"]: f for f in json.loads(Path(path).read_text())}
    wrong = []
    if action == "program":
        for name in functions:
            print(f"extern int {name};" if name in VARIABLES else f"void {name}(void);")
        print("void call(void) {")
        for name in functions:
            print(f"  {name} = 1;" if name in VARIABLES else f"  {name}();")
        print("}")
    elif action == "expect":
        used = set(re.findall(r"@([\w.]+)", Path(rest[0]).read_text()))
        warned = set(re.findall(r"warning: '(\w+)' .*\[-Wpass-failed", Path(rest[1]).read_text()))
        for name, function in functions.items():
            kind = function["class"]
            if (kind == "private") != (name not in used):
                wrong.append(f"{name} is {kind}, and the compiler {'kept' if name in used else 'dropped'} it")
            if kind == "private" and "comm_ranks_" + function["replacement"] not in used:
                wrong.append(f"{name}: nothing replaces it")
            if (kind in ("warned", "unknown")) != (name in warned):
                wrong.append(f"{name} is {kind}, and the compiler {'warned' if name in warned else 'was silent'}")
            if kind in ("harmless", "warned") and not function["why"]:
                wrong.append(f"{name}: no reason is given")
    elif action == "standard":
        for name in Path(rest[0]).read_text().split():
            if name not in functions:
                wrong.append(f"{name}: of the standard's list, and not in the data")
    elif action == "tested":
        text = "".join(Path(source).read_text() for source in rest)
        words = set(re.findall(r"\w+", text))
        for name, function in functions.items():
            if function["class"] == "private" and not name.startswith("_") and name not in words:
                wrong.append(f"{name}: each rank has its own, and no test calls it")
    print("\n".join(wrong) if wrong or action == "program" else f"{len(functions)} functions: as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
