# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes notebooks and prints their output. They are stored without outputs, which would become outdated.

run_notebooks.py NOTEBOOK ...
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

for name in sys.argv[1:]:
    notebook = nbformat.read(name, as_version=4)
    nbformat.validate(notebook)
    kept = [cell for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")]
    if kept:
        sys.exit(f"{name}: {len(kept)} cells have outputs or numbers: clear them")
    # A cell that fails is an exception, with its traceback.
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    print("notebook", Path(name).stem)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            for kind, content in output.get("data", {"text": output.get("text", "")}).items():
                print(f"[{kind}]", content if kind.startswith("text") else f"{len(content)} characters")
