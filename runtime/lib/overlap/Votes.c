/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lets the processes of a communicator choose the form of a collective by what their intervals hide. Each process
 * measures that in either form, and all vote within the same call. Processes vote about collectives alone that make
 * each process wait for all others (`joinsAll` in CollectiveOps.td): the vote waits for nothing that the call does not
 * wait for, and takes about as long as one more call.
 */
#include "Votes.h"

#include "Keyval.h"
#include "Notes.h"

#include <stdlib.h>
#include <time.h>

/* The PMPI names, which bypass tools between the program and MPI (MPI-4, 15.2). */
int PMPI_Allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int PMPI_Comm_create_keyval(CommCopyFunction *, CommDeleteFunction *, int *, void *);
int PMPI_Comm_free_keyval(int *);
int PMPI_Comm_get_attr(MPI_Comm, int, void *, int *);
int PMPI_Comm_set_attr(MPI_Comm, int, void *);

/* The calls until the first vote; until the next one there are as many as there were until then, up to a limit. Votes
 * thus take less than half a percent of the time of many calls. */
enum { FIRST_CALLS = 32, MOST_CALLS = 256 };
/* The first calls, which are not measured: MPI may make connections in them. */
enum { UNMEASURED_CALLS = 8 };
/* Hiding less than this part of the time does not pay, whatever the forms cost: the measurements are not precise. */
enum { LEAST_PART = 33 };
/* Intervals that a thread has begun and not ended. */
enum { MOST_INTERVALS = 8 };

_Atomic unsigned char comm_has_intervals;
static _Thread_local struct CommInterval intervals[MOST_INTERVALS];
static _Thread_local int numIntervals;

static int64_t readClock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void add(_Atomic int64_t *sum, int64_t term) { atomic_fetch_add_explicit(sum, term, memory_order_relaxed); }
static int64_t take(_Atomic int64_t *sum) { return atomic_exchange_explicit(sum, 0, memory_order_relaxed); }

static void drop(struct CommVotes *votes) {
  if (atomic_fetch_sub_explicit(&votes->references, 1, memory_order_acq_rel) == 1)
    free(votes);
}

static int deleteVotes(MPI_Comm comm, int keyval, void *votes, void *state) {
  (void)comm;
  (void)keyval;
  (void)state;
  drop(votes);
  return 0;
}

static struct CommVotes *make(void) {
  struct CommVotes *votes = calloc(1, sizeof *votes);
  for (int i = 0; votes && i < COMM_COLLECTIVES; ++i)
    votes->of[i].next = FIRST_CALLS;
  if (votes)
    votes->references = 1;
  return votes;
}

/* The votes are an attribute that copies of the communicator do not get: their calls are counted from zero. In an
 * inter-communicator, each group would get the result of the other one, so it has none. */
static struct CommVotes *find(MPI_Comm comm) {
  static _Atomic int64_t known;
  if (comm_is_world(comm))
    return &comm_voting.world;
  int keyval, isSet = 0;
  void *votes;
  if (!comm_get_keyval(&known, PMPI_Comm_create_keyval, PMPI_Comm_free_keyval, COMM_NULL_COPY, deleteVotes, &keyval) ||
      PMPI_Comm_get_attr(comm, keyval, &votes, &isSet) != 0)
    return NULL;
  if (isSet)
    return votes;
  if (comm_size_within_world(comm) <= 0 || !(votes = make()))
    return NULL;
  if (PMPI_Comm_set_attr(comm, keyval, votes) == 0)
    return votes;
  drop(votes);
  return NULL;
}

struct CommVoting comm_voting = {{1, {[0 ... COMM_COLLECTIVES - 1] = {.next = FIRST_CALLS}}}, find, drop};

/* Returns whether the nonblocking form pays for this process. The longest interval does not count: the system may have
 * stopped the process in it. */
static int pays(struct CommVote *vote, enum CommCollective collective, int processes) {
  int64_t time = take(&vote->time) - take(&vote->timeOfLongest);
  int64_t hidden = take(&vote->hidden) - take(&vote->hiddenOfLongest);
  struct CommExtraCost extra = comm_get_extra_cost(collective, processes);
  int64_t most = take(&vote->measured) * extra.nanoseconds, part = time / 1000 * extra.perMille;
  int64_t needed = most < part ? most : part;
  if (needed < time / LEAST_PART)
    needed = time / LEAST_PART;
  return take(&vote->unknown) || hidden > needed;
}

/* The form is nonblocking if that pays for some process: the others wait for it. */
static void hold(struct CommVote *vote, enum CommCollective collective, MPI_Comm comm) {
  int mine = pays(vote, collective, comm_size_within_world(comm)), some;
  if (PMPI_Allreduce(&mine, &some, 1, comm_get_int(), comm_get_max(), comm) == 0)
    vote->isBlocking = !some;
  vote->next += vote->calls < MOST_CALLS ? vote->calls : MOST_CALLS;
}

