"""An acoustic wave in two dimensions, by Devito: the norm of the pressure after some steps.

MPICC=commcc DEVITO_MPI=basic DEVITO_LANGUAGE=C mpirun -n 2 python wave.py
"""

from devito import Eq, Function, Grid, Operator, TimeFunction, norm, solve

grid = Grid(shape=(101, 81), extent=(1000.0, 800.0))
pressure = TimeFunction(name="pressure", grid=grid, time_order=2, space_order=4)
slowness = Function(name="slowness", grid=grid, space_order=4)  # squared
slowness.data[:] = 0.25
for time in (0, 1):
    pressure.data[time, 48:53, 38:43] = 1.0
wave = Eq(pressure.forward, solve(slowness * pressure.dt2 - pressure.laplace, pressure.forward))
Operator([wave]).apply(time_M=60, dt=1.0)
size = norm(pressure)
if grid.distributor.myrank == 0:
    print(f"norm {float(size):.5g}")
