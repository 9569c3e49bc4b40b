/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Votes of a communicator's processes on the forms of collectives (Votes.c).
 */
#ifndef COMM_RUNTIME_OVERLAP_VOTES_H
#define COMM_RUNTIME_OVERLAP_VOTES_H

#include "Overlap.h"

#include <stdatomic.h>

/* What the processes of a communicator have agreed on for one collective. */
struct CommVote {
  /* How many of its calls the process has executed, and the number of them before which the processes vote next: the
   * same in all processes whenever they call it. */
  int64_t calls, next;
  int isBlocking;
  /* Measured since the last vote, in nanoseconds: how long so many calls took, and how much of that their intervals
   * hide, or would hide; and both for the call whose interval hides most. */
  _Atomic int64_t measured, time, hidden, timeOfLongest, hiddenOfLongest;
  /* Intervals that did not end where they could be measured. */
  _Atomic int64_t unknown;
};

struct CommVotes {
  /* The communicator, and the intervals that have not ended. */
  _Atomic int64_t references;
  struct CommVote of[COMM_COLLECTIVES];
};

/* The processes may call a collective in different executables and libraries. So all files of a process share one
 * state: that of the first file that has one and that the program was linked with, which a note locates. Such a file
 * is never closed, so MPI may keep the addresses of its functions. */
struct CommVoting {
  struct CommVotes world;
  /* Returns the votes of a communicator, or null if its processes do not vote. */
  struct CommVotes *(*find)(MPI_Comm);
  void (*drop)(struct CommVotes *);
};
extern struct CommVoting comm_voting;

#endif /* COMM_RUNTIME_OVERLAP_VOTES_H */
