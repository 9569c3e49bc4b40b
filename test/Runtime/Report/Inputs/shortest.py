# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the shortest execution of every site of shortest.c's file lasted 100 s."""

import json
import sys
from pathlib import Path

sites = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["sites"]
lines = [site["line"] for site in sites]
assert lines == [10, 20, 30, 40, 50, 60, *range(1000, 1500)], lines
for site in sites:
    interval = site["interval_us"]
    assert 100e6 <= interval["shortest"] < 190e6, site
    if site["line"] != 60:
        assert interval["rank_min"] > 195e6 and interval["mean"] > 195e6, site
