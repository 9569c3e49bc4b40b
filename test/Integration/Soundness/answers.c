// A process answers who asked: the start of its answer may come before the question is received, because who asked
// learns nothing by it. But where the program can see when the answer was started, it does not.
// RUN: %same %s -o %t.any -n 3 -- -DANY
// RUN: %same %s -o %t.waitany -n 3 -- -DWAITANY
// RUN: %same %s -o %t.waitsome -n 3 -- -DWAITSOME
// RUN: %same %s -o %t.test -n 3 -- -DTEST
// RUN: %same %s -o %t.status -n 3 -- -DGET_STATUS
// RUN: %same %s -o %t.probe -n 3 -- -DPROBE
// RUN: %same %s -o %t.cancel -n 3 -- -DCANCEL
// The observer is in another file: this one asks the linker.
// RUN: %same %s -o %t.files -n 3 --overlaps MPI_Recv -- -DELSEWHERE -DWAITANY %S/Inputs/observer.c
// Without an observer, the answer is in flight before the question has arrived.
// RUN: %same %s -o %t.none -n 3 --overlaps MPI_Recv
// In branches, waits leave them and test the same: in the branch that the two calls share, and after two of them.
// RUN: %same %s -o %t.branch.any -n 3 -- -DANY -DBRANCHES=0
// RUN: %same %s -o %t.branch.files -n 3 --overlaps MPI_Recv -- -DBRANCHES=0 -DELSEWHERE -DWAITANY %S/Inputs/observer.c
// RUN: %same %s -o %t.branches.files -n 3 --overlaps MPI_Recv -- -DBRANCHES=1 -DELSEWHERE -DWAITANY %S/Inputs/observer.c
// RUN: %same %s -o %t.branches.none -n 3 --overlaps MPI_Recv -- -DBRANCHES=1
// The observer is in another program, which is unknown to this one.
// RUN: %commcc -O2 %s -o %t.blind
// RUN: %commcc -O2 -DPROBE %s -o %t.sees
// RUN: %mpirun -n 1 %t.blind : -n 2 %t.sees | FileCheck %s
// CHECK: rank 1: seen 0
#ifdef ELSEWHERE
#include "Inputs/soundness.h"
enum { question = 0, answer = 1 };
void observe(void);
#else
#include "Inputs/observer.h"
#endif

static double values[steps];

NOINLINE static void answers(void) {
  int data[few], reply[few];
  fill(reply, few, 3);
#ifdef BRANCHES
  int who = rank ? -1 : 1;
  if (who >= 0)
    MPI_Recv(data, few, MPI_INT, who, question, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (who >= BRANCHES)
    MPI_Send(reply, few, MPI_INT, who, answer, MPI_COMM_WORLD);
#else
  MPI_Recv(data, few, MPI_INT, 1, question, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(reply, few, MPI_INT, 1, answer, MPI_COMM_WORLD);
#endif
  work(values);
  say("question", total(data, few));
}

NOINLINE static void late(void) {
#if defined(ANY) || defined(WAITANY) || defined(WAITSOME)
  int token = 3;
  nap(300);
  MPI_Send(&token, 1, MPI_INT, 1, answer, MPI_COMM_WORLD);
#endif
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  void (*const roles[])(void) = {answers, observe, late};
  roles[rank]();
  MPI_Finalize();
  return 0;
}
