# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by the checks of sources: their arguments, and access to the build tree's compile_commands.json."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent


def parser(description: str | None) -> argparse.ArgumentParser:
    """Returns a parser with the build tree, the number of jobs, and files (default: all)."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build tree")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--since", metavar="DATE", default="", help="only files that commits since then have changed, such as 4.hours"
    )
    parser.add_argument("files", nargs="*", type=Path, help="all that the build compiles if none is given")
    return parser


def find_changed(since: str) -> set[Path]:
    """Returns the files that commits since that date have changed, or the work tree. A commit without parents, as the
    last one of a shallow clone, would have changed all."""
    files: set[Path] = set()
    log = ["log", f"--since={since}", "--min-parents=1", "--name-only", "--format="]
    for command in (log, ["diff", "--name-only", "HEAD"]):
        done = subprocess.run(["git", "-C", SOURCE, *command], capture_output=True, text=True, check=True)
        files.update(SOURCE / line for line in done.stdout.splitlines() if line)
    return files


def read(args: argparse.Namespace) -> dict[Path, dict[str, str]]:
    """Returns the requested source files of the project, and how each is compiled. Exits with 2 without a build
    tree."""
    try:
        commands = json.loads((args.build / "compile_commands.json").read_text())
    except OSError:
        print(f"error: {args.build} is not a build tree: run `make build`", file=sys.stderr)
        sys.exit(2)
    wanted = {path.resolve() for path in args.files}
    compiled = {(Path(c["directory"]) / c["file"]).resolve(): c for c in commands}
    ours = {
        p: c for p, c in compiled.items() if p.is_relative_to(SOURCE) and not p.is_relative_to(args.build.resolve())
    }
    if args.since:
        changed = find_changed(args.since)
        ours = {path: command for path, command in ours.items() if path in changed}
    return {p: ours[p] for p in sorted(ours) if not wanted or p in wanted}
