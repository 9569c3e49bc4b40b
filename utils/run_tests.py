#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run the tests of a build with lit, and say how many passed.

    run_tests.py --build build [test/Dialect ...]

The last line is `N passed, M failed`; the exit code is 0 only if something passed and nothing failed.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

GOOD = ("PASS", "FLAKYPASS", "XFAIL")
NOT_RUN = ("UNSUPPORTED", "SKIPPED", "EXCLUDED")


def suite_path(test: str, source: Path, build: Path) -> str:
    """Returns the path in the build tree of a test that was named by its path in the source tree."""
    path = Path(test).resolve()
    try:
        return str(build / path.relative_to(source))
    except ValueError:
        return str(path)


def make_temporaries(folder: Path) -> dict[str, str]:
    """Returns the environment of tests whose temporary files are in that folder. Creates Open MPI 4's session folder:
    two launchers that create it at the same time fail ("mkdir ... File exists"), and the last one to end removes it if
    it is empty."""
    host = socket.gethostname()
    for name in {host, host.split(".")[0]}:
        (folder / f"ompi.{name}.{os.getuid()}" / "keep").mkdir(parents=True)
    names = ("TMPDIR", "TMP", "TEMP", "TEMPDIR")
    return {**os.environ, "LIT_PRESERVES_TMP": "1", **{name: str(folder) for name in names}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"), help="the build tree")
    # Tests under mpirun mostly wait; lit.cfg.py limits their number.
    jobs = 2 * len(os.sched_getaffinity(0)) + 1
    parser.add_argument("--jobs", type=int, default=jobs, help="tests at a time (twice the cores, and one)")
    parser.add_argument("tests", nargs="*", help="folders or files of test/; all if none is given")
    args = parser.parse_args()

    source = Path(__file__).resolve().parent.parent
    build = args.build.resolve()
    if not (build / "test" / "lit.site.cfg.py").exists():
        print(f"error: {args.build} is not a build tree of Comm: run `make build`", file=sys.stderr)
        return 2
    paths = [suite_path(t, source, build) for t in args.tests or [str(source / "test")]]
    plain = os.environ.get("COMM_PLAIN") or not sys.stdout.isatty()
    # Without a terminal, print a line per test, so that a log shows progress; with one, show lit's progress bar.
    style = ["-v", "--no-progress-bar"] if plain else ["-sv"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        results = Path(folder) / "results.json"
        lit = [sys.executable, "-c", "import lit.main; lit.main.main()"]
        command = [*lit, f"-j{args.jobs}", *style, "--output", str(results), *paths]
        try:
            environment = make_temporaries(Path(folder) / "tmp")
            code = subprocess.run(command, check=False, env=environment).returncode
            tests = json.loads(results.read_text())["tests"]
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            return 130
        except (OSError, ValueError, KeyError):
            print("error: lit did not run to its end: see above", file=sys.stderr)
            return 2
    passed = sum(t["code"] in GOOD for t in tests)
    not_run = sum(t["code"] in NOT_RUN for t in tests)
    failed = len(tests) - passed - not_run
    if not_run:
        print(f"{not_run} not run: what they need is not on this machine")
    if code and not failed:
        print(f"error: lit ended with code {code}: see above", file=sys.stderr)
    print(f"{passed} passed, {failed} failed", flush=True)
    return 0 if passed and not failed and not code else 1


if __name__ == "__main__":
    sys.exit(main())
