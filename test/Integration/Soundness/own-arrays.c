// Requests in arrays, on the heap and in structures, started in loops and branches, waited for in one call or
// individually. The messages are so long that nothing arrives before its wait: reading a buffer too early gives old
// values, and writing it too early changes the sent data.
// RUN: %same %s -o %t -n 1,2,4 --overlaps "MPI_Waitall at own-arrays.c:[0-9]+, which completes MPI_Irecv"
// With all promises, starts pass completions, and more is known of counters.
// RUN: %commcc -O2 -fcomm-known-sources -fcomm-errors-are-fatal -fcomm-annotate %s -o %t.told
// RUN: %mpirun -n 2 %t.reference | env LC_ALL=C sort -s -t: -k1,1 > %t.expected
// RUN: %mpirun -n 2 %t.told | env LC_ALL=C sort -s -t: -k1,1 > %t.got
// RUN: diff %t.expected %t.got
#include "Inputs/soundness.h"

enum { blocks = 4 };
static double values[steps];
static int left, right, turns = 3;

static long sum_all(const int *in) { return total(in, blocks * many); }

static void renew(int *out, int *in, int first) {
  fill(out, blocks * many, first + rank);
  memset(in, 0, sizeof(int) * blocks * many);
}

/// An array of a length that varies, on the heap for each exchange, and a loop of waits, as in HPCG.
NOINLINE static void one_by_one(int *in, int *out, int n) {
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Request *requests = (MPI_Request *)malloc(2 * n * sizeof(MPI_Request));
    for (int i = 0; i < n; ++i)
      MPI_Irecv(in + i * many, many, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < n; ++i)
      MPI_Isend(out + i * many, many, MPI_INT, right, i, MPI_COMM_WORLD, &requests[n + i]);
    MPI_Status status;
    for (int i = 0; i < 2 * n; ++i)
      MPI_Wait(&requests[i], &status);
    free(requests);
    work(values);                     // overlaps
    fill(out, blocks * many, turn);   // not before its sends are complete
    say("one by one", sum_all(in));   // nor this before its input has arrived
  }
}

/// A counter that is advanced if there is a neighbor; statuses.
NOINLINE static void counted(int *in, int *out, const int *sources) {
  MPI_Request requests[2 * blocks];
  MPI_Status statuses[2 * blocks];
  for (int turn = 0; turn < turns; ++turn) {
    int n = 0, count = 0;
    if (sources[0] >= 0)
      MPI_Irecv(in, many, MPI_INT, sources[0], 1, MPI_COMM_WORLD, &requests[n++]);
    if (sources[1] >= 0)
      MPI_Irecv(in + many, many / 2, MPI_INT, sources[1], 2, MPI_COMM_WORLD, &requests[n++]);
    if (sources[0] >= 0)
      MPI_Isend(out, many, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[n++]);
    if (sources[1] >= 0)
      MPI_Isend(out + many, many / 4, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[n++]);
    MPI_Waitall(n, requests, statuses);
    work(values); // overlaps
    MPI_Get_count(&statuses[n / 2 - 1], MPI_INT, &count);
    say("count", count); // the wait writes this
    say("counted", sum_all(in));
    fill(out, blocks * many, turn);
  }
}

/// The array is in a structure with other members, and buffers alternate.
typedef struct {
  int n, more;
  MPI_Comm comm;
  MPI_Request requests[2 * blocks];
  int pending;
} Exchange;
NOINLINE static void structure(int *in, int *out, int *other, int n) {
  Exchange e = {.n = n, .more = 1, .comm = MPI_COMM_WORLD};
  for (int turn = 0; turn < turns; ++turn) {
    e.pending = 0;
    for (int i = 0; i < e.n; ++i)
      MPI_Irecv(in + i * many, many, MPI_INT, left, i, e.comm, &e.requests[e.pending++]);
    for (int i = 0; i < e.n; ++i)
      MPI_Isend(out + i * many, many, MPI_INT, right, i, e.comm, &e.requests[e.pending++]);
    MPI_Waitall(e.pending, e.requests, MPI_STATUSES_IGNORE);
    work(values);
    other[turn] = in[many - 1]; // through this iteration's pointer
    int *t = in;
    in = other;
    other = t;
    say("structure", sum_all(other));
  }
}

