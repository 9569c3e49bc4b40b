# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a profile in which blocking calls took a number of times as long, and no other form is known."""

import json
import sys
from pathlib import Path

report = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
for site in report["sites"]:
    for name in ("start_us", "interval_us", "wait_us"):
        site.pop(name, None)
    for member in ("mean", "shortest", "longest", "rank_min", "rank_max"):
        if "blocking_us" in site:
            site["blocking_us"][member] *= float(sys.argv[2])
Path(sys.argv[3]).write_text(json.dumps(report), encoding="utf-8")
