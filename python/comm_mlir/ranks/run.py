# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of commrun, and the mpirun command that it runs."""

from __future__ import annotations

import os
import re
import shutil
import sys

from . import _launch, auto, elf

ABI_VERSION = 2
MOST_RANKS_IN_A_PROCESS = 1 << 24
MOST_THREADS = 4096
MOST_RANKS = (1 << 31) - 1  # that an int of MPI numbers
# A typing error must not fork until the machine is full.
MOST_PROCESSES_OF_A_MACHINE = 1024
STACK_BYTES = (16 << 10, 4 << 30)
PROFILE_SECONDS = (2.0, 0.1, 3600.0)  # usual, least, most
# The runtime's variables that only users set, and OpenMP's.
HANDED_ON = ("COMM_RANKS_STACK", "COMM_RANKS_COMBINE", "COMM_RANKS_STATISTICS", "OMP_NUM_THREADS")
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}

EPILOG = """\
The program has nn * nc * nv ranks: rank r runs on process r / (nc * nv), thread r / nv % nc of it. Build it with
"commcc -fcomm-ranks" or "commc++ -fcomm-ranks".

environment: COMM_MPIRUN names the mpirun to use (the first on the path otherwise). Open MPI's own settings
(OMPI_MCA_...) hold as with mpirun.
"""


class UsageError(Exception):
    """An error of the user or of the installation; the text says what to do."""


def positive(option: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) == 0:
        raise UsageError(f"{option} needs a whole number from 1 on, not '{text}'")
    return int(text)


def size(option: str, text: str) -> int:
    """Parses a number of bytes; k, m and g are powers of 1024."""
    match = re.fullmatch(r"([0-9]{1,12})([kmg]?)b?", text.lower())
    if not match or int(match[1]) == 0:
        raise UsageError(f"{option} needs a size such as 65536, 64k or 8m, not '{text}'")
    return int(match[1]) * UNITS[match[2]]


HELP = """\
usage: commrun [-np N] [-nn N] [-nc C] [-nv V] [options] program [arguments]

Runs an MPI program whose ranks are user-level threads.

  -np N, -n N      total number of ranks, as mpirun's: on as many kernel threads as divide it, at most one a core
  -nn N            processes, one a node (1)
  -nc C            kernel threads of each process, one a core (all cores, shared among the processes of one machine)
  -nv V            ranks on each kernel thread (1); auto: as the model chooses after short runs (see comm-vratio)
  --same-problem   for -nv auto: the problem does not grow with the number of ranks, whatever the short runs look like
  --profile-seconds S
                   for -nv auto: time limit of each short run after its first communication (2)
  --profile-dir DIR
                   for -nv auto: where the short runs read and write files (here)
  --stack SIZE     stack of each rank: bytes, or with k, m, g (the runtime's choice)
  --host LIST      nodes, as mpirun's
  --hostfile FILE  nodes, as mpirun's
  --dry-run        print the command and exit
  --help           this text

"""
WITH_VALUE = {
    "-np": "np",
    "-n": "np",
    "-nn": "nn",
    "-nc": "nc",
    "-nv": "nv",
    "--stack": "stack",
    "--host": "host",
    "--hostfile": "hostfile",
    "--profile-seconds": "profile_seconds_text",
    "--profile-dir": "profile_dir",
}
FLAGS = {"-h": "help", "--help": "help", "--dry-run": "dry_run", "--same-problem": "same_problem"}