/// Part of the requests complete here, the rest in the next iteration, when the buffer has another name.
NOINLINE static void next_turn(int *in, int *out, int *other) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, mine;
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE); // of the previous iteration
    work(values);
    say("turn before", total(other, many)); // written by the message of the previous iteration
    MPI_Irecv(in, many, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, many, MPI_INT, right, 1, MPI_COMM_WORLD, &mine);
    MPI_Wait(&mine, MPI_STATUS_IGNORE);
    int *t = in;
    in = other;
    other = t;
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  work(values);
  say("last turn", total(other, many) + total(in, many));
}

/// The previous iteration's buffer has another name at its wait: the wait overwrites the value stored here.
NOINLINE static void taking_turns(int n) {
  int *u = (int *)malloc(many * sizeof(int)), *v = (int *)malloc(many * sizeof(int));
  int *out = (int *)malloc(many * sizeof(int));
  fill(u, many, 1);
  fill(v, many, 2);
  fill(out, many, 7);
  MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int turn = 0; turn < n; ++turn) {
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    v[0] = turn;
    v[1] = turn;
    v[2] = turn;
    v[3] = 5;
    MPI_Irecv(u, many, MPI_INT, left, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, many, MPI_INT, right, 1, MPI_COMM_WORLD, &r[1]);
    work(values);
    say("taking turns", total(v, many));
    int *t = u;
    u = v;
    v = t;
  }
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  say("last", total(u, many) + total(v, many));
}

