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

/// Errors return, from all that is not a window or file, whose errors have handlers of their own.
static inline void returnErrors(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

/// Begins a test in which errors return.
static inline void begin(int *argc, char ***argv, int *rank, int *size) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  returnErrors();
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