class Arguments:
    """The command line. (argparse would also look for options among the program's arguments.)"""

    def __init__(self, words: list[str]) -> None:
        self.np = ""
        self.nn = ""
        self.nc = ""
        self.nv = ""
        self.stack = ""
        self.host = ""
        self.hostfile = ""
        self.profile_seconds_text = ""
        self.profile_dir = ""
        self.dry_run = False
        self.same_problem = False
        self.help = False
        self.command: list[str] = []
        rest = list(words)
        while rest and rest[0].startswith("-"):
            word = rest.pop(0)
            name, equals, value = word.partition("=")
            if word == "--":
                break
            if word in FLAGS:
                setattr(self, FLAGS[word], True)
            elif name in WITH_VALUE:
                value = value if equals else rest.pop(0) if rest else ""
                if not value:  # for example, an unset variable in a script
                    raise UsageError(f"{name} needs a value; commrun --help says more")
                setattr(self, WITH_VALUE[name], value)
            else:
                raise UsageError(f"unknown option '{word}'; commrun --help says more")
        self.command = rest
        if self.np:
            share(self)
        self.nn = self.nn or "1"
        self.nv = self.nv or "1"
        check_profile_options(self)

    @property
    def profile_seconds(self) -> float:
        return float(self.profile_seconds_text or PROFILE_SECONDS[0])


def check_profile_options(arguments: Arguments) -> None:
    """Raises UsageError for options that only -nv auto uses, and for their bad values."""
    given = {"--same-problem": arguments.same_problem, "--profile-seconds": arguments.profile_seconds_text}
    given["--profile-dir"] = arguments.profile_dir
    unused = [name for name, value in given.items() if value]
    if unused and arguments.nv != "auto":
        raise UsageError(f"{unused[0]} is for -nv auto")
    text = arguments.profile_seconds_text
    least, most = PROFILE_SECONDS[1:]
    if text and not (re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text) and least <= float(text) <= most):
        raise UsageError(f"--profile-seconds needs seconds from {least:g} to {most:g}, not '{text}'")
    if arguments.profile_dir and not os.path.isdir(arguments.profile_dir):
        raise UsageError(f"--profile-dir needs a folder, not '{arguments.profile_dir}'")


def share(arguments: Arguments) -> None:
    """For -np: chooses processes, kernel threads and ranks per thread that give this many ranks; keeps given values."""
    ranks = positive("-np", arguments.np)
    if arguments.nv == "auto":
        raise UsageError("-nv auto chooses how many ranks there are: give -nn and -nc without -np")
    given = {
        name: positive(f"-{name}", getattr(arguments, name)) for name in ("nn", "nc", "nv") if getattr(arguments, name)
    }
    rest = ranks
    for value in given.values():
        if rest % value:
            words = " times ".join(f"-{n} {v}" for n, v in given.items())
            raise UsageError(f"-np {ranks} cannot be divided by {words}: omit -np, or the options that do not fit")
        rest //= value
    if "nn" not in given:
        hosts = len({host.split(":")[0] for host in arguments.host.split(",") if host})
        processes = next(p for p in range(max(1, hosts), 0, -1) if rest % p == 0)
        given["nn"], rest = processes, rest // processes
    if "nc" not in given:
        # Use all remaining ones if the ranks per thread are given, and otherwise at most the number of cores.
        cores = default_threads(given["nn"], not arguments.host and not arguments.hostfile)
        threads = rest if "nv" in given else next(c for c in range(min(cores, rest), 0, -1) if rest % c == 0)
        given["nc"], rest = threads, rest // threads
    if "nv" not in given:
        given["nv"], rest = rest, 1
    if rest != 1:
        words = " times ".join(f"-{n} {v}" for n, v in given.items())
        raise UsageError(f"-np {ranks} are not {words}: omit -np, or the options that do not fit")
    for name, value in given.items():
        setattr(arguments, name, str(value))