/// Requests left by a wait for another slot are in flight at the next one.
NOINLINE static void part(int *out) {
  int *u = (int *)calloc(many, sizeof(int)), *v = (int *)calloc(many, sizeof(int));
  long sums[2];
  MPI_Request r[2], last;
  MPI_Irecv(u, many, MPI_INT, left, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(v, few, MPI_INT, left, 2, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(out, few, MPI_INT, right, 2, MPI_COMM_WORLD, &last);
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  MPI_Wait(&last, MPI_STATUS_IGNORE);
  MPI_Isend(out, many, MPI_INT, right, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  work(values);
  sums[0] = total(u, many);
  work(values);
  say("part", sums[0] + v[1]);
  free(u);
  free(v);
}

/// Waited for on one of two ways only, and on the other way later; started on one of two ways.
NOINLINE static void branches(int *in, int *out, const int *flags) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int turn = 0; turn < turns; ++turn) {
    if (flags[turn]) {
      MPI_Irecv(in + turn * many, many, MPI_INT, left, turn, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out + turn * many, many, MPI_INT, right, turn, MPI_COMM_WORLD, &requests[1]);
    }
    work(values);
    if (flags[turn + 1])
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    work(values);
    if (flags[turn + 1])
      say("branch", sum_all(in));
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  work(values);
  say("branches", sum_all(in));
}

/// Two exchanges in one array at the same time; the first wait is for a part.
NOINLINE static void interleaved(int *in, int *out) {
  MPI_Request r[2 * blocks];
  for (int i = 0; i < blocks; ++i) {
    MPI_Irecv(in + i * many, many, MPI_INT, left, i, MPI_COMM_WORLD, &r[2 * i]);
    MPI_Isend(out + i * many, many, MPI_INT, right, i, MPI_COMM_WORLD, &r[2 * i + 1]);
  }
  MPI_Waitall(blocks, r, MPI_STATUSES_IGNORE);
  work(values);
  say("first half", total(in, blocks / 2 * many));
  fill(out, blocks / 2 * many, 7);
  MPI_Waitall(blocks, r + blocks, MPI_STATUSES_IGNORE);
  work(values);
  say("second half", sum_all(in));
  fill(out, blocks * many, 9);
}

/// A request moves to another slot, with a wait there and two at the old one; another pointer to the same array.
NOINLINE static void moved(int *in, int *out, int where) {
  MPI_Request r[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}, *same = r + where;
  MPI_Irecv(in, many, MPI_INT, left, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(out, many, MPI_INT, right, 1, MPI_COMM_WORLD, &r[1]);
  same[1] = r[0];
  r[0] = MPI_REQUEST_NULL;
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  work(values);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  work(values);
  say("moved", total(in, many));
  fill(out, many, 11);
}

/// A copy of the request is completed elsewhere: nothing may be looked at before that.
NOINLINE static void finish(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }
NOINLINE static void elsewhere(int *in, int *out) {
  MPI_Request r[2], *copy = (MPI_Request *)malloc(sizeof(MPI_Request));
  int *mine = (int *)malloc(many * sizeof(int));
  memset(mine, 0, many * sizeof(int));
  MPI_Irecv(mine, many, MPI_INT, left, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(out, many, MPI_INT, right, 1, MPI_COMM_WORLD, &r[1]);
  *copy = r[0];
  r[0] = MPI_REQUEST_NULL;
  finish(copy);
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  int next[2] = {mine[many - 1], mine[many - 2]}; // the received values are sent, however early the start is
  MPI_Irecv(in, 2, MPI_INT, left, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(next, 2, MPI_INT, right, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  say("elsewhere", total(mine, many) + total(in, 2));
  work(values);
  fill(out, many, 13);
  free(copy);
  free(mine);
}

/// The array is waited for as a whole, but the function may be left before.
NOINLINE static void early(int *in, int *out, int leave) {
  MPI_Request r[2];
  int local[4] = {0, 0, 0, 0};
  MPI_Irecv(local, 4, MPI_INT, left, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(out, 4, MPI_INT, right, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  work(values);
  if (leave) {
    say("left", out[0]);
    return;
  }
  memcpy(in, local, sizeof local);
  say("early", total(in, 4));
}

/// Collectives and synchronous sends in one array with messages.
NOINLINE static void collectives(int *in, int *out, long *sums) {
  MPI_Request r[4];
  MPI_Iallreduce(out, in, many, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r[0]);
  MPI_Ibcast(in + many, many, MPI_INT, size - 1, MPI_COMM_WORLD, &r[1]);
  MPI_Irecv(in + 2 * many, many, MPI_INT, left, 3, MPI_COMM_WORLD, &r[2]);
  MPI_Issend(out + 2 * many, many, MPI_INT, right, 3, MPI_COMM_WORLD, &r[3]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  work(values);
  sums[0] = total(in, 3 * many);
  fill(out, blocks * many, 3);
  say("collectives", sums[0]);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  int *in = (int *)malloc(sizeof(int) * blocks * many), *out = (int *)malloc(sizeof(int) * blocks * many);
  int *other = (int *)calloc(sizeof(int), blocks * many);
  int sources[2] = {left, right}, flags[4] = {1, 0, argc, argc};
  long sums[1];
  renew(out, in, 1);
  one_by_one(in, out, blocks);
  renew(out, in, 2);
  counted(in, out, sources);
  sources[0] = -1;
  renew(out, in, 3);
  counted(in, out, sources);
  renew(out, in, 4);
  structure(in, out, other, blocks);
  renew(out, in, 5);
  next_turn(in, out, other);
  taking_turns(argc + 3);
  part(out);
  renew(out, in, 6);
  branches(in, out, flags);
  renew(out, in, 7);
  interleaved(in, out);
  renew(out, in, 8);
  moved(in, out, argc);
  renew(out, in, 9);
  elsewhere(in, out);
  renew(out, in, 10);
  early(in, out, 0);
  early(in, out, 1);
  renew(out, in, 11);
  collectives(in, out, sums);
  free(in);
  free(out);
  free(other);
  MPI_Finalize();
  return 0;
}
