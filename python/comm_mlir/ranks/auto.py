# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""commrun -nv auto: a short profile run at V = 1, the model of the virtualization ratio, and a short run with the
chosen ratio, which checks that the program accepts that many ranks and that the problem is the same
(docs/vratio.md)."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import stat
import subprocess
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..vratio.growth import Work
    from ..vratio.model import BaseModel
    from ..vratio.profile import Profile
    from .run import Arguments

RATIOS = [1, 2, 4, 8, 16]
# Limit of the time before the first communication, as a multiple of the profiled time after it.
PATIENCE = 30.0
END = "; or give the number of ranks on each core, such as -nv 4"


class AutoError(Exception):
    """No ratio can be chosen; the text says what to do."""


def say(text: str) -> None:
    print(f"commrun: -nv auto: {text}", file=sys.stderr, flush=True)


def calibration_file(arguments: Arguments) -> str:
    """Returns the file of the machine's figures: one for each set of nodes."""
    given = os.environ.get("COMM_VRATIO_CALIBRATION")
    if given:
        return given
    nodes = [os.uname().nodename, arguments.nn, arguments.nc, arguments.host, arguments.hostfile]
    nodes.append(os.environ.get("COMM_MPIRUN", ""))
    name = hashlib.sha256("\0".join(nodes).encode()).hexdigest()[:16]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "comm", f"calibration-{name}.json")


def input_again() -> int | None:
    """Opens standard input again, at its current position, if it is a file. Profile runs read from it without consuming
    the input of the real run. Returns None if the input cannot be read twice."""
    try:
        if not stat.S_ISREG(os.fstat(0).st_mode):
            return None
        again = os.open("/proc/self/fd/0", os.O_RDONLY)
        os.lseek(again, os.lseek(0, 0, os.SEEK_CUR), os.SEEK_SET)
        return again
    except OSError:
        return None


def gives_all_input() -> bool:
    """Returns True if a profile run gets the complete input of the real run: a file, /dev/null, or none at all."""
    try:
        state = os.fstat(0)
    except OSError:
        return True
    return stat.S_ISREG(state.st_mode) or os.path.samestat(state, os.stat(os.devnull))


@dataclasses.dataclass
class Trials:
    """Short runs of the program of the command line."""

    arguments: Arguments
    threads: int
    seconds: float

    def ranks(self, v: int) -> int:
        return int(self.arguments.nn) * self.threads * v

    def nodes(self) -> list[str]:
        given = [(name, getattr(self.arguments, name)) for name in ("host", "hostfile")]
        return [word for name, value in given if value for word in (f"--{name}", value)]

    def run(self, v: int) -> tuple[Profile, Work]:
        from ..vratio import growth, measure, profile
        from ..vratio.errors import VratioError

        options = ["-nn", self.arguments.nn, "-nc", str(self.threads), *self.nodes()]
        if self.arguments.stack:
            options += ["--stack", self.arguments.stack]
        try:
            command, environment = measure.mpirun_command(options, v, self.arguments.command)
        except VratioError as error:  # The same error as with a given number.
            raise AutoError(str(error)) from None
        folder = self.arguments.profile_dir or None
        if folder:
            # The program's name may be relative to the current folder.
            command[-len(self.arguments.command)] = os.path.abspath(command[-len(self.arguments.command)])
        stdin = input_again()
        try:
            lines = measure.run_lines(
                command,
                environment,
                seconds=self.seconds,
                timeout=self.seconds * (1 + PATIENCE),
                quiet=True,
                work=True,
                stdin=subprocess.DEVNULL if stdin is None else stdin,
                folder=folder,
            )
        finally:
            if stdin is not None:
                os.close(stdin)
        return profile.from_lines(lines), growth.from_lines(lines)

    def failed(self, v: int, error: Exception) -> str:
        """Formats a failure for the user: the number of ranks, and the program's message."""
        from ..vratio.errors import ProgramFailedError, ProgramSilentError, ProgramTimeoutError

        tried = f"with {self.ranks(v)} ranks (V = {v}) "
        if isinstance(error, ProgramTimeoutError):
            return tried + f"the program did not communicate within {error.seconds:g} s"
        if isinstance(error, (ProgramFailedError, ProgramSilentError)):
            code = f"with exit code {error.code}" if isinstance(error, ProgramFailedError) else "without communication"
            return tried + f"the program ends {code}" + (f" and says '{error.said}'" if error.said else "")
        return tried + str(error)


