// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a plane with ghost rows and, by a datatype, ghost columns: four MPI_Sendrecv one after the other. Whether
// rows and columns have a byte in common is asked at run time; with the corners in them they have.
// RUN: %same %s -o %t -n 1,2,4 --overlaps MPI_Sendrecv
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { most = 5 };
#define AT(i, j) ((i) * (ny + 2) + (j))
static int north, south, west, east;
static MPI_Comm cart;

static void fillCells(double *u, double *v, int cells) {
  for (int i = 0; i < cells; ++i)
    u[i] = v[i] = (i * 37 + rank * 11) % 89;
}

NOINLINE static double relax(int nx, int ny, int steps) {
  int cells = (nx + 2) * (ny + 2);
  double *u = malloc(sizeof(double) * cells), *v = malloc(sizeof(double) * cells);
  fillCells(u, v, cells);
  MPI_Datatype column;
  MPI_Type_vector(nx, 1, ny + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int t = 0; t < steps; ++t) {
    // CHECK-DAG: remark: MPI_Sendrecv at cart-blocks.c:[[#@LINE+1]] overlaps 1 loop
    MPI_Sendrecv(&u[AT(1, 1)], ny, MPI_DOUBLE, north, 0, &u[AT(nx + 1, 1)], ny, MPI_DOUBLE, south, 0, cart,
                 MPI_STATUS_IGNORE);
    // CHECK-DAG: remark: MPI_Sendrecv at cart-blocks.c:[[#@LINE+1]] overlaps 1 loop
    MPI_Sendrecv(&u[AT(nx, 1)], ny, MPI_DOUBLE, south, 1, &u[AT(0, 1)], ny, MPI_DOUBLE, north, 1, cart,
                 MPI_STATUS_IGNORE);
    // CHECK-DAG: remark: MPI_Sendrecv at cart-blocks.c:[[#@LINE+1]] overlaps 1 loop
    MPI_Sendrecv(&u[AT(1, 1)], 1, column, west, 2, &u[AT(1, ny + 1)], 1, column, east, 2, cart, MPI_STATUS_IGNORE);
    // CHECK-DAG: remark: MPI_Sendrecv at cart-blocks.c:[[#@LINE+1]] overlaps 1 loop
    MPI_Sendrecv(&u[AT(1, ny)], 1, column, east, 3, &u[AT(1, 0)], 1, column, west, 3, cart, MPI_STATUS_IGNORE);
    for (int i = 1; i <= nx; ++i)
      for (int j = 1; j <= ny; ++j)
        v[AT(i, j)] = u[AT(i - 1, j)] + 2 * u[AT(i + 1, j)] + 3 * u[AT(i, j - 1)] + 4 * u[AT(i, j + 1)];
    double *w = u;
    u = v;
    v = w;
  }
  MPI_Type_free(&column);
  double sum = 0;
  for (int i = 1; i <= nx; ++i)
    for (int j = 1; j <= ny; ++j)
      sum = sum * 0.5 + u[AT(i, j)];
  free(u);
  free(v);
  return sum;
}

/// Rows take along the corners that columns have brought.
NOINLINE static double corners(int nx, int ny, int steps) {
  int cells = (nx + 2) * (ny + 2);
  double *u = malloc(sizeof(double) * cells), *v = malloc(sizeof(double) * cells);
  fillCells(u, v, cells);
  MPI_Datatype column;
  MPI_Type_vector(nx, 1, ny + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int t = 0; t < steps; ++t) {
    MPI_Sendrecv(&u[AT(1, 1)], 1, column, west, 2, &u[AT(1, ny + 1)], 1, column, east, 2, cart, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[AT(1, ny)], 1, column, east, 3, &u[AT(1, 0)], 1, column, west, 3, cart, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[AT(1, 0)], ny + 2, MPI_DOUBLE, north, 0, &u[AT(nx + 1, 0)], ny + 2, MPI_DOUBLE, south, 0, cart,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[AT(nx, 0)], ny + 2, MPI_DOUBLE, south, 1, &u[AT(0, 0)], ny + 2, MPI_DOUBLE, north, 1, cart,
                 MPI_STATUS_IGNORE);
    for (int i = 1; i <= nx; ++i)
      for (int j = 1; j <= ny; ++j)
        v[AT(i, j)] = u[AT(i - 1, j - 1)] + 2 * u[AT(i + 1, j + 1)] + 3 * u[AT(i + 1, j - 1)] + 4 * u[AT(i - 1, j + 1)];
    double *w = u;
    u = v;
    v = w;
  }
  MPI_Type_free(&column);
  double sum = 0;
  for (int i = 1; i <= nx; ++i)
    for (int j = 1; j <= ny; ++j)
      sum = sum * 0.5 + u[AT(i, j)];
  free(u);
  free(v);
  return sum;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int dims[2] = {0, 0}, periods[2] = {1, 1};
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Cart_shift(cart, 0, 1, &north, &south);
  MPI_Cart_shift(cart, 1, 1, &west, &east);
  for (int nx = 1; nx <= most; ++nx)
    for (int ny = 1; ny <= most; ++ny)
      printf("rank %d: %d x %d: %a %a\n", rank, nx, ny, relax(nx, ny, 3), corners(nx, ny, 3));
  MPI_Comm_free(&cart);
  MPI_Finalize();
  return 0;
}
