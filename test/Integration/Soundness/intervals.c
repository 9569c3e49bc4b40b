// Two clock readings each around two intervals whose differences are only summed: a wait may move from the first to the
// second interval, so that the sum stays the same. An interval without a successor, one that is not summed, and a
// single time keep their messages.
// RUN: %same %s -o %t -n 2 --overlaps "MPI_Recv at intervals.c:18"
// RUN: FileCheck %s < %t.extended.remarks
#include "Inputs/soundness.h"

enum { late = 40 };
static double values[steps], sums[2];

static int isLate(double seconds) { return seconds > late * 0.0005; }

// The sum of both intervals is printed, as in profiles of programs.
NOINLINE static void first(void) {
  int data[few];
  for (int turn = 0; turn < 2; ++turn) {
    double begin = MPI_Wtime();
    MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sums[0] += MPI_Wtime() - begin;
    begin = MPI_Wtime();
    work(values);
    data[0] += (int)values[steps - 1];
    sums[1] += MPI_Wtime() - begin;
    say("data", total(data, few));
  }
  say("both", isLate(sums[0] + sums[1]));
}

// One reading ends an interval and starts the next one.
NOINLINE static void shared(void) {
  int data[few];
  sums[0] = sums[1] = 0;
  for (int turn = 0; turn < 2; ++turn) {
    double begin = MPI_Wtime();
    // CHECK: intervals.c:[[#@LINE+1]]:{{.*}} remark: MPI_Recv at intervals.c:[[#@LINE+1]] overlaps
    MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double received = MPI_Wtime();
    work(values);
    data[0] += (int)values[steps - 1];
    double end = MPI_Wtime();
    sums[0] += received - begin;
    sums[1] += end - received;
    say("data", total(data, few));
  }
  say("both", isLate(sums[0] + sums[1]));
}

// A benchmark: code after the interval is not measured.
NOINLINE static void single(void) {
  int data[few];
  double begin = MPI_Wtime();
  MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double end = MPI_Wtime();
  work(values);
  say("single", isLate(end - begin));
  say("data", total(data, few) + (int)values[steps - 1]);
}

// A profile: the waiting time would not be in any interval.
NOINLINE static void profile(void) {
  int data[few];
  for (int turn = 0; turn < 2; ++turn) {
    double begin = MPI_Wtime();
    // CHECK: intervals.c:[[#@LINE+1]]:{{.*}} remark: MPI_Recv at intervals.c:[[#@LINE+1]] overlaps
    MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sums[0] += MPI_Wtime() - begin;
    work(values);
    say("data", total(data, few) + (int)values[steps - 1]);
  }
}

// A profile that an option asks for.
NOINLINE static void optional(int measures) {
  int data[few];
  for (int turn = 0; turn < 2; ++turn) {
    double begin = measures ? MPI_Wtime() : 0;
    // CHECK: intervals.c:[[#@LINE+1]]:{{.*}} remark: MPI_Recv at intervals.c:[[#@LINE+1]] overlaps
    MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (measures)
      sums[0] += MPI_Wtime() - begin;
    work(values);
    say("data", total(data, few) + (int)values[steps - 1]);
  }
}

// Printed separately, and compared with another time.
NOINLINE static void optionalSingle(int measures) {
  int data[few];
  double begin = measures ? MPI_Wtime() : 0, taken = 0;
  MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (measures)
    taken = MPI_Wtime() - begin;
  work(values);
  say("optional", isLate(taken));
  say("data", total(data, few) + (int)values[steps - 1]);
}

// A decision by one of two intervals.
NOINLINE static void compared(void) {
  int data[few];
  double begin = MPI_Wtime();
  MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double received = MPI_Wtime();
  int isLong = (received - begin) * 2000 > late;
  double again = MPI_Wtime();
  work(values);
  sums[1] += MPI_Wtime() - again;
  say("compared", isLong);
  say("data", total(data, few) + (int)values[steps - 1]);
}

// A time by itself can be compared with that of another process.
NOINLINE static void absolute(double start) {
  int data[few];
  MPI_Recv(data, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double end = MPI_Wtime();
  double begin = MPI_Wtime();
  work(values);
  sums[1] += MPI_Wtime() - begin;
  say("absolute", isLate(end - start));
  say("data", total(data, few) + (int)values[steps - 1]);
}

NOINLINE static void second(void) {
  int data[few];
  fill(data, few, 5);
  for (int message = 0; message < 12; ++message) {
    nap(late);
    MPI_Send(data, few, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    first();
    shared();
    single();
    compared();
    absolute(MPI_Wtime());
    profile();
    optional(argc);
    optionalSingle(argc);
  } else {
    second();
  }
  MPI_Finalize();
  return 0;
}
