# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws time against messages from the output of the scale test:

COMM_CDAG_SCALE=1 CommCDagTests --gtest_filter='Scale.*' | plot-growth.py OUT.svg
"""

import math
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

LINE = re.compile(r"^([\w-]+): (\d+) processes, (\d+) messages, ([\d.]+) s")


def main() -> None:
    series: dict[str, list[tuple[int, float]]] = {}
    for line in sys.stdin:
        if match := LINE.match(line):
            name, _, messages, seconds = match.groups()
            series.setdefault(name, []).append((int(messages), float(seconds)))
    if not series:
        sys.exit("plot-growth.py: no figures in the input; run the scale test with COMM_CDAG_SCALE=1")
    figure, axes = plt.subplots(figsize=(7, 4.5))
    for name, points in series.items():
        axes.plot(*zip(*points), marker="o", label=name)
    # n log n through the mean of the smallest points.
    start = min(p[0][0] for p in series.values())
    cost = sum(p[0][1] / (p[0][0] * math.log2(p[0][0])) for p in series.values()) / len(series)
    ns = [start, 10 * start, 100 * start]
    axes.plot(ns, [cost * n * math.log2(n) for n in ns], "k--", label="n log n")
    axes.set(xscale="log", yscale="log", xlabel="messages n", ylabel="whole compilation, s of one core")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(sys.argv[1])


main()
