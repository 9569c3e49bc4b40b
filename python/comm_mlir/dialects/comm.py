# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builders of the dialect comm: an operation for each MPI procedure, with MPI's parameter names.

    comm.send(buf, count, datatype, dest, tag, comm)
    request = comm.recv(buf, source=peer, tag=tag, comm=world, mode="async")
    comm.wait(request)

A parameter that is None is absent. `outcomes` names the results: `rank = comm.comm_rank(world, outcomes=["rank"])`. An
async operation has its request as a result.
"""

from __future__ import annotations

from ..ir import Context, InsertionPoint, Location, Type, Value
from ._builders import context_of
from ._comm_ops import *  # noqa: F403
from ._comm_ops import ConstantOp
from ._constants import TYPES


def constant(
    name: str,
    type: Type | None = None,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Value:
    """Builds a predefined MPI object or constant by name: 'MPI_COMM_WORLD', 'MPI_DOUBLE', 'MPI_SUM'. Numbers
    ('MPI_ANY_SOURCE') have type i32 and addresses ('MPI_IN_PLACE') !llvm.ptr, unless another type is given."""
    if type is None:
        type = _type_of_constant(name, context_of(loc, ip))
    return ConstantOp(type, name, loc=loc, ip=ip).results[0]


def _type_of_constant(name: str, context: Context) -> Type:
    kind = TYPES.get(name)
    if kind is None:
        raise ValueError(f"MPI has nothing predefined that is called '{name}': give its type, or another name")
    return Type.parse(kind, context)
