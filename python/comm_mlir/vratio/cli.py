# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: comm-vratio calibrate | profile | predict | measure."""

from __future__ import annotations

import argparse
import os
import sys

from . import calibration, measure, model, plots, profile, tables
from .errors import VratioError

MOST = 1 << 16
MOST_SECONDS = 1000000  # the system's timers do not go much further


def _ratios(text: str) -> list[int]:
    values = [int(part) for part in text.split(",")]
    if not values or not all(1 <= value <= MOST for value in values):
        raise ValueError(text)
    return sorted(set(values))


_ratios.__name__ = f"list of ratios such as 1,2,4 (1 to {MOST})"


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


_positive.__name__ = "whole number from 1 on"


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= MOST_SECONDS:
        raise ValueError(text)
    return value


_seconds.__name__ = f"number of seconds (at most {MOST_SECONDS})"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="comm-vratio",
        description="Predicts how long a program of user-level MPI ranks runs with V ranks on each core, chooses V, and"
        " compares with measurements. Programs are built with commcc -fcomm-ranks.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    launch = argparse.ArgumentParser(add_help=False)
    launch.add_argument("-nn", default="1", metavar="N", help="processes, as commrun's (1)")
    launch.add_argument("-nc", default="1", metavar="C", help="kernel threads of each (1)")
    launch.add_argument("--host", help="as commrun's")
    launch.add_argument("--hostfile", help="as commrun's")
    launch.add_argument("--timeout", type=_seconds, default=600.0, metavar="S", help="of each run (600)")

    run = argparse.ArgumentParser(add_help=False)
    run.add_argument("--stack", help="as commrun's")
    run.add_argument("--quiet", action="store_true", help="do not forward the program's output")
    run.add_argument("program", nargs=argparse.REMAINDER, metavar="-- PROGRAM [ARGUMENTS]")

    output = argparse.ArgumentParser(add_help=False)
    output.add_argument("--ratios", type=_ratios, default=[1, 2, 4, 8, 16], metavar="V,V,...", help="(1,2,4,8,16)")
    output.add_argument("--format", choices=tables.FORMATS, default="text", help="of the table (text)")
    output.add_argument("--plot", metavar="OUT", help="draw it as well (.svg or .png)")
    output.add_argument("--title", default="", help="of the plot")

    calibrate = commands.add_parser("calibrate", parents=[launch], help="measure the machine, in some seconds")
    calibrate.add_argument("-o", "--output", metavar="FILE", default="calibration.json", help="(calibration.json)")

    single = commands.add_parser("profile", parents=[launch, run], help="run a program and write its profile")
    single.add_argument("-nv", type=_positive, default=1, metavar="V", help="ranks on each core (1)")
    single.add_argument(
        "--seconds",
        type=_seconds,
        default=0.0,
        metavar="S",
        help="end the program so long after its first communication",
    )
    single.add_argument("-o", "--output", metavar="FILE", default="profile.json", help="(profile.json)")

    predict = commands.add_parser("predict", parents=[output], help="predict the running time for each V")
    predict.add_argument("profile", metavar="PROFILE", help="of V = 1")
    predict.add_argument("--second", metavar="PROFILE", help="of another V: gives the serial part of the computation")
    predict.add_argument("-c", "--calibration", metavar="FILE", default="calibration.json", help="(calibration.json)")

    measured = commands.add_parser(
        "measure",
        parents=[launch, output, run],
        help="run a program for each V and compare with what its profile at V = 1 predicts",
    )
    measured.add_argument("-c", "--calibration", metavar="FILE", help="(measured first if not given)")
    measured.add_argument(
        "--repeat", type=_positive, default=1, metavar="R", help="runs for each V; the shortest counts (1)"
    )
    measured.add_argument("--profile", metavar="FILE", help="write the profile at V = 1")
    return parser


def _options(arguments: argparse.Namespace) -> list[str]:
    options = ["-nn", arguments.nn, "-nc", arguments.nc]
    for name in ("host", "hostfile", "stack"):
        if getattr(arguments, name, None):
            options += [f"--{name}", getattr(arguments, name)]
    return options


def _program(arguments: argparse.Namespace) -> list[str]:
    words: list[str] = arguments.program[1:] if arguments.program[:1] == ["--"] else arguments.program
    if not words:
        raise VratioError(f"no program given: comm-vratio {arguments.command} [options] -- program [arguments]")
    return words


def _calibrate(arguments: argparse.Namespace) -> calibration.Calibration:
    counts = []
    for name in ("nn", "nc"):
        text = getattr(arguments, name)
        if not text.isdecimal() or not 1 <= int(text) <= MOST:
            raise VratioError(f"-{name} needs a whole number from 1 on, not '{text}'")
        counts.append(int(text))
    options = [
        o for name in ("host", "hostfile") if getattr(arguments, name) for o in (f"--{name}", getattr(arguments, name))
    ]
    return calibration.measure(counts[0], counts[1], options, arguments.timeout)


def _output(arguments: argparse.Namespace, predicted: dict[str, dict[int, float]], measured: dict[int, float]) -> None:
    sys.stdout.write(tables.show(predicted, measured, arguments.format))
    if arguments.plot:
        sys.stdout.flush()
        plots.draw(predicted, measured, arguments.plot, arguments.title)


def _run(arguments: argparse.Namespace) -> None:
    if getattr(arguments, "plot", None):
        plots.check_output(arguments.plot)
    if arguments.command == "calibrate":
        calibration.save(_calibrate(arguments), arguments.output)
    elif arguments.command == "profile":
        command, environment = measure.mpirun_command(_options(arguments), arguments.nv, _program(arguments))
        found = measure.run(
            command, environment, seconds=arguments.seconds, timeout=arguments.timeout, quiet=arguments.quiet
        )
        profile.save(found, arguments.output)
    elif arguments.command == "predict":
        second = profile.load(arguments.second) if arguments.second else None
        base = model.fit(profile.load(arguments.profile), second)
        machine = calibration.load(arguments.calibration)
        _output(arguments, model.predict(base, machine, arguments.ratios), {})
    else:
        program = _program(arguments)
        machine = calibration.load(arguments.calibration) if arguments.calibration else _calibrate(arguments)
        profiles = {
            v: measure.shortest(
                _options(arguments),
                v,
                program,
                repeat=arguments.repeat,
                timeout=arguments.timeout,
                quiet=arguments.quiet,
            )
            for v in sorted({1, *arguments.ratios})
        }
        if arguments.profile:
            profile.save(profiles[1], arguments.profile)
        predicted = model.predict(model.fit(profiles[1]), machine, arguments.ratios)
        _output(arguments, predicted, {v: profiles[v].span_s for v in arguments.ratios})


def main(arguments: list[str] | None = None) -> int:
    """Runs the tool. Returns its exit code, which is 2 for bad input and usage."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    options = _parser().parse_args(arguments)
    try:
        _run(options)
        sys.stdout.flush()
    except VratioError as error:
        print(f"comm-vratio: error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe; there is nothing left to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"comm-vratio: error: cannot write the table: {error.strerror}", file=sys.stderr)
        return 2
    return 0
