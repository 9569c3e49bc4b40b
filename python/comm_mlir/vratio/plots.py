# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots predicted and measured running time over V, and the error, like the paper's figures 3 to 7."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any

from .errors import VratioError
from .model import best
from .tables import TITLES, error_percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png")
STYLES = {"overlapped": ("C0", "-", "o"), "paper": ("C1", "--", "s")}


def check_output(path: str) -> None:
    """Raises VratioError if no picture can be written under that name."""
    if pathlib.Path(path).suffix.lower() not in FORMATS:
        raise VratioError(f"{path}: name a picture ending in .svg or .png")
    _figure_class()


def _figure_class() -> type[Figure]:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise VratioError(f"drawing needs matplotlib: pip install matplotlib (the import said: {error})") from None
    return Figure


def figure(predicted: dict[str, dict[int, float]], measured: dict[int, float], title: str = "") -> Figure:
    """Returns a matplotlib figure of running times in seconds over V: predicted ones by the name of the model and V,
    and measured ones. Raises VratioError without matplotlib."""
    if not isinstance(predicted, dict) or not all(isinstance(times, dict) for times in predicted.values()):
        raise TypeError("predicted is what model.predict() returns: for each model a dict of seconds by V")
    title = title.encode(errors="replace").decode()  # the command line may contain bytes that are not text
    count = 2 if measured else 1
    drawing = _figure_class()(figsize=(7, 2.2 + 2.2 * count), layout="constrained")
    axes = drawing.subplots(count, 1, sharex=True, squeeze=False, height_ratios=(2, 1)[:count])
    top = axes[0][0]
    if measured:
        ordered = sorted(measured)
        top.plot(ordered, [measured[v] for v in ordered], "D", color="black", label="measured", zorder=3)
    for name, times in predicted.items():
        color, line, marker = STYLES[name]
        ordered = sorted(times)
        top.plot(
            ordered, [times[v] for v in ordered], line, marker=marker, markersize=4, color=color, label=TITLES[name]
        )
        chosen = best(times)
        # Circle the choice of the model, as in the paper.
        top.plot([chosen], [times[chosen]], "o", markersize=13, markerfacecolor="none", color=color)
        if measured:
            both = [v for v in ordered if v in measured]
            axes[1][0].plot(
                both,
                [error_percent(times[v], measured[v]) for v in both],
                line,
                marker=marker,
                markersize=4,
                color=color,
            )
    top.set_ylabel("running time (s)")
    # A model that is far off must not flatten the measurements, so its curve may leave the picture.
    top.set_ylim(0, 2 * max(measured.values()) if measured else None)
    top.set_title(title)
    top.legend()
    if measured:
        axes[1][0].axhline(0, color="black", linewidth=0.8)
        axes[1][0].set_yscale("symlog", linthresh=10)
        axes[1][0].set_ylabel("error of the prediction (%)")
    bottom = axes[-1][0]
    bottom.set_xscale("log", base=2)
    ticks = sorted({v for times in predicted.values() for v in times})
    bottom.set_xticks(ticks, [str(v) for v in ticks])
    bottom.minorticks_off()
    bottom.set_xlabel("virtualization ratio V (ranks on each core; circles: chosen by the model)")
    for row in axes:
        row[0].grid(alpha=0.3)
    return drawing


def draw(predicted: dict[str, dict[int, float]], measured: dict[int, float], path: str, title: str = "") -> None:
    """Writes the figure to a file, .svg or .png."""
    check_output(path)
    drawing = figure(predicted, measured, title)
    import matplotlib

    metadata: Any = {"Date": None} if path.lower().endswith(".svg") else None
    try:
        # Keep text in an SVG as text, and make the file reproducible.
        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "comm-vratio"}):
            drawing.savefig(path, dpi=150, metadata=metadata)
    except (OSError, ValueError) as error:
        raise VratioError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
