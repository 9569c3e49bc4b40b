# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %pytest %s
"""Reports and the model of the virtualization ratio, as tables and figures. The tools: test/Runtime/CommReport,
test/Ranks/Model."""

import json
import subprocess
import sys

import matplotlib
import pytest
from matplotlib.figure import Figure

from comm_mlir import report, tools, vratio


def site(line, mean, executions=4, **changes):
    interval = {"mean": mean, "rank_min": mean / 2, "rank_max": mean * 2, "shortest": mean / 4}
    result = {"file": "/src/heat.c", "line": line, "column": 3, "mpi_call": "MPI_Send", "function": "step", "ranks": 2}
    result["executions"] = {"total": executions, "rank_min": 1, "rank_max": 3}
    result["interval_us"] = {key: value for key, value in {**interval, **changes}.items() if value is not None}
    return result


def write(path, mode, *sites):
    run = {"program": "heat", "ranks": 2, "only_rank": None, "mode": mode, "start_time": "now", "wall_seconds": 1.5}
    path.write_text(json.dumps({"schema": "comm-report", "version": 1, "run": run, "sites": sites}))
    return report.load(path)


@pytest.fixture
def runs(tmp_path):
    basic = write(tmp_path / "basic.json", "basic", site(10, 2.0), site(20, 8.0), site(30, 0.5))
    extended = write(tmp_path / "extended.json", "extended", site(10, 6.0), site(20, 4.0, shortest=None), site(40, 1.0))
    return basic, extended


def test_frame(runs):
    table = report.frame(runs[1])
    assert table["line"].tolist() == [10, 20, 40] and table["mean_us"].tolist() == [6, 4, 1]
    row = table.iloc[0]
    assert (row["mpi_call"], row["file"], row["function"], row["executions"]) == ("MPI_Send", "/src/heat.c", "step", 4)
    assert (row["mean_min_us"], row["mean_max_us"], row["shortest_us"]) == (3, 12, 1.5)
    assert table["shortest_us"].isna().tolist() == [False, True, False]
    assert report.frame(runs[0], least_us=1)["line"].tolist() == [20, 10]


def test_compare(runs):
    table = report.compare(*runs).set_index("line")
    assert table.index.tolist() == [10, 20, 40, 30]
    assert table.loc[10, "ratio"] == 3 and table.loc[20, "ratio"] == 0.5 and table.loc[10, "shortest_ratio"] == 3
    assert table["ratio"].isna().tolist() == [False, False, True, True]
    assert table["basic_us"].isna()[40] and table["extended_us"].isna()[30]
    assert table["shortest_ratio"].isna()[20]
    assert len(report.compare(*runs, least_us=3)) == 2


def test_reports_by_the_names_of_their_files(runs, tmp_path):
    basic, extended = tmp_path / "basic.json", str(tmp_path / "extended.json")
    assert report.compare(basic, extended).equals(report.compare(*runs))
    assert report.frame(extended).equals(report.frame(runs[1]))
    assert isinstance(report.figure([basic, extended]), Figure) and isinstance(report.figure(extended), Figure)
    with pytest.raises(report.ReportError, match="nowhere.json"):
        report.compare(basic, tmp_path / "nowhere.json")
    with pytest.raises(TypeError, match="what load.. returns, or the name of its file, not 1"):
        report.frame(1)
    with pytest.raises(TypeError, match="for each model a dict"):
        vratio.frame({"overlapped": 1.0})


def test_what_the_tool_prints_is_the_same(runs, tmp_path):
    line = [*tools.command("commreport"), "show", str(tmp_path / "extended.json"), "--format", "csv"]
    printed = subprocess.run(line, capture_output=True, text=True, check=True).stdout.splitlines()[1:-1]
    table = report.frame(runs[1])
    assert [row.split(",")[4] for row in printed] == [f"{mean:.2f}" for mean in table["mean_us"]]


def test_figure(runs):
    backend = matplotlib.get_backend()
    figure = report.figure(runs)
    assert isinstance(figure, Figure) and matplotlib.get_backend() == backend
    (axes,) = figure.axes
    assert sorted(bar.get_width() for bars in axes.containers for bar in bars) == [0.5, 1, 2, 4, 6, 8]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["basic", "extended"]
    with pytest.raises(report.ReportError, match="nothing to draw"):
        report.figure([])
    with pytest.raises(report.ReportError, match="nothing to draw"):
        report.figure(runs, least_us=100)


def test_mistakes(tmp_path):
    with pytest.raises(report.ReportError, match="No such file"):
        report.load(tmp_path / "nowhere.json")
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(report.ReportError, match="no interval report"):
        report.load(tmp_path / "x.json")


def test_vratio():
    machine = vratio.calibration.Calibration(1e-7, 1e-6, 2e-6, 1e9, 1e-3, 1e-5, 1e8, 2.5e8)
    profile = vratio.profile.Profile(2, 1, 1, 2.2, 1.0, 1.2, 100, 100, 0, 100, 100, 1e6, 0, 0)
    times = vratio.model.predict(vratio.model.fit(profile), machine, [1, 2, 4])
    table = vratio.frame(times)
    assert table.index.tolist() == [1, 2, 4] and list(table.columns) == ["overlapped", "paper"]
    assert table.loc[2, "overlapped"] == times["overlapped"][2]
    measured = vratio.frame(times, {1: 2.0, 8: 1.0})
    assert measured.index.tolist() == [1, 2, 4, 8] and measured.loc[8, "measured"] == 1
    assert measured.loc[1, "paper_error"] == pytest.approx((times["paper"][1] / 2 - 1) * 100)
    assert measured["paper_error"].isna().tolist() == [False, True, True, True]
    assert vratio.profile_frame([profile, profile])["span_s"].tolist() == [2.2, 2.2]
    assert isinstance(vratio.figure(times, {1: 2.0}, "heat"), Figure) and len(vratio.figure(times, {}).axes) == 1
    assert vratio.model.best(times["overlapped"]) in (1, 2, 4)
    assert vratio.calibration.source().endswith("calibrate.c")


def test_imports_are_lazy():
    code = (
        "import sys, comm_mlir.report, comm_mlir.vratio, comm_mlir.ranks.run\n"
        "print([m for m in ('pandas', 'numpy', 'matplotlib', 'comm_mlir._core') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done
