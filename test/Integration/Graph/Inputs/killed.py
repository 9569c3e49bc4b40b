#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts a program that does not end, kills one of its processes, and checks that the others end.

killed.py PROGRAM OPTIONS... -- MPIRUN..."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

LIMIT = 20.0


def processes_of(parent: int, program: str) -> list[int]:
    """Returns the processes below `parent` that run the program."""
    found, below = [], [parent]
    while below:
        pid = below.pop()
        try:
            for task in Path(f"/proc/{pid}/task").iterdir():
                below += [int(child) for child in (task / "children").read_text(encoding="ascii").split()]
            if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(program):
                found.append(pid)
        except OSError:
            continue
    return found


def runs(pid: int) -> bool:
    try:
        # After the name, which may contain any characters; Z has ended and waits for its parent.
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def main() -> int:
    split = sys.argv.index("--")
    program, mpirun = sys.argv[1:split], sys.argv[split + 1 :]
    with subprocess.Popen([*mpirun, *program], stdin=subprocess.DEVNULL) as started:
        begin = time.monotonic()
        while len(found := processes_of(started.pid, program[0])) < 2 and time.monotonic() - begin < LIMIT:
            time.sleep(0.1)
        time.sleep(1)
        os.kill(found[-1], signal.SIGKILL)
        try:
            code = started.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            started.terminate()
            print("did not end")
            return 1
    left = [pid for pid in found if runs(pid)]
    print("ended with an error, in time" if code and not left else f"code {code}, processes {left}", flush=True)
    return 0


sys.exit(main())
