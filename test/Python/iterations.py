# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %pytest %s
# RUN: %mpirun -n 2 %python %s
# REQUIRES: openmpi
"""Loops after messages: compiled from scf, affine, linalg and a function of Python, they overlap as those of C do. The
iterations that need nothing of what comes run first, and all digits stay."""

import inspect

import numpy as np
import pytest
from mpi4py import MPI

import comm_mlir
from comm_mlir.dialects import arith, comm, memref, scf
from comm_mlir.ir import Context, IndexType, MemRefType, Module, Type

# Row 0 comes from the other process. Row i of the result needs rows i - 1 and i + 1.
STEP = """
#row = strided<[1], offset: ?>
func.func @step(%u: memref<?x512xf64> {MARK}, %v: memref<?x512xf64> {MARK}, %last: index, %peer: i32, %c: !comm.comm) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %tag = arith.constant 3 : i32
  %ghost = memref.subview %u[0, 0] [1, 512] [1, 1] : memref<?x512xf64> to memref<512xf64, strided<[1]>>
  %mine = memref.subview %u[%last, 0] [1, 512] [1, 1] : memref<?x512xf64> to memref<512xf64, #row>
  comm.sendrecv sendbuf(%mine : memref<512xf64, #row>) dest(%peer) sendtag(%tag)
    recvbuf(%ghost : memref<512xf64, strided<[1]>>) source(%peer) recvtag(%tag) comm(%c)
  LOOPS
  return
}
"""
LOOPS = {
    "scf": """
  scf.for %i = %c1 to %last step %c1 {
    %up = arith.subi %i, %c1 : index
    %down = arith.addi %i, %c1 : index
    scf.for %j = %c0 to %c512 step %c1 {
      %a = memref.load %u[%up, %j] : memref<?x512xf64>
      %b = memref.load %u[%down, %j] : memref<?x512xf64>
      %s = arith.addf %a, %b : f64
      memref.store %s, %v[%i, %j] : memref<?x512xf64>
    }
  }""",
    "affine": """
  affine.for %i = 1 to %last {
    affine.for %j = 0 to 512 {
      %a = affine.load %u[%i - 1, %j] : memref<?x512xf64>
      %b = affine.load %u[%i + 1, %j] : memref<?x512xf64>
      %s = arith.addf %a, %b : f64
      affine.store %s, %v[%i, %j] : memref<?x512xf64>
    }
  }""",
    "linalg": """
  %inner = arith.subi %last, %c1 : index
  %a = memref.subview %u[0, 0] [%inner, 512] [1, 1] : memref<?x512xf64> to memref<?x512xf64, strided<[512, 1]>>
  %b = memref.subview %u[2, 0] [%inner, 512] [1, 1]
    : memref<?x512xf64> to memref<?x512xf64, strided<[512, 1], offset: 1024>>
  %s = memref.subview %v[1, 0] [%inner, 512] [1, 1]
    : memref<?x512xf64> to memref<?x512xf64, strided<[512, 1], offset: 512>>
  linalg.add ins(%a, %b : memref<?x512xf64, strided<[512, 1]>>, memref<?x512xf64, strided<[512, 1], offset: 1024>>)
    outs(%s : memref<?x512xf64, strided<[512, 1], offset: 512>>)""",
}
OVERLAPS = {"cost": "none", "cache": False}
world = MPI.COMM_WORLD
peer = 1 - world.rank if world.size == 2 else MPI.PROC_NULL


def compile_step(loops, mark="llvm.noalias", **options):
    text = STEP.replace("LOOPS", LOOPS[loops]).replace("MARK", mark)
    with Context():
        return comm_mlir.compile(Module.parse(text), **{**OVERLAPS, **options})


def names(program):
    return {remark.name for remark in program.remarks}


def field():
    """One array and one for the result, or two overlapping parts of an array."""
    whole = np.random.default_rng(world.rank).random((40, 512))
    return whole, np.zeros_like(whole)


def same(one, other):
    """Both leave the same bits in arrays that are distinct, equal, or shifted."""
    for shift in (None, 0, 1, 2):
        results = []
        for step in (one, other):
            u, v = field()
            if shift is not None:
                v = u[shift:]
                u = u[: len(u) - shift]
            step(u, v, len(u) - 3, peer, world)
            results.append((u.copy(), v.copy()))
        for a, b in zip(*results):
            assert a.tobytes() == b.tobytes(), f"arrays shifted by {shift} differ"


@pytest.mark.parametrize("loops", LOOPS)
def test_loops_are_split(loops):
    program = compile_step(loops)
    assert {"Split", "Overlap"} <= names(program)
    # The place is that of the loop's operations in the text.
    split = next(r for r in program.remarks if r.name == "Split")
    assert split.function == "step" and split.line is not None and split.line > 12, split
    assert not names(compile_step(loops, pipeline=""))


