// Remarks name functions as the source does.
// RUN: commc++ -O2 -g -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: remark: MPI_Bcast overlaps nothing; after it, the call of model::advance(std::vector<double, std::allocator<double>>&) at names.cpp:[[#@LINE+10]] may not return normally
#include <mpi.h>
#include <vector>

namespace model {
void advance(std::vector<double> &values);
}

void step(std::vector<double> &values, double *in, int n) {
  MPI_Bcast(in, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  model::advance(values);
}
