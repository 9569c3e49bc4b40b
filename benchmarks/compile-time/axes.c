// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges along three axes between 19 nests of loops, in one function: compile time at its worst.
#include <mpi.h>
struct Grid {
  int nx, ny, nz, neighbors[6];
  double *u, *v, *w, *p, *q, *sx, *rx, *sy, *ry, *sz, *rz;
  MPI_Comm comm;
};
#define AT(a, i, j, k) a[((i) * (g->ny + 2) + (j)) * (g->nz + 2) + (k)]
#define SR(b, r, n, x, y, t)                                                                                           \
  MPI_Sendrecv(g->b, n, MPI_DOUBLE, g->neighbors[x], t, g->r, n, MPI_DOUBLE, g->neighbors[y], t, g->comm,              \
               MPI_STATUS_IGNORE);
#define LOOP(dst, src, c)                                                                                              \
  for (int i = 1; i <= g->nx; i++)                                                                                     \
    for (int j = 1; j <= g->ny; j++)                                                                                   \
      for (int k = 1; k <= g->nz; k++)                                                                                 \
        AT(g->dst, i, j, k) = AT(g->dst, i, j, k) * c + AT(g->src, i - 1, j, k) + AT(g->src, i + 1, j, k) +            \
                              AT(g->src, i, j - 1, k) + AT(g->src, i, j + 1, k) + AT(g->src, i, j, k - 1) +            \
                              AT(g->src, i, j, k + 1);
#define EX(a)                                                                                                          \
  for (int j = 1; j <= g->ny; j++)                                                                                     \
    for (int k = 1; k <= g->nz; k++)                                                                                   \
      g->sx[(j - 1) * g->nz + k - 1] = AT(g->a, g->nx, j, k);                                                          \
  SR(sx, rx, g->ny * g->nz, 0, 1, 0)                                                                                   \
  for (int j = 1; j <= g->ny; j++)                                                                                     \
    for (int k = 1; k <= g->nz; k++)                                                                                   \
      AT(g->a, 0, j, k) = g->rx[(j - 1) * g->nz + k - 1];                                                              \
  for (int i = 1; i <= g->nx; i++)                                                                                     \
    for (int k = 1; k <= g->nz; k++)                                                                                   \
      g->sy[(i - 1) * g->nz + k - 1] = AT(g->a, i, g->ny, k);                                                          \
  SR(sy, ry, g->nx * g->nz, 2, 3, 1)                                                                                   \
  for (int i = 1; i <= g->nx; i++)                                                                                     \
    for (int k = 1; k <= g->nz; k++)                                                                                   \
      AT(g->a, i, 0, k) = g->ry[(i - 1) * g->nz + k - 1];                                                              \
  for (int i = 1; i <= g->nx; i++)                                                                                     \
    for (int j = 1; j <= g->ny; j++)                                                                                   \
      g->sz[(i - 1) * g->ny + j - 1] = AT(g->a, i, j, g->nz);                                                          \
  SR(sz, rz, g->nx * g->ny, 4, 5, 2)                                                                                   \
  for (int i = 1; i <= g->nx; i++)                                                                                     \
    for (int j = 1; j <= g->ny; j++)                                                                                   \
      AT(g->a, i, j, 0) = g->rz[(i - 1) * g->ny + j - 1];
void step(struct Grid *g) {
  LOOP(u, v, .5)
  EX(u)
  LOOP(v, u, .25)
  LOOP(w, v, .25)
  EX(w)
  LOOP(p, w, .25)
  LOOP(q, p, .25)
  LOOP(u, q, .25)
  LOOP(v, p, .25)
}
