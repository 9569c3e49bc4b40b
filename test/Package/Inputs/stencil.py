"""Prints the results of heat.stencil and wave.stencil, computed with NumPy."""

import numpy as np

i, j = np.meshgrid(np.arange(200.0), np.arange(64.0), indexing="ij")


def laplacian(u):
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]


def tell(*fields):
    for field in fields:
        print(f"{(field * field).sum():.10g}")


u = (i - 100) * (i - 100) / 100 + j
for _ in range(50):
    after = u.copy()
    after[1:-1, 1:-1] += 0.2 * laplacian(u)
    u = after
tell(u)

u = i * i * (i - 199) * j * (j - 63) / 1e8
last = u.copy()
for _ in range(50):
    after, before = u.copy(), last.copy()
    after[1:-1, 1:-1] = 2 * u[1:-1, 1:-1] - last[1:-1, 1:-1] + 0.25 * laplacian(u)
    before[1:-1, 1:-1] = u[1:-1, 1:-1]
    u, last = after, before
tell(u, last)
