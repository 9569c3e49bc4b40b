// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of MPI, and addresses of its functions, become the runtime's; each call leaves its line; main is the rank's.
//
// RUN: %clang -O1 %ranks_flags -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %clang -O0 -DDEFINES %ranks_flags -c %s -o %t.o 2>&1 | FileCheck --check-prefix=DEFINES %s
// A library that only has MPI_Send: warns of other calls, with all lines, and these end the program at run time.
// RUN: echo 'void comm_ranks_MPI_Send(void) {}' > %t.lib.c
// RUN: %clang -shared -fPIC %t.lib.c -o %t.so
// RUN: %clang -O0 %ranks_flags -mllvm -comm-ranks-library=%t.so -S -emit-llvm %s -o %t.stub.ll 2>&1 | FileCheck --check-prefix=MISSING %s
// RUN: FileCheck --check-prefix=STUB --input-file=%t.stub.ll %s
// RUN: not %clang -O0 %ranks_flags -mllvm -comm-ranks-library=%t.none -c %s -o %t.o 2>&1 | FileCheck --check-prefix=LIBRARY %s
//
// DEFINES: error: {{.*}}virtualize.c: the program defines MPI_Wait itself: profiling wrappers cannot be combined with -fcomm-ranks
// MISSING-DAG: {{.*}}virtualize.c:[[#@LINE+28]]:3: warning: MPI_Recv is not covered by -fcomm-ranks: a rank that calls it ends
// MISSING-DAG: {{.*}}virtualize.c:[[#@LINE+28]]:3: warning: MPI_Recv is not covered by -fcomm-ranks: a rank that calls it ends
// STUB-DAG: @table = {{.*}}[ptr @comm_ranks_uncovered.MPI_Barrier
// STUB-DAG: call i32 @comm_ranks_uncovered.MPI_Recv(
// STUB-DAG: define internal i32 @comm_ranks_uncovered.MPI_Recv(
// STUB-DAG: call void @comm_ranks_uncovered(
// MISSING-NOT: MPI_Send is not
// LIBRARY: error: comm: cannot read the runtime's library
// CHECK-DAG: @[[NAME:.*]] = private unnamed_addr constant [9 x i8] c"MPI_Send\00"
// CHECK-DAG: @[[FILE:.*]] = private unnamed_addr constant {{.*}}virtualize.c\00"
// CHECK-DAG: @[[SITE:.*]] = private constant { ptr, ptr, i32, i32 } { ptr @[[NAME]], ptr @[[FILE]], i32 [[#@LINE+15]], i32 3 }
// CHECK-DAG: @table = {{.*}}[ptr @comm_ranks_MPI_Barrier
// CHECK-DAG: @comm_ranks_call_site = external thread_local(initialexec) global ptr

int MPI_Send(void *, int, void *, int, int, void *);
int PMPI_Send(void *, int, void *, int, int, void *);
int MPI_Recv(void *, int, void *, int, int, void *, void *);
int MPI_Barrier(void *);
int (*const table[1])(void *) = {MPI_Barrier};

// CHECK-LABEL: define {{.*}}i32 @comm_ranks_main(
int main(void) {
  // CHECK: %[[T:.*]] = {{.*}}threadlocal.address.p0(ptr @comm_ranks_call_site)
  // CHECK: store ptr @[[SITE]], ptr %[[T]]
  // CHECK: call i32 @comm_ranks_MPI_Send(
  MPI_Send(0, 0, 0, 0, 0, 0);
  // CHECK: call i32 @comm_ranks_MPI_Send(
  PMPI_Send(0, 0, 0, 0, 0, 0);
  MPI_Recv(0, 0, 0, 0, 0, 0, 0);
  MPI_Recv(0, 0, 0, 0, 0, 0, 0);
  return 0;
}

#ifdef DEFINES
int MPI_Wait(void *request, void *status) { return request != status; }
#endif
