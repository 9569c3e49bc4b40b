# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses the package as it is installed, with the standard library alone."""

import array
import importlib
import pathlib

import comm_mlir
from comm_mlir import _core, tools, vratio
from comm_mlir.dialects import comm, func
from comm_mlir.ir import Context, F64Type, InsertionPoint, Location, MemRefType, Module
from comm_mlir.passmanager import PassManager

print("version", comm_mlir.__version__)
dialects = {path.name[1:-7] for path in pathlib.Path(comm_mlir.__file__).parent.glob("dialects/_*_ops.py")}
assert dialects >= {"arith", "cf", "comm", "func", "graph", "linalg", "llvm", "memref", "scf"}
for name in dialects:
    importlib.import_module(f"comm_mlir.dialects.{name}")
with Context(), Location.unknown():
    module = Module.create()
    memory = MemRefType.get([8], F64Type.get())
    with InsertionPoint(module.body):
        function = func.FuncOp("f", ([memory, memory], []))
    with InsertionPoint(function.add_entry_block()):
        mine, all_ = function.arguments
        world, total = comm.constant("MPI_COMM_WORLD"), comm.constant("MPI_SUM")
        comm.wait(comm.allreduce(mine, all_, op=total, comm=world, mode="async"))
        func.return_()
    op = next(op for op in function.entry_block if op.name == "comm.allreduce")
    print(op.mpi_called_function)
    PassManager.parse("convert-comm-to-llvm{abi=openmpi4}").run(module)
    assert "@MPI_Iallreduce" in str(module)
print("tools", tools.find_tool("commcc"))
assert tools.plugin_path().exists()
graph = _core.Graph(5)
for rank in range(1, 5):
    graph.send(rank, 0, 8, 0)
    graph.recv(0, 8 * rank, 8, rank)
graph.detect()
print("collective", graph.collectives()[0]["kind"])

# Code for this machine, from the package's own libraries.
with Context():
    module = Module.parse(
        "func.func @f(%x: memref<?xf64>) -> f64 { %c = arith.constant 1 : index\n"
        "%v = memref.load %x[%c] : memref<?xf64>\n return %v : f64 }"
    )
    print("called", comm_mlir.compile(module, cache=False).f(array.array("d", [1, 2, 3])))
assert (tools.library_dir() / "libCommOverlapPointer.a").exists()
assert vratio.calibration.source().endswith("calibrate.c")
