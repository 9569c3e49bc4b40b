// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "site.h"

const char *comm_report_mode __attribute__((weak)) = "extended";

/* The same site as in the main file: an inline function compiled twice. */
static void shared(void) {
  SITE(site, "MPI_Barrier", 30);
  overlap(&site, 1000, MPI_COMM_WORLD);
}

void other(void) {
  for (int i = 0; i < 3; ++i)
    shared();
}
