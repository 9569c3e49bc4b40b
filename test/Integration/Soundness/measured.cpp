// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An exchange that optionally measures itself, using a member with the type of the messages' elements: whether messages
// access it is tested at run time.
// RUN: %samexx %s -o %t -n 1,2,4
// RUN: FileCheck %s < %t.extended.remarks
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <utility>
#include <vector>

class Exchange {
  MPI_Comm comm;
  int rank, size, down, up;
  bool measures;

public:
  double seconds = 0, largest = 0;
  Exchange(MPI_Comm c, bool m) : comm(c), measures(m) {
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    down = rank ? rank - 1 : MPI_PROC_NULL;
    up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  }
  int getRank() const { return rank; }
  void operator()(std::vector<double> &v, int nx, int ny) {
    const double begin = measures ? MPI_Wtime() : 0;
    const int w = nx + 2;
    MPI_Request r[4];
    MPI_Irecv(&v[1], nx, MPI_DOUBLE, down, 1, comm, &r[0]);
    MPI_Irecv(&v[(ny + 1) * w + 1], nx, MPI_DOUBLE, up, 2, comm, &r[1]);
    MPI_Isend(&v[ny * w + 1], nx, MPI_DOUBLE, up, 1, comm, &r[2]);
    MPI_Isend(&v[w + 1], nx, MPI_DOUBLE, down, 2, comm, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    if (measures)
      seconds += MPI_Wtime() - begin;
  }
  /// The number to which it adds is received: the addition follows.
  void intoItself(double *number, double *sent, const double *weight, double *out, int n) {
    const double begin = measures ? MPI_Wtime() : 0;
    MPI_Request r[2];
    MPI_Irecv(number, 1, MPI_DOUBLE, down, 3, comm, &r[0]);
    MPI_Isend(sent, 1, MPI_DOUBLE, up, 3, comm, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    if (measures)
      largest += 1000 + 0 * (MPI_Wtime() - begin);
    for (int i = 0; i < n; ++i)
      out[i] = weight[i] * 0.5 + out[i];
  }
};

struct Level {
  int nx, ny;
  std::vector<double> now, next;
};

// CHECK: remark: splits the loop at measured.cpp:[[#@LINE+4]]: iterations that touch nothing in flight need not wait
__attribute__((noinline)) static void relax(Exchange &exchange, Level &l) {
  exchange(l.now, l.nx, l.ny);
  const int w = l.nx + 2;
  for (int j = 1; j <= l.ny; ++j)
    for (int i = 1; i <= l.nx; ++i) {
      const int at = j * w + i;
      l.next[at] = 0.25 * (l.now[at - 1] + l.now[at + 1] + l.now[at - w] + l.now[at + w]);
    }
  std::swap(l.now, l.next);
}

__attribute__((noinline)) static void work(Exchange &exchange, double *number, double *sent, const double *weight,
                                           double *out, int n) {
  exchange.intoItself(number, sent, weight, out, n);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (bool measures : {false, true}) {
    Exchange exchange(MPI_COMM_WORLD, measures || argc > 1);
    Level l{40 + argc, 30 + argc, {}, {}};
    for (int i = 0; i < (l.nx + 2) * (l.ny + 2); ++i) {
      l.now.push_back((i * 7 % 13 + exchange.getRank()) / 8.0);
      l.next.push_back(i % 5);
    }
    for (int step = 0; step < 5; ++step)
      relax(exchange, l);
    double sum = 0, sent = exchange.getRank() + 1;
    for (double x : l.now)
      sum = sum * 0.999 + x;
    std::vector<double> weight(1000, 1.5), out(1000, exchange.getRank());
    for (int step = 0; step < 3; ++step) {
      work(exchange, &exchange.largest, &sent, weight.data(), out.data(), 1000);
      sent += exchange.largest;
    }
    std::printf("rank %d measures %d: %.17g %.17g %.17g %d\n", exchange.getRank(), measures, sum, exchange.largest,
                out[999], exchange.seconds >= 0);
  }
  MPI_Finalize();
}
