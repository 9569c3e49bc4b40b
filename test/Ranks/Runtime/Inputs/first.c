#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int r, n; MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &n);
  int v = r, w = -1; MPI_Status s;
  MPI_Sendrecv(&v, 1, MPI_INT, (r + 1) % n, 5, &w, 1, MPI_INT, (r + n - 1) % n, 5, MPI_COMM_WORLD, &s);
  int sum; MPI_Allreduce(&w, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int big = 100000; double *b = calloc(big, 8), *d = calloc(big, 8);
  for (int i = 0; i < big; i++) b[i] = r;
  MPI_Request q[2];
  MPI_Irecv(d, big, MPI_DOUBLE, (r + n - 1) % n, 7, MPI_COMM_WORLD, &q[0]);
  MPI_Isend(b, big, MPI_DOUBLE, (r + 1) % n, 7, MPI_COMM_WORLD, &q[1]);
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  MPI_Comm c; MPI_Comm_split(MPI_COMM_WORLD, r % 2, r, &c);
  int cr, cs; MPI_Comm_rank(c, &cr); MPI_Comm_size(c, &cs);
  int z = 0; MPI_Request ir; MPI_Iallreduce(&r, &z, 1, MPI_INT, MPI_SUM, c, &ir); MPI_Wait(&ir, MPI_STATUS_IGNORE);
  int *all = malloc(n * 4); MPI_Allgather(&r, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) if (all[i] != i) printf("bad allgather\n");
  double t[2] = {r, 2}, u[2]; MPI_Bcast(t, 2, MPI_DOUBLE, n - 1, MPI_COMM_WORLD);
  MPI_Reduce(t, u, 2, MPI_DOUBLE, MPI_MAX, n-1, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (r < 4 || r == n-1) printf("%d/%d w=%d sum=%d d=%g sub %d/%d z=%d t=%g\n", r, n, w, sum, d[big - 1], cr, cs, z, t[0]);
  MPI_Comm_free(&c);
  MPI_Finalize();
  return 0;
}
