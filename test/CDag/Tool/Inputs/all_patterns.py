# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every pattern of comm-cdag is detected as the collective in its name, and verified."""

import json
import subprocess

names = subprocess.run(["comm-cdag", "--list-patterns"], check=True, capture_output=True, text=True).stdout.splitlines()
assert len(names) > 20, names
for line in names:
    name = line.split()[0]
    for ranks in (4, 8) if "powers" in line else (3, 7, 8):
        command = ["comm-cdag", f"--pattern={name}", f"--ranks={ranks}"]
        stats = json.loads(subprocess.run([*command, "--stats"], check=True, capture_output=True, text=True).stdout)
        assert stats["detected"] == [name.split("-")[0]], (name, ranks, stats)
        assert stats["kept_messages"] == 0, (name, ranks, stats)
        verified = subprocess.run([*command, "--verify"], check=True, capture_output=True, text=True).stdout
        assert "verified" in verified, (name, ranks)
