# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines as text, their reports, and passes and rewrite patterns in Python."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Callable, TypeVar

from . import _core
from ._core import Remark, RemarkKind, is_registered_pass
from .ir import Context, InsertionPoint, Module, Operation, Value
from .remarks import remarks_table

__all__ = [
    "PassManager",
    "PassTime",
    "Remark",
    "RemarkKind",
    "Rewriter",
    "apply_patterns",
    "is_registered_pass",
    "register_pass",
    "register_pattern_pass",
    "remarks_table",
]


@dataclass(frozen=True)
class PassTime:
    """The time of a pass in a run: `seconds` for all of its `runs`, one per operation that it ran on."""

    seconds: float
    runs: int


class PassManager:
    """Runs a pipeline, on the operation that its text names.

        pm = PassManager.parse("builtin.module(comm-split-blocking{abi=openmpi4},func.func(my-pass))")
        pm.enable_remarks()
        pm.run(module)

    Objects for the contents of the module are gone after a run: passes may delete anything.
    """

    def __init__(self, pipeline: str = "any", context: Context | None = None) -> None:
        """`pipeline` is a pipeline's text, or just its anchor, 'builtin.module' or 'any', to which `add` adds
        passes."""
        if isinstance(pipeline, str) and re.fullmatch(r"any|[a-z_]+\.[a-z_]+", pipeline.strip()):
            pipeline = f"{pipeline.strip()}()"
        self._core = _core.PassManager.parse(pipeline, context)
        self._observed = False

    @staticmethod
    def parse(pipeline: str, context: Context | None = None) -> PassManager:
        """Parses a pipeline. The enclosing `builtin.module(...)` may be omitted. Raises ValueError if the text is not
        valid."""
        return PassManager(pipeline, context)

    @property
    def anchor(self) -> str:
        """The operation that the pipeline runs on: 'builtin.module', 'any'."""
        return self._core.anchor

    def add(self, pipeline: str) -> None:
        """Adds passes at the end, for the manager's operation. ValueError if the text is not a pipeline."""
        self._core.add(pipeline)

    def enable_ir_printing(
        self,
        print_before_all: bool = False,
        print_after_all: bool = True,
        print_module_scope: bool = False,
        print_after_change: bool = False,
        print_after_failure: bool = False,
        large_elements_limit: int | None = None,
        enable_debug_info: bool = False,
        print_generic_op_form: bool = False,
        tree_printing_dir_path: str | os.PathLike[str] | None = None,
    ) -> None:
        """Prints the operation around each pass, to the process's standard error or to files in that folder."""
        self._core.enable_ir_printing(
            print_before_all,
            print_after_all,
            print_module_scope,
            print_after_change,
            print_after_failure,
            large_elements_limit,
            enable_debug_info,
            print_generic_op_form,
            "" if tree_printing_dir_path is None else os.fspath(tree_printing_dir_path),
        )

    def enable_verifier(self, enable: bool = True) -> None:
        """Enables verification after each pass, which is the default."""
        self._core.enable_verifier(enable)

    def enable_remarks(self, filter: str = ".*") -> None:
        """Collects the remarks of passes whose names match the regular expression."""
        self._core.enable_remarks(filter)

    def enable_statistics(self) -> None:
        """Collects the statistics of passes. Upstream passes have none in release builds of MLIR."""
        self._observe()

    def enable_timing(self) -> None:
        """Collects the time of passes."""
        self._observe()

    def _observe(self) -> None:
        if not self._observed:
            self._core.enable_observation()
            self._observed = True

    def run(self, op: Operation | Module) -> None:
        """Runs on an operation of the anchor's kind. Raises MLIRError if a pass fails or the operation is not valid."""
        if not isinstance(op, (Operation, _core.Module)):
            raise TypeError(f"passes run on a Module or an Operation, not on {op!r}")
        self._core.run(op)

    @property
    def has_python_passes(self) -> bool:
        """True if the pipeline has passes of register_pass."""
        return self._core.has_python_passes

    @property
    def remarks(self) -> list[Remark]:
        """The remarks of the last run, in their order."""
        return self._core.remarks

    @property
    def statistics(self) -> dict[str, dict[str, int]]:
        """The statistics of the passes in the last run, by pass and name."""
        return self._core.statistics

    @property
    def timing(self) -> dict[str, PassTime]:
        """The times of the passes in the last run."""
        return {name: PassTime(*entry) for name, entry in self._core.timing.items()}

    def __str__(self) -> str:
        return str(self._core)


