# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors, and checks of data that is read from files."""

from __future__ import annotations

import json
import os
from typing import Any

# More than any count, size or time of a program.
MOST = 1e30


class VratioError(Exception):
    """An error of the user, of a file, or of the installation; the text says what to do."""


class ProgramFailedError(VratioError):
    """A program ended with an error; `said` is its error message, possibly empty."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(f"the program fails under commrun (exit code {code}){': ' if said else ''}{said}")
        self.code = code
        self.said = said


class ProgramSilentError(VratioError):
    """A program ended without any communication that the profiler saw; `said` as above."""

    def __init__(self, said: str = "") -> None:
        super().__init__(
            "the program was not profiled: it has to be built with commcc -fcomm-ranks, and to communicate and call"
            " MPI_Finalize"
        )
        self.said = said


class ProgramTimeoutError(VratioError):
    """A program did not end in time, and did not reach the point where a profile run ends it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the program runs longer than {seconds:g} s: give a smaller problem, or --timeout")
        self.seconds = seconds


def read_json(path: str, kind: str) -> dict[str, Any]:
    """Returns the object in a file whose "format" is `kind`. Raises VratioError otherwise."""
    try:
        with open(os.fspath(path), encoding="utf-8") as file:
            data = json.load(file)
    except OSError as error:
        raise VratioError(f"{path}: {os.strerror(error.errno or 0).lower()}") from None
    except (ValueError, RecursionError) as error:
        raise VratioError(f"{path}: not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("format") != kind:
        raise VratioError(f'{path}: not a {kind}: its "format" does not say so')
    if data.get("version") != 1:
        raise VratioError(f"{path}: version {data.get('version')} of a {kind}: this program knows version 1")
    return data


def write_json(path: str, data: dict[str, Any]) -> None:
    try:
        with open(os.fspath(path), "w", encoding="utf-8") as file:
            json.dump(data, file, indent=2)
            file.write("\n")
    except OSError as error:
        raise VratioError(f"{path}: {os.strerror(error.errno or 0).lower()}") from None


def number(data: dict[str, Any], name: str, where: str, least: float = 0.0, more_than_least: bool = False) -> float:
    """Returns a finite number of an object in a file. Raises VratioError if it is missing or out of range."""
    value = data.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= MOST:
        raise VratioError(f'{where}: "{name}" has to be a number up to {MOST:g}, not {json.dumps(value)[:40]}')
    if value < least or (more_than_least and value == least):
        bound = "more than" if more_than_least else "at least"
        raise VratioError(f'{where}: "{name}" has to be {bound} {least:g}, not {value:g}')
    return float(value)
