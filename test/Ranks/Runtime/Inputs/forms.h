// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A collective in each of its forms.
#ifndef COMM_TEST_RANKS_FORMS_H
#define COMM_TEST_RANKS_FORMS_H

#include "expect.h"

/// The three forms of a collective. `Persistent` starts it twice.
enum { Blocking, Nonblocking, Persistent, Forms };

#define RUN(form, BLOCKING, NONBLOCKING, INIT, ...)                                                                    \
  do {                                                                                                                 \
    MPI_Request runRequest = MPI_REQUEST_NULL;                                                                         \
    if (form == Blocking)                                                                                              \
      EXPECT(BLOCKING(__VA_ARGS__) == MPI_SUCCESS);                                                                    \
    if (form == Nonblocking)                                                                                           \
      EXPECT(NONBLOCKING(__VA_ARGS__, &runRequest) == MPI_SUCCESS);                                                    \
    if (form == Persistent) {                                                                                          \
      EXPECT(INIT(__VA_ARGS__, MPI_INFO_NULL, &runRequest) == MPI_SUCCESS);                                            \
      MPI_Start(&runRequest);                                                                                          \
      MPI_Wait(&runRequest, MPI_STATUS_IGNORE);                                                                        \
      MPI_Start(&runRequest);                                                                                          \
    }                                                                                                                  \
    MPI_Wait(&runRequest, MPI_STATUS_IGNORE);                                                                          \
    if (form == Persistent)                                                                                            \
      MPI_Request_free(&runRequest);                                                                                   \
  } while (0)

#endif
