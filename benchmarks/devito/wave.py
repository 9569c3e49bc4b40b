# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An acoustic wave in two dimensions, by Devito: its norm, and the seconds of a time step, the least of some runs.

mpirun -n 2 python wave.py SIZE STEPS RUNS
"""

import sys
import time

from devito import Eq, Function, Grid, Operator, TimeFunction, norm, solve
from mpi4py import MPI

size, steps, runs = map(int, sys.argv[1:])
grid = Grid(shape=(size, size), extent=(1000.0, 1000.0))
pressure = TimeFunction(name="pressure", grid=grid, time_order=2, space_order=4)
slowness = Function(name="slowness", grid=grid, space_order=4)  # squared
slowness.data[:] = 0.25
wave = Operator([Eq(pressure.forward, solve(slowness * pressure.dt2 - pressure.laplace, pressure.forward))])
step = 0.2 * 1000.0 / size
times = []
for _ in range(runs + 1):  # the first one compiles
    for buffer in range(3):
        pressure.data[buffer, :, :] = 0.0
    for buffer in (0, 1):
        pressure.data[buffer, size // 2 - 3 : size // 2 + 3, size // 2 - 3 : size // 2 + 3] = 1.0
    MPI.COMM_WORLD.Barrier()
    begin = time.perf_counter()
    wave.apply(time_M=steps, dt=step)
    times.append(MPI.COMM_WORLD.allreduce(time.perf_counter() - begin, op=MPI.MAX))
found = norm(pressure)
if MPI.COMM_WORLD.rank == 0:
    print(f"norm {float(found):.4g} seconds {min(times[1:]) / steps:.6g}")
