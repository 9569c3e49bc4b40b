// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads start and complete operations simultaneously; an illegal access of one is detected.
//
// RUN: %mpicc -g -O1 -pthread -fsanitize=address -I%comm_runtime_include %s %comm_runtime_lib -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 1 %t > %t.1 2>&1
// RUN: FileCheck %s --check-prefix=LEGAL --match-full-lines < %t.1
// LEGAL-NOT: {{.}}
// LEGAL: done
// LEGAL-NOT: {{.}}
// RUN: not env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 1 %t write > %t.2 2>&1
// RUN: FileCheck %s --check-prefix=WRITE < %t.2
// WRITE: comm: error: rank 0: the program wrote to memory in flight: send buffer of MPI_Isend at threads.c:2, in function run: bytes 40 to 40
// RUN: not env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 1 %t read > %t.3 2>&1
// RUN: FileCheck %s --check-prefix=READ < %t.3
// READ: ERROR: AddressSanitizer: use-after-poison
// READ: comm: this memory is in flight: receive buffer of MPI_Irecv at threads.c:1, in function run (byte 8 from its begin)

#include <comm/check.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const comm_check_site receive = {
    COMM_CHECK_ABI_VERSION, 1, 1, 0, "MPI_Irecv", "run", "threads.c"};
static const comm_check_site send = {
    COMM_CHECK_ABI_VERSION, 2, 1, 0, "MPI_Isend", "run", "threads.c"};

enum { threads = 4, rounds = 500, size = 1000 };
static const char *mode = "";
static char memory[threads][2][size];
/* A constant index into a global array is not instrumented: known-bounds.c. */
static volatile int eight = 8;

static void *run(void *argument) {
  int number = (int)(long)argument;
  char *in = memory[number][0], *out = memory[number][1];
  for (int round = 0; round < rounds; ++round) {
    MPI_Request requests[2];
    MPI_Irecv(in, size, MPI_CHAR, 0, number, MPI_COMM_WORLD, &requests[0]);
    comm_check_buffer(&receive, &requests[0], in, size, MPI_CHAR,
                      MPI_COMM_WORLD, 0, -1, COMM_CHECK_WRITE);
    memset(out, round, size);
    MPI_Isend(out, size, MPI_CHAR, 0, number, MPI_COMM_WORLD, &requests[1]);
    comm_check_buffer(&send, &requests[1], out, size, MPI_CHAR, MPI_COMM_WORLD,
                      0, -1, COMM_CHECK_READ);
    if (number == 3 && round == 400 && strcmp(mode, "write") == 0)
      out[40]++;
    if (number == 3 && round == 400 && strcmp(mode, "read") == 0)
      printf("%d\n", in[eight]);
    comm_check_finish(&requests[0]);
    comm_check_finish(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (memcmp(in, out, size) != 0)
      printf("wrong message\n");
  }
  return 0;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (argc > 1)
    mode = argv[1];
  pthread_t workers[threads];
  for (long i = 0; i < threads; ++i)
    pthread_create(&workers[i], 0, run, (void *)i);
  for (int i = 0; i < threads; ++i)
    pthread_join(workers[i], 0);
  printf("done\n");
  MPI_Finalize();
  return 0;
}
