// A parallel region may notify other threads, print, read files, call MPI, or end the program.
// RUN: env OMP_NUM_THREADS=2 OMP_MAX_ACTIVE_LEVELS=2 %samexx %s -o %t -n 2 --overlaps MPI_Recv -- -fopenmp -pthread
// RUN: env OMP_NUM_THREADS=2 %samexx %s -o %t.exit -n 2 --overlaps MPI_Recv -- -fopenmp -pthread -DEXITS
#include "Inputs/soundness.h"
#include <atomic>
#include <omp.h>
#include <thread>

enum { byLock, byCritical, byAtomic, byStandardAtomic, byVolatile, byFlush, ways };
static double values[steps];
static int buffer[few], parts[64], plain, flagged;
static std::atomic<int> ready;
static volatile int noticed;
static omp_lock_t lock;

/// Whether the region has reported the message.
NOINLINE static int isTold(int way) {
  int told = 0;
  switch (way) {
  case byLock:
    omp_set_lock(&lock);
    told = plain;
    omp_unset_lock(&lock);
    return told;
  case byCritical:
#pragma omp critical(telling)
    told = plain;
    return told;
  case byAtomic:
#pragma omp atomic read
    told = flagged;
#pragma omp flush
    return told;
  case byStandardAtomic:
    return ready.load(std::memory_order_acquire);
  case byVolatile:
    told = noticed;
    std::atomic_thread_fence(std::memory_order_acquire);
    return told;
  default: {
#pragma omp flush
#pragma omp atomic read
    told = flagged;
#pragma omp flush
    return told;
  }
  }
}

static void listen(int way) {
  while (!isTold(way))
    usleep(100);
  say("another thread read", total(buffer, few));
}

static void forget() {
  plain = flagged = noticed = 0;
  ready = 0;
}

static inline void needsNothing() {
#pragma omp parallel for
  for (int i = 1; i < steps; ++i)
    values[i] = values[i] * 0.5 + i;
}

#define RECEIVE_INTO(WHERE, TAG) MPI_Recv(WHERE, few, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
#define RECEIVE(TAG) RECEIVE_INTO(buffer, TAG)

NOINLINE static void tellByLock() {
  RECEIVE(0);
#pragma omp parallel
#pragma omp master
  {
    omp_set_lock(&lock);
    plain = 1;
    omp_unset_lock(&lock);
  }
  needsNothing();
  usleep(50000);
}

NOINLINE static void tellByCritical() {
  RECEIVE(1);
#pragma omp parallel
  {
#pragma omp critical(telling)
    plain = 1;
  }
  needsNothing();
  usleep(50000);
}

NOINLINE static void tellByAtomic() {
  RECEIVE(2);
#pragma omp parallel
#pragma omp master
  {
#pragma omp atomic write
    flagged = 1;
  }
  needsNothing();
  usleep(50000);
}

NOINLINE static void tellByStandardAtomic() {
  RECEIVE(3);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) {
    parts[i] = i;
    if (i == 32)
      ready.store(1, std::memory_order_release);
  }
  needsNothing();
  usleep(50000);
}

NOINLINE static void tellByVolatile() {
  RECEIVE(4);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i)
    if (i == 32)
      noticed = 1;
  needsNothing();
  usleep(50000);
}

NOINLINE static void tellByFlush() {
  RECEIVE(5);
#pragma omp parallel
#pragma omp master
  {
#pragma omp flush
#pragma omp atomic write
    flagged = 1;
  }
  needsNothing();
  usleep(50000);
}

/// A nested region notifies another thread of the outer one.
NOINLINE static void tellOuter() {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      RECEIVE(6);
#pragma omp parallel num_threads(2)
      {
#pragma omp atomic
        flagged |= 1;
      }
      needsNothing();
      usleep(50000);
    } else {
      listen(byAtomic);
    }
  }
}

/// Called by all threads of a region: the constructs order them.
NOINLINE static void orphaned() {
#pragma omp master
  {
    RECEIVE(7);
    for (int i = 1; i < steps; ++i)
      values[i] = values[i] * 0.5 + i;
  }
#pragma omp barrier
#pragma omp for
  for (int i = 0; i < 64; ++i)
    parts[i] = buffer[i % few] - i;
}

NOINLINE static int readNumber(const char *name) {
  int number = -1;
  if (FILE *file = fopen(name, "r")) {
    if (fscanf(file, "%d", &number) != 1)
      number = -2;
    fclose(file);
  }
  return number;
}

/// The message says that a file has been written.
NOINLINE static void readFile(const char *name) {
  int own[few];
  RECEIVE_INTO(own, 8);
#pragma omp parallel
#pragma omp single
  parts[0] = readNumber(name);
  say("file", parts[0] + total(own, few));
}

/// Output stays where it is.
NOINLINE static void print() {
  int own[few];
  RECEIVE_INTO(own, 9);
#pragma omp parallel
#pragma omp master
  puts("rank 0: printed in a region");
  say("then", total(own, few));
}

/// Messages from one process keep their order.
NOINLINE static void answer() {
  int own[few], next[few];
  RECEIVE_INTO(own, 10);
#pragma omp parallel
  {
#pragma omp master
    RECEIVE_INTO(next, 10);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 64; ++i)
      parts[i] = 2 * next[i % few];
  }
  say("answers", total(parts, 64) + total(own, few));
}

/// Functions that run at exit see the message.
NOINLINE static void finish(int code) {
  RECEIVE(11);
  needsNothing();
#pragma omp parallel
#pragma omp master
  if (code == 1)
    exit(0);
  say("not here", 1);
}

static void atEnd() {
  say("at exit", total(buffer, few));
  MPI_Finalize();
}

NOINLINE static void apart() {
  int own[few];
  MPI_Recv(own, few, MPI_INT, 1, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  needsNothing();
  say("apart", total(own, few));
}

static void first(const char *name) {
  void (*const tell[])() = {tellByLock,           tellByCritical, tellByAtomic,
                            tellByStandardAtomic, tellByVolatile, tellByFlush};
  omp_init_lock(&lock);
  for (int way = 0; way < ways; ++way) {
    forget();
    std::thread other(listen, way);
    tell[way]();
    other.join();
  }
  forget();
  tellOuter();
#pragma omp parallel
  orphaned();
  say("orphaned", total(parts, 64));
  readFile(name);
  print();
  answer();
}

static void second(const char *name) {
  int data[few];
  for (int tag = 0; tag < 11; ++tag) {
    fill(data, few, 5 + tag);
    nap(100); // the receiver is ready
    if (tag == 8) {
      FILE *file = fopen(name, "w");
      fprintf(file, "%d\n", 42);
      fclose(file);
    }
    MPI_Send(data, few, MPI_INT, 0, tag, MPI_COMM_WORLD);
    if (tag == 10) {
      fill(data, few, 50);
      MPI_Send(data, few, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
  }
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[4096];
  snprintf(name, sizeof name, "%s.token", argv[0]);
  if (rank == 0)
    remove(name);
  MPI_Barrier(MPI_COMM_WORLD);
  int data[few];
  fill(data, few, 77);
  if (rank != 0) {
    nap(30);
    MPI_Send(data, few, MPI_INT, 0, 12, MPI_COMM_WORLD);
  } else {
    apart();
  }
#ifdef EXITS
  if (rank == 0) {
    atexit(atEnd);
    finish(argc);
  }
  nap(30);
  MPI_Send(data, few, MPI_INT, 0, 11, MPI_COMM_WORLD);
#else
  if (rank == 0)
    first(name);
  else
    second(name);
#endif
  MPI_Finalize();
  return 0;
}
