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


def durations(executions, mean):
    figures = {"mean": mean, "shortest": mean / 2, "longest": mean * 4, "rank_min": mean / 1.5, "rank_max": mean * 2}
    return {"executions": executions, **figures}


def timed(line, inlined_at="", call="MPI_Bcast", executions=8, **measures):
    result = {"file": "/src/heat.c", "line": line, "column": 3, "mpi_call": call, "function": "main", "ranks": 2}
    result |= {"inlined_at": inlined_at, "executions": {"total": executions, "rank_min": 4, "rank_max": 4}}
    return result | {f"{name}_us": value for name, value in measures.items()}


def profile(path, *sites, **changes):
    run = {"program": "heat", "ranks": 2, "nodes": 1, "runs": 1, "only_rank": None, "mode": None, "start_time": "now"}
    top = {"schema": "comm-report", "version": 2, "run": run | {"wall_seconds": 1.5} | changes, "sites": list(sites)}
    path.write_text(json.dumps(top))
    return report.load(path)


def test_times(tmp_path):
    bytes_ = {"messages": 8, "sum": 64, "min": 8, "max": 8}
    run = profile(
        tmp_path / "run.json",
        timed(1, start=durations(8, 10), interval=durations(8, 500), wait=durations(8, 90)),
        timed(2, "a.c:9:1", blocking=durations(8, 1000)) | {"bytes": bytes_},
        timed(2, "b.c:9:1", blocking=durations(8, 2000)),
        timed(3, executions=0),
        timed(4, call="MPI_Sendrecv", start=durations(16, 10), interval=durations(16, 5), wait=durations(16, 50)),
    )
    assert run.sites[report.SiteKey("/src/heat.c", 2, 3, "MPI_Bcast", "main", "a.c:9:1")].bytes == report.Bytes(
        8, 64, 8, 8
    )
    table = report.times_frame(run)
    assert table["line"].tolist() == [2, 2, 4, 1] and table["inlined_at"].tolist()[:2] == ["b.c:9:1", "a.c:9:1"]
    # Waiting time: in blocking calls, in waits, and in starts that exceed the shortest one.
    assert table["saveable_s"].tolist() == pytest.approx([16e-3, 8e-3, 16 * 55e-6, 8 * 95e-6])
    # Without the time of the blocking form, at most the interval; an interval shorter than the start hid nothing.
    assert table["saved_s"].tolist() == pytest.approx([0, 0, 80e-6, 4e-3])
    assert table["lost_s"].tolist() == pytest.approx([0, 0, 160e-6, 0])
    assert table["is_measured"].tolist() == [True, True, False, False]
    blocking = profile(
        tmp_path / "blocking.json",
        timed(1, blocking=durations(80, 300)),
        timed(4, call="MPI_Sendrecv", blocking=durations(8, 100)),
    )
    table = report.times_frame(run, tmp_path / "blocking.json").set_index("line")
    assert table.loc[1, "saved_s"] == pytest.approx(8 * (300e-6 - 100e-6)) and table.loc[1, "lost_s"] == 0
    # A call has two starts and two waits: 120 us.
    assert table.loc[4, "lost_s"] == pytest.approx(8 * 20e-6) and table.loc[4, "saved_s"] == 0
    assert table.loc[[1, 4], "is_measured"].tolist() == [True, True]
    # A collective that stayed blocking when the program ran.
    stayed = profile(
        tmp_path / "stayed.json",
        timed(1, start=durations(8, 400), interval=durations(8, 500), wait=durations(8, 0.1)),
        timed(2, call="MPI_Send", start=durations(8, 400), interval=durations(8, 500), wait=durations(8, 0.1)),
    )
    table = report.times_frame(stayed, blocking).set_index("line")
    assert table.loc[1, "saveable_s"] == pytest.approx(8 * 400.1e-6) and table.loc[1, ["saved_s", "lost_s"]].sum() == 0
    assert table.loc[2, "saveable_s"] == pytest.approx(8 * 200.1e-6) and not table.loc[2, "is_measured"]
    assert "<=0.004000" in report.tables.show(run, "text") and "<=" not in report.tables.show(run, "text", 0, blocking)


def test_times_figure(tmp_path):
    run = profile(tmp_path / "run.json", timed(1, blocking=durations(8, 1000)), timed(2, blocking=durations(8, 10)))
    figure = report.times_figure(run)
    (axes,) = figure.axes
    assert [label.get_text().split(":")[-1] for label in axes.get_yticklabels()] == ["1", "2"]
    assert max(bar.get_width() for bars in axes.containers for bar in bars) == pytest.approx(8e-3)
    with pytest.raises(report.ReportError, match="no site was executed"):
        report.times_figure(profile(tmp_path / "none.json", timed(1, executions=0)))


