# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs comm-vratio on bad input and prints the case, the exit code and the last message."""

import json
import os
import pathlib
import subprocess
import sys

folder, inputs, tool = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
folder.mkdir(parents=True, exist_ok=True)
os.chdir(folder)
profile = json.loads((inputs / "profile.json").read_text())
machine = json.loads((inputs / "calibration.json").read_text())
pathlib.Path("folder.json").mkdir(exist_ok=True)
files = {
    "empty": b"",
    "binary": b"\xff\xfe\x00",
    "deep": b"[" * 100000,
    "other": machine,
    "version": profile | {"version": 2},
    "lacks": {k: v for k, v in profile.items() if k != "compute_s"},
    "nan": profile | {"span_s": float("nan")},
    "zero": profile | {"span_s": 0},
    "negative": profile | {"sends": -1},
    "longer": profile | {"compute_s": 99},
    "long": profile | {"sends": 10**400},
    "vast": profile | {"network_bytes": 1e30, "network_messages": 1e-300},
    "virtual": profile | {"per_thread": 4},
}
for name, content in files.items():
    path = pathlib.Path(f"{name}.json")
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
pathlib.Path("machine.json").write_text(json.dumps(machine | {"call_s": 0}))
pathlib.Path("half.json").write_text(json.dumps({k: v for k, v in machine.items() if k != "nic_nic_bandwidth"}))
without = {k: v for k, v in machine.items() if not k.startswith(("network", "core", "nic"))}
pathlib.Path("alone.json").write_text(json.dumps(without))
good, calibration = str(inputs / "profile.json"), str(inputs / "calibration.json")

cases = {name: ["predict", f"{name}.json", "-c", calibration] for name in ["missing", "folder", *files]}
cases |= {name: ["predict", good, "-c", f"{name}.json"] for name in ("machine", "half", "alone")}
cases |= {
    "ratios": ["predict", good, "-c", calibration, "--ratios", "1,0"],
    "suffix": ["predict", good, "-c", calibration, "--plot", "out.pdf"],
    "timeout": ["measure", "-c", calibration, "--timeout", "1e300", "--", "none/program"],
    "no program": ["measure", "-c", calibration],
    "bad program": ["measure", "-c", calibration, "--", "none/program"],
    "bad nn": ["measure", "-c", calibration, "-nn", "x", "--", "none/program"],
    "calibrate nn": ["calibrate", "-nn", "0", "-o", "never.json"],
}
for name, arguments in cases.items():
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=60)
    lines = done.stderr.splitlines() or ["nothing said"]
    print(f"{name}: {done.returncode}: {lines[-1] if len(lines) == 1 or 'usage' in lines[0] else lines}")
    sys.stdout.flush()
