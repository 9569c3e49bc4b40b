# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run a compiled graph program with less and less memory: it either succeeds, or reports the lack of memory.

memory.py PROGRAM OPTION ... -- MPIRUN ...: the least address space in which MPI itself starts is found first.
"""

from __future__ import annotations

import resource
import subprocess
import sys


def run(command: list[str], limit: int) -> tuple[int, str]:
    # The launcher is not limited.
    shell = ["sh", "-c", f'ulimit -v {limit >> 10} && exec "$0" "$@"']
    at = command.index("--")
    full = [*command[at + 1 :], *shell, *command[:at]]
    # Write no core files if a program crashes.
    done = subprocess.run(
        full,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    )
    return done.returncode, done.stdout + done.stderr


def main() -> int:
    command = sys.argv[1:]
    small = [*command[: command.index("--")], "--graph=grid:3:3", *command[command.index("--") :]]
    large = [*command[: command.index("--")], "--graph=grid:2000:1500", *command[command.index("--") :]]
    # With less, Open MPI itself hangs.
    least = 224 << 20
    while run(small, least)[0]:
        least += 32 << 20
    limit, worked, told = least, 0, 0
    while worked < 3:
        code, output = run(large, limit)
        if not code:
            worked += 1
        elif "not enough memory" in output and "bad_alloc" not in output and "signal 6" not in output:
            told += 1
        else:
            print(f"with {limit >> 20} MB:", output)
            return 1
        limit += 24 << 20
    print("it says so" if told else "nothing was missing")
    return 0


if __name__ == "__main__":
    sys.exit(main())
