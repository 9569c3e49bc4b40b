"""The result of the stencil of examples/embedding/xdsl, computed with NumPy."""

import numpy as np

i, j = np.meshgrid(np.arange(66), np.arange(66), indexing="ij")
u = ((i * i + 3 * j) % 17).astype(float)
for _ in range(20):
    after = u.copy()
    after[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + (u[1:-1, :-2] + u[1:-1, 2:])) * 0.25
    u = after
print(f"{(u[1:-1, 1:-1] ** 2).sum():.10g}")
