// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI writes into poisoned receive buffers while it makes progress: no report,
// for eager and rendezvous messages of 8 B to 4 MiB over shared memory (with
// and without single copy by the kernel) and over TCP.
//
// RUN: %mpicc -g -O1 -fsanitize=address -I%comm_runtime_include %s %comm_runtime_lib -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 2 %t > %t.sm 2>&1
// RUN: FileCheck %s --match-full-lines < %t.sm
// RUN: env ASAN_OPTIONS=detect_leaks=0 OMPI_MCA_btl_vader_single_copy_mechanism=none %mpirun -n 2 %t > %t.copy 2>&1
// RUN: FileCheck %s --match-full-lines < %t.copy
// RUN: env ASAN_OPTIONS=detect_leaks=0 OMPI_MCA_btl=tcp,self %mpirun -n 2 %t > %t.tcp 2>&1
// RUN: FileCheck %s --match-full-lines < %t.tcp
// RUN: env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 4 %t > %t.four 2>&1
// RUN: FileCheck %s --match-full-lines < %t.four
//
// The same without our suppressions, to show that they are necessary.
// RUN: %mpicc -g -O1 -fsanitize=address -DNO_SUPPRESSIONS -I%comm_runtime_include %s %comm_runtime_lib -o %t.bare
// RUN: not env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 2 %t.bare > %t.bare.txt 2>&1
// RUN: FileCheck %s --check-prefix=BARE < %t.bare.txt
// BARE: ERROR: AddressSanitizer: use-after-poison
//
// Also without AddressSanitizer, as C with nothing of C++ at link time.
// RUN: %mpicc -g -O1 -I%comm_runtime_include %s %comm_runtime_lib -o %t.plain
// RUN: %mpirun -n 2 %t.plain > %t.none 2>&1
// RUN: FileCheck %s --match-full-lines < %t.none

// CHECK-NOT: {{.}}
// CHECK: all received
// CHECK-NOT: {{.}}

//
#include <comm/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const comm_check_site receive = {
    COMM_CHECK_ABI_VERSION, 1, 1, 0, "MPI_Irecv", "main", "legal.c"};
static const comm_check_site send = {
    COMM_CHECK_ABI_VERSION, 2, 1, 0, "MPI_Isend", "main", "legal.c"};
static const comm_check_site gather = {
    COMM_CHECK_ABI_VERSION, 3, 1, 0, "MPI_Iallgather", "main", "legal.c"};
static const comm_check_site reduce = {
    COMM_CHECK_ABI_VERSION, 4, 1, 0, "MPI_Iallreduce", "main", "legal.c"};

#ifdef NO_SUPPRESSIONS
const char comm_check_asan_suppressions[] = "interceptor_name:none\n";
const char *__asan_default_suppressions(void) {
  return comm_check_asan_suppressions;
}
#endif

static int rank, ranks;

static void expect(const char *what, size_t size, int found, int wanted) {
  if (found == wanted)
    return;
  printf("rank %d: wrong %s of %zu bytes: %d\n", rank, what, size, found);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (size_t size = 8; size <= (4u << 20); size *= 2) {
    // One more byte, so that the end of the buffer is not aligned.
    size_t odd = size + 1;
    char *in = malloc(odd), *out = malloc(odd), *all = malloc(size * ranks);
    for (int repeat = 0; repeat < 3; ++repeat) {
      MPI_Request requests[2], request;
      memset(out, rank + 1 + repeat, odd);
      memset(in, 0, odd);
      MPI_Irecv(in, (int)odd, MPI_CHAR, left, 0, MPI_COMM_WORLD, &requests[0]);
      comm_check_buffer(&receive, &requests[0], in, odd, MPI_CHAR,
                        MPI_COMM_WORLD, 0, -1, COMM_CHECK_WRITE);
      MPI_Isend(out, (int)odd, MPI_CHAR, right, 0, MPI_COMM_WORLD,
                &requests[1]);
      comm_check_buffer(&send, &requests[1], out, odd, MPI_CHAR, MPI_COMM_WORLD,
                        0, -1, COMM_CHECK_READ);
      // Progress while both are in flight.
      for (int i = 0, done; i < 20; ++i)
        MPI_Test(&requests[i % 2], &done, MPI_STATUS_IGNORE);
      MPI_Barrier(MPI_COMM_WORLD);
      comm_check_finish(&requests[0]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      expect("first byte", odd, in[0], left + 1 + repeat);
      expect("last byte", odd, in[odd - 1], left + 1 + repeat);
      comm_check_finish(&requests[1]);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);

      MPI_Iallgather(out, (int)size, MPI_CHAR, all, (int)size, MPI_CHAR,
                     MPI_COMM_WORLD, &request);
      comm_check_buffer(&gather, &request, out, size, MPI_CHAR, MPI_COMM_WORLD,
                        0, -1, COMM_CHECK_READ);
      comm_check_buffer(&gather, &request, all, size, MPI_CHAR, MPI_COMM_WORLD,
                        1, -1, COMM_CHECK_WRITE);
      MPI_Barrier(MPI_COMM_WORLD);
      comm_check_finish(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      for (int i = 0; i < ranks; ++i)
        expect("gathered byte", size, all[i * size], i + 1 + repeat);

      // In place: the buffer is both read and written.
      MPI_Iallreduce(MPI_IN_PLACE, out, (int)size, MPI_SIGNED_CHAR, MPI_MAX,
                     MPI_COMM_WORLD, &request);
      comm_check_buffer(&reduce, &request, MPI_IN_PLACE, size, MPI_SIGNED_CHAR,
                        MPI_COMM_WORLD, 0, -1, COMM_CHECK_READ);
      comm_check_buffer(&reduce, &request, out, size, MPI_SIGNED_CHAR,
                        MPI_COMM_WORLD, 0, -1, COMM_CHECK_WRITE);
      MPI_Barrier(MPI_COMM_WORLD);
      comm_check_finish(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect("reduced byte", size, out[size - 1], ranks + repeat);
    }
    free(in);
    free(out);
    free(all);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("all received\n");
  MPI_Finalize();
  return 0;
}
