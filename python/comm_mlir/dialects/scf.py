# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builders of the dialect scf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..ir import Block, IndexType, InsertionPoint, Location, Type, Value
from . import _scf_ops
from ._builders import ValueLike, context_of, register, type_of
from ._scf_ops import *  # noqa: F403
from .arith import constant


@register
class ForOp(_scf_ops.ForOp):
    """A loop. The arguments of its body are the induction variable and a value for each of `iter_args`. The body ends
    with a yield of as many values."""

    __slots__ = ()

    def __init__(
        self,
        lower_bound: ValueLike,
        upper_bound: ValueLike,
        step: ValueLike,
        iter_args: Sequence[ValueLike] = (),
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None:
        types = [type_of(arg) for arg in iter_args]
        super().__init__(types, lower_bound, upper_bound, step, iter_args, loc=loc, ip=ip)
        self.regions[0].blocks.append(type_of(lower_bound), *types)

    @property
    def body(self) -> Block:
        return self.regions[0].blocks[0]

    @property
    def induction_variable(self) -> Value:
        return self.body.arguments[0]

    @property
    def inner_iter_args(self) -> list[Value]:
        """The values of `iter_args` in an iteration."""
        return list(self.body.arguments[1:])


@register
class IfOp(_scf_ops.IfOp):
    """A branch. Each of its blocks ends with a yield of the results."""

    __slots__ = ()

    def __init__(
        self,
        condition: ValueLike,
        results: Sequence[Type] = (),
        *,
        has_else: bool = False,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None:
        super().__init__(results, condition, loc=loc, ip=ip)
        self.regions[0].blocks.append()
        if has_else or results:
            self.regions[1].blocks.append()

    @property
    def then_block(self) -> Block:
        return self.regions[0].blocks[0]

    @property
    def else_block(self) -> Block | None:
        return self.regions[1].blocks[0] if len(self.regions[1]) else None


def yield_(
    results: Sequence[ValueLike] = (),
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> _scf_ops.YieldOp:
    """Builds the yield that ends a region."""
    return _scf_ops.YieldOp(results, loc=loc, ip=ip)


class for_:  # noqa: N801
    """A loop, whose body is built in a `with` or, as in MLIR's own bindings, in a `for`:

        with scf.for_(0, n, 1) as i:
            memref.store(zero, x, [i])

        for i, total, sum in scf.for_(0, n, 1, [zero]):
            scf.yield_([arith.addf(total, memref.load(x, [i]))])

    Bounds are values, or integers, which become constants. Without `iter_args` the loop gives the induction variable,
    and adds the yield at the end if the body has none. With one it gives the induction variable, the value in an
    iteration, and the result; with several, lists of the latter two.
    """

    def __init__(
        self,
        lower_bound: ValueLike | int,
        upper_bound: ValueLike | int,
        step: ValueLike | int,
        iter_args: Sequence[ValueLike] = (),
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None:
        given = (lower_bound, upper_bound, step)
        values = [bound for bound in given if not isinstance(bound, int)]
        self._bounds = given
        self._type = type_of(values[0]) if values else None
        self._iter_args = list(iter_args)
        self._loc, self._ip = loc, ip
        self._entered: list[tuple[ForOp, InsertionPoint]] = []

    def _value(self, bound: ValueLike | int) -> ValueLike:
        if not isinstance(bound, int):
            return bound
        kind = self._type if self._type is not None else IndexType.get(context_of(self._loc, self._ip))
        return constant(kind, bound, loc=self._loc, ip=self._ip)

    def __enter__(self) -> Any:
        lower_bound, upper_bound, step = (self._value(bound) for bound in self._bounds)
        loop = ForOp(lower_bound, upper_bound, step, self._iter_args, loc=self._loc, ip=self._ip)
        point = InsertionPoint(loop.body)
        point.__enter__()
        self._entered.append((loop, point))
        if not self._iter_args:
            return loop.induction_variable
        inner, results = loop.inner_iter_args, list(loop.results)
        if len(inner) == 1:
            return loop.induction_variable, inner[0], results[0]
        return loop.induction_variable, inner, results

    def __exit__(self, kind: object, *rest: object) -> None:
        loop, point = self._entered.pop()
        try:
            last = list(loop.body)[-1:] if kind is None and not self._iter_args else None
            if last is not None and not (last and last[0].name == "scf.yield"):
                yield_(loc=self._loc)
        finally:
            point.__exit__(kind, *rest)

    def __iter__(self) -> Iterator[Any]:
        with self as found:
            yield found
