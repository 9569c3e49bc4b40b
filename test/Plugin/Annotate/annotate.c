// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizer first gets the standard's rules for MPI's functions: addresses that are not captured, arguments that
// are only read or written. An error handler of another file may run in any call that can fail, so effects on memory,
// exceptions and values are unknown, unless the program promises that errors are fatal.
//
// RUN: commcc -O2 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll -fcomm-mode=off
// RUN: opt -load-pass-plugin=%plugin -passes=comm-annotate -comm-annotate=1 %t.ll -S | FileCheck %s
// RUN: opt -load-pass-plugin=%plugin -passes=comm-annotate -comm-annotate=1 -comm-errors-are-fatal %t.ll -S | FileCheck %s --check-prefix=FATAL
// RUN: opt -load-pass-plugin=%plugin -passes=comm-annotate -comm-annotate=0 %t.ll -S | FileCheck %s --check-prefix=OFF

#include <mpi.h>

struct grid {
  int rank, size, left, right;
  MPI_Comm comm;
  double cells[100];
};

// A function of MPI that the program defines keeps its own attributes: this one stores the address.
double *last;
// CHECK: define{{.*}} i32 @MPI_Ssend(ptr noundef %{{[^,]*}}, i32
// FATAL: define{{.*}} i32 @MPI_Ssend(ptr noundef %{{[^,]*}}, i32
int MPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  last = (double *)buf;
  return PMPI_Ssend(buf, count, datatype, dest, tag, comm);
}

double use(struct grid *g);

// The rank and the size get separate variables, which start with the program's values: a call that fails leaves them
// unchanged.
// CHECK-LABEL: define{{.*}} double @make(
// CHECK: %[[OLD:.*]] = load i32, ptr %[[RANK:.*]], align 1
// CHECK: store i32 %[[OLD]], ptr %[[OUT:.*]], align
// CHECK: call i32 @MPI_Comm_rank(ptr noundef @ompi_mpi_comm_world, ptr noundef %[[OUT]])
// CHECK: %[[NEW:.*]] = load i32, ptr %[[OUT]], align 4
// CHECK-NOT: !range
// CHECK: store i32 %[[NEW]], ptr %[[RANK]], align 1

// FATAL-LABEL: define{{.*}} double @make(
// FATAL-NOT: align 1
// FATAL: call i32 @MPI_Comm_rank(ptr noundef @ompi_mpi_comm_world, ptr noundef %[[OUT:.*]])
// FATAL: %[[NEW:.*]] = load i32, ptr %[[OUT]], align 4, !range ![[FROM_ZERO:[0-9]+]]
// FATAL: store i32 %[[NEW]], ptr
// FATAL: call i32 @MPI_Comm_size(ptr noundef @ompi_mpi_comm_world, ptr noundef %[[OUT:.*]])
// FATAL: %[[SIZE:.*]] = load i32, ptr %[[OUT]], align 4, !range ![[FROM_ONE:[0-9]+]]
// FATAL: %[[LESS:.*]] = icmp slt i32 %[[NEW]], %[[SIZE]]
// FATAL: call void @llvm.assume(i1 %[[LESS]])

// OFF-LABEL: define{{.*}} double @make(
// OFF-NOT: comm.out
double make(void) {
  struct grid g;
  MPI_Status status;
  MPI_Request request;
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g.size);
  MPI_Comm_dup(MPI_COMM_WORLD, &g.comm);
  MPI_Send(g.cells, 1, MPI_DOUBLE, 0, 0, g.comm);
  MPI_Ssend(g.cells, 1, MPI_DOUBLE, 0, 0, g.comm);
  MPI_Recv(g.cells, 1, MPI_DOUBLE, 0, 0, g.comm, &status);
  MPI_Allreduce(g.cells, g.cells + 1, 1, MPI_DOUBLE, MPI_SUM, g.comm);
  MPI_Irecv(g.cells, 1, MPI_DOUBLE, 0, 0, g.comm, &request);
  MPI_Wait(&request, &status);
  return use(&g) + MPI_Wtime();
}

// CHECK: declare i32 @MPI_Comm_rank(ptr noundef, ptr noundef writeonly captures(none)) #{{[0-9]+}}
// CHECK: declare i32 @MPI_Comm_dup(ptr noundef, ptr noundef writeonly captures(none))
// CHECK: declare i32 @MPI_Send(ptr noundef readonly captures(none), i32 noundef, ptr noundef, i32 noundef, i32 noundef, ptr noundef) #[[PLAIN:[0-9]+]]
// CHECK: declare i32 @MPI_Recv(ptr noundef writeonly captures(none), i32 noundef, ptr noundef, i32 noundef, i32 noundef, ptr noundef, ptr noundef writeonly captures(none)) #[[PLAIN]]
// With MPI_IN_PLACE the receive buffer is read.
// CHECK: declare i32 @MPI_Allreduce(ptr noundef readonly captures(none), ptr noundef captures(none), i32
// The buffer is kept until the operation completes.
// CHECK: declare i32 @MPI_Irecv(ptr noundef, i32 noundef, {{.*}}, ptr noundef writeonly captures(none)) #[[PLAIN]]
// CHECK: declare double @MPI_Wtime() #[[CLOCK:[0-9]+]]
// CHECK: attributes #[[PLAIN]] = { convergent "no-trapping-math"
// CHECK: attributes #[[CLOCK]] = { nounwind "no-trapping-math"

// FATAL: declare i32 @MPI_Comm_rank({{.*}}) #[[ASKS:[0-9]+]]
// FATAL: declare i32 @MPI_Comm_dup({{.*}}) #[[CALLS_BACK:[0-9]+]]
// FATAL: declare i32 @MPI_Send({{.*}}) #[[MOVES:[0-9]+]]
// FATAL: declare i32 @MPI_Allreduce({{.*}}) #[[CALLS_BACK]]
// FATAL-DAG: attributes #[[CALLS_BACK]] = { convergent "no-trapping-math"
// FATAL-DAG: attributes #[[ASKS]] = { nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
// FATAL-DAG: attributes #[[MOVES]] = { convergent nounwind "no-trapping-math"
// FATAL-DAG: ![[FROM_ZERO]] = !{i32 0, i32 -2147483648}
// FATAL-DAG: ![[FROM_ONE]] = !{i32 1, i32 -2147483648}

// OFF: declare i32 @MPI_Comm_rank(ptr noundef, ptr noundef) #
