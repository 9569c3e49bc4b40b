// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Where the ranks of one process meet in a collective.
///
/// Each rank of the process brings a pointer; the last one to come may look at
/// all of them and work for all, then all go on. Ranks of one kernel thread
/// count without atomics; the last of each thread counts for its thread, and is
/// told for its thread.
#ifndef COMM_RANKS_MEETING_H
#define COMM_RANKS_MEETING_H

#include "objects/Communicator.h"
#include "objects/Datatype.h"

#include <mutex>
#include <vector>

namespace comm::ranks {

struct Meeting;

/// Of one kernel thread in one meeting; its parcel tells the thread that all
/// have come.
struct MeetingPart : Parcel {
  Meeting *meeting = nullptr;
  int arrived = 0, left = 0;
  bool over = false;
  Fiber *head = nullptr, *tail = nullptr; ///< who waits
  Scratch sum;                            ///< a reduction over the thread's ranks
  /// What the thread's ranks deposited, by place in the thread.
  std::vector<char> values;
  int error = ABI_SUCCESS;
};

struct Meeting {
  uint64_t key = 0; ///< number of the collective, and which step of it
  std::atomic<int> threadsToCome{0}, threadsToLeave{0};
  std::vector<void *> brought;    ///< by place among the members in this process
  std::vector<MeetingPart> parts; ///< by kernel thread
  /// What its first rank called: the others must have called the same.
  const char *collective = nullptr;
  int firstRank = 0;
  void *result = nullptr;
  Scratch sum; ///< a reduction over the process's ranks
  int error = ABI_SUCCESS;
};

/// The meetings under way in a communicator.
struct Meetings {
  struct Of { ///< one kernel thread's view
    int members = 0;
    std::vector<int> places; ///< among the members in this process
    std::vector<Meeting *> open;
  };
  std::vector<Of> threads;
  int threadsHere = 0;
  std::mutex lock;
  std::vector<Meeting *> open, spare;
  ~Meetings();
};

/// Brings \p mine to step \p step of collective \p number of \p comm. When all
/// members in this process have come, the last one runs work(context, meeting)
/// (unless null), which may block; then this returns in all of them.
/// `forThread` runs before, in the last one of each kernel thread. The meeting
/// ends with leave().
///
/// A few bytes at `deposit` are copied next to those of the thread's other
/// ranks: whoever works for all finds them in one place, not on each stack.
using MeetingWork = void (*)(void *context, Meeting &meeting);
Meeting *meet(Comm *comm, uint32_t number, int step, void *mine, MeetingWork work, void *context,
              MeetingWork forThread = nullptr, const void *deposit = nullptr, size_t depositBytes = 0);
void leave(Comm *comm, Meeting *meeting);

/// Both, for who needs nothing of the meeting afterwards.
void meetAndLeave(Comm *comm, uint32_t number, int step);

} // namespace comm::ranks

#endif
