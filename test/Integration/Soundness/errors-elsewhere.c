// Error codes that are read do not keep calls blocking unless an error handler is installed. A run-time test detects
// that: by a file or a library that Comm did not compile, before the function runs or by a function that it calls.
// RUN: %mpicc -O2 -fPIC -c %S/Inputs/errors-return.c -o %t.file.o
// RUN: %mpicc -O2 -fPIC -shared %S/Inputs/errors-return.c -o %t.library.so
// RUN: %same %s -o %t -n 2 --overlaps MPI_Recv -- %t.file.o
// RUN: %same %s -o %t.linked -n 2 --overlaps MPI_Recv -- %t.library.so
// A library that is opened when the functions have been asking for a while.
// RUN: %same %s -o %t.opened -n 2 --overlaps MPI_Recv -- -DLIBRARY='"%t.library.so"'
//
// If none can be installed, the program's calls are nonblocking. Each process records its calls in a file.
// RUN: rm -rf %t.d
// RUN: mkdir %t.d
// RUN: %mpicc -O2 -DNONE -c %S/Inputs/errors-return.c -o %t.none.o
// RUN: %commcc -O2 -Wl,-z,lazy -DQUIET %s %t.none.o -o %t.quiet
// RUN: timeout 60 %mpirun -n 2 env LD_DEBUG=bindings LD_DEBUG_OUTPUT=%t.d/none %t.quiet
// RUN: cat %t.d/none.* | FileCheck %s --check-prefix=FAST
// Calls whose codes have nothing to do with the handlers of communicators, a layer over MPI, and the handler from the start.
// RUN: %mpicc -O2 -DFILES -c %S/Inputs/errors-return.c -o %t.none.o
// RUN: %commcc -O2 -Wl,-z,lazy -DQUIET %s %t.none.o -o %t.quiet
// RUN: timeout 60 %mpirun -n 2 env LD_DEBUG=bindings LD_DEBUG_OUTPUT=%t.d/files %t.quiet
// RUN: cat %t.d/files.* | FileCheck %s --check-prefix=SLOW
// RUN: %mpicc -O2 -DOVER -c %S/Inputs/errors-return.c -o %t.none.o
// RUN: %commcc -O2 -Wl,-z,lazy -DQUIET %s %t.none.o -o %t.quiet
// RUN: timeout 60 %mpirun -n 2 env LD_DEBUG=bindings LD_DEBUG_OUTPUT=%t.d/over %t.quiet
// RUN: cat %t.d/over.* | FileCheck %s --check-prefix=SLOW
// RUN: %mpicc -O2 -DNONE -c %S/Inputs/errors-return.c -o %t.none.o
// RUN: %commcc -O2 -Wl,-z,lazy -DQUIET -DAT_ONCE %s %t.none.o -o %t.quiet
// RUN: timeout 60 %mpirun -n 2 env LD_DEBUG=bindings LD_DEBUG_OUTPUT=%t.d/once %t.quiet
// RUN: cat %t.d/once.* | FileCheck %s --check-prefix=FAST
// RUN: timeout 60 %mpirun -n 2 env LD_DEBUG=bindings LD_DEBUG_OUTPUT=%t.d/returned OMPI_MCA_mpi_initial_errhandler=mpi_errors_return %t.quiet
// RUN: cat %t.d/returned.* | FileCheck %s --check-prefix=SLOW
// FAST: binding file {{.*}}.quiet {{.*}} `MPI_Irecv'
// SLOW-NOT: .quiet {{.*}} `MPI_Irecv'
#include "Inputs/soundness.h"

#include <dlfcn.h>

static double values[steps];

#ifdef QUIET
static void install(void) {}
#elif defined(LIBRARY)
static void (*install)(void);
#else
void install(void);
#endif

// Receives the first message, installs the handler if requested, and gets an error because the second one is too long.
#ifdef AT_ONCE
__attribute__((always_inline)) static inline
#else
NOINLINE
#endif
void
receive(void (*call)(void)) {
  int data[few], class;
  int code = MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  if (code != MPI_SUCCESS) {
    puts("error");
    exit(3);
  }
  say("first", total(data, few));
  if (call)
    call();
  code = MPI_Recv(data, call ? 2 : few, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  MPI_Error_class(code, &class);
  say("truncated", class == MPI_ERR_TRUNCATE);
}

NOINLINE static void send(void) {
  int data[few];
  fill(data, few, 5);
  for (int tag = 0; tag < 2; ++tag)
    MPI_Send(data, few, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int rounds = 1;
#ifndef QUIET
  rounds = 3;
#endif
  for (int round = 0; round < rounds; ++round) {
#ifdef LIBRARY
    if (round == 1)
      install = (void (*)(void))dlsym(dlopen(LIBRARY, RTLD_NOW), "install");
#endif
    if (rank == 0)
      receive(round == 0 ? NULL : install);
    else
      send();
  }
  MPI_Finalize();
  return 0;
}
