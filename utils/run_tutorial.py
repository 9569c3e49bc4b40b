#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run the commands of a page, and check that they print what the page says.

    run_tutorial.py docs/tutorial.md --folder DIR [--mpirun "mpirun --oversubscribe"]

A code block of C after `<!-- file: NAME -->` becomes that file. A block of sh runs in the folder, and each line must
succeed. A directly following block without a language lists lines that its output must contain, in any order.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"(?:<!-- file: (\S+) -->\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(commands: str, mpirun: str, folder: Path, timeout: int) -> tuple[int, str]:
    text = re.sub(r"\bmpirun\b(?= -n)", mpirun, commands)
    command = ["bash", "-e", "-o", "pipefail", "-c", text]
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    done = subprocess.run(command, cwd=folder, timeout=timeout, **pipe)
    return done.returncode, done.stdout


def missing(expected: str, output: str) -> str:
    """Returns a line of `expected` that the output does not contain as often."""
    lines = expected.splitlines()
    return next((line for line in lines if output.count(line) < lines.count(line)), "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("--folder", type=Path, required=True, help="where to run; should be empty")
    parser.add_argument("--mpirun", default="mpirun", help="what the page's mpirun stands for")
    parser.add_argument("--timeout", type=int, default=240, help="seconds for each block")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    output, ran, checked = None, 0, 0
    for match in BLOCK.finditer(args.page.read_text(encoding="utf-8")):
        name, language, text = match.groups()
        if name:
            (args.folder / name).write_text(text, encoding="utf-8")
        elif language == "sh":
            code, output = run(text, args.mpirun, args.folder, args.timeout)
            ran += len(text.splitlines())
            if code:
                print(f"error: {args.page}: exit code {code} of\n{text}{output}", file=sys.stderr)
                return 1
            continue
        elif not language and output is not None:
            if line := missing(text, output):
                print(f"error: {args.page}: '{line}' is not in the output:\n{output}", file=sys.stderr)
                return 1
            checked += len(text.splitlines())
        output = None
    print(f"{ran} commands ran, {checked} lines were found")
    return 0 if ran and checked else 1


if __name__ == "__main__":
    sys.exit(main())