def test_merge(tmp_path):
    first = profile(
        tmp_path / "1.json",
        timed(1, blocking=durations(10, 4), start=durations(2, 1))
        | {"bytes": {"messages": 1, "sum": 8, "min": 8, "max": 8}},
        timed(2, executions=0),
    )
    second = profile(
        tmp_path / "2.json",
        timed(1, blocking=durations(30, 8)) | {"bytes": {"messages": 3, "sum": 9, "min": 3, "max": 3}},
        timed(1, "a.c:1:1", blocking=durations(1, 1)),
        ranks=4,
        nodes=2,
        start_time="earlier",
    )
    old = write(tmp_path / "old.json", "extended", site(10, 6.0, shortest=None))
    merged = report.merge([first, tmp_path / "2.json", old])
    assert (merged.ranks, merged.nodes, merged.runs, merged.start_time, merged.mode) == (4, 2, 3, "earlier", None)
    assert merged.wall_seconds == 4.5 and len(merged.sites) == 4
    one = merged.sites[report.SiteKey("/src/heat.c", 1, 3, "MPI_Bcast", "main")]
    assert (one.blocking.executions, one.blocking.mean, one.executions) == (40, 7, 16)
    assert (one.blocking.shortest, one.blocking.longest) == (2, 32)
    assert (one.blocking.mean_min, one.blocking.mean_max) == (4 / 1.5, 16)
    assert one.start == first.sites[one.key].start and one.bytes == report.Bytes(4, 17, 3, 8)
    report.write(merged, tmp_path / "merged.json")
    again = report.load(tmp_path / "merged.json")
    assert again.sites[one.key] == one and (again.runs, again.nodes) == (3, 2)
    # Merging in steps is the same.
    steps = report.merge([report.merge([first, second]), old])
    assert steps.sites[one.key].blocking == one.blocking and steps.runs == 3
    with pytest.raises(report.ReportError, match="no report was given"):
        report.merge([])
    with pytest.raises(report.ReportError, match="nowhere"):
        report.write(merged, tmp_path / "nowhere" / "merged.json")


def test_merge_ranks_of_a_run(tmp_path):
    ranks = [
        profile(
            tmp_path / f"{rank}.json", timed(1, blocking=durations(8, 1)) | {"ranks": 1}, only_rank=rank, nodes=None
        )
        for rank in range(2)
    ]
    merged = report.merge(ranks)
    assert (merged.runs, merged.only_rank, merged.wall_seconds, merged.nodes) == (1, None, 1.5, None)
    assert [site.ranks for site in merged.sites.values()] == [2]


def broken_profiles():
    good = timed(1, blocking=durations(8, 1))
    yield "version", {"version": 3}, good, "version 3"
    yield "version", {"version": 1.0}, good, "version 1.0"
    yield "nodes", {"run": {"nodes": -1}}, good, "'nodes' of 'run' is not a count or null"
    yield "runs", {"run": {"runs": None}}, good, "'runs' of 'run' is not a count"
    for member in ("inlined_at", "executions"):
        yield member, {}, {key: value for key, value in good.items() if key != member}, f"site 0 has no '{member}'"
    yield "twice", {"sites": [good, good]}, good, "site 1 is there twice"
    yield "list", {}, good | {"wait_us": [1]}, "'wait_us' of site 0 is not a object"
    for value in (-1, None, "1", float("nan"), 1e300):
        yield "mean", {}, good | {"start_us": durations(8, 1) | {"mean": value}}, "'mean' of site 0 is not a duration"
    yield "count", {}, good | {"start_us": durations(0.5, 1)}, "'executions' of site 0 is not a count"
    yield "bytes", {}, good | {"bytes": {"messages": 1, "sum": 1, "min": 1}}, "site 0 has no 'max'"


@pytest.mark.parametrize(("name", "changes", "site_", "error"), broken_profiles())
def test_broken_profiles(tmp_path, name, changes, site_, error):
    profile(tmp_path / "good.json", timed(1, blocking=durations(8, 1)))
    top = json.loads((tmp_path / "good.json").read_text())
    top["sites"] = [site_]
    top["run"] |= changes.pop("run", {})
    (tmp_path / "bad.json").write_text(json.dumps(top | changes))
    with pytest.raises(report.ReportError, match="bad.json: .*" + error):
        report.load(tmp_path / "bad.json")


def test_tool_shows_and_merges(tmp_path):
    def run(*arguments):
        line = [*tools.command("commreport"), *map(str, arguments)]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    a, b = tmp_path / "a.json", tmp_path / "b.json"
    profile(a, timed(1, start=durations(8, 1), interval=durations(8, 50), wait=durations(8, 10)))
    profile(b, timed(1, blocking=durations(8, 100)), timed(2, blocking=durations(8, 1)))
    assert run("merge", a, b, "-o", tmp_path / "c.json").returncode == 0
    shown = run("show", tmp_path / "c.json", "--format", "csv", "--picture", tmp_path / "c.svg")
    assert shown.returncode == 0, shown
    rows = [line.split(",") for line in shown.stdout.splitlines()]
    assert rows[0][-3:] == ["Saveable (s)", "Saved (s)", "Lost (s)"]
    assert [row[2] for row in rows[1:-1]] == ["1", "2"] and rows[1][-2] == "0.000712"
    svg = (tmp_path / "c.svg").read_text()
    assert "still waited for (saveable)" in svg and "heat.c:1" in svg
    alone = run("show", a, "--blocking", b, "--format", "csv").stdout.splitlines()
    assert alone[1].split(",")[-2] == "0.000712"
    assert run("show", a, "--format", "csv").stdout.splitlines()[1].split(",")[-2] == "<=0.000400"
    for arguments in (("show", a, "--picture", "x.pdf"), ("show", a, "--blocking", "nowhere"), ("merge", a, "-o", "/")):
        failed = run(*arguments)
        assert failed.returncode == 2 and failed.stderr.startswith("commreport: error: ") and failed.stdout == ""


def test_mistakes(tmp_path):
    with pytest.raises(report.ReportError, match="No such file"):
        report.load(tmp_path / "nowhere.json")
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(report.ReportError, match="not an interval report"):
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
