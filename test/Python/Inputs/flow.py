# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A flow in Python whose steps are compiled: run alone and under mpirun, it prints the same for the same data."""

import sys

import numpy as np
from mpi4py import MPI

import comm_mlir
from comm_mlir.dialects import arith, comm, memref, scf
from comm_mlir.ir import F64Type, IndexType, IntegerType, MemRefType, MLIRError

OPTIONS = {"uniform_collectives": True, "observers": "never"} if "--promise" in sys.argv else {}
world = MPI.COMM_WORLD
rank, size = world.rank, world.size


def number(value):
    return arith.constant(IndexType.get(), value)


def i32(value):
    return arith.constant(IntegerType.get_signless(32), value)


def loop(low, high):
    return scf.for_(low, high, number(1))


@comm_mlir.jit(**OPTIONS)
def exchange(piece, comm_, left: "i32", right: "i32"):
    """The ends of a piece with a ghost cell on each side go to the neighbors."""
    first, last, before, after = (memref.alloc(MemRefType.get([1], F64Type.get()), [], []) for _ in range(4))
    zero, n = number(0), memref.dim(piece, number(0))
    memref.store(memref.load(piece, [number(1)]), first, [zero])
    memref.store(memref.load(piece, [arith.subi(n, number(2))]), last, [zero])
    requests = [
        comm.recv(before, source=left, tag=i32(0), comm=comm_, mode="async"),
        comm.recv(after, source=right, tag=i32(1), comm=comm_, mode="async"),
    ]
    comm.send(last, dest=right, tag=i32(0), comm=comm_)
    comm.send(first, dest=left, tag=i32(1), comm=comm_)
    for request in requests:
        comm.wait(request)
    memref.store(memref.load(before, [zero]), piece, [zero])
    memref.store(memref.load(after, [zero]), piece, [arith.subi(n, number(1))])
    for buffer in (first, last, before, after):
        memref.dealloc(buffer)


@comm_mlir.jit(**OPTIONS)
def smooth(old, new):
    """A third of each cell and its neighbors."""
    third = arith.constant(F64Type.get(), 1.0 / 3)
    with loop(number(1), arith.subi(memref.dim(old, number(0)), number(1))) as i:
        a = memref.load(old, [arith.subi(i, number(1))])
        b = memref.load(old, [i])
        c = memref.load(old, [arith.addi(i, number(1))])
        memref.store(arith.mulf(arith.addf(arith.addf(a, b), c), third), new, [i])


@comm_mlir.jit(**OPTIONS)
def reduce(mine, all_, work, op, comm_):
    """A reduction, and work that does not need it."""
    comm.allreduce(mine, all_, op=op, comm=comm_)
    with loop(number(0), memref.dim(work, number(0))) as i:
        value = memref.load(work, [i])
        memref.store(arith.addf(value, value), work, [i])


def heat():
    cells = 48 // size
    whole = np.arange(48, dtype=float) % 7
    old = np.zeros(cells + 2)
    old[1:-1] = whole[rank * cells : (rank + 1) * cells]
    new = old.copy()
    left, right = (rank - 1) % size, (rank + 1) % size
    for _ in range(5):
        exchange(old, world, left, right)
        smooth(old, new)
        old, new = new, old
    gathered = np.zeros(48) if rank == 0 else None
    world.Gather(np.ascontiguousarray(old[1:-1]), gathered, root=0)
    # The result of NumPy.
    for _ in range(5):
        whole = (np.roll(whole, 1) + whole + np.roll(whole, -1)) * (1.0 / 3)
    if rank == 0:
        assert np.allclose(gathered, whole, rtol=1e-13), gathered - whole
        print("heat", gathered[:3].round(6).tolist(), gathered.sum().round(6))


def reductions():
    work = np.ones(100)
    for op, data, expected in (
        (MPI.MAX, np.array([rank, -rank], dtype=np.int64), [size - 1, 0]),
        (MPI.SUM, np.array([1.0, rank]), [size, size * (size - 1) / 2]),
        (MPI.MIN, np.array([rank - 5], dtype=np.int32), [-5]),
    ):
        out = np.zeros_like(data)
        work[:] = 1
        reduce(data, out, work, op, world)
        assert out.tolist() == expected and (work == 2).all(), (out, expected)
    # Operators and communicators of the program's own.

    def larger(a, b, _):
        np.maximum(np.frombuffer(a), np.frombuffer(b), out=np.frombuffer(b))

    largest = MPI.Op.Create(larger, commute=True)
    half = world.Split(rank % 2, rank)
    data, out = np.array([float(rank)]), np.zeros(1)
    reduce(data, out, work, largest, half)
    assert out[0] == max(r for r in range(size) if r % 2 == rank % 2), out
    # mpi4py's own blocking collectives go on to match those of compiled code.
    if rank % 2:
        world.Allreduce(np.array([float(rank)]), out, MPI.MAX)
    elif not OPTIONS:
        reduce(data, out, work, MPI.MAX, world)
    if OPTIONS and not rank % 2:
        world.Allreduce(data, out, MPI.MAX)
    assert out[0] == size - 1
    half.Free()
    largest.Free()
    for name, (op, communicator) in {"op": (largest, world), "comm_": (MPI.MAX, half)}.items():
        try:
            reduce(data, out, work, op, communicator)
        except ValueError as error:
            assert f"'{name}'" in str(error) and "the handle is null" in str(error), error
        else:
            raise AssertionError("a freed handle was taken")


@comm_mlir.jit
def split(comm_, color: "i32", key: "i32"):
    return comm.comm_split(comm_, color, key, outcomes=["newcomm"])


@comm_mlir.jit
def misdirected(data, dest: "i32", comm_):
    comm.send(data, dest=dest, tag=i32(0), comm=comm_)


def handles_and_errors():
    part = split(world, rank % 2, -rank)
    assert isinstance(part, MPI.Intracomm) and part.size == len(range(rank % 2, size, 2))
    part.Free()
    try:
        misdirected(np.zeros(1), size + 3, world)
    except MPI.Exception as error:
        assert error.Get_error_class() == MPI.ERR_RANK
    else:
        raise AssertionError("MPI's error was not seen")
    # A buffer that is too small for the received data: the call fails on all processes.
    small, work = np.zeros(1), np.ones(100)
    try:
        reduce(np.ones(1000), small, work, MPI.SUM, world)
    except MPI.Exception as error:
        assert error.Get_error_class() == MPI.ERR_COUNT and small[0] == 0
    else:
        raise AssertionError("the small buffer was not seen")
    try:
        reduce(np.ones(8), np.zeros(8, dtype=np.float32), work, MPI.SUM, world)
    except MLIRError as error:
        assert "'recvbuf', which have one datatype" in str(error), error
    else:
        raise AssertionError("the other element type was not seen")


heat()
reductions()
handles_and_errors()
world.Barrier()
if rank == 0:
    print("all well")
