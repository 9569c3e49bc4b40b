// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiler with a bug, using `-include`: messages lose their last element.
#include <mpi.h>
#define MPI_Isend(buffer, count, ...) MPI_Isend(buffer, (count) > 1 ? (count)-1 : (count), __VA_ARGS__)
#define MPI_Issend(buffer, count, ...) MPI_Issend(buffer, (count) > 1 ? (count)-1 : (count), __VA_ARGS__)
