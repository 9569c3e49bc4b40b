# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builders of the dialect scf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..ir import Block, InsertionPoint, Location, Type, Value
from . import _scf_ops
from ._builders import ValueLike, register, type_of
from ._scf_ops import *  # noqa: F403


@register
class ForOp(_scf_ops.ForOp):
    """A loop. Its body has the induction variable and a value for each of `iter_args`, and ends in a yield of as
    many."""

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
    """A branch. Each of its blocks ends in a yield of the results."""

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
    """Ends a region."""
    return _scf_ops.YieldOp(results, loc=loc, ip=ip)


@contextmanager
def for_(
    lower_bound: ValueLike,
    upper_bound: ValueLike,
    step: ValueLike,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Iterator[Value]:
    """A loop without carried values: `with for_(c0, n, c1) as i:` builds its body, which gets its yield at the end."""
    loop = ForOp(lower_bound, upper_bound, step, loc=loc, ip=ip)
    with InsertionPoint(loop.body):
        yield loop.induction_variable
        yield_(loc=loc)
