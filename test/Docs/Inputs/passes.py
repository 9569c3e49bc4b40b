# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that docs/embedding.md names the passes of a pipeline, which is on stdin as text, in their order."""

import re
import sys
from pathlib import Path

page = Path(sys.argv[1]).read_text(encoding="utf-8")
listed = re.findall(r"`([\w-]+)`", page.split("These are its passes", 1)[1].split("\n`comm-opt", 1)[0])
executed = re.findall(r"^\s+(?!any\b)([\w-]+)[{,\s]", re.sub(r"\{.*?\}", "", sys.stdin.read()), re.MULTILINE)
print("the same passes" if listed == executed else f"listed: {listed}\nexecuted: {executed}")
sys.exit(listed != executed)
