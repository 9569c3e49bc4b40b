# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs commreport on bad input: expect_error.py FOLDER GOOD_REPORT COMMAND..."""

import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys

folder, good, *command = sys.argv[1:]
text = pathlib.Path(good).read_text(encoding="utf-8")
report = json.loads(text)
command[-1] = os.path.abspath(command[-1])
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
pathlib.Path("good.json").write_text(text, encoding="utf-8")


def run(name, *arguments, **environment):
    result = subprocess.run(
        [*command, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )
    lines = [line for line in result.stderr.splitlines() if not line.startswith(("usage:", " "))]
    print(f"{name}: {result.returncode}: {' / '.join(lines)}")


def changed(change):
    value = copy.deepcopy(report)
    change(value)
    return json.dumps(value)


def site(member, value):
    def change(top):
        top["sites"][0][member] = value

    return change


bad = {
    "empty": b"\n",
    "truncated": text[: len(text) // 2],
    "binary": b"\x89PNG\xff",
    "deep": "[" * 200000,
    "number": "7",
    "schema": changed(lambda top: top.update(schema="else")),
    "version": changed(lambda top: top.update(version=3)),
    "norun": changed(lambda top: top.pop("run")),
    "sites": changed(lambda top: top.update(sites={})),
    "site": changed(lambda top: top.update(sites=[3])),
    "line": changed(site("line", -4)),
    "nan": changed(site("interval_us", {"mean": float("nan"), "rank_min": 0, "rank_max": 0})),
    "long": changed(site("interval_us", {"mean": 10**400, "rank_min": 0, "rank_max": 0})),
    "endless": changed(site("interval_us", {"mean": 1e308, "rank_min": 0, "rank_max": 0})),
    "shortest": changed(site("interval_us", {"mean": 1, "shortest": "1", "rank_min": 0, "rank_max": 0})),
    "null": changed(site("interval_us", {"mean": 1, "shortest": None, "rank_min": 0, "rank_max": 0})),
    "half character": changed(site("file", "\ud800")),
    "twice": changed(lambda top: top["sites"].append(top["sites"][0])),
}
run("missing", "show", "missing.json")
os.mkdir("folder.json")
run("folder", "show", "folder.json")
for name, content in bad.items():
    data = content if isinstance(content, bytes) else content.encode()
    pathlib.Path(f"{name}.json").write_bytes(data)
    run(name, "show", f"{name}.json")
run("second of compare", "compare", "good.json", "empty.json")
run("plot suffix", "plot", "good.json", "-o", "out.pdf")
run("compare suffix", "compare", "good.json", "good.json", "--plot", "out")
pathlib.Path("none.json").write_text(changed(lambda top: top.update(sites=[])), encoding="utf-8")
run("nothing to draw", "plot", "none.json", "-o", "out.svg")
# A module of that name that cannot be imported stands for none at all.
os.mkdir("path")
pathlib.Path("path/matplotlib.py").write_text("raise ImportError('none')\n", encoding="utf-8")
run("no matplotlib", "plot", "good.json", "-o", "out.svg", PYTHONPATH=os.path.abspath("path"))
with open("/dev/full", "w", encoding="utf-8") as full:
    done = subprocess.run([*command, "show", "good.json"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
print(f"full: {done.returncode}: {done.stderr.strip()}")
done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command, "show", "good.json"], check=False)
print(f"closed: {done.returncode}", flush=True)
run("no command")
run("bad duration", "show", "--min-us", "nan", "good.json")
