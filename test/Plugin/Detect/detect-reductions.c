// Reductions that programs spell out, `a[i] = a[i] op received[i]`, are part of a graph; similar code is not.
// RUN: commcc -O2 -fcomm-detect -Rcomm -w -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not="a graph"
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --check-prefix=CALLS

// CALLS: comm_cdag_phase_reduce
// CALLS: comm_cdag_phase_temporary

#include <mpi.h>

#define ANY MPI_STATUS_IGNORE
#define WORLD MPI_COMM_WORLD
enum { most = 1000 };

// CHECK-DAG: remark: 2 calls from MPI_{{Recv|Send}} at detect-reductions.c:[[#]] on, with 1 reduction of received data, form a graph, which all processes of the communicator are taken to execute together
void linear(int *sum, int n, int rank, int size) {
  int part[most];
  if (rank == 0)
    for (int p = 1; p < size; ++p) {
      MPI_Recv(part, n, MPI_INT, p, 0, WORLD, ANY);
      for (int i = 0; i < n; ++i)
        sum[i] += part[i];
    }
  else
    MPI_Send(sum, n, MPI_INT, 0, 0, WORLD);
}

// CHECK-DAG: remark: 2 calls from MPI_{{Recv|Send}} at detect-reductions.c:[[#]] on, with 1 reduction of received data, form a graph
void tree(double *restrict a, double *restrict part, int n, int rank, int size) {
  for (int mask = 1; mask < size; mask <<= 1)
    if (rank & mask) {
      MPI_Send(a, n, MPI_DOUBLE, rank - mask, 0, WORLD);
      break;
    } else if (rank + mask < size) {
      MPI_Recv(part, n, MPI_DOUBLE, rank + mask, 0, WORLD, ANY);
      for (int i = 0; i < n; ++i)
        a[i] *= part[i];
    }
}

// CHECK-DAG: remark: 2 calls from MPI_{{Recv|Send}} at detect-reductions.c:[[#]] on, with 1 reduction of received data, form a graph
void one(long *most, int rank, int size) {
  long part;
  if (rank == 0)
    for (int p = 1; p < size; ++p) {
      MPI_Recv(&part, 1, MPI_LONG, p, 0, WORLD, ANY);
      *most = *most > part ? *most : part;
    }
  else
    MPI_Send(most, 1, MPI_LONG, 0, 0, WORLD);
}

#define NEAR_MISS(name, type, mpi, ...)                                                                                \
  void name(type *restrict a, type *restrict part, int n, int rank, int size, long *restrict seen) {                   \
    if (rank == 0)                                                                                                     \
      for (int p = 1; p < size; ++p) {                                                                                 \
        MPI_Recv(part, n, mpi, p, 0, WORLD, ANY);                                                                      \
        for (int i = 0; i < n; ++i) {                                                                                  \
          __VA_ARGS__                                                                                                  \
        }                                                                                                              \
      }                                                                                                                \
    else                                                                                                               \
      MPI_Send(a, n, mpi, 0, 0, WORLD);                                                                                \
  }

// Another operation, another element, a type whose overflow implementations treat otherwise.
// CHECK-DAG: detect-reductions.c:[[#@LINE+1]]:{{.*}} remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: code around it uses
NEAR_MISS(difference, int, MPI_INT, a[i] -= part[i];)
// CHECK-DAG: detect-reductions.c:[[#@LINE+1]]:{{.*}} remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: code around it uses
NEAR_MISS(scaled, int, MPI_INT, a[i] += 3 * part[i];)
// CHECK-DAG: detect-reductions.c:[[#@LINE+1]]:{{.*}} remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: code around it uses
NEAR_MISS(strided, int, MPI_INT, a[2 * i] += part[2 * i];)
// CHECK-DAG: detect-reductions.c:[[#@LINE+1]]:{{.*}} remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: code around it uses
NEAR_MISS(shifted, int, MPI_INT, a[i] += part[n - 1 - i];)
// CHECK-DAG: detect-reductions.c:[[#@LINE+1]]:{{.*}} remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: code around it uses
NEAR_MISS(narrow, short, MPI_SHORT, a[i] += part[i];)
// Somebody else uses the sum, or what was received.
// CHECK-DAG: detect-reductions.c:[[#@LINE+1]]:{{.*}} remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: code around it uses
NEAR_MISS(watched, int, MPI_INT, a[i] += part[i]; *seen += a[i];)
// CHECK-DAG: detect-reductions.c:[[#@LINE+1]]:{{.*}} remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: code around it uses
NEAR_MISS(kept, int, MPI_INT, a[i] += part[i]; part[i] = 0;)
// CHECK-DAG: detect-reductions.c:[[#@LINE+1]]:{{.*}} remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: an operation llvm.load next to it does more than compute
NEAR_MISS(volatiles, volatile int, MPI_INT, a[i] += part[i];)

// The two may overlap: then a sum is not one of elements as they were.
// CHECK-DAG: remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: code around it uses the buffers between the messages
void overlapping(int *a, int *part, int n, int rank, int size) {
  if (rank == 0)
    for (int p = 1; p < size; ++p) {
      MPI_Recv(part, n, MPI_INT, p, 0, WORLD, ANY);
      for (int i = 0; i < n; ++i)
        a[i] += part[i];
    }
  else
    MPI_Send(a, n, MPI_INT, 0, 0, WORLD);
}

// The sum is read before the next message.
// CHECK-DAG: remark: MPI_{{Recv|Send}} in a loop over processes is not part of a graph: code around it uses the buffers between the messages
long read_between(long *sum, int rank, int size) {
  long part, steps = 0;
  if (rank == 0)
    for (int p = 1; p < size; ++p) {
      MPI_Recv(&part, 1, MPI_LONG, p, 0, WORLD, ANY);
      *sum += part;
      steps += *sum > 100;
    }
  else
    MPI_Send(sum, 1, MPI_LONG, 0, 0, WORLD);
  return steps;
}