def find_program(name: str) -> str:
    """Returns the path of the program, which must use user-level ranks."""
    path = name if "/" in name else shutil.which(name) or name
    if os.path.isdir(path):
        raise UsageError(f"'{name}' is a folder, not a program")
    if os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"'{name}' is a device or a pipe, not a program")
    try:
        version = elf.ranks_version(path)
    except OSError as error:
        raise UsageError(f"cannot run '{name}': {os.strerror(error.errno or 0).lower()}") from None
    if not os.access(path, os.X_OK):
        raise UsageError(f"cannot run '{name}': it is not executable")
    if version is None:
        raise UsageError(
            f"'{name}' was not built for ranks as user-level threads: build all of it, and link it, with"
            " commcc -fcomm-ranks (or commc++ -fcomm-ranks); mpirun runs other programs"
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


def make_command(arguments: Arguments) -> tuple[list[str], dict[str, str]]:
    """Returns the command and the environment for the runtime."""
    processes = positive("-nn", arguments.nn)
    one_machine = not arguments.host and not arguments.hostfile
    threads = positive("-nc", arguments.nc) if arguments.nc else default_threads(processes, one_machine)
    if arguments.nv == "auto":
        try:
            arguments.nv = str(auto.choose(arguments, threads))
        except auto.AutoError as error:
            raise UsageError(str(error)) from None
    per_thread = positive("-nv", arguments.nv)
    if threads > MOST_THREADS:
        raise UsageError(f"-nc {threads} are too many kernel threads for one process (at most {MOST_THREADS})")
    if threads * per_thread > MOST_RANKS_IN_A_PROCESS:
        raise UsageError(
            f"-nc {threads} times -nv {per_thread} are too many ranks for one process"
            f" (at most {MOST_RANKS_IN_A_PROCESS})"
        )
    if one_machine and processes > MOST_PROCESSES_OF_A_MACHINE:
        raise UsageError(
            f"-nn {processes} are too many processes for one machine (at most {MOST_PROCESSES_OF_A_MACHINE}): more"
            " ranks are for -nv, more machines for --host"
        )
    ranks = processes * threads * per_thread
    if ranks > MOST_RANKS:
        raise UsageError(f"{ranks} ranks are more than MPI can number (at most {MOST_RANKS})")
    environment = {"COMM_RANKS_THREADS": str(threads), "COMM_RANKS_PER_THREAD": str(per_thread)}
    if arguments.stack:
        stack = size("--stack", arguments.stack)
        if not STACK_BYTES[0] <= stack <= STACK_BYTES[1]:
            raise UsageError(f"--stack {arguments.stack}: a stack has from 16k to 4g")
        environment["COMM_RANKS_STACK"] = str(stack)
    if "OMP_NUM_THREADS" not in os.environ:
        environment["OMP_NUM_THREADS"] = "1"  # the cores are the ranks'
    words = arguments.command
    if not words:
        raise UsageError("no program given: commrun -np N program [arguments]")
    launcher = os.environ.get("COMM_MPIRUN") or "mpirun"
    if not shutil.which(launcher):
        raise UsageError(f"cannot find '{launcher}': install Open MPI, or name its mpirun in COMM_MPIRUN")
    # Prefer different nodes for processes; the runtime pins its threads itself.
    command = [launcher, "-np", str(processes), "--map-by", "node", "--bind-to", "none", "--oversubscribe"]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    for option, value in (("--host", arguments.host), ("--hostfile", arguments.hostfile)):
        if value:
            command += [option, value]
    for name in environment | {n: "" for n in HANDED_ON if n in os.environ}:
        command += ["-x", name]
    return [*command, find_program(words[0]), *words[1:]], environment


def show(text: str) -> int:
    """Prints text in which file names may contain any bytes. Returns the exit code."""
    try:
        os.write(1, os.fsencode(text))
    except OSError as error:
        print(
            f"commrun: error: cannot write to standard output: {os.strerror(error.errno or 0).lower()}", file=sys.stderr
        )
        return 2
    return 0


def main() -> int:
    try:
        arguments = Arguments(sys.argv[1:])
        if arguments.help:
            return show(HELP + EPILOG)
        command, environment = make_command(arguments)
    except UsageError as error:
        print(f"commrun: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:  # in a profile run, which has ended
        return 130
    if arguments.dry_run:
        return show(" ".join([*(f"{name}={value}" for name, value in environment.items()), *command]) + "\n")
    os.environ.update(environment)
    ranks = int(environment["COMM_RANKS_THREADS"]) * int(environment["COMM_RANKS_PER_THREAD"])
    try:
        return _launch.run(command, int(arguments.nn), ranks)
    except OSError as error:
        print(f"commrun: error: cannot run {command[0]}: {os.strerror(error.errno or 0).lower()}", file=sys.stderr)
        return 127
