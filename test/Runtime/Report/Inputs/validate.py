# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the numbers of report.c's file: validate.py FILE RANKS."""

import json
import sys

ranks = int(sys.argv[2])
report = json.load(open(sys.argv[1], encoding="utf-8"))
assert report["run"]["ranks"] == ranks
assert 0.005 <= report["run"]["wall_seconds"] < 60
sites = {site["line"]: site for site in report["sites"]}
assert sorted(sites) == [20, 30, 40], sorted(sites)

shared, some = sites[30], sites[20]
assert shared["ranks"] == ranks
assert shared["executions"] == {"total": 5 * ranks, "rank_min": 5, "rank_max": 5}
assert some["ranks"] == 1
assert some["executions"] == {"total": 5, "rank_min": 0 if ranks > 1 else 5, "rank_max": 5}
for site, least in ((shared, 1000), (some, 500)):
    interval = site["interval_us"]
    assert least <= interval["shortest"] <= interval["rank_min"] <= interval["mean"] <= interval["rank_max"], interval
    # A sleep of a millisecond takes less than a second, even on a busy machine.
    assert interval["rank_max"] < 1e6, interval
