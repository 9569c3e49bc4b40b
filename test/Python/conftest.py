# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pytest

from comm_mlir.ir import Context, Location

PROGRAM = """
func.func @step(%a: memref<8xi64>, %n: index) -> i64 {
  %in = memref.alloc() : memref<8xi64>
  %out = memref.alloc() : memref<8xi64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = comm.constant "MPI_SUM" : !comm.op
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  comm.allreduce sendbuf(%in : memref<8xi64>) recvbuf(%out : memref<8xi64>) op(%sum) comm(%world)
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<8xi64>
    %w = arith.addi %v, %v : i64
    memref.store %w, %a[%i] : memref<8xi64>
  }
  %r = memref.load %out[%c0] : memref<8xi64>
  return %r : i64
}
"""


@pytest.fixture
def program():
    return PROGRAM


@pytest.fixture
def context():
    with Context() as ctx, Location.unknown():
        yield ctx
