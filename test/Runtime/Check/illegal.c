// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of illegal access is found, and named by its source line.
//
// RUN: %mpicc -g -O1 -fsanitize=address -fno-omit-frame-pointer -I%comm_runtime_include %s %comm_runtime_lib -o %t
// RUN: %mpicc -g -O1 -I%comm_runtime_include %s %comm_runtime_lib -o %t.plain
// DEFINE: %{run} = env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 2 %t
// One rank if the report has several lines: two would mix theirs.
// DEFINE: %{alone} = env ASAN_OPTIONS=detect_leaks=0 %mpirun -n 1 %t
// DEFINE: %{plain} = %mpirun -n 2 %t.plain
//
// RUN: not %{alone} read > %t.1 2>&1
// RUN: FileCheck %s --check-prefix=READ < %t.1
// READ: ERROR: AddressSanitizer: use-after-poison
// READ: READ of size 8
// READ: touch{{.*}}illegal.c:500
// READ: comm: this memory is in flight: receive buffer of MPI_Irecv at a.c:10, in function exchange (byte 800 from its begin)
//
// RUN: not %{alone} write > %t.2 2>&1
// RUN: FileCheck %s --check-prefix=WRITE < %t.2
// WRITE: ERROR: AddressSanitizer: use-after-poison
// WRITE: WRITE of size 8
// WRITE: comm: this memory is in flight: receive buffer of MPI_Irecv at a.c:10, in function exchange (byte 0 from its begin)
//
// The program's own memcpy and memset are checked as well.
// RUN: not %{alone} memcpy > %t.3 2>&1
// RUN: FileCheck %s --check-prefix=MEMCPY < %t.3
// MEMCPY: ERROR: AddressSanitizer: use-after-poison
// MEMCPY: comm: this memory is in flight: receive buffer of MPI_Irecv at a.c:10, in function exchange (byte 16 from its begin)
//
// RUN: not %{run} send > %t.4 2>&1
// RUN: FileCheck %s --check-prefix=SEND < %t.4
// RUN: not %{plain} send > %t.5 2>&1
// RUN: FileCheck %s --check-prefix=SEND < %t.5
// SEND: comm: error: rank 0: the program wrote to memory in flight: send buffer of MPI_Isend at a.c:20, in function exchange: bytes 24 to 31 from its begin differ at the wait from what they were at the start
// RUN: sh -c '%mpirun -n 2 %t.plain send 2>/dev/null; echo "exit code $?"' | FileCheck %s --check-prefix=CODE
// CODE: exit code 86
//
// Asked to go on, the program ends as without the checker.
// RUN: env COMM_CHECK_CONTINUE=1 %{plain} send > %t.6 2>&1
// RUN: FileCheck %s --check-prefix=CONTINUE < %t.6
// CONTINUE-DAG: rank 0: the program wrote to memory in flight
// CONTINUE-DAG: rank 1: the program wrote to memory in flight
// CONTINUE-DAG: comm: 1 illegal access to memory in flight
//
// RUN: not %{run} free > %t.7 2>&1
// RUN: FileCheck %s --check-prefix=FREE < %t.7
// FREE: comm: error: rank {{[01]}}: memory in flight was freed before the wait: receive buffer of MPI_Irecv at a.c:10, in function exchange
//
// A large buffer is returned to the system when it is freed.
// RUN: not %mpirun -n 1 %t.plain unmap > %t.8 2>&1
// RUN: FileCheck %s --check-prefix=UNMAP < %t.8
// UNMAP: comm: error: rank {{[01]}}: memory in flight was freed before the wait: send buffer of MPI_Isend at a.c:20, in function exchange
//
// RUN: not %{run} overlap > %t.9 2>&1
// RUN: FileCheck %s --check-prefix=OVERLAP < %t.9
// RUN: not %{plain} overlap > %t.10 2>&1
// RUN: FileCheck %s --check-prefix=OVERLAP < %t.10
// OVERLAP: comm: error: rank {{[01]}}: send buffer of MPI_Isend at a.c:20, in function exchange overlaps memory in flight: receive buffer of MPI_Irecv at a.c:10, in function exchange
//
// RUN: not %{run} toolarge > %t.11 2>&1
// RUN: FileCheck %s --check-prefix=LARGE < %t.11
// LARGE: comm: error: rank {{[01]}}: send buffer of MPI_Isend at a.c:20, in function exchange holds memory that was freed or is not part of an object
//
// The function returned, or the block ended, while its buffer was in flight.
// RUN: not env ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1 %mpirun -n 1 %t return > %t.12 2>&1
// RUN: FileCheck %s --check-prefix=RETURN < %t.12
// RETURN: comm: error: rank 0: memory in flight went out of scope before the wait: receive buffer of MPI_Irecv at a.c:10, in function exchange
// RUN: not %{alone} scope > %t.17 2>&1
// RUN: FileCheck %s --check-prefix=RETURN < %t.17
//
// Legal: nothing is said; without AddressSanitizer, why, if one asks.
// RUN: %{run} legal > %t.13 2>&1
// RUN: FileCheck %s --check-prefix=LEGAL --match-full-lines < %t.13
// RUN: %{plain} legal > %t.14 2>&1
// RUN: FileCheck %s --check-prefix=LEGAL --match-full-lines < %t.14
// LEGAL-NOT: {{.}}
// LEGAL: legal: done
// LEGAL-NOT: {{.}}
// RUN: env COMM_CHECK_VERBOSE=1 %mpirun -n 1 %t.plain legal > %t.15 2>&1
// RUN: FileCheck %s --check-prefix=VERBOSE < %t.15
// VERBOSE: comm: note: rank 0: not checked: MPI_Irecv at a.c:10, in function exchange: receive buffers are checked only in programs built with -fsanitize=address
// VERBOSE-NOT: note

