// Critical sections, atomics and locks are private to a region if the program has no other threads: not in functions
// that threads of a region run.
// RUN: env OMP_NUM_THREADS=2 OMP_MAX_ACTIVE_LEVELS=2 %same %s -o %t -n 2 --overlaps MPI_Recv -- -fopenmp
// RUN: %commcc -O2 -fopenmp -fcomm-cost=none -Rcomm %s -o %t.alone 2>&1 | FileCheck %s --check-prefixes=CHECK,ALONE
// RUN: %commcc -O2 -fopenmp -fcomm-cost=none -Rcomm -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,PART
// RUN: %commcc -O2 -fopenmp -fcomm-cost=none -Rcomm -DTHREADS %s -o %t.threads 2>&1 | FileCheck %s --check-prefixes=CHECK,PART
#include "Inputs/soundness.h"
#include <omp.h>
#include <pthread.h>

static int everywhere[few], parts[64], flagged, seen, counted;
static omp_lock_t lock;

#define RECEIVE(BUFFER, TAG) MPI_Recv(BUFFER, few, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE)

NOINLINE static void critical(void) {
  int own[few];
  // ALONE-DAG: openmp-alone.c:[[# @LINE + 2]]:{{.*}} MPI_Recv at {{.*}} overlaps 1 OpenMP region
  // PART-DAG: openmp-alone.c:[[# @LINE + 1]]:{{.*}} it enters a critical section
  RECEIVE(own, 0);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) {
#pragma omp critical(adding)
    counted += i;
  }
  say("critical", total(own, few) + counted);
}

NOINLINE static void atomics(void) {
  int own[few];
  // ALONE-DAG: openmp-alone.c:[[# @LINE + 2]]:{{.*}} MPI_Recv at {{.*}} overlaps 1 OpenMP region
  // PART-DAG: openmp-alone.c:[[# @LINE + 1]]:{{.*}} it has an atomic access
  RECEIVE(own, 1);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) {
#pragma omp atomic
    parts[i % 8] += i;
  }
  say("atomics", total(own, few) + total(parts, 8));
}

NOINLINE static void locks(void) {
  int own[few];
  // ALONE-DAG: openmp-alone.c:[[# @LINE + 2]]:{{.*}} MPI_Recv at {{.*}} overlaps 1 OpenMP region
  // PART-DAG: openmp-alone.c:[[# @LINE + 1]]:{{.*}} it takes a lock
  RECEIVE(own, 2);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) {
    omp_set_lock(&lock);
    counted -= i;
    omp_unset_lock(&lock);
  }
  say("locks", total(own, few) + counted);
}

/// Another thread of the region around it looks.
NOINLINE static void tell(void) {
  // CHECK-DAG: openmp-alone.c:[[# @LINE + 1]]:{{.*}} MPI_Recv at {{.*}} overlaps 0 loops, 2 statements
  RECEIVE(everywhere, 3);
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    flagged |= 1;
  }
  usleep(50000);
}

NOINLINE static void within(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      tell();
    } else {
      for (int told = 0; !told;) {
#pragma omp atomic read
        told = flagged;
#pragma omp flush
        usleep(100);
      }
      seen = (int)total(everywhere, few);
    }
  }
  say("seen", seen);
}

#ifdef THREADS
static void *look(void *unused) { return unused; }
#endif

int main(int argc, char **argv) {
  int provided, buffer[few];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef THREADS
  pthread_t thread;
  if (pthread_create(&thread, NULL, look, NULL) == 0)
    pthread_join(thread, NULL);
#endif
  fill(buffer, few, 1);
  omp_init_lock(&lock);
  if (rank == 0) {
    critical();
    atomics();
    locks();
    within();
  } else {
    for (int tag = 0; tag < 4; ++tag) {
      fill(buffer, few, 5 + tag);
      nap(100);
      MPI_Send(buffer, few, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
