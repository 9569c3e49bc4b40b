# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: env COMM_OPT=comm-opt %pytest %s
"""Every operation has a builder, every pass and pipeline can be run."""

import importlib
import os
import re
import subprocess
import sys

import pytest

import comm_mlir
from comm_mlir.dialects import _builders, arith, comm, func, graph, llvm, memref
from comm_mlir.ir import (
    F64Type,
    IndexType,
    InsertionPoint,
    IntegerType,
    MemRefType,
    MLIRError,
    Module,
    Operation,
    OpView,
    PointerType,
    Type,
)
from comm_mlir.passmanager import PassManager, is_registered_pass

# Dialects with builders, by their files; others go through Operation.create.
DIALECTS = sorted(
    f[1 : -len("_ops.py")]
    for f in os.listdir(os.path.dirname(_builders.__file__))
    if f.startswith("_") and f.endswith("_ops.py")
)


@pytest.mark.parametrize("value", [1.5, -0.25])
def test_no_fraction_is_dropped(context, value):
    from comm_mlir.ir import IntegerType

    module = Module.create()
    with InsertionPoint(module.body):
        for type_ in (IndexType.get(), IntegerType.get_signless(32)):
            with pytest.raises(ValueError, match="is not a constant of the type"):
                arith.constant(type_, value)
        assert str(arith.constant(IndexType.get(), 2.0).owner).endswith("arith.constant 2 : index")


@pytest.mark.parametrize("wrong", [0, 0.5])
def test_a_number_is_no_operand(context, wrong):
    module = Module.create()
    with InsertionPoint(module.body):
        array = memref.alloc(MemRefType.get([4], F64Type.get()), [], [])
        for build in (lambda: memref.load(array, [wrong]), lambda: arith.addi(wrong, wrong)):
            with pytest.raises(TypeError, match=f"not the number {wrong}: build one, as arith.constant"):
                build()
        with pytest.raises(TypeError, match="loc must be a Location"):
            comm.comm_rank(outcomes=["rank"], loc=wrong)


