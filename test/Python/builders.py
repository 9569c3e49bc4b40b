# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %pytest %s
"""Functions and loops as users of mlir.ir write them."""

import numpy as np
import pytest

import comm_mlir
from comm_mlir.dialects import arith, comm, func, memref, scf
from comm_mlir.ir import Context, F64Type, IndexType, InsertionPoint, IntegerType, Location, MemRefType, Module


@pytest.fixture
def module():
    with Context(), Location.unknown():
        module = Module.create()
        with InsertionPoint(module.body):
            yield module


def row():
    return MemRefType.get([MemRefType.get_dynamic_size()], F64Type.get())


def test_functions_of_python_functions(module):
    f64 = F64Type.get()

    @func.FuncOp.from_py_func(f64, f64)
    def weigh(x, y):
        return arith.addf(x, arith.mulf(y, y))

    @func.FuncOp.from_py_func(f64, results=[f64, f64], name="both")
    def first(x):
        return [weigh(x, x), x]

    @func.FuncOp.from_py_func(f64, visibility="private")
    def nothing(x):
        found = first(x)
        assert [str(value.type) for value in found] == ["f64", "f64"]

    @func.FuncOp.from_py_func(f64)
    def ends(x):
        assert nothing(x) is None
        func.return_([x])

    assert [op.symbol for op in module.body] == ["weigh", "both", "nothing", "ends"]
    assert weigh.func_op.symbol == "weigh" and weigh.__name__ == "weigh" and ends.func_op.type.results == [f64]
    module.verify()
    program = comm_mlir.compile(module)
    assert program.weigh(1.0, 3.0) == 10 and program.both(2.0) == (6, 2) and program.ends(4.0) == 4


def test_functions_that_are_wrong_leave_nothing(module):
    f64 = F64Type.get()
    for function, results, error, text in (
        (lambda x: 1.0, None, TypeError, "an operand is a Value, not the number 1.0"),
        (lambda x: 1 / 0, None, ZeroDivisionError, "division"),
        (lambda x: x, [], ValueError, r"wrong\(\) returns .*f64.*, and \[\] are its results"),
        (lambda x: (func.return_([x]), x)[1], None, ValueError, "returns values and has built a func.return"),
    ):
        with pytest.raises(error, match=text):
            func.FuncOp.from_py_func(f64, results=results, name="wrong")(function)
        assert not list(module.body)
        assert InsertionPoint.current.block == module.body
    with pytest.raises(TypeError, match="takes the types of the parameters"):
        func.FuncOp.from_py_func(lambda x: x)


def test_loops_by_for(module):
    @func.FuncOp.from_py_func(row(), row())
    def dot(x, y):
        for i, so_far, total in scf.for_(0, memref.dim(x, arith.constant(IndexType.get(), 0)), 1, [zero()]):
            scf.yield_([arith.addf(so_far, arith.mulf(memref.load(x, [i]), memref.load(y, [i])))])
        return total

    @func.FuncOp.from_py_func(row(), row())
    def extent(x, n):
        f64 = F64Type.get()
        low, high = arith.constant(f64, 1e9), arith.constant(f64, -1e9)
        for i, (least, most), found in scf.for_(0, 3, 1, [low, high]):
            value = memref.load(x, [i])
            scf.yield_([arith.minimumf(least, value), arith.maximumf(most, value)])
        return found

    @func.FuncOp.from_py_func(row())
    def double(x):
        for i in scf.for_(0, 3, 2):
            with scf.for_(0, 2, 1) as j:
                at = arith.addi(i, j)
                value = memref.load(x, [at])
                memref.store(arith.addf(value, value), x, [at])

    module.verify()
    program, x = comm_mlir.compile(module), np.array([1.0, 2.0, 3.0, 4.0])
    assert program.dot(x, x) == 30 and program.extent(x, x) == (1, 3)
    program.double(x)
    assert x.tolist() == [2, 4, 6, 8]


def zero():
    return arith.constant(F64Type.get(), 0.0)


def test_bounds_have_one_type(module):
    i32 = IntegerType.get_signless(32)

    @func.FuncOp.from_py_func(i32)
    def count(n):
        one = arith.constant(i32, 1)
        for _, sum, total in scf.for_(0, n, 1, [one]):
            scf.yield_([arith.addi(sum, sum)])
        return total

    assert comm_mlir.compile(module).count(5) == 32


def test_a_loop_that_fails_leaves_the_insertion_point(module):
    function = func.FuncOp("f", ([], []))
    with InsertionPoint(function.add_entry_block()):
        with pytest.raises(ZeroDivisionError), scf.for_(0, 3, 1):
            1 / 0  # noqa: B018
        assert InsertionPoint.current.block == function.entry_block
        with pytest.raises(ZeroDivisionError):
            for _ in scf.for_(0, 3, 1):
                1 / 0  # noqa: B018
        assert InsertionPoint.current.block == function.entry_block
        for _ in scf.for_(0, 3, 1):
            break
        assert InsertionPoint.current.block == function.entry_block
        # A yield of the user's own stays the only one.
        for _ in scf.for_(0, 3, 1):
            scf.yield_()
        loop = list(function.entry_block)[-1]
        assert [op.name for op in loop.body] == ["scf.yield"]


def test_places_of_callers():
    with Context():
        a, b, c = (Location.file(name, 1, 1) for name in "abc")
        nested = Location.callsite(a, [b, c])
        assert nested == Location.callsite(a, Location.callsite(b, c)) and Location.callsite(
            a, [b]
        ) == Location.callsite(a, b)
        assert str(nested) == 'loc(callsite("a":1:1 at callsite("b":1:1 at "c":1:1)))'
        with pytest.raises(ValueError, match="at least one caller"):
            Location.callsite(a, [])
        for wrong, text in (
            (3, "expected a Location, or several, not 3"),
            ([b, "c"], "callers are Locations, not 'c'"),
        ):
            with pytest.raises(TypeError, match=text):
                Location.callsite(a, wrong)


def test_constants_of_mpi_have_their_types():
    with Context(), Location.unknown(), InsertionPoint(Module.create().body):
        for name, type in (
            ("MPI_COMM_WORLD", "!comm.comm"),
            ("MPI_ANY_SOURCE", "i32"),
            ("MPI_PROC_NULL", "i32"),
            ("MPI_IN_PLACE", "!llvm.ptr"),
            ("MPI_BOTTOM", "!llvm.ptr"),
        ):
            assert str(comm.constant(name).type) == type
        assert str(comm.constant("MPI_ANY_SOURCE", IntegerType.get_signless(64)).type) == "i64"
        for name in ("MPI_SUMM", "MPI_DISPLACEMENT_CURRENT"):
            with pytest.raises(ValueError, match=f"nothing predefined that is called '{name}'"):
                comm.constant(name)


def test_requests_are_no_arguments():
    mpi = pytest.importorskip("mpi4py.MPI")

    @comm_mlir.jit
    def wait(request):
        comm.wait(request)

    with pytest.raises(TypeError, match="argument 'request': a Request cannot be passed"):
        wait(mpi.Request())
    with pytest.raises(TypeError, match=r"argument 'request': expected an array, .*, got NoneType$"):
        wait(None)


def test_in_place():
    mpi = pytest.importorskip("mpi4py.MPI")

    @comm_mlir.jit
    def double(x, world):
        comm.allreduce(comm.constant("MPI_IN_PLACE"), recvbuf=x, op=comm.constant("MPI_SUM"), comm=world)

    x = np.arange(3.0)
    double(x, mpi.COMM_SELF)
    assert x.tolist() == [0, 1, 2]