PassFunction = Callable[[Any], None]
_Function = TypeVar("_Function", bound=PassFunction)


def register_pass(name: str, anchor: str = "", description: str = "") -> Callable[[_Function], _Function]:
    """Registers a function of an operation as a pass, which pipelines can name like any other. Use it as a decorator:

        @register_pass("count-sends", anchor="builtin.module")
        def count_sends(module): ...

    `anchor` is the operation that the pass runs on, or '' for any. The pass changes only the contents of its operation.
    An exception fails the pipeline: it raises MLIRError, whose cause is the exception. After another registration of
    the name, pipelines that are parsed from then on use the new function.
    """

    def register(function: _Function) -> _Function:
        text = description or (function.__doc__ or "").strip().split("\n")[0]
        _core.register_pass(name, function, anchor, text)
        return function

    return register


class Rewriter:
    """Changes operations in a pattern. New operations are inserted before the matched one."""

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.ip = InsertionPoint(op)

    def replace_op(self, op: Operation, with_: Operation | Value | Iterable[Operation | Value]) -> None:
        """Replaces the results of an operation by these values, and erases it."""
        values: list[Value] = []
        for new in [with_] if isinstance(with_, (Operation, Value)) else list(with_):
            values += new.results if isinstance(new, Operation) else [new]
        results = op.results
        if len(values) != len(results):
            raise ValueError(f"{op.name} has {len(results)} results, and {len(values)} values are to replace them")
        for old, value in zip(results, values):
            old.replace_all_uses_with(value)
        op.erase()

    def erase_op(self, op: Operation) -> None:
        """Deletes an operation whose values have no uses."""
        op.erase()


Pattern = Callable[[Any, Rewriter], Any]


def apply_patterns(
    root: Operation | Module, patterns: dict[str, Pattern | list[Pattern]], max_rewrites: int = 1_000_000
) -> int:
    """Applies patterns to the contents of an operation until none applies. Returns how often one did.

    `patterns` has functions by the name of the operation that they match ('*' for any). Each is called with an
    operation and a Rewriter, and returns a true value if it changed something. New operations are inserted before the
    matched one. Raises RuntimeError after `max_rewrites`, which patterns that undo each other would reach.
    """
    top = root.operation if isinstance(root, Module) else root
    if not isinstance(top, Operation):
        raise TypeError(f"patterns apply to a Module or an Operation, not to {root!r}")
    if not isinstance(patterns, dict):
        raise TypeError(f"patterns are a dict of functions by the names of operations, not {patterns!r}")
    for key, entry in patterns.items():
        if not isinstance(key, str) or not all(map(callable, entry if isinstance(entry, list) else [entry])):
            raise TypeError(
                f"a pattern is a function, or a list of some, by the name of an operation: {key!r}: {entry!r}"
            )
    count = 0
    while True:
        found: list[Operation] = []
        top.walk(found.append)
        changed = False
        for op in found:
            if not op.is_valid or op == top:
                continue
            functions: list[Pattern] = []
            for key in (op.name, "*"):
                entry = patterns.get(key, [])
                functions += entry if isinstance(entry, list) else [entry]
            for function in functions:
                if not op.is_valid:
                    break
                with InsertionPoint(op), op.location:
                    applied = function(op, Rewriter(op))
                if applied:
                    changed, count = True, count + 1
                    if count > max_rewrites:
                        raise RuntimeError(f"the patterns still apply after {max_rewrites} rewrites")
        if not changed:
            return count


def register_pattern_pass(
    name: str, patterns: dict[str, Pattern | list[Pattern]], anchor: str = "", description: str = ""
) -> None:
    """Registers a pass of that name that applies the patterns."""

    def run(op: Operation) -> None:
        apply_patterns(op, patterns)

    register_pass(name, anchor, description or "Apply patterns")(run)
