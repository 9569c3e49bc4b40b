# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the complete Python programs of a page: those that begin with an import."""

import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
programs = [p for p in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if p.startswith("from ") and "compile_file" not in p]
assert len(programs) == 3
names: dict[str, object] = {}
exec(programs[0].replace("    print(remarks_table(manager.remarks))  # with pandas\n", ""), names)
exec(programs[2])
exec(programs[1].replace("PassManager.parse", "with module.context:\n    PassManager.parse"), names)
assert 'mine = ["recvbuf"]' in str(names["module"])
