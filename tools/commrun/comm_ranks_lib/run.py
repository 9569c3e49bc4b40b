# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of commrun, and the mpirun that it becomes."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys

from . import elf

ABI_VERSION = 1
MOST_RANKS_IN_A_PROCESS = 1 << 24
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}

EPILOG = """\
The program has nn * nc * nv ranks: rank r runs on process r / (nc * nv), thread r / nv % nc of it. Build it with
"commcc -fcomm-ranks" or "commc++ -fcomm-ranks".

environment: COMM_MPIRUN names the mpirun to use (the first on the path otherwise). Open MPI's own settings
(OMPI_MCA_...) hold as with mpirun.
"""


class UsageError(Exception):
    """A mistake of the user or of the installation; the text says what to do."""


def positive(option: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) == 0:
        raise UsageError(f"{option} needs a whole number from 1 on, not '{text}'")
    return int(text)


def size(option: str, text: str) -> int:
    """Bytes; k, m and g are powers of 1024."""
    match = re.fullmatch(r"([0-9]{1,12})([kmg]?)b?", text.lower())
    if not match or int(match[1]) == 0:
        raise UsageError(f"{option} needs a size such as 65536, 64k or 8m, not '{text}'")
    return int(match[1]) * UNITS[match[2]]


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(message + "; commrun --help says more")


def make_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="commrun",
        usage="commrun [-nn N] [-nc C] [-nv V] [options] program [arguments]",
        description="Runs an MPI program whose ranks are user-level threads.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("-nn", metavar="N", default="1", help="processes, one a node (1)")
    parser.add_argument("-nc", metavar="C", help="kernel threads of each process, one a core (all cores, shared"
                        " among the processes if they are on one machine)")
    parser.add_argument("-nv", metavar="V", default="1", help="ranks on each kernel thread (1)")
    parser.add_argument("--stack", metavar="SIZE", help="stack of each rank: bytes, or with k, m, g (runtime's choice)")
    parser.add_argument("--host", metavar="LIST", help="nodes, as mpirun's")
    parser.add_argument("--hostfile", metavar="FILE", help="nodes, as mpirun's")
    parser.add_argument("--dry-run", action="store_true", help="print the command and end")
    parser.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def find_program(name: str) -> str:
    """The path of the program, which has to be one of user-level ranks."""
    path = name if "/" in name else shutil.which(name) or name
    if os.path.isdir(path):
        raise UsageError(f"'{name}' is a folder, not a program")
    try:
        version = elf.ranks_version(path)
    except OSError as error:
        raise UsageError(f"cannot run '{name}': {os.strerror(error.errno or 0).lower()}") from None
    if not os.access(path, os.X_OK):
        raise UsageError(f"cannot run '{name}': it is not executable")
    if version is None:
        raise UsageError(
            f"'{name}' was not built for ranks as user-level threads: build all of it, and link it, with"
            " commcc -fcomm-ranks (or commc++ -fcomm-ranks); mpirun runs what is built otherwise"
        )
    if version != ABI_VERSION:
        raise UsageError(
            f"'{name}' was built for version {version} of the runtime of ranks, this is version {ABI_VERSION}: build it"
            " again"
        )
    return path


def default_threads(processes: int, one_machine: bool) -> int:
    cores = len(os.sched_getaffinity(0))
    return max(1, cores // processes) if one_machine else cores


def make_command(arguments: argparse.Namespace) -> tuple[list[str], dict[str, str]]:
    """The command, and what the runtime reads from the environment."""
    processes = positive("-nn", arguments.nn)
    if arguments.nv == "auto":
        raise UsageError("-nv auto is not there yet: give the number of ranks on each core, such as -nv 4")
    per_thread = positive("-nv", arguments.nv)
    one_machine = not arguments.host and not arguments.hostfile
    threads = positive("-nc", arguments.nc) if arguments.nc else default_threads(processes, one_machine)
    if threads * per_thread > MOST_RANKS_IN_A_PROCESS:
        raise UsageError(
            f"-nc {threads} times -nv {per_thread} are too many ranks for one process"
            f" (at most {MOST_RANKS_IN_A_PROCESS})"
        )
    environment = {"COMM_RANKS_THREADS": str(threads), "COMM_RANKS_PER_THREAD": str(per_thread)}
    if arguments.stack:
        environment["COMM_RANKS_STACK"] = str(size("--stack", arguments.stack))
    if "OMP_NUM_THREADS" not in os.environ:
        environment["OMP_NUM_THREADS"] = "1"  # the cores are the ranks'
    words = list(arguments.command)
    if words[:1] == ["--"]:
        words.pop(0)
    if not words:
        raise UsageError("no program given: commrun [-nn N] [-nc C] [-nv V] program [arguments]")
    launcher = os.environ.get("COMM_MPIRUN") or "mpirun"
    if not shutil.which(launcher):
        raise UsageError(f"cannot find '{launcher}': install Open MPI, or name its mpirun in COMM_MPIRUN")
    # Processes on different nodes first; the runtime pins its threads itself.
    command = [launcher, "-np", str(processes), "--map-by", "node", "--bind-to", "none", "--oversubscribe"]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    for option, value in (("--host", arguments.host), ("--hostfile", arguments.hostfile)):
        if value:
            command += [option, value]
    for name in environment | {n: "" for n in ("COMM_RANKS_STACK", "OMP_NUM_THREADS") if n in os.environ}:
        command += ["-x", name]
    return [*command, find_program(words[0]), *words[1:]], environment


def main() -> int:
    try:
        arguments = make_parser().parse_args()
        command, environment = make_command(arguments)
    except UsageError as error:
        print(f"commrun: error: {error}", file=sys.stderr)
        return 2
    if arguments.dry_run:
        print(" ".join([*(f"{name}={value}" for name, value in environment.items()), *command]))
        return 0
    os.environ.update(environment)
    try:
        # mpirun takes commrun's place, so signals, output and exit codes are mpirun's.
        os.execvp(command[0], command)
    except OSError as error:
        print(f"commrun: error: cannot run {command[0]}: {os.strerror(error.errno or 0).lower()}", file=sys.stderr)
        return 127
