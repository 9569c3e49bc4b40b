# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison of one file: reference against candidates."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .runner import Result, compile_file, complaints, run_ranks


@dataclass
class Setup:
    reference: str
    candidates: Sequence[str]
    ranks: Sequence[int]
    timeout: float = 30.0
    mpirun: str = "mpirun"
    mpmd: bool = False  # half of the ranks run the candidate, half the reference


@dataclass
class Failure:
    """Why a candidate failed. If `reference` is the candidate, the program
    or the machine is at fault."""

    candidate: str
    what: str
    ranks: int = 0
    detail: str = ""


def _tail(text: str, lines: int = 60) -> str:
    return "\n".join(text.splitlines()[-lines:])


def _head(text: str, lines: int = 40) -> str:
    """Returns the first messages of a compiler, which are the relevant ones."""
    return "\n".join(text.splitlines()[:lines])


def difference(want: Result, got: Result) -> str:
    return "\n".join(
        list(
            difflib.unified_diff(
                want.out.splitlines(), got.out.splitlines(), "reference", "candidate", lineterm="", n=0
            )
        )[:80]
    )


def judge(want: Result, got: Result) -> str | None:
    if got.report:
        return "sanitizer report"
    if got.code == -1:
        return "time limit"
    if got.code != want.code:
        return f"exit code {got.code}, reference {want.code}"
    if got.out != want.out:
        return "output differs"
    return None


def check_file(source: Path, setup: Setup, work: Path) -> list[Failure]:
    """Returns all failures of all candidates; the first one of each candidate."""
    binary = work / (source.stem + ".ref")
    built = compile_file(setup.reference, source, binary)
    if built.code != 0:
        return [Failure("reference", "does not compile", 0, _head(built.err))]
    want: dict[int, Result] = {}
    for n in setup.ranks:
        want[n] = run_ranks(binary, n, setup.timeout, mpirun=setup.mpirun)
        if want[n].code != 0 or want[n].report:
            return [
                Failure("reference", f"exit code {want[n].code}", n, _tail(want[n].out, 3) + "\n" + _tail(want[n].err))
            ]
    failures: list[Failure] = []
    for i, candidate in enumerate(setup.candidates):
        failure = _check_candidate(source, candidate, setup, want, work / f"{source.stem}.{i}", binary)
        if failure:
            failures.append(failure)
    return failures


def _check_candidate(
    source: Path, candidate: str, setup: Setup, want: dict[int, Result], binary: Path, reference: Path
) -> Failure | None:
    built = compile_file(candidate, source, binary)
    if built.code != 0:
        return Failure(candidate, f"compiler exit code {built.code}", 0, _head(built.err))
    if complaints(built):
        return Failure(candidate, "left alone", 0, _head("\n".join(complaints(built))))
    for n in setup.ranks:
        partner = reference if setup.mpmd and n > 1 else None
        got = run_ranks(binary, n, setup.timeout, mpirun=setup.mpirun, command=candidate, partner=partner)
        what = judge(want[n], got)
        if what:
            return Failure(candidate, what, n, difference(want[n], got) + "\n" + _tail(got.err))
    return None
