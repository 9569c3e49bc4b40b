# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lost.py COMMRUN PROGRAM: a process of two that is killed; a commrun that is killed; one that is asked to end. Each
ends within seconds and leaves no processes. PROGRAM takes an argument: process 1 kills itself, or both sleep."""

import pathlib
import signal
import subprocess
import sys
import time

commrun, program = sys.argv[1:]


def alive():
    count = 0
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        count += words[0] == program.encode()
    return count


def wait_for(number):
    for _ in range(400):
        if alive() == number:
            return
        time.sleep(0.05)
    sys.exit(f"{alive()} processes are alive, not {number}")


command = [commrun, "-nn", "2", "-nc", "1", "-nv", "3", program]
start = time.monotonic()
done = subprocess.run([*command, "die"], capture_output=True, text=True, timeout=60)
print(f"killed: exit code {done.returncode}\n{done.stderr}")
assert time.monotonic() - start < 30
wait_for(0)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
    job = subprocess.Popen([*command, "sleep"], stderr=subprocess.PIPE, text=True)
    wait_for(2)
    job.send_signal(number)
    code = job.wait(30)
    wait_for(0)
    print(f"{number.name}: ended, exit code {code}")
    assert code
