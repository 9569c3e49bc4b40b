// Calls that observe when another process started a message: a file with one tells its programmer and the other files.
// RUN: %commcc -O2 -Rcomm -c -DNONE %s -o %t.o 2>&1 | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=UNMARKED --allow-empty %s
// RUN: %commcc -O2 -g -Rcomm -c -DCALL="MPI_Waitany(2, requests, &n, MPI_STATUS_IGNORE)" %s -o %t.o 2>&1 | FileCheck --check-prefix=SEEN -DNAME=Waitany %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// RUN: %commcc -O2 -g -Rcomm -c -DCALL="MPI_Testall(2, requests, &n, MPI_STATUSES_IGNORE)" %s -o %t.o 2>&1 | FileCheck --check-prefix=SEEN -DNAME=Testall %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// RUN: %commcc -O2 -g -Rcomm -c -DCALL="MPI_Iprobe(0, 0, MPI_COMM_WORLD, &n, MPI_STATUS_IGNORE)" %s -o %t.o 2>&1 | FileCheck --check-prefix=SEEN -DNAME=Iprobe %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// RUN: %commcc -O2 -g -Rcomm -c -DCALL="MPI_Cancel(&requests[0])" %s -o %t.o 2>&1 | FileCheck --check-prefix=SEEN -DNAME=Cancel %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// RUN: %commcc -O2 -g -Rcomm -c -DCALL="PMPI_Ssend(&n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD)" %s -o %t.o 2>&1 | FileCheck --check-prefix=SEEN -DNAME=Ssend %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// Its address is enough; so are a file that is not optimized, and Fortran's name.
// RUN: %commcc -O2 -g -Rcomm -c -DCALL="keep(MPI_Test)" %s -o %t.o 2>&1 | FileCheck --check-prefix=ADDRESS %s
// RUN: %commcc -O0 -c -DCALL="MPI_Cancel(&requests[0])" %s -o %t.o
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// RUN: %commcc -O2 -c -DCALL="mpi_waitany_(&n, &n, &n, &n, &n)" %s -o %t.o
// RUN: llvm-nm %t.o | FileCheck --check-prefix=MARKER %s
// The promise says that nothing observes.
// RUN: %commcc -O2 -Rcomm -fcomm-known-sources -c -DCALL="MPI_Cancel(&requests[0])" %s -o %t.o 2>&1 | FileCheck --check-prefix=NONE --allow-empty %s
// RUN: llvm-nm %t.o | FileCheck --check-prefix=UNMARKED --allow-empty %s
// NONE-NOT: may observe which message was started first
// UNMARKED-NOT: comm.note.comm_observes_starts
// SEEN: MPI_[[NAME]] may observe which message was started first
// ADDRESS: keep may observe which message was started first
// MARKER: V comm.note.comm_observes_starts
#include <mpi.h>

void keep(int (*)(MPI_Request *, int *, MPI_Status *));
void mpi_waitany_(int *, int *, int *, int *, int *);

void observe(MPI_Request *requests, double *data) {
  int n = 2;
#ifdef CALL
  CALL;
#endif
  MPI_Irecv(data, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[1]);
}
