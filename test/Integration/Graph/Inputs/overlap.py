# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""overlap.py SOURCE FAST PLAIN FOLDER EXCHANGE MPIRUN...: runs a program whose ghosts or updates travel while it goes on,
on graphs with much and little border, and compares with the interpreter. EXCHANGE is what --stats has to say: messages (with both
transports that messages are of), window, or library if MPI makes no window."""

import json
import os
import subprocess
import sys
from pathlib import Path

source, fast, plain, folder, exchange, *mpirun = sys.argv[1:]
TRANSPORTS = {"messages": ("messages", "shared")}


def call(command: list[str], transport: str = "") -> list[str]:
    environment = {**os.environ, "COMM_REDUCE_TRANSPORT": transport} if transport else None
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout.splitlines()


def main() -> None:
    arguments = ["--arg", "src=5"]
    if "SetN<g> some" in Path(source).read_text(encoding="utf-8"):
        arguments += ["--arg", "some=1,5,9,30,31,62"]
    edges = [(v, (v * k + 1) % 157) for v in range(157) for k in (1, 2, 5)]
    # With edges in one direction: processes at the end have no copies.
    path = [(v, v + 1) for v in range(156)]
    # Without a border between two processes, and with hubs.
    parts = [(v, v ^ 1) for v in range(64)]
    stars = [(hub, v) for hub in range(3) for v in range(120)] + [(v, 1) for v in range(120)]
    # So many ghosts that sizes are sent before them.
    wide = [(v, (v * k + 3) % 1999) for v in range(1999) for k in (2, 3, 7)]
    graphs = {"mixed": edges, "path": path, "parts": parts, "stars": stars, "wide": wide}
    for name, each in graphs.items():
        file = Path(folder) / f"{name}.el"
        file.write_text("".join(f"{a} {b}\n" for a, b in sorted(set(each))), encoding="ascii")
        options = ["--graph", str(file), *arguments]
        wanted = call(["comm-graph-interpret", source, *options])
        for processes in (1, 2, 3, 4) if name == "mixed" else (1, 2, 4):
            for transport in TRANSPORTS.get(exchange, ("",))[:processes]:
                got = call([*mpirun, "-n", str(processes), fast, *options, "--quiet", "--print"], transport)
                if got != wanted:
                    sys.exit(f"{name}, {processes} processes, {transport}: not what the interpreter has")
    print(f"{len(graphs)} graphs, 1, 2 and 4 processes: all as the interpreter has it")

    stats = {}
    for program in (fast, plain):
        command = [*mpirun, "-n", "4", program, "--graph", "grid:60:60", *arguments, "--quiet"]
        call([*command, "--stats", f"{folder}/stats.json"], "messages" if exchange == "messages" else "")
        stats[program] = json.loads(Path(f"{folder}/stats.json").read_text(encoding="utf-8"))
    if stats[fast]["exchange"] != exchange:
        sys.exit(f"exchanged by {stats[fast]['exchange']}")
    if exchange == "library":
        print(f"no window: {stats[fast]['no_window']}")
        return
    if stats[fast]["bytes"] == stats[plain]["bytes"]:
        sys.exit("nothing traveled")
    for count, number in ((1, "one message"), (2, "two messages")):
        if stats[fast]["messages"] <= count * 3 * stats[fast]["pulses"]:
            print(f"at most {number} to each other process in a pulse")
            break


main()
