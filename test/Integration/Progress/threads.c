// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads that may call MPI in loops (MPI-4, 11.6): all with MPI_THREAD_MULTIPLE; none with MPI_THREAD_SERIALIZED,
// where another thread may be in MPI; otherwise the main thread. Other threads call nothing.
// REQUIRES: openmpi
// RUN: env COMM_COST=none %commcc -O2 -pthread %s -o %t
// RUN: %brief -n 2 %t 0 | FileCheck --check-prefix=MAIN %s
// RUN: %brief -n 2 %t 1 | FileCheck --check-prefix=MAIN %s
// RUN: %brief -n 2 %t 2 | FileCheck --check-prefix=NONE %s
// RUN: %brief -n 2 %t 3 | FileCheck --check-prefix=ALL %s
// None in a program that may create sessions, which have levels of their own.
// RUN: %mpicc -O2 -c -DSTUB -I%S/../Collectives/Inputs -I%S/../Soundness/Inputs %S/../Collectives/sessions.c -o %t.stub.o
// RUN: env COMM_COST=none %commcc -O2 -pthread -DMAY_USE_SESSIONS %s %t.stub.o -o %t.sessions
// RUN: %brief -n 2 %t.sessions 0 | FileCheck --check-prefix=SESSIONS %s
// SESSIONS: main thread: asks nothing
// MAIN: main thread: asks{{$}}
// NONE: main thread: asks nothing
// NONE: other thread: asks nothing
// ALL: main thread: asks{{$}}
// ALL: other thread: asks{{$}}
#include "Inputs/count.h"
#include <pthread.h>

#ifdef MAY_USE_SESSIONS
#if MPI_VERSION < 4
typedef void *MPI_Session;
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session);
#endif
#endif

enum { bytes = 1 << 20 };
static char in[bytes], out[bytes];
static double result;

static NOINLINE void *compute(void *ignored) {
  double x = 1;
  MPI_Sendrecv(in, bytes, MPI_BYTE, 1 - rank, 0, out, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 0; i < 10000000; ++i)
    x = x * 0.999999 + 0.5;
  result = x;
  return NULL;
}

int main(int argc, char **argv) {
  static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  int level = atoi(argv[1]), provided;
  MPI_Init_thread(&argc, &argv, levels[level], &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (provided != levels[level])
    MPI_Abort(MPI_COMM_WORLD, 1);
  compute(NULL);
  say("main thread");
  if (level >= 2) {
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    pthread_join(thread, NULL);
    say("other thread");
  }
#ifdef MAY_USE_SESSIONS
  MPI_Session session;
  if (argc > 9) // the possibility is enough
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
#endif
  if (result < 0)
    say("never");
  MPI_Finalize();
  return 0;
}
