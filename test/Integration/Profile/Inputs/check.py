# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the profiles of profile.c: check.py FOUR BLOCKING FOLDER, of four processes and a folder of two other runs."""

import json
import sys
from pathlib import Path


def read(path):
    report = json.loads(Path(path).read_text(encoding="utf-8"))
    sites = {}
    for site in report["sites"]:
        sites.setdefault(site["mpi_call"], []).append(site)
    return report["run"], sites


def check_durations(durations, executions):
    assert durations["executions"] == executions, durations
    assert 0 <= durations["shortest"] <= durations["rank_min"] <= durations["mean"] + 1e-5, durations
    assert durations["mean"] <= durations["rank_max"] + 1e-5 <= durations["longest"] + 2e-5, durations


run, sites = read(sys.argv[1])
assert (run["ranks"], run["nodes"], run["runs"]) == (4, 1, 1), run
(allreduce,) = sites["MPI_Allreduce"]
assert allreduce["executions"] == {"total": 40, "rank_min": 10, "rank_max": 10}, allreduce
for part in ("start_us", "interval_us", "wait_us"):
    check_durations(allreduce[part], 40)
assert "blocking_us" not in allreduce and allreduce["interval_us"]["shortest"] > 0
assert allreduce["bytes"] == {"messages": 40, "sum": 320, "min": 8, "max": 8}, allreduce
# Two copies of an inlined function. The first and the last process have one neighbor each, and MPI_PROC_NULL.
assert len(sites["MPI_Sendrecv"]) == 2
assert len({site["inlined_at"] for site in sites["MPI_Sendrecv"]}) == 2
for site in sites["MPI_Sendrecv"]:
    halves = 2 if "start_us" in site else 1
    assert site["executions"]["total"] == 40 * halves, site
    assert (site["bytes"]["min"], site["bytes"]["max"]) == (0, 800), site
# The program's own requests: the times of the starts, with a variable datatype, and of the wait.
(own,) = sites["MPI_Irecv"]
assert (own["bytes"]["min"], own["bytes"]["max"]) == (0, 800) and own["executions"]["total"] == 40, own
(wait,) = sites["MPI_Waitall"]
check_durations(wait["blocking_us"], 40)
# In branches, which waits leave: names of the calls, wherever they moved.
for call in ("MPI_Send", "MPI_Recv"):
    (branch,) = sites[call]
    assert branch["executions"]["total"] == 20 and branch["bytes"]["max"] == 8, branch
assert any("wait_us" in sites[call][0] for call in ("MPI_Send", "MPI_Recv")), sites
# Nothing to overlap, but measured nevertheless; and a call that was never executed.
(gather,) = sites["MPI_Gather"]
check_durations(gather["blocking_us"], 4)
(barrier,) = sites["MPI_Barrier"]
assert barrier["ranks"] == 0 and barrier["executions"]["total"] == 0 and "blocking_us" not in barrier, barrier

blocking_run, blocking = read(sys.argv[2])
# The same calls by the same names.
names = [
    {(s["mpi_call"], s["file"], s["line"], s["column"], s["inlined_at"]) for same in all_.values() for s in same}
    for all_ in (sites, blocking)
]
assert names[0] == names[1], names[0] ^ names[1]
check_durations(blocking["MPI_Allreduce"][0]["blocking_us"], 40)
assert "start_us" not in blocking["MPI_Allreduce"][0]

ranks = sorted(read(path)[0]["ranks"] for path in Path(sys.argv[3]).iterdir())
assert ranks == [1, 2], ranks
