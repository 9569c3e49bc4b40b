#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiler with a known bug: it splits every MPI_Recv and puts the wait
one statement too late. `faulty_cc.py mpicc -O1 ...` stands for a candidate in
tests of compare.py, which must find it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzzgen.mutate import call_at, later, nonblocking  # noqa: E402


def spoil(text: str) -> str:
    lines: list[str] = text.splitlines()
    requests: list[str] = []
    for at in range(len(lines) - 1, -1, -1):
        call = call_at(lines[at])
        if call and call[2] == "Recv":
            name = f"late_{at}"
            start, wait = nonblocking(lines[at], name)
            lines.insert(later(lines, at, 1), wait)
            lines[at] = start
            requests.append(f"static MPI_Request {name} = MPI_REQUEST_NULL;")
    head = lines.index("static int g_case;") + 1
    lines[head:head] = requests
    return "\n".join(lines) + "\n"


def main() -> int:
    sources = [x for x in sys.argv[1:] if x.endswith((".c", ".cpp"))]
    if not sources:
        return subprocess.call(sys.argv[1:])
    if len(sources) != 1:
        print("faulty_cc.py: one source file at a time", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="faulty-") as name:
        spoilt = Path(name) / Path(sources[0]).name
        spoilt.write_text(spoil(Path(sources[0]).read_text()))
        return subprocess.call([str(spoilt) if x == sources[0] else x for x in sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
