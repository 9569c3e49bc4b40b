// Requests in memory of others, slot by slot: the requests that a wait completes are known if each slot has been filled
// on each path to it, with a request or a null handle, and the array has not been accessed since. Each function below
// has a path on which a slot holds another function's request, which the wait completes as well: its message arrives
// late, and is read after the wait.
// RUN: %samexx %s -o %t -n 1,2,4 --overlaps "MPI_Waitall at filled-slots.cpp:[0-9]+, which completes MPI_Irecv"
#include "Inputs/soundness.h"

enum { places = 4, otherTag = 99 };

struct State {
  int pending, count;
  MPI_Request *all;
  MPI_Request own[places + 1];
};

static double values[steps], other[few], in[places * few];
static volatile int never = 0;

/// Data that is received late, with a request that another function started.
NOINLINE static void startOther(MPI_Request *request) {
  MPI_Irecv(other, few, MPI_DOUBLE, 0, otherTag, MPI_COMM_WORLD, request);
}

#define START(i, place) MPI_Irecv(&in[(i) * few], few, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, place)
#define WAITALL(count, places) MPI_Waitall(count, places, MPI_STATUSES_IGNORE)

static inline double sumOf(const double *numbers, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * numbers[i];
  return sum;
}

/// All is as it should be: this overlaps.
NOINLINE static void right(State *state) {
  for (int i = 0; i < places; ++i)
    START(i, &state->own[i]);
  WAITALL(places, state->own);
  work(values);
  say("right", static_cast<long>(sumOf(in, places * few)));
}

/// One slot is filled under a condition.
NOINLINE static void conditional(State *state, int isAll) {
  startOther(&state->own[1]);
  START(0, &state->own[0]);
  if (isAll)
    START(1, &state->own[1]);
  START(2, &state->own[2]);
  WAITALL(3, state->own);
  work(values);
  say("conditional", static_cast<long>(sumOf(other, few)));
}

/// A null handle is stored under a condition.
NOINLINE static void perhapsNull(State *state, int isNull) {
  startOther(&state->own[1]);
  if (isNull)
    state->own[1] = MPI_REQUEST_NULL;
  START(0, &state->own[0]);
  WAITALL(2, state->own);
  work(values);
  say("perhapsNull", static_cast<long>(sumOf(other, few)));
}

/// The number of requests that are started is not that which is waited for.
NOINLINE static void counted(State *state, int more) {
  int n = 0;
  startOther(&state->own[1 + more]);
  START(0, &state->own[n++]);
  if (more)
    START(1, &state->own[n++]);
  WAITALL(n + 1, state->own);
  work(values);
  say("counted", static_cast<long>(sumOf(other, few)));
}

/// The number has changed before the wait.
NOINLINE static void countChanges(State *state, int *count) {
  startOther(&state->own[1]);
  for (int i = 0; i < *count; ++i)
    START(i, &state->own[i]);
  state->count = 2;
  WAITALL(*count, state->own);
  work(values);
  say("countChanges", static_cast<long>(sumOf(other, few)));
}

/// The condition of the start and of the wait, which changes in between.
NOINLINE static void turned(State *state, int *count) {
  startOther(&state->own[0]);
  if (*count > 1)
    START(0, &state->own[0]);
  state->count = 2;
  if (*count > 1)
    WAITALL(1, state->own);
  work(values);
  say("turned", static_cast<long>(sumOf(other, few)));
}

/// The second of two loops leaves a gap: the slots begin one later.
NOINLINE static void gap(State *state, int n, int shift) {
  startOther(&state->own[n]);
  for (int i = 0; i < n; ++i)
    START(i, &state->own[i]);
  for (int i = 0; i < n; ++i)
    START(n + i, &state->own[n + i + shift]);
  WAITALL(2 * n + shift, state->own);
  work(values);
  say("gap", static_cast<long>(sumOf(other, few)));
}

/// The array is a different one.
NOINLINE static void moved(State *state, MPI_Request **where, MPI_Request *others) {
  startOther(&others[1]);
  MPI_Request *first = state->all;
  START(0, &state->all[0]);
  START(1, &state->all[1]);
  *where = others;
  WAITALL(2, state->all);
  work(values);
  double sum = sumOf(other, few);
  WAITALL(2, first);
  say("moved", static_cast<long>(sum));
}

/// It was already a different one before the starts.
NOINLINE static void movedBefore(State *state, MPI_Request **where, MPI_Request *others) {
  startOther(&others[0]);
  MPI_Request *first = state->all;
  *where = others;
  START(0, &first[0]);
  WAITALL(1, state->all);
  work(values);
  double sum = sumOf(other, few);
  WAITALL(1, first);
  say("movedBefore", static_cast<long>(sum));
}

