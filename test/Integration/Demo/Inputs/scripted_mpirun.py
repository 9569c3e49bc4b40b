# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An mpirun that puts given intervals into the reports: scripted_mpirun.py FOLDER MEAN:SHORTEST,... MPIRUN_ARGUMENTS...

The first program that writes a report gets the first pair of intervals, and so on; FOLDER/taken counts them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

taken = Path(sys.argv[1], "taken")
intervals = sys.argv[2].split(",")
code = subprocess.run(["mpirun", *sys.argv[3:]], check=False).returncode
if "COMM_REPORT_FILE" in os.environ and code == 0:
    number = int(taken.read_text()) if taken.exists() else 0
    taken.write_text(str(number + 1))
    mean, shortest = map(float, intervals[number].split(":"))
    report = Path(os.environ["COMM_REPORT_FILE"])
    value = json.loads(report.read_text())
    for site in value["sites"]:
        site["interval_us"].update(mean=mean, shortest=shortest)
    report.write_text(json.dumps(value))
sys.exit(code)
