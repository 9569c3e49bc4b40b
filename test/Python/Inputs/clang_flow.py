# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function of C, called by all processes of a flow in Python."""

import numpy as np
from mpi4py import MPI

from comm_mlir import clang

SOURCE = """
#include <mpi.h>
/* The ends of a piece, with a ghost cell on each side, go to the neighbors. */
void exchange(double *piece, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Sendrecv(piece + n - 2, 1, MPI_DOUBLE, right, 0, piece, 1, MPI_DOUBLE, left, 0, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(piece + 1, 1, MPI_DOUBLE, left, 1, piece + n - 1, 1, MPI_DOUBLE, right, 1, comm, MPI_STATUS_IGNORE);
}
"""

world = MPI.COMM_WORLD
program = clang.compile(SOURCE)
exchange = program.function("exchange")
whole = np.arange(16.0)
cells = 16 // world.size
piece = np.full(cells + 2, -1.0)
piece[1:-1] = whole[world.rank * cells : (world.rank + 1) * cells]
exchange(piece, piece.size, world)
assert piece[0] == whole[world.rank * cells - 1] and piece[-1] == whole[(world.rank + 1) * cells % 16], piece
world.Barrier()
if world.rank == 0:
    print("all well", len(program.remarks) > 0)
