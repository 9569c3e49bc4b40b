# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the complete Python programs of a page: those that begin with an import."""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as page:
    text = page.read()
programs = [p for p in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if p.startswith("from ")]
# Programs that read files of the reader are skipped.
programs = [p for p in programs if "compile_file" not in p and "report.load" not in p and "graph.run" not in p]
assert len(programs) == 3
names: dict[str, object] = {}
exec(programs[0].replace("    print(remarks_table(manager.remarks))  # with pandas\n", ""), names)
# Programs that continue the first one.
(loops,) = [p for p in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if p.startswith("with InsertionPoint")]
with names["module"].context, names["Location"].unknown():  # type: ignore[attr-defined]
    names["vector"] = names["memory"]
    exec(loops, names)
    assert names["dot"].func_op.symbol == "dot" and names["module"].verify()  # type: ignore[attr-defined]
exec(programs[2])
exec(programs[1].replace("PassManager.parse", "with module.context:\n    PassManager.parse"), names)
assert 'mine = ["recvbuf"]' in str(names["module"])
