# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""commrun -np N has N ranks for every N, on no more kernel threads than there are cores."""

from __future__ import annotations

import os
import re
import subprocess
import sys

commrun, program = sys.argv[1:]
cores = len(os.sched_getaffinity(0))
for ranks in (1, 2, 3, 4, 7, 12, 64, 1000):
    text = subprocess.run(
        [commrun, "-np", str(ranks), "--dry-run", program], check=True, capture_output=True, text=True
    )
    found = re.search(r"THREADS=(\d+) COMM_RANKS_PER_THREAD=(\d+).*mpirun -np (\d+)", text.stdout)
    threads, per_thread, processes = (int(number) for number in found.groups())
    if threads * per_thread * processes != ranks or processes != 1 or threads > cores:
        sys.exit(f"-np {ranks}: {processes} processes of {threads} threads with {per_thread} ranks")
    if ranks % cores == 0 and threads != cores:
        sys.exit(f"-np {ranks}: {threads} threads on {cores} cores")
