# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An mpirun whose third run prints an extra line: meddling_mpirun.py COUNTER_FILE MPIRUN_ARGUMENTS..."""

import subprocess
import sys
from pathlib import Path

counter = Path(sys.argv[1])
arguments = sys.argv[2:]
code = subprocess.run(["mpirun", *arguments], check=False).returncode
if arguments != ["--version"]:
    runs = int(counter.read_text()) + 1
    counter.write_text(str(runs))
    if runs == 3:
        print("a line too much")
sys.exit(code)
