# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes profiles of mixed.c: long.json and short.json, where its MPI_Allgather takes long and next to no time; rare.json,
where another one, which overlaps nothing, is called much more often."""

import json
from pathlib import Path

lines = Path("mixed.c").read_text(encoding="utf-8").splitlines()
calls = [(number, line.index("MPI_Allgather") + 1) for number, line in enumerate(lines, 1) if "  MPI_Allgather(" in line]


def write(name, *sites):
    run = {"program": "mixed", "ranks": 4, "nodes": 2, "runs": 1, "only_rank": None, "mode": None, "start_time": ""}
    top = {"schema": "comm-report", "version": 2, "run": run | {"wall_seconds": 1}, "sites": list(sites)}
    Path(name).write_text(json.dumps(top), encoding="utf-8")


def site(place, microseconds, executions=40):
    figures = dict.fromkeys(("mean", "shortest", "longest", "rank_min", "rank_max"), microseconds)
    return {
        **{"mpi_call": "MPI_Allgather", "function": "f", "file": "mixed.c", "inlined_at": "", "ranks": 4},
        **{"line": place[0], "column": place[1]},
        "executions": {"total": executions, "rank_min": executions // 4, "rank_max": executions // 4},
        "blocking_us": {"executions": executions, **figures},
    }


write("long.json", site(calls[0], 5000))
write("short.json", site(calls[0], 0.001))
write("rare.json", site(calls[0], 5000), site(calls[1], 5000, executions=4_000_000))