__attribute__((noinline)) int comm_begin_call(struct CommCall *call, enum CommCollective collective, int isPromised,
                                              MPI_Comm comm, const struct CommReduction *reduction) {
  COMM_LOCATE(COMM_NOTE_TYPE_VOTING, comm_voting);
  call->votes = NULL;
  if (!comm_is_nonblocking(collective, isPromised, comm, reduction))
    return 0;
  struct CommVoting *voting = comm_get_program()->voting;
  struct CommVotes *votes = voting ? voting->find(comm) : NULL;
  if (!votes)
    return 1;
  struct CommVote *vote = &votes->of[collective];
  *call = (struct CommCall){votes, comm, collective, vote->isBlocking, vote->calls, readClock()};
  return !vote->isBlocking;
}

/* A start or blocking call that failed was not executed, and the program may repeat it in this process alone, after
 * messages that the others wait for. A tool between the program and MPI may have counted what it called itself. */
int comm_count_call(const struct CommCall *call, int error) {
  if (!call->votes)
    return error;
  struct CommVote *vote = &call->votes->of[call->collective];
  if (!error && vote->calls == call->number)
    ++vote->calls;
  return error;
}

static void measure(const struct CommCall *call, int64_t time, int64_t hidden) {
  struct CommVote *vote = &call->votes->of[call->collective];
  if (call->number < UNMEASURED_CALLS)
    return;
  if (hidden > time)
    hidden = time;
  add(&vote->measured, 1);
  add(&vote->time, time);
  add(&vote->hidden, hidden);
  if (hidden > atomic_load_explicit(&vote->hiddenOfLongest, memory_order_relaxed)) {
    atomic_store_explicit(&vote->hiddenOfLongest, hidden, memory_order_relaxed);
    atomic_store_explicit(&vote->timeOfLongest, time, memory_order_relaxed);
  }
}

/* The processes vote within a call that each of them executes, once it is: where the program waits for all of them. */
static int voteIfDue(const struct CommCall *call) {
  struct CommVote *vote = &call->votes->of[call->collective];
  if (vote->calls != vote->next)
    return 0;
  hold(vote, call->collective, call->comm);
  return 1;
}

int comm_end_call(const struct CommCall *call, int error) {
  if (call->votes) {
    measure(call, readClock() - call->begin, 0);
    voteIfDue(call);
  }
  return error;
}

/* Removes an interval from those of the thread. */
static void forget(int index) {
  for (--numIntervals; index < numIntervals; ++index)
    intervals[index] = intervals[index + 1];
}

/* Forgets an interval whose end was not seen: its wait was not executed, or is for a copy of the request. */
static void giveUp(int index) {
  const struct CommCall *call = &intervals[index].call;
  struct CommVotes *votes = call->votes;
  add(&votes->of[call->collective].unknown, 1);
  forget(index);
  comm_get_program()->voting->drop(votes);
}

int comm_end_start(const struct CommCall *call, int error, const MPI_Request *request) {
  if (!call->votes || error)
    return error;
  struct CommCall executed = *call;
  int64_t now = readClock();
  if (voteIfDue(call)) {
    int64_t end = readClock();
    executed.begin += end - now;
    now = end;
  }
  for (int i = numIntervals - 1; i >= 0; --i)
    if (intervals[i].variable == request || (!call->isBlocking && intervals[i].request == *request))
      giveUp(i);
  if (numIntervals == MOST_INTERVALS)
    giveUp(0);
  intervals[numIntervals++] = (struct CommInterval){executed, request, *request, now, 0};
  atomic_fetch_add_explicit(&call->votes->references, 1, memory_order_relaxed);
  atomic_store_explicit(&comm_has_intervals, 1, memory_order_relaxed);
  return 0;
}

int comm_end_interval(struct CommInterval *interval, const MPI_Request *request) {
  int isNull = comm_is_null_request(*request); /* also if a test has completed it */
  for (int i = numIntervals - 1; i >= 0; --i) {
    const struct CommInterval *each = &intervals[i];
    if (each->variable == request ? !isNull && each->request != *request : isNull || each->request != *request)
      continue;
    *interval = *each;
    interval->end = readClock();
    forget(i);
    return 1;
  }
  return 0;
}

void comm_end_wait(const struct CommInterval *interval) {
  const struct CommCall *call = &interval->call;
  int64_t end = call->isBlocking ? interval->begin : readClock();
  measure(call, end - call->begin, interval->end - interval->begin);
  comm_get_program()->voting->drop(call->votes);
}