def without_one(trials: Trials, error: Exception) -> int:
    """Returns the least number of ranks per core that the program accepts if it does not run with one."""
    from ..vratio.errors import ProgramSilentError, ProgramTimeoutError, VratioError

    if isinstance(error, ProgramSilentError) and not error.said:  # it does not reject the number
        raise error
    say(trials.failed(1, error))
    if isinstance(error, ProgramTimeoutError):
        say("uses V = 1: there is no profile to base a choice on; --profile-seconds gives it more time")
        return 1
    for v in RATIOS[1:]:
        try:
            trials.run(v)
        except VratioError as other:
            say(trials.failed(v, other))
            continue
        say(f"uses V = {v}, the least number of ranks that the program takes: {trials.ranks(v)}")
        return v
    if not gives_all_input():
        say(
            "uses V = 1: the profile runs have no standard input, which cannot be read twice; redirect it from a file"
            " if the program needs it"
        )
        return 1
    raise AutoError("-nv auto: the program fails with each number of ranks that was tried (see above)" + END)


def predicted(trials: Trials, found: Profile) -> tuple[BaseModel, dict[int, float], float]:
    """Returns the fitted model, the times by V, and the seconds that one rank per core waits."""
    from ..vratio import calibration, model
    from ..vratio.errors import VratioError

    base = model.fit(found)
    path = calibration_file(trials.arguments)
    try:
        if os.path.exists(path):
            machine = calibration.load(path)
        else:
            say(f"measuring the machine, once, into {path}")
            machine = calibration.measure(int(trials.arguments.nn), trials.threads, trials.nodes())
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            calibration.save(machine, path)
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise VratioError(f"cannot keep the machine's figures in {path}: {reason}") from None
    return base, model.predict(base, machine, RATIOS)["overlapped"], model.waiting(base, machine)


def confirmed(trials: Trials, chosen: int, work: Work) -> int:
    """Returns the ratio to use: the largest one up to `chosen` with which the program runs, if it solves the same
    problem."""
    from ..vratio import growth
    from ..vratio.errors import VratioError

    for v in [ratio for ratio in reversed(RATIOS) if 1 < ratio <= chosen]:
        try:
            _, second = trials.run(v)
        except VratioError as error:
            say(trials.failed(v, error))
            continue
        if trials.arguments.same_problem:
            return v
        verdict = growth.compare(work, second)
        numbers = f"{trials.ranks(v)} ranks (V = {v})"
        if verdict.factor is None:
            say(
                f"uses V = 1: the short runs do not show whether {numbers} solve the same problem as {trials.ranks(1)};"
                " if they do, say --same-problem"
            )
            return 1
        if verdict.grows:
            say(
                f"uses V = 1: the problem grows with the number of ranks: {numbers} {verdict.measure}"
                f" {verdict.factor:.2g} times as much as {trials.ranks(1)}; if it is the same problem, say"
                " --same-problem"
            )
            return 1
        return v
    say("uses V = 1, the largest number that works")
    return 1


def choose(arguments: Arguments, threads: int) -> int:
    """Chooses the ratio for the program of the command line. Prints on stderr which one and why."""
    try:
        from ..vratio import model
        from ..vratio.errors import ProgramFailedError, ProgramSilentError, ProgramTimeoutError, VratioError
    except ImportError as error:
        raise AutoError(f"-nv auto needs comm-vratio, whose modules are not installed: {error}") from None

    trials = Trials(arguments, threads, arguments.profile_seconds)
    try:
        try:
            found, work = trials.run(1)
        except (ProgramFailedError, ProgramSilentError, ProgramTimeoutError) as error:
            return without_one(trials, error)
        base, times, wait = predicted(trials, found)
        best = model.best(times)
        chosen = confirmed(trials, best, work) if best > 1 else 1
    except VratioError as error:
        raise AutoError(f"-nv auto: {error}{END}") from None
    if chosen > 1 or best == 1:
        say(
            f"chose {chosen}: with one rank a core, {wait / base.span_s:.0%} of {base.span_s:.3g} s are waiting; with"
            f" {chosen} the same takes {times[chosen]:.3g} s by the model (V: s = "
            + ", ".join(f"{v}: {time:.3g}" for v, time in times.items())
            + ")"
        )
    return chosen