@pytest.mark.parametrize("mark", ["", "llvm.noalias"])
@pytest.mark.parametrize("loops", LOOPS)
def test_digits_stay(loops, mark):
    step, plain = compile_step(loops, mark).step, compile_step(loops, mark, pipeline="").step
    if mark:
        # The promise is that the arrays are distinct.
        (u, v), (w, x) = field(), field()
        step(u, v, len(u) - 3, peer, world)
        plain(w, x, len(w) - 3, peer, world)
        assert u.tobytes() == w.tobytes() and v.tobytes() == x.tobytes()
    else:
        same(step, plain)


def test_the_memory_of_a_marked_memref_is_marked():
    """The conversion to LLVM's pointers drops the attribute: without it, run time has to compare."""
    from comm_mlir import execution

    with Context():
        module = Module.parse(STEP.replace("LOOPS", LOOPS["scf"]).replace("MARK", "llvm.noalias"))
        found = execution._find_distinct(module)
        # allocated, aligned, offset, two sizes and strides; the aligned pointers are 1 and 8.
        assert found == {"step": [1, 8]}
        execution._parse(execution.lowering_pipeline("openmpi4"), module).run(module)
        assert "llvm.noalias" not in str(module)
        execution._keep_distinct(module, found)
        assert module.verify() and str(module).count("{llvm.noalias}") == 2
    # A load must not sink below the end of the memory's lifetime, which the memref's other pointer ends.
    frees = """func.func @f(%a: memref<4xf64> {llvm.noalias}, %i: index) -> f64 {
      %b = memref.alloc() : memref<4xf64>
      %v = memref.load %a[%i] : memref<4xf64>
      memref.dealloc WHAT : memref<4xf64>
      return %v : f64
    }"""
    private = "func.func private @f(memref<?xf64> {llvm.noalias})"
    with Context():
        assert execution._find_distinct(Module.parse(private)) == {}
        assert execution._find_distinct(Module.parse(frees.replace("WHAT", "%a"))) == {}
        assert execution._find_distinct(Module.parse(frees.replace("WHAT", "%b"))) == {"f": [1]}


def build(u, v, last, peer, comm_):
    number = [arith.constant(IndexType.get(), n) for n in (0, 1)]
    tag, row = arith.constant(Type.parse("i32"), 3), MemRefType.get([512], Type.parse("f64"))
    mine, ghost = memref.alloc(row, [], []), memref.alloc(row, [], [])
    with scf.for_(number[0], memref.dim(u, number[1]), number[1]) as j:
        memref.store(memref.load(u, [last, j]), mine, [j])
        memref.store(memref.load(u, [number[0], j]), ghost, [j])
    comm.sendrecv(mine, dest=peer, sendtag=tag, recvbuf=ghost, source=peer, recvtag=tag, comm=comm_)
    with scf.for_(number[0], memref.dim(u, number[1]), number[1]) as j:
        memref.store(memref.load(ghost, [j]), u, [number[0], j])
    with scf.for_(number[1], last, number[1]) as i, scf.for_(number[0], memref.dim(u, number[1]), number[1]) as j:
        a = memref.load(u, [arith.subi(i, number[1]), j])
        b = memref.load(u, [arith.addi(i, number[1]), j])
        memref.store(arith.addf(a, b), v, [i, j])
    memref.dealloc(mine)
    memref.dealloc(ghost)


build.__annotations__["peer"] = "i32"


def test_functions_of_python():
    """A halo that is packed and unpacked by loops; without a promise and with one."""
    u, v = field()
    step = comm_mlir.jit(build, **OVERLAPS)
    program = step.compiled(u, v, 1, peer, world)
    assert {"Split", "Overlap"} <= names(program)
    # Places are the lines of the function above.
    lines, first = inspect.getsourcelines(build)
    exchange = first + next(i for i, line in enumerate(lines) if "comm.sendrecv" in line)
    overlap = next(r for r in program.remarks if r.name == "Overlap")
    assert (overlap.line, overlap.file) == (exchange, __file__), overlap
    plain = comm_mlir.jit(build, pipeline="", cache=False)
    same(step, plain)
    distinct = comm_mlir.jit(build, distinct=True, **OVERLAPS)
    w = np.zeros_like(v)
    distinct(u, v, 37, peer, world)
    plain(u, w, 37, peer, world)
    assert v.tobytes() == w.tobytes()


def test_optimization_levels():
    """Without optimization the passes run before everything is lowered."""
    for level in (0, 1, 2):
        step = compile_step("scf", level=level)
        assert ("Split" in names(step)) == (level > 0)
        same(compile_step("scf", "", level=level).step, compile_step("scf", "", level=level, pipeline="").step)


if __name__ == "__main__":
    for loops in LOOPS:
        for mark in ("", "llvm.noalias"):
            test_digits_stay(loops, mark)
    test_functions_of_python()
