// Requests in memory of others: a member of a caller's structure, as in miniFE. The requests that a loop of waits
// completes are known if an earlier loop has just filled all slots; if others store requests there it waits for those
// as well.
// RUN: %samexx %s -o %t -n 1,2,4 --overlaps "MPI_Wait at request-sets.cpp:[0-9]+, which completes MPI_Irecv"
#include "Inputs/soundness.h"

#include <vector>

enum { places = 3, otherTag = 99 };

struct Matrix {
  std::vector<int> neighbors;
  std::vector<MPI_Request> requests;
  std::vector<double> values;
};

static double values[steps], other[few], in[places * few];
static volatile int never = 0;

/// Data that is received late, with a request that another function started.
NOINLINE static void startOther(MPI_Request *request) {
  MPI_Irecv(other, few, MPI_DOUBLE, 0, otherTag, MPI_COMM_WORLD, request);
}

#define START(i, place) MPI_Irecv(&in[(i) * few], few, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, place)
#define WAIT(place) MPI_Wait(place, MPI_STATUS_IGNORE)

static inline double sumOfOther() {
  double sum = 0;
  for (int i = 0; i < few; ++i)
    sum = 2 * sum + other[i];
  return sum;
}

NOINLINE static void exchange(Matrix &matrix) {
  int n = static_cast<int>(matrix.neighbors.size());
  for (int i = 0; i < n; ++i)
    MPI_Irecv(&matrix.values[i * few], few, MPI_DOUBLE, matrix.neighbors[i], i, MPI_COMM_WORLD, &matrix.requests[i]);
  MPI_Status status;
  for (int i = 0; i < n; ++i)
    MPI_Wait(&matrix.requests[i], &status);
  work(values);
  double sum = 0;
  for (int i = 0; i < n * few; ++i)
    sum = 2 * sum + matrix.values[i];
  say("exchange", static_cast<long>(sum));
}

/// Another request is put in the place of one.
NOINLINE static void stored(MPI_Request *requests, int n) {
  MPI_Request elsewhere;
  startOther(&elsewhere);
  for (int i = 0; i < n; ++i)
    START(i, &requests[i]);
  MPI_Request kept = requests[0];
  requests[0] = elsewhere;
  for (int i = 0; i < n; ++i)
    WAIT(&requests[i]);
  work(values);
  double sum = sumOfOther();
  WAIT(&kept);
  say("stored", static_cast<long>(sum));
}

/// More are waited for than were started.
NOINLINE static void more(MPI_Request *requests, int n, int all) {
  startOther(&requests[n]);
  for (int i = 0; i < n; ++i)
    START(i, &requests[i]);
  for (int i = 0; i < all; ++i)
    WAIT(&requests[i]);
  work(values);
  say("more", static_cast<long>(sumOfOther()));
}

/// The starts do not run, or not all.
NOINLINE static void guarded(MPI_Request *requests, int n, int starts) {
  startOther(&requests[0]);
  if (starts)
    for (int i = 0; i < n; ++i)
      START(i, &requests[i]);
  for (int i = 0; i < n; ++i)
    WAIT(&requests[i]);
  work(values);
  say("guarded", static_cast<long>(sumOfOther()));
}

NOINLINE static void some(MPI_Request *requests, int n, int first) {
  startOther(&requests[0]);
  for (int i = 0; i < n; ++i)
    if (i >= first)
      START(i, &requests[i]);
  for (int i = 0; i < n; ++i)
    WAIT(&requests[i]);
  work(values);
  say("some", static_cast<long>(sumOfOther()));
}

/// The places are others by the time of the waits.
struct Holder {
  MPI_Request *requests;
};
NOINLINE static void moved(Holder *holder, MPI_Request *others, int n) {
  startOther(&others[0]);
  MPI_Request *first = holder->requests;
  for (int i = 0; i < n; ++i)
    START(i, &holder->requests[i]);
  holder->requests = others;
  for (int i = 0; i < n; ++i)
    WAIT(&holder->requests[i]);
  work(values);
  double sum = sumOfOther();
  for (int i = 0; i < n; ++i)
    WAIT(&first[i]);
  say("moved", static_cast<long>(sum));
}

/// They were others before the starts already.
NOINLINE static void movedBefore(Holder *holder, MPI_Request **where, MPI_Request *others, int n) {
  startOther(&others[0]);
  MPI_Request *first = holder->requests;
  if (never == 0)
    *where = others;
  for (int i = 0; i < n; ++i)
    START(i, &first[i]);
  MPI_Request *second = holder->requests;
  for (int i = 0; i < n; ++i)
    WAIT(&second[i]);
  work(values);
  double sum = sumOfOther();
  for (int i = 0; i < n; ++i)
    WAIT(&first[i]);
  say("movedBefore", static_cast<long>(sum));
}

/// Another function waits for the starts, and reuses the slots.
NOINLINE static void takeOver(MPI_Request *requests) {
  WAIT(&requests[0]);
  startOther(&requests[0]);
}
NOINLINE static void called(MPI_Request *requests, int n) {
  for (int i = 0; i < n; ++i)
    START(i, &requests[i]);
  takeOver(requests);
  for (int i = 0; i < n; ++i)
    WAIT(&requests[i]);
  work(values);
  say("called", static_cast<long>(sumOfOther()));
}

NOINLINE static void receiver() {
  Matrix matrix{std::vector<int>(places, 0), std::vector<MPI_Request>(places), std::vector<double>(places * few)};
  exchange(matrix);
  MPI_Request first[places + 1], second[places + 1];
  auto reset = [&]() {
    for (int i = 0; i <= places; ++i)
      first[i] = second[i] = MPI_REQUEST_NULL;
    memset(other, 0, sizeof other);
  };
  reset();
  stored(first, places);
  reset();
  more(first, places, places + 1);
  reset();
  guarded(first, places, never);
  reset();
  some(first, places, 1);
  reset();
  Holder holder{first};
  moved(&holder, second, places);
  reset();
  holder.requests = first;
  movedBefore(&holder, &holder.requests, second, places);
  reset();
  called(first, places);
}

/// Sends the messages of the places from `begin` to `end`, and much later the other one.
NOINLINE static void send(int begin, int end, bool isOther) {
  double message[few];
  for (int to = 1; to < size; ++to)
    for (int i = begin; i < end; ++i) {
      for (int k = 0; k < few; ++k)
        message[k] = to + i + k;
      MPI_Send(message, few, MPI_DOUBLE, to, i, MPI_COMM_WORLD);
    }
  if (!isOther)
    return;
  nap(40);
  for (int to = 1; to < size; ++to) {
    for (int k = 0; k < few; ++k)
      message[k] = 10 * to + k;
    MPI_Send(message, few, MPI_DOUBLE, to, otherTag, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 0) {
    send(0, places, false);
    send(0, places, true);
    send(0, places, true);
    send(0, 0, true);
    send(1, places, true);
    send(0, places, true);
    send(0, places, true);
    send(0, places, true);
  } else {
    receiver();
  }
  MPI_Finalize();
  return 0;
}