/// Another function waits for the start, and reuses its slot.
NOINLINE static void takeOver(MPI_Request *request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
  startOther(request);
}
NOINLINE static void called(State *state) {
  START(0, &state->own[0]);
  START(1, &state->own[1]);
  takeOver(&state->own[1]);
  WAITALL(2, state->own);
  work(values);
  say("called", static_cast<long>(sumOf(other, few)));
}

/// A request comes from elsewhere by a copy.
NOINLINE static void copied(State *state) {
  MPI_Request elsewhere;
  startOther(&elsewhere);
  START(0, &state->own[0]);
  START(1, &state->own[1]);
  MPI_Request kept = state->own[1];
  state->own[1] = elsewhere;
  WAITALL(2, state->own);
  work(values);
  double sum = sumOf(other, few);
  MPI_Wait(&kept, MPI_STATUS_IGNORE);
  say("copied", static_cast<long>(sum));
}

/// The last request is not waited for here, but later, and arrives late. No other pointer to its buffer
/// exists.
NOINLINE static void rest(State *state, int isMore) {
  double *buffer = static_cast<double *>(calloc(2 * few, sizeof(double)));
  double last[few];
  MPI_Request answer;
  int n = 0;
  START(0, &state->own[n++]);
  if (isMore)
    MPI_Irecv(buffer, few, MPI_DOUBLE, 0, otherTag, MPI_COMM_WORLD, &state->own[n++]);
  WAITALL(n - 1, state->own);
  work(values);
  MPI_Wait(&state->own[n - 1], MPI_STATUS_IGNORE);
  for (int i = 0; i < few; ++i)
    last[i] = 2 * buffer[i];
  MPI_Isend(last, few, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &answer);
  MPI_Recv(buffer + few, few, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&answer, MPI_STATUS_IGNORE);
  say("rest", static_cast<long>(sumOf(buffer, 2 * few)));
  free(buffer);
}

/// Control leaves the function before the wait: others wait for its starts, and the buffer, to which no other pointer
/// exists, changes at that time.
NOINLINE static void finish(State *state) { WAITALL(2, state->own); }
NOINLINE static double leave(State *state, double *buffer, int isAll) {
  MPI_Irecv(buffer, few, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &state->own[0]);
  MPI_Irecv(buffer + few, few, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &state->own[1]);
  if (!isAll)
    return 0;
  WAITALL(2, state->own);
  return work(values), 1;
}
NOINLINE static void left(State *state) {
  double *buffer = static_cast<double *>(calloc(2 * few, sizeof(double)));
  double before = leave(state, buffer, never) + sumOf(buffer, 2 * few);
  finish(state);
  say("left", static_cast<long>(sumOf(buffer, 2 * few) + (before >= 0)));
  free(buffer);
}

NOINLINE static void receiver() {
  State state;
  MPI_Request others[places + 1];
  auto reset = [&]() {
    for (int i = 0; i <= places; ++i)
      state.own[i] = others[i] = MPI_REQUEST_NULL;
    state.all = state.own;
    state.count = 1;
    memset(other, 0, sizeof other);
  };
  reset();
  right(&state);
  reset();
  conditional(&state, never);
  reset();
  perhapsNull(&state, never);
  reset();
  counted(&state, 1);
  reset();
  countChanges(&state, &state.count);
  reset();
  turned(&state, &state.count);
  reset();
  gap(&state, 1, 1);
  reset();
  moved(&state, &state.all, others);
  reset();
  movedBefore(&state, &state.all, others);
  reset();
  called(&state);
  reset();
  copied(&state);
  reset();
  rest(&state, 1);
  reset();
  left(&state);
}

/// Sends the messages of the places that are given, and much later the other one.
NOINLINE static void send(int tags, bool isOther = true) {
  double message[few];
  auto fill = [&](int number) {
    for (int k = 0; k < few; ++k)
      message[k] = number + k;
  };
  for (int to = 1; to < size; ++to)
    for (int tag = 0; tag < places; ++tag)
      if (tags & (1 << tag)) {
        fill(to + tag);
        MPI_Send(message, few, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
      }
  if (!isOther)
    return;
  nap(40);
  for (int to = 1; to < size; ++to) {
    fill(10 * to);
    MPI_Send(message, few, MPI_DOUBLE, to, otherTag, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0) {
    send(15, false); // right
    send(5);         // conditional
    send(1);         // perhapsNull
    send(3);         // counted
    send(1);         // countChanges
    send(0);         // turned
    send(3);         // gap
    send(3);         // moved
    send(1);         // movedBefore
    send(3);         // called
    send(3);         // copied
    send(1);         // rest
    send(3, false);  // left
  } else {
    receiver();
  }
  MPI_Finalize();
  return 0;
}
