# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: commreport show | compare | plot | merge."""

from __future__ import annotations

import argparse
import os
import sys

from . import merging, plots, tables
from .reading import ReportError, load


def _duration(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError(text)
    return value


_duration.__name__ = "duration in microseconds"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="commreport",
        description="Shows, compares, draws and merges the interval reports that programs built with "
        "-fcomm-report or -fcomm-profile-generate write: how long each communication was in "
        "flight, from its start to its wait, and what it was waited for, averaged over ranks and "
        "executions.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--min-us",
        type=_duration,
        default=0.0,
        metavar="US",
        help="leave out sites with shorter intervals (in all runs)",
    )
    table = argparse.ArgumentParser(add_help=False)
    table.add_argument("--format", choices=tables.FORMATS, default="text", help="of the table (default: text)")

    show = commands.add_parser("show", parents=[common, table], help="print a run as a table")
    show.add_argument("file", metavar="FILE")
    show.add_argument(
        "--blocking",
        metavar="FILE",
        help="report of the same program with -fcomm-mode=off: the savings are then measured",
    )
    show.add_argument("--picture", metavar="OUT", help="also draw where time goes into OUT (.svg or .png)")

    merge = commands.add_parser("merge", help="make one report of those of several runs")
    merge.add_argument("files", metavar="FILE", nargs="+")
    merge.add_argument("-o", "--output", metavar="OUT", required=True)

    compare = commands.add_parser("compare", parents=[common, table], help="print two runs of a program side by side")
    compare.add_argument("basic", metavar="BASIC", help="report of the basic mode")
    compare.add_argument("extended", metavar="EXTENDED", help="report of the extended mode")
    compare.add_argument("--plot", metavar="OUT", help="also draw both into OUT (.svg or .png)")

    plot = commands.add_parser("plot", parents=[common], help="draw a bar chart of runs")
    plot.add_argument("files", metavar="FILE", nargs="+")
    plot.add_argument("-o", "--output", metavar="OUT", required=True, help=".svg or .png")
    return parser


def _run(arguments: argparse.Namespace) -> None:
    if arguments.command == "show":
        if arguments.picture:
            plots.check_output(arguments.picture)
        report = load(arguments.file)
        blocking = load(arguments.blocking) if arguments.blocking else None
        sys.stdout.write(tables.show(report, arguments.format, arguments.min_us, blocking))
        if arguments.picture:
            sys.stdout.flush()
            plots.draw_times(report, arguments.picture, blocking)
    elif arguments.command == "merge":
        merging.write(merging.merge(arguments.files), arguments.output)
    elif arguments.command == "compare":
        if arguments.plot:
            plots.check_output(arguments.plot)
        basic, extended = load(arguments.basic), load(arguments.extended)
        sys.stdout.write(tables.compare(basic, extended, arguments.format, arguments.min_us))
        if arguments.plot:
            sys.stdout.flush()
            plots.draw([basic, extended], arguments.plot, ["basic", "extended"], arguments.min_us)
    else:
        plots.check_output(arguments.output)
        reports = [load(file) for file in arguments.files]
        plots.draw(reports, arguments.output, least_us=arguments.min_us)


def main(arguments: list[str] | None = None) -> int:
    """Runs the tool. Returns its exit code, which is 2 for bad input and usage."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    options = _parser().parse_args(arguments)
    try:
        _run(options)
        sys.stdout.flush()
    except ReportError as error:
        message = " ".join(str(error).split())
        print(f"commreport: error: {message}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe; there is nothing left to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"commreport: error: cannot write the table: {error.strerror}", file=sys.stderr)
        return 2
    return 0
