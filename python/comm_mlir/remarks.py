# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The remarks of passes as plain data, for compiled programs, whose modules are gone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._core import Location, Remark, RemarkKind

if TYPE_CHECKING:
    import pandas

__all__ = ["RemarkRecord", "remarks_table"]


@dataclass(frozen=True)
class RemarkRecord:
    """A remark: `kind` is 'passed', 'missed', 'failure', 'analysis' or 'unknown'; `arguments` has (key, value) for each
    piece of the message, with the key 'String' for text in between."""

    kind: str
    pass_name: str
    name: str
    function: str
    file: str | None
    line: int | None
    column: int | None
    message: str
    arguments: list[list[str]] = field(default_factory=list)

    @staticmethod
    def of(remark: Remark) -> RemarkRecord:
        """Converts a remark of a pass manager."""
        if not isinstance(remark, Remark):
            raise TypeError(f"{remark!r} is not a remark: use those of PassManager.remarks or Compilation.remarks")
        return RemarkRecord._make(
            remark.kind, remark.pass_name, remark.name, remark.function, remark.location, remark.arguments
        )

    @staticmethod
    def _make(
        kind: RemarkKind,
        pass_name: str,
        name: str,
        function: str,
        location: Location,
        arguments: Sequence[tuple[str, str]],
    ) -> RemarkRecord:
        """Makes a remark. The message is the concatenation of the values of its arguments."""
        return RemarkRecord(
            kind.name.lower(),
            pass_name,
            name,
            function,
            location.filename,
            location.start_line,
            location.start_col,
            "".join(value for _, value in arguments),
            [list(argument) for argument in arguments],
        )


def remarks_table(remarks: Iterable[Remark | RemarkRecord]) -> pandas.DataFrame:
    """Returns remarks as a table with the columns kind, pass, name, function, file, line, column, message, and
    `arg_...` for each argument of any remark. Needs pandas."""
    import pandas

    rows: list[dict[str, Any]] = []
    for given in remarks:
        remark = given if isinstance(given, RemarkRecord) else RemarkRecord.of(given)
        row: dict[str, Any] = {
            "kind": remark.kind,
            "pass": remark.pass_name,
            "name": remark.name,
            "function": remark.function,
            "file": remark.file,
            "line": remark.line,
            "column": remark.column,
            "message": remark.message,
        }
        row.update({f"arg_{key}": value for key, value in remark.arguments if key != "String"})
        rows.append(row)
    columns = ["kind", "pass", "name", "function", "file", "line", "column", "message"]
    return pandas.DataFrame(rows, columns=None if rows else columns)
