// Graphs that are collectives for a fixed number of processes: with other numbers they run as graphs; the output is the
// same.
// REQUIRES: openmpi
// RUN: %mpicc -O1 -gline-tables-only -S -emit-llvm %s -o %t.ll
// RUN: mlir-translate --import-llvm %t.ll -o %t.mlir
// RUN: comm-opt %t.mlir --mlir-print-debuginfo -raise-mpi-to-comm -comm-form-cdag -comm-detect-collectives=ranks=4 --remark-format=emitRemark --remarks-filter=comm-detect.* -o %t.comm.mlir 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// REMARKS: remark: [Passed] Collective | {{.*}}MPI_Allgather{{.*}} if there are {{.*}}4{{.*}} processes
// REMARKS: remark: [Passed] Collective | {{.*}}MPI_Alltoall{{.*}} if there are {{.*}}4{{.*}} processes
// REMARKS: remark: [Passed] Collective | {{.*}}MPI_Gather{{.*}} if there are {{.*}}4{{.*}} processes
// REMARKS: remark: [Missed] NoCollective | {{.*}} is not a collective of {{.*}}4{{.*}} processes that is known at compile time: {{.*}}its buffers may overlap
// RUN: FileCheck %s --input-file=%t.comm.mlir
// CHECK-LABEL: llvm.func {{.*}}@doubling(
// CHECK: %[[SIZE:.*]] = comm.comm_size comm(%{{.*}}) -> size
// CHECK: %[[IS:.*]] = llvm.icmp "eq" %[[SIZE]], %{{.*}} : i32
// CHECK: llvm.cond_br %[[IS]], ^[[THAT:bb[0-9]+]], ^[[ELSE:bb[0-9]+]]
// CHECK: ^[[THAT]]:
// CHECK: comm.allgather
// CHECK: ^[[ELSE]]:
// CHECK: comm.cdag
// RUN: comm-opt %t.comm.mlir --mlir-print-debuginfo -comm-cdag-to-runtime -convert-comm-to-llvm -o %t.lowered.mlir
// RUN: mlir-translate --mlir-to-llvmir %t.lowered.mlir -o %t.lowered.ll
// RUN: %mpicc -O1 %t.ll -o %t.before
// RUN: %commcc -O1 -fcomm-mode=off -fcomm-detect=run-time %t.lowered.ll -o %t.after
// RUN: %mpirun -n 4 %t.before > %t.before.txt
// RUN: %mpirun -n 4 %t.after > %t.after.txt
// RUN: diff %t.before.txt %t.after.txt
// RUN: %mpirun -n 3 %t.before > %t.before.txt
// RUN: %mpirun -n 3 %t.after > %t.after.txt
// RUN: diff %t.before.txt %t.after.txt
// RUN: not comm-opt %t.comm.mlir -comm-detect-collectives=ranks=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: comm-detect-collectives takes ranks=2 to ranks=4096, not 1
#include <mpi.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline))
#define WORLD MPI_COMM_WORLD
#define ME                                                                                                             \
  int rank, size;                                                                                                      \
  MPI_Comm_rank(WORLD, &rank);                                                                                         \
  MPI_Comm_size(WORLD, &size)
#define IGNORE MPI_STATUS_IGNORE

enum { block = 3, most = 8 };

NOINLINE void doubling(int *all) {
  ME;
  for (int mask = 1; mask < size; mask <<= 1) {
    int peer = rank ^ mask, mine = rank & ~(mask - 1), theirs = peer & ~(mask - 1);
    if (peer < size)
      MPI_Sendrecv(all + mine * block, mask * block, MPI_INT, peer, 1, all + theirs * block, mask * block, MPI_INT,
                   peer, 1, WORLD, IGNORE);
  }
}

NOINLINE void alltoall_by_bits(int *restrict out, int *restrict in) {
  ME;
  for (int i = 0; i < 4; ++i)
    if ((rank ^ i) < size)
      MPI_Sendrecv(out + (rank ^ i) * block, block, MPI_INT, rank ^ i, 2, in + (rank ^ i) * block, block, MPI_INT,
                   rank ^ i, 2, WORLD, IGNORE);
}

// The second process sends from a different buffer than the others.
NOINLINE void gather_at_two(int *restrict a, int *restrict b, int *restrict all) {
  ME;
  if (rank == 2)
    for (int p = 0; p < size; ++p) {
      if (p != 2)
        MPI_Recv(all + p * block, block, MPI_INT, p, 3, WORLD, IGNORE);
    }
  else
    MPI_Send(rank == 1 ? b : a, block, MPI_INT, 2, 3, WORLD);
}

NOINLINE void alltoall_perhaps_in_place(int *out, int *in) {
  ME;
  for (int i = 0; i < 4; ++i)
    if ((rank ^ i) < size)
      MPI_Sendrecv(out + (rank ^ i) * block, block, MPI_INT, rank ^ i, 4, in + (rank ^ i) * block, block, MPI_INT,
                   rank ^ i, 4, WORLD, IGNORE);
}

static int out[most * block], other[most * block], in[most * block];

static void fill(int rank, int test) {
  for (int i = 0; i < most * block; ++i) {
    out[i] = rank * 10000 + test * 1000 + i;
    other[i] = -out[i];
    in[i] = 7 * out[i];
  }
}

/// Process 0 prints the data that all have received.
static void print(int rank, int size, const char *name) {
  static int all[most][most * block];
  MPI_Gather(in, most * block, MPI_INT, all, most * block, MPI_INT, 0, WORLD);
  for (int p = 0; rank == 0 && p < size; ++p) {
    printf("%s, process %d:", name, p);
    for (int i = 0; i < most * block; ++i)
      printf(" %d", all[p][i]);
    printf("\n");
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  ME;
  fill(rank, 1);
  doubling(in);
  print(rank, size, "doubling");
  fill(rank, 2);
  alltoall_by_bits(out, in);
  print(rank, size, "by bits");
  fill(rank, 3);
  gather_at_two(out, other, in);
  print(rank, size, "gather");
  fill(rank, 4);
  alltoall_perhaps_in_place(out, in);
  print(rank, size, "perhaps in place");
  MPI_Finalize();
  return 0;
}
