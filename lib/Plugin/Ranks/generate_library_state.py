#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the tables of LibraryState.cpp from LibraryState.json, which utils/library-state/derive.py writes.

generate_library_state.py LibraryState.json -o LibraryState.inc
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

# Warning for state that has not been reviewed: as much as is known.
UNKNOWN = "keeps its state for all ranks"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("state", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    args = parser.parse_args()
    functions = json.loads(args.state.read_text())
    lines = ["static const Rewiring rewirings[] = {"]
    lines += [f'    {{"{f["name"]}", "comm_ranks_{f["replacement"]}"}},' for f in functions if f["class"] == "private"]
    lines += ["};", "static const SharedState sharedStates[] = {"]
    lines += [
        f'    {{"{f["name"]}", {json.dumps(f.get("why", UNKNOWN))}}},'
        for f in functions
        if f["class"] in ("warned", "unknown")
    ]
    args.output.write_text("\n".join([*lines, "};", ""]))


if __name__ == "__main__":
    main()
