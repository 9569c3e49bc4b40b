#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build the documentation site: `make site`, which installs what it needs.

build.py --build BUILD [--no-execute]      writes BUILD/site/html; index.html needs no server

Notebooks are executed with what is in the build tree, and their outputs kept: a second build executes those that
changed. --no-execute leaves their outputs away.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from flowcharts import FlowchartError  # noqa: E402
from stage import StageError, stage  # noqa: E402

import python_api  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="Comm's build tree")
    parser.add_argument("--no-execute", action="store_true", help="leave the notebooks' outputs away")
    options = parser.parse_args()
    build = options.build.resolve()
    site = build / "site"
    source, html = site / "source", site / "html"
    shutil.rmtree(source, ignore_errors=True)
    shutil.rmtree(html, ignore_errors=True)
    try:
        generated = python_api.write(build / "python" / "comm_mlir", source / "api")
        stage(ROOT, source, generated)
    except (StageError, FlowchartError) as error:
        print(f"site: error: {error}", file=sys.stderr)
        return 1
    environment = {
        **os.environ,
        "PYTHONPATH": str(build / "python"),
        "PATH": os.pathsep.join([str(build / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]),
        # Notebooks start processes, also as root and on few cores.
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "COMM_SITE_EXECUTE": "off" if options.no_execute else "cache",
        "COMM_CACHE_DIR": str(site / "cache"),
    }
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-c", str(HERE)]
    command += ["-d", str(site / "doctrees"), str(source), str(html)]
    if subprocess.run(command, env=environment, check=False).returncode:
        print("site: error: Sphinx did not build it (above)", file=sys.stderr)
        return 1
    # The front page is README.html; who opens the folder looks for index.html.
    shutil.copy(html / "README.html", html / "index.html")
    if subprocess.run([sys.executable, HERE / "check_links.py", html], check=False).returncode:
        return 1
    print(f"the site is in {html}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