#include <comm/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const comm_check_site receiveSite = {
    COMM_CHECK_ABI_VERSION, 10, 3, 0, "MPI_Irecv", "exchange", "a.c"};
static const comm_check_site sendSite = {
    COMM_CHECK_ABI_VERSION, 20, 3, 0, "MPI_Isend", "exchange", "a.c"};

static const char *mode;
static int is(const char *name) { return strcmp(mode, name) == 0; }

enum { count = 1 << 17 };
static MPI_Request receiving, sending;
static int peer;

static void startReceive(double *in) {
  MPI_Irecv(in, count, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &receiving);
  comm_check_buffer(&receiveSite, &receiving, in, count, MPI_DOUBLE,
                    MPI_COMM_WORLD, 0, -1, COMM_CHECK_WRITE);
}

static void startSend(double *out, int elements) {
  MPI_Isend(out, elements, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &sending);
  comm_check_buffer(&sendSite, &sending, out, elements, MPI_DOUBLE,
                    MPI_COMM_WORLD, 0, -1, COMM_CHECK_READ);
}

__attribute__((noinline)) static double touch(volatile double *in) {
  if (is("read"))
#line 500
    return in[100];
  if (is("write"))
    in[0] = 1;
  return 0;
}

static void startSmall(double *in) {
  MPI_Irecv(in, 4, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD, &receiving);
  comm_check_buffer(&receiveSite, &receiving, in, 4, MPI_DOUBLE, MPI_COMM_WORLD,
                    0, -1, COMM_CHECK_WRITE);
}

__attribute__((noinline)) static void leave(void) {
  double local[4] = {0};
  startSmall(local);
}

__attribute__((noinline)) static void leaveBlock(int times) {
  for (int i = 0; i < times; ++i) {
    double local[4] = {0};
    startSmall(local);
  }
  comm_check_finish(&receiving);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  mode = argc > 1 ? argv[1] : "legal";
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  peer = ranks == 1 ? 0 : 1 - rank;
  if (is("return")) {
    leave();
    comm_check_finish(&receiving);
    return 0;
  }
  if (is("scope")) {
    leaveBlock(argc - 1);
    return 0;
  }
  size_t bytes = (size_t)count * sizeof(double);
  double *in = calloc(count, sizeof(double));
  double *out = calloc(count, sizeof(double));
  startReceive(in);
  if (is("overlap"))
    startSend(in + 50, 10);
  startSend(out, is("toolarge") ? count + 1 : count);
  double some[2] = {0, 0};
  touch(in);
  if (is("memcpy"))
    memcpy(in + 2, some, sizeof(some));
  // In one rank after another, so that the first report is rank 0's.
  if (is("send")) {
    if (rank == 1)
      MPI_Barrier(MPI_COMM_WORLD);
    memset(&out[3], 0x11, sizeof(out[3]));
  }
  if (is("free"))
    free(in);
  if (is("unmap"))
    free(out);
  comm_check_finish(&receiving);
  MPI_Wait(&receiving, MPI_STATUS_IGNORE);
  comm_check_finish(&sending);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  if (is("send") && rank == 0)
    MPI_Barrier(MPI_COMM_WORLD);
  // After the wait all is allowed again.
  memset(in, 1, bytes);
  memset(out, 1, bytes);
  free(in);
  free(out);
  if (rank == 0)
    printf("%s: done\n", mode);
  MPI_Finalize();
  return 0;
}
