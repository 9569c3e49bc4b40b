# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the numbers of forms.c's files: forms.py RANKS FILE..."""

import json
import sys
from pathlib import Path

ranks = int(sys.argv[1])
executions = 4 * 5000 * ranks
for path in sys.argv[2:]:
    report = json.loads(Path(path).read_text(encoding="utf-8"))
    assert (report["run"]["ranks"], report["run"]["nodes"], report["run"]["runs"]) == (ranks, 1, 1), report["run"]
    both, never, begun = report["sites"]
    assert both["inlined_at"] == "m.c:1:2" and both["ranks"] == ranks
    assert both["executions"] == {"total": 2 * executions, "rank_min": 40000, "rank_max": 40000}, both
    for name, shortest, mean in (
        ("start", 100, 100),
        ("interval", 200, 200),
        ("wait", 300, 300),
        ("blocking", 400, 500),
    ):
        part = both[name + "_us"]
        assert part["executions"] == executions, both
        assert shortest * 1e6 <= part["shortest"] < (shortest + 90) * 1e6, both
        assert mean * 1e6 <= part["rank_min"] <= part["mean"] <= part["rank_max"] < (mean + 90) * 1e6, both
        assert part["longest"] >= part["rank_max"], both
    # A message whose length is not known counts as none.
    assert both["bytes"] == {
        "messages": executions + executions // 2,
        "sum": executions * 24 + executions // 2 * 8,
        "min": 8,
        "max": 24,
    }, both
    for site in (never, begun):
        assert site["ranks"] == 0 and site["executions"]["total"] == 0 and "start_us" not in site, site
