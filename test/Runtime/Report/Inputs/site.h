// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that the compiler emits around an operation, by hand.
#ifndef SITE_H
#define SITE_H

#include <comm/report.h>
#include <mpi.h>
#include <time.h>

#define SITE(name, call, at)                                                   \
  static comm_report_site name = {                                             \
      COMM_REPORT_ABI_VERSION, at, 3, 0, call, __func__, "dir/solver.c", "",   \
      {0}, 0}

static inline void sleepMicroseconds(long us) {
  struct timespec time = {us / 1000000, us % 1000000 * 1000};
  nanosleep(&time, 0);
}

/* One barrier in flight for at least `us` microseconds. */
static inline void overlap(comm_report_site *site, long us, MPI_Comm comm) {
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  double begin = comm_report_begin(site);
  sleepMicroseconds(us);
  comm_report_end(site, begin);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* An execution that lasted this long, and no longer than our calls take; without waiting for it. */
static inline void pretend(comm_report_site *site, double seconds) {
  comm_report_end(site, comm_report_begin(site) - seconds);
}

#endif
