# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many ranks to run on each core: the model of the virtualization ratio (docs/vratio.md), which comm-vratio uses.

    machine = calibration.load("calibration.json")
    base = model.fit(profile.load("profile.json"))
    times = model.predict(base, machine, [1, 2, 4, 8])     # seconds, by the name of the model and V
    model.best(times["overlapped"])
    frame(times)                                           # a pandas table
    figure(times, {})                                      # a matplotlib figure

measure.run and calibration.measure run programs with commrun. pandas and matplotlib are imported on first use.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from . import calibration, measure, model, plots, profile, tables
from .errors import VratioError
from .plots import figure

if TYPE_CHECKING:
    import pandas

__all__ = [
    "VratioError",
    "calibration",
    "figure",
    "frame",
    "measure",
    "model",
    "plots",
    "profile",
    "profile_frame",
    "tables",
]


def frame(predicted: dict[str, dict[int, float]], measured: dict[int, float] | None = None) -> pandas.DataFrame:
    """Returns a row for each V: a column of seconds for each model, `measured` if there are measurements, and for each
    model its error in percent of the measured time (`overlapped_error`)."""
    import pandas

    if not isinstance(predicted, dict) or not all(isinstance(times, dict) for times in predicted.values()):
        raise TypeError("predicted is what model.predict() returns: for each model a dict of seconds by V")
    measured = measured or {}
    ratios = sorted({v for times in predicted.values() for v in times} | set(measured))
    data: dict[str, list[float | None]] = {}
    for name, times in predicted.items():
        data[name] = [times.get(v) for v in ratios]
    if measured:
        data["measured"] = [measured.get(v) for v in ratios]
        for name, times in predicted.items():
            data[f"{name}_error"] = [
                tables.error_percent(times[v], measured[v]) if v in times and v in measured else None for v in ratios
            ]
    return pandas.DataFrame(data, index=pandas.Index(ratios, name="V"))


def profile_frame(profiles: list[profile.Profile]) -> pandas.DataFrame:
    """Returns a row for each profile, with all its fields: seconds, bytes and counts of a core."""
    import pandas

    columns = [field.name for field in dataclasses.fields(profile.Profile)]
    return pandas.DataFrame([dataclasses.asdict(p) for p in profiles], columns=columns)