def test_classes_are_there_without_an_import():
    """As MLIR's own bindings do: the first operation of a dialect loads its classes."""
    text = """
from comm_mlir.ir import Context, Module, Operation, OpView
import sys
with Context():
    module = Module.parse("func.func @f(%x: i32) -> i32 { %y = llvm.add %x, %x : i32 return %y : i32 }")
    assert "comm_mlir.dialects.func" not in sys.modules
    function = module.body.operations[0]
    assert type(function).__name__ == "FuncOp" and len(function.entry_block.arguments) == 1
    assert type(function.entry_block.operations[0]).__name__ == "AddOp"
    assert type(module.operation) is Operation and "comm_mlir.dialects.scf" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", text], check=True)


def test_dialects_are_there():
    assert {"arith", "cf", "comm", "func", "graph", "linalg", "llvm", "memref", "scf"} <= set(DIALECTS)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_operation_has_a_builder(context, dialect):
    module = importlib.import_module(f"comm_mlir.dialects.{dialect}")
    classes = {
        c.OPERATION_NAME: c
        for c in vars(module).values()
        if isinstance(c, type)
        and issubclass(c, OpView)
        and "OPERATION_NAME" in vars(c)
        or isinstance(c, type)
        and issubclass(c, OpView)
        and c is not OpView
    }
    names = [n for n in context.registered_operations if n.split(".")[0] == dialect]
    assert names
    # Operations without TableGen records (defined in C++) use Operation.create.
    missing = [n for n in names if n not in classes]
    assert not missing, missing
    for cls in classes.values():
        assert cls.__doc__


def test_every_pass_and_pipeline_can_be_named(context):
    text = subprocess.run([os.environ["COMM_OPT"], "--help"], capture_output=True, text=True, check=True).stdout
    section = text[text.index("Compiler passes to run") :]
    names = re.findall(r"^      --([a-z0-9][\w-]*) ", section, re.MULTILINE)
    own = [n for n in names if n.startswith(("comm-", "raise-mpi", "convert-mpi-to-comm", "convert-comm"))]
    assert len(own) >= 12, own
    names = [n for n in names if not n.startswith(("test-", "print-"))]
    missing = [n for n in names if not is_registered_pass(n)]
    assert len(names) > 150 and not missing, missing
    for name in names:
        assert can_be_parsed(name), name


def can_be_parsed(name):
    for text in (f"builtin.module({name})", f"any({name})", f"builtin.module(func.func({name}))"):
        try:
            PassManager.parse(text)
        except ValueError:
            continue
        return True
    return False


# Upstream's verifiers of these read invalid memory, in every tool of MLIR.
CRASHING = {"affine.dma_start", "affine.dma_wait", "omp.teams"}


def test_operations_of_other_dialects_are_built_by_name(context):
    names = [n for n in context.registered_operations if n.split(".")[0] not in DIALECTS]
    assert len(names) > 100 and {"affine.for", "tensor.empty", "mpi.send", "vector.load"} <= set(names)
    for name in names:
        if name not in CRASHING:
            operation = Operation.create(name, ip=False)
            assert operation.name == name and name in str(operation)
    # A valid one.
    i64 = IntegerType.get_signless(64)
    one = arith.constant(i64, 1, ip=False)
    assert Operation.create("math.ctpop", [i64], [one], ip=False).verify()


def test_graph_builders(context):
    module = Module.create()
    i64, property_type = IntegerType.get_signless(64), Type.parse("!graph.property<vertex, i64>")
    with InsertionPoint(module.body):
        function = func.FuncOp("f", ([Type.parse("!graph.graph")], [i64]))
    with InsertionPoint(function.add_entry_block()):
        (whole,) = function.arguments
        count = graph.num_vertices(whole)
        degrees = graph.property_(property_type, whole)
        graph.fill(degrees, count)
        func.return_([count])
    assert module.verify() and "graph.fill" in str(module)
    fill = next(op for op in function.entry_block if op.name == "graph.fill")
    assert isinstance(fill, graph.FillOp) and fill.property_ == degrees and fill.value == count


def test_mpi_names_and_defaults(context):
    module = Module.create()
    pointer, i32 = PointerType.get(), IntegerType.get_signless(32)
    with InsertionPoint(module.body):
        function = func.FuncOp("f", ([pointer, i32], [i32]))
    buf, n = function.add_entry_block().arguments
    with InsertionPoint(function.entry_block):
        world, int_ = comm.constant("MPI_COMM_WORLD"), comm.constant("MPI_INT")
        total = comm.constant("MPI_SUM")
        assert [str(v.type) for v in (world, int_, total)] == ["!comm.comm", "!comm.datatype", "!comm.op"]
        rank = comm.comm_rank(world, outcomes=["rank"])
        assert rank.type == i32
        send = comm.send(buf, n, int_, rank, n, world)
        assert isinstance(send, comm.SendOp) and send.dest == rank and send.request is None
        request = comm.recv(buf, n, int_, source=rank, tag=n, comm=world, mode="async")
        assert str(request.type) == "!comm.request" and request.owner.is_async
        status = comm.wait(request, outcomes=["status"])
        assert str(status.type) == "!comm.status"
        comm.waitall(
            array_of_requests=[comm.ibarrier(world)]
            if hasattr(comm, "ibarrier")
            else [comm.barrier(world, mode=comm.Mode.async_)]
        )
        flag, error = comm.iprobe(rank, n, world, outcomes=["flag", "error"])
        assert str(flag.type) == "i1" and str(error.type) == "i32"
        func.return_([rank])
    assert module.operation.verify()
    with pytest.raises(ValueError, match="there is no outcome 'frob'"):
        comm.comm_rank(world, outcomes=["frob"], ip=False)
    with pytest.raises(ValueError, match="not one of blocking, async"):
        comm.send(buf, mode="frob", ip=False)
    with pytest.raises(TypeError):
        comm.send(buf, frob=3)
    with pytest.raises(TypeError):
        comm.send("buf", ip=False)
    with pytest.raises(ValueError):
        comm.constant("MPI_FROB", ip=False)
    assert comm.constant("MPI_ANY_TAG", i32, ip=False).type == i32


def test_upstream_builders(context):
    f64, index, i64 = F64Type.get(), IndexType.get(), IntegerType.get_signless(64)
    module = Module.create()
    with InsertionPoint(module.body):
        helper = func.FuncOp("helper", ([f64], [f64]), visibility="private")
        function = func.FuncOp("f", ([MemRefType.get([8], f64), i64], [f64]))
    array, number = function.add_entry_block().arguments
    with InsertionPoint(function.entry_block):
        zero = arith.constant(index, 0)
        copy = memref.alloc(MemRefType.get([8], f64), [], [])
        memref.copy(array, copy)
        memref.store(memref.load(array, [zero]), copy, [zero])
        smaller = arith.cmpi(arith.CmpIPredicate.slt, number, number)
        assert smaller.type == IntegerType.get_signless(1)
        assert arith.cmpi("sge", number, number).owner.attributes["predicate"].value == 5
        chosen = arith.select(smaller, number, number)
        arith.addi(chosen, number, overflowFlags="nsw")
        assert memref.dim(array, zero).type == index
        address = llvm.alloca(PointerType.get(), number, f64)
        llvm.store(memref.load(copy, [zero]), address)
        value = llvm.load(f64, address)
        func.return_(func.call(helper, [value]))
        memref.dealloc(copy, ip=InsertionPoint.at_block_terminator(function.entry_block))
    assert module.operation.verify(), str(module)
    assert "overflow<nsw>" in str(module) and "call @helper" in str(module)
    assert helper.is_external and function.type.results == [f64]
    with pytest.raises(ValueError):
        arith.cmpi("frob", number, number)
    with pytest.raises(ValueError, match="no elements"):
        memref.load(number, [zero], ip=False)


def test_lowering(context, program):
    module = Module.parse(program)
    PassManager.parse(
        "convert-comm-to-llvm{abi=openmpi4},convert-scf-to-cf,finalize-memref-to-llvm,convert-arith-to-llvm,"
        "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts"
    ).run(module)
    assert "@MPI_Allreduce" in str(module) and isinstance(module.body.operations[0], llvm.LLVMFuncOp)


def test_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", comm_mlir.__version__) and "openmpi4" in comm_mlir.abis()
    with pytest.raises(MLIRError):
        from comm_mlir.ir import Context

        with Context():
            Type.parse("!comm.frob")
