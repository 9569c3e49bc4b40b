// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that communicates for a few callers is inlined even if the inliner's limit would separate it from code
// that could hide its messages. One with many callers stays, and no mark is left on calls.
// RUN: %commcxx -O2 -g -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %commcxx -O2 -fcomm-cost=none -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
// RUN: %commcxx -O2 -fcomm-mode=off -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF
#include <mpi.h>
#include <stdexcept>

static inline void check(int code) {
  if (code != MPI_SUCCESS)
    throw std::runtime_error("MPI");
}

// IR-NOT: call-threshold-bonus
// IR-LABEL: define {{.*}}step
// IR-NOT: {{call|invoke}} {{.*}}_ZN4Halo8exchange
// IR-LABEL: define {{.*}}several
// IR-NOT: {{call|invoke}} {{.*}}_ZN6CommonILi4EE8exchange
// IR-LABEL: define {{.*}}many
// IR: {{call|invoke}} {{.*}}_ZN6CommonILi9EE8exchange
// OFF: {{call|invoke}} {{.*}}_ZN4Halo8exchange
struct Halo {
  MPI_Comm comm;
  int up, down, n;
  MPI_Request requests[4];
  Halo(MPI_Comm comm, int up, int down, int n) : comm(comm), up(up), down(down), n(n) {}
  void exchange(double *u, int m) {
    check(MPI_Irecv(u, n, MPI_DOUBLE, up, 1, comm, &requests[0]));
    check(MPI_Irecv(u + (m + 1) * n, n, MPI_DOUBLE, down, 2, comm, &requests[1]));
    check(MPI_Isend(u + m * n, n, MPI_DOUBLE, down, 1, comm, &requests[2]));
    check(MPI_Isend(u + n, n, MPI_DOUBLE, up, 2, comm, &requests[3]));
    check(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
  }
};
template <int callers> struct Common : Halo {
  void exchange(double *u, int m) {
    check(MPI_Irecv(u, n, MPI_DOUBLE, up, 1, comm, &requests[0]));
    check(MPI_Irecv(u + (m + 1) * n, n, MPI_DOUBLE, down, 2, comm, &requests[1]));
    check(MPI_Isend(u + m * n, n, MPI_DOUBLE, down, 1, comm, &requests[2]));
    check(MPI_Isend(u + n, n, MPI_DOUBLE, up, 2, comm, &requests[3]));
    check(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
  }
};

// CHECK-DAG: remark: splits the loop at wrappers.cpp:[[#@LINE+5]]
void step(MPI_Comm comm, int up, int down, int n, double *__restrict u, double *__restrict v, int m) {
  Halo halo(comm, up, down, n);
  for (int turn = 0; turn < 100; ++turn) {
    halo.exchange(u, m);
    for (int i = 1; i <= m; ++i)
      for (int j = 0; j < halo.n; ++j)
        v[i * halo.n + j] = 0.5 * (u[(i - 1) * halo.n + j] + u[(i + 1) * halo.n + j]);
    for (int i = 1; i <= m; ++i)
      for (int j = 0; j < halo.n; ++j)
        u[i * halo.n + j] = v[i * halo.n + j];
  }
}

void several(Common<4> &common, double *u, int m) {
  common.exchange(u, m);
  common.exchange(u + 1, m);
  common.exchange(u + 2, m);
  common.exchange(u + 3, m);
}

void many(Common<9> &common, double *u, int m) {
  common.exchange(u, m);
  common.exchange(u + 1, m);
  common.exchange(u + 2, m);
  common.exchange(u + 3, m);
  common.exchange(u + 4, m);
  common.exchange(u + 5, m);
  common.exchange(u + 6, m);
  common.exchange(u + 7, m);
  common.exchange(u + 8, m);
}
