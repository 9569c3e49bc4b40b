#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command again and again, and compares what it prints and how it ends.

    again.py RUNS COMMAND...

Prints what the first run printed, and ends as it did. Ranks print in any order, so lines are compared in no order.
Exit code 99 if a run differs.
"""

import difflib
import subprocess
import sys


def main() -> int:
    runs, command = int(sys.argv[1]), sys.argv[2:]
    first = subprocess.run(command, stdout=subprocess.PIPE, text=True, errors="replace")
    expected = sorted(first.stdout.splitlines())
    for run in range(2, runs + 1):
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, errors="replace")
        lines = sorted(done.stdout.splitlines())
        if (done.returncode, lines) != (first.returncode, expected):
            print(
                f"again.py: run {run} ends with {done.returncode}, the first one with {first.returncode}",
                file=sys.stderr,
            )
            print("\n".join(difflib.unified_diff(expected, lines, "first", f"run {run}", lineterm="")), file=sys.stderr)
            return 99
    print(first.stdout, end="")
    return first.returncode


if __name__ == "__main__":
    sys.exit(main())
