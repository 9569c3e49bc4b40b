// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Meetings of the ranks of a process in a collective.
///
/// Each rank of the process brings a pointer; the last one to arrive may access all of them and work for all, then all
/// continue. Ranks of one kernel thread count without atomics; the last of each thread counts and is notified for its
/// thread.
#ifndef COMM_RANKS_MEETING_H
#define COMM_RANKS_MEETING_H

#include "objects/Communicator.h"
#include "objects/Datatype.h"

#include <mutex>
#include <vector>

namespace comm::ranks {

struct Meeting;

/// A kernel thread's part in a meeting; its parcel notifies the thread that all have arrived.
struct MeetingPart : Parcel {
  Meeting *meeting = nullptr;
  int arrived = 0, left = 0;
  bool over = false;
  Fiber *head = nullptr, *tail = nullptr; ///< waiting fibers
  Scratch sum;                            ///< reduction over the thread's ranks
  /// Data deposited by the thread's ranks, by position in the thread.
  std::vector<char> values;
  int error = ABI_SUCCESS;
};

struct Meeting {
  uint64_t key = 0; ///< number and step of the collective
  std::atomic<int> threadsToCome{0}, threadsToLeave{0};
  std::vector<void *> brought;    ///< by position among the members in this process
  std::vector<MeetingPart> parts; ///< by kernel thread
  /// The name that its first rank called; the others must call the same.
  const char *collective = nullptr;
  int firstRank = 0;
  void *result = nullptr;
  Scratch sum; ///< reduction over the process's ranks
  int error = ABI_SUCCESS;
};

/// The meetings in progress in a communicator.
struct Meetings {
  struct Of { ///< view of one kernel thread
    int members = 0;
    std::vector<int> places; ///< positions among the members in this process
    std::vector<Meeting *> open;
  };
  std::vector<Of> threads;
  int threadsHere = 0;
  std::mutex lock;
  std::vector<Meeting *> open, spare;
  ~Meetings();
};

/// Brings \p mine to step \p step of collective \p number of \p comm. When all members in this process have arrived,
/// the last one runs work(context, meeting) (unless null), which may block; then this returns in all of them.
/// `forThread` runs before that, in the last rank of each kernel thread. The meeting ends with leave().
///
/// A few bytes at `deposit` are copied next to those of the thread's other ranks, so that the rank that works for all
/// finds them together instead of on separate stacks.
using MeetingWork = void (*)(void *context, Meeting &meeting);
Meeting *meet(Comm *comm, uint32_t number, int step, void *mine, MeetingWork work, void *context,
              MeetingWork forThread = nullptr, const void *deposit = nullptr, size_t depositBytes = 0);
void leave(Comm *comm, Meeting *meeting);

/// Combines both, if nothing in the meeting is needed afterwards.
void meetAndLeave(Comm *comm, uint32_t number, int step);

} // namespace comm::ranks

#endif
