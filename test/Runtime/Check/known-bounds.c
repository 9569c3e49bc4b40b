// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers consider accesses within the bounds of a global or local array safe and do not instrument
// them, but memory in flight is not safe. The checker needs clang's options that disable this. (GCC has
// none.)
//
// RUN: %mpicc -g -O1 -fsanitize=address -mllvm -asan-opt-globals=0 -mllvm -asan-use-stack-safety=0 -I%comm_runtime_include %s %comm_runtime_lib -o %t
// RUN: not env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 1 %t global > %t.1 2>&1
// RUN: FileCheck %s < %t.1
// RUN: not env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 1 %t local > %t.2 2>&1
// RUN: FileCheck %s < %t.2
// CHECK: ERROR: AddressSanitizer: use-after-poison
// CHECK: comm: this memory is in flight: receive buffer of MPI_Irecv at bounds.c:1, in function main (byte 16 from its begin)

#include <comm/check.h>
#include <stdio.h>
#include <string.h>

static const comm_check_site site = {
    COMM_CHECK_ABI_VERSION, 1, 1, 0, "MPI_Irecv", "main", "bounds.c"};

double values[8];

static void start(double *in, MPI_Request *request) {
  MPI_Irecv(in, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, request);
  comm_check_buffer(&site, request, in, 8, MPI_DOUBLE, MPI_COMM_WORLD, 0, -1,
                    COMM_CHECK_WRITE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Request request;
  double local[8] = {0};
  if (argc > 1 && strcmp(argv[1], "local") == 0) {
    start(local, &request);
    printf("%f\n", local[2]);
    comm_check_finish(&request);
  } else {
    start(values, &request);
    printf("%f\n", values[2]);
    comm_check_finish(&request);
  }
  MPI_Request_free(&request);
  MPI_Finalize();
  return 0;
}
