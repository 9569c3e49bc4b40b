// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measurements of both forms of a call, by several threads simultaneously; sites that the compiler lists but that are
// not executed; and a folder in which each run has a separate file.
//
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %mpicc -g -O1 -pthread -I%comm_runtime_include %s %comm_runtime_lib -o %t
// RUN: env -u COMM_REPORT_FILE %mpirun -n 2 %t
// RUN: env -u COMM_REPORT_FILE %mpirun -n 2 %t
// RUN: env COMM_REPORT_FILE=%t.dir/named.json %mpirun -n 1 %t
// RUN: ls %t.dir/runs | count 2
// RUN: %python %S/Inputs/forms.py 2 %t.dir/runs/*.json
// RUN: %python %S/Inputs/forms.py 1 %t.dir/named.json

#include <mpi.h>

#include "Inputs/site.h"
#include <pthread.h>

enum { threads = 4, count = 5000 };
#define LISTED __attribute__((section("comm_report_v3"), aligned(8), used))
LISTED static comm_report_site both = {COMM_REPORT_ABI_VERSION, 10, 3, 0, "MPI_Bcast", "run", "forms.c", "m.c:1:2", {0}, 0};
LISTED static comm_report_site never = {COMM_REPORT_ABI_VERSION, 20, 3, 0, "MPI_Bcast", "run", "forms.c", "", {0}, 0};
LISTED static comm_report_site begun = {COMM_REPORT_ABI_VERSION, 30, 3, 0, "MPI_Bcast", "run", "forms.c", "", {0}, 0};

static void *run(void *unused) {
  for (int i = 0; i < count; ++i) {
    // Durations of many seconds, so that a busy machine does not matter.
    double begin = comm_report_started(&both, comm_report_enter(&both) - 100, i % 2 ? 8 : -1);
    double ended = comm_report_end(&both, begin - 200);
    comm_report_waited(&both, comm_report_turn(&both, ended) - 300);
    comm_report_blocked(&both, comm_report_enter(&both) - (i % 2 ? 400 : 600), 24);
    // The start was not executed on this path.
    comm_report_waited(&both, comm_report_turn(&both, comm_report_end(&both, 0)));
  }
  return unused;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  comm_report_file("runs/");
  comm_report_init();
  pthread_t workers[threads];
  for (int i = 0; i < threads; ++i)
    pthread_create(&workers[i], 0, run, 0);
  for (int i = 0; i < threads; ++i)
    pthread_join(workers[i], 0);
  comm_report_begin(&begun);
  MPI_Datatype four;
  MPI_Type_contiguous(4, MPI_DOUBLE, &four);
  if (comm_report_size(MPI_INT) != sizeof(int) || comm_report_size(four) != 32)
    return 1;
  MPI_Type_free(&four);
  MPI_Finalize();
  return 0;
}
