// Windows: a get writes its buffer and a put reads it until the fence that completes them, and others read and write a
// window's memory between fences. Nothing that touches memory, and no other communication, crosses an operation on a window.
// RUN: %same %s -o %t -n 2 --overlaps MPI_Recv
#include "Inputs/soundness.h"

static double values[steps];
static int memory[2 * few]; // the window: the other process reads the first half and writes the second

NOINLINE static void first(MPI_Win win) {
  int buffer[few], in[few], out[few];
  fill(memory, 2 * few, 0);
  fill(in, few, -100);
  MPI_Win_fence(0, win);

  // The other process gets data that depends on a message that is late.
  MPI_Recv(buffer, few, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < few; ++i)
    memory[i] = buffer[i] + 1;
  MPI_Win_fence(0, win);
  work(values);
  MPI_Win_fence(0, win);

  // The data of a get is available at the fence, but not earlier; a message is in flight in the meantime.
  MPI_Get(in, few, MPI_INT, 1, 0, few, MPI_INT, win);
  MPI_Recv(buffer, few, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  MPI_Win_fence(0, win);
  say("got", total(in, few));
  say("received", total(buffer, few));

  // The source of a put changes after the fence.
  fill(out, few, 7);
  MPI_Put(out, few, MPI_INT, 1, few, few, MPI_INT, win);
  MPI_Recv(buffer, few, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  MPI_Win_fence(0, win);
  fill(out, few, 1000);
  say("changed", total(out, few) + buffer[1]);

  // Data that was put here is read after the fence.
  MPI_Recv(buffer, few, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  work(values);
  say("put here", total(memory + few, few));
  say("at last", total(buffer, few));

  // A message is received while nothing of the window is about: it overlaps.
  MPI_Recv(buffer, few, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(values);
  say("overlapped", total(buffer, few));

  // The passive target: data that flush completes is read after it.
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  MPI_Get(in, few, MPI_INT, 1, few, few, MPI_INT, win);
  MPI_Recv(buffer, few, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_flush(1, win);
  say("flushed", total(in, few));
  MPI_Win_unlock(1, win);
  say("unlocked", total(buffer, few));
}

NOINLINE static void second(MPI_Win win) {
  int buffer[few], in[few], out[few];
  fill(memory, 2 * few, 500);
  fill(buffer, few, 40);
  MPI_Win_fence(0, win);
  nap(60);
  MPI_Send(buffer, few, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Win_fence(0, win);
  MPI_Get(in, few, MPI_INT, 0, 0, few, MPI_INT, win);
  MPI_Win_fence(0, win);
  say("got", total(in, few));

  nap(60);
  MPI_Send(buffer, few, MPI_INT, 0, 1, MPI_COMM_WORLD);
  MPI_Win_fence(0, win);

  nap(60);
  MPI_Send(buffer, few, MPI_INT, 0, 2, MPI_COMM_WORLD);
  MPI_Win_fence(0, win);
  say("put here", total(memory + few, few));

  fill(out, few, 90);
  MPI_Put(out, few, MPI_INT, 0, few, few, MPI_INT, win);
  nap(60);
  MPI_Send(buffer, few, MPI_INT, 0, 3, MPI_COMM_WORLD);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  nap(60);
  MPI_Send(buffer, few, MPI_INT, 0, 4, MPI_COMM_WORLD);
  MPI_Send(buffer, few, MPI_INT, 0, 5, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (rank == 0)
    first(win);
  else
    second(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
