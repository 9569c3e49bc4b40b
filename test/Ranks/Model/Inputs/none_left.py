# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a process of the program is still running shortly after its end."""

import os
import sys
import time

program = os.path.realpath(sys.argv[1])


def is_one(process: str) -> bool:
    try:
        return os.path.realpath(f"/proc/{process}/exe") == program
    except OSError:
        return False


for _ in range(50):
    left = [process for process in os.listdir("/proc") if process.isdigit() and is_one(process)]
    if not left:
        sys.exit(0)
    time.sleep(0.1)
sys.exit(f"processes {left} of {program} are left")
