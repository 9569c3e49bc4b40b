// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of this folder check. A check that fails ends the program: the line that says "as expected" never comes.
#ifndef COMM_TEST_RANKS_EXPECT_H
#define COMM_TEST_RANKS_EXPECT_H

#include <mpi.h>
#include <stdio.h>

#define EXPECT(condition)                                                                                              \
  do                                                                                                                   \
    if (!(condition)) {                                                                                                \
      int expectRank;                                                                                                  \
      MPI_Comm_rank(MPI_COMM_WORLD, &expectRank);                                                                      \
      printf("rank %d: line %d: not so: %s\n", expectRank, __LINE__, #condition);                                      \
      fflush(stdout);                                                                                                  \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                                    \
    }                                                                                                                  \
  while (0)

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

/// Errors return, from all that is not a window or file, whose errors have handlers of their own.
static inline void returnErrors(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

/// Ends a test that all ranks have passed.
static inline int asExpected(const char *test) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s: %d ranks: as expected\n", test, size);
  MPI_Finalize();
  return 0;
}

#endif
