// The gets and puts between fences that -fcomm-detect turns into a graph, and its remarks on the others.
// RUN: commcc -O2 -fcomm-detect -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not="a graph"
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --check-prefix=CALLS

// CALLS: comm_cdag_phase_begin_fences
// CALLS: comm_cdag_phase_get
// CALLS: comm_cdag_phase_put

#include <mpi.h>
#include <stdio.h>

void use(double);

// CHECK-DAG: remark: 1 call from MPI_Get at detect-fences.c:[[#]] on forms a graph, which all processes of the window are taken to execute together
void gets(double *in, int n, int size, MPI_Aint mine, MPI_Win win) {
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, mine, n, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
}

// Both, in one epoch; the window is a variable.
// CHECK-DAG: remark: 2 calls from MPI_Put at detect-fences.c:[[#]] on form a graph
void both(double *restrict out, double *restrict in, int n, int size, MPI_Comm comm) {
  MPI_Win win;
  double *memory;
  MPI_Win_allocate(2 * size * n * sizeof(double), sizeof(double), MPI_INFO_NULL, comm, &memory, &win);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  for (int p = 0; p < size; ++p) {
    MPI_Put(out + p * n, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, win);
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, size * n, n, MPI_DOUBLE, win);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  use(memory[0]);
  MPI_Win_free(&win);
}

// CHECK-DAG: remark: MPI_Get in a loop over processes is not part of a graph: MPI_Accumulate next to it communicates
void accumulating(double *in, int n, int size, MPI_Win win) {
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p) {
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, win);
    MPI_Accumulate(in, n, MPI_DOUBLE, p, n, n, MPI_DOUBLE, MPI_SUM, win);
  }
  MPI_Win_fence(0, win);
}

// CHECK-DAG: remark: MPI_Get in a loop over processes is not part of a graph: MPI_Barrier next to it communicates
void synchronizing(double *in, int n, int size, MPI_Win win) {
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_fence(0, win);
}

// CHECK-DAG: remark: MPI_Get in a loop over processes is not part of a graph: the call of printf next to it does more than compute
void printing(double *in, int n, int size, MPI_Win win) {
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p) {
    printf("from %d\n", p);
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, win);
  }
  MPI_Win_fence(0, win);
}

// CHECK-DAG: remark: MPI_Get in a loop over processes is not part of a graph: its count or datatype differs between origin and target
void retyped(double *in, int n, int size, MPI_Datatype column, MPI_Win win) {
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, 0, 1, column, win);
  MPI_Win_fence(0, win);
}

// CHECK-DAG: remark: MPI_Put in a loop over processes is not part of a graph: code around it uses the buffers between the fences
void counting(int size, MPI_Win win) {
  double count = 0;
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p) {
    MPI_Put(&count, 1, MPI_DOUBLE, p, 0, 1, MPI_DOUBLE, win);
    count += 1;
  }
  MPI_Win_fence(0, win);
}

// CHECK-DAG: remark: MPI_Get in a loop over processes is not part of a graph: a loop after it computes while the data is in flight
void overlapping(double *restrict in, double *restrict other, int n, int size, MPI_Win win) {
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, win);
  for (int i = 0; i < n; ++i)
    other[i] = other[i] * 0.5 + 1;
  MPI_Win_fence(0, win);
}

// CHECK-DAG: remark: MPI_Get in a loop over processes is not part of a graph: the preceding fence is for another window
void two(double *in, int n, int size, MPI_Win win, MPI_Win other) {
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, other);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, other);
}

// CHECK-DAG: remark: MPI_Get in a loop over processes is not part of a graph: no fence for its window follows
void open(double *in, int n, int size, MPI_Win win) {
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, win);
}

// CHECK-DAG: remark: MPI_Get in a loop over processes is not part of a graph: its error code is used
int checking(double *in, int n, int size, MPI_Win win) {
  int errors = 0;
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    errors += MPI_Get(in + p * n, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, win) != MPI_SUCCESS;
  MPI_Win_fence(0, win);
  return errors;
}

// CHECK-DAG: remark: MPI_Get in a loop over processes is not part of a graph: the error code of a fence is used
int checked(double *in, int n, int size, MPI_Win win) {
  MPI_Win_fence(0, win);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, win);
  return MPI_Win_fence(0, win);
}

// Others may come to a fence elsewhere.
// CHECK-DAG: remark: MPI_Get in a loop over processes is not part of a graph: whether a process gets here depends on its rank
void masters(double *in, int n, int size, MPI_Win win) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("%d gets\n", rank);
    MPI_Win_fence(0, win);
    for (int p = 0; p < size; ++p)
      MPI_Get(in + p * n, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    printf("%d is done\n", rank);
  } else {
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, win);
  }
}

// A get may write the variable that holds the window.
// CHECK-DAG: remark: MPI_Get in a loop over processes is not part of a graph: code around it uses the buffers between the fences
MPI_Win shared;
void global(char *in, int n, int size) {
  MPI_Win_fence(0, shared);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * n, n, MPI_CHAR, p, 0, n, MPI_CHAR, shared);
  MPI_Win_fence(0, shared);
}

// To one process, or in another kind of epoch: nothing is said.
void to_one(double *in, int n, int count, MPI_Win win) {
  MPI_Win_fence(0, win);
  for (int i = 0; i < count; ++i)
    MPI_Get(in + i * n, n, MPI_DOUBLE, 0, i, n, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
}

void locking(double *in, int n, int size, MPI_Win win) {
  MPI_Win_lock_all(0, win);
  for (int p = 0; p < size; ++p)
    MPI_Get(in + p * n, n, MPI_DOUBLE, p, 0, n, MPI_DOUBLE, win);
  MPI_Win_unlock_all(win);
}
