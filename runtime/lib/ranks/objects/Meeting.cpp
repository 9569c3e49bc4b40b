// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects/Meeting.h"

#include <cstring>

namespace comm::ranks {

Meetings::~Meetings() {
  for (Meeting *meeting : spare)
    delete meeting;
  for (Meeting *meeting : open)
    delete meeting;
}

/// Wakes the calling thread's ranks after all have arrived.
static void endFor(MeetingPart &part, Thread &thread) {
  part.over = true;
  if (part.head)
    thread.wakeList(part.head, part.tail);
  part.head = part.tail = nullptr;
}

static void openEnd(Parcel *parcel, Thread &thread) { endFor(*static_cast<MeetingPart *>(parcel), thread); }

/// Called by the first rank of a thread: finds the meeting, or opens it.
static Meeting *join(CommShared *shared, Thread &thread, uint64_t key) {
  Meetings &all = *shared->meetings;
  std::lock_guard<std::mutex> guard(all.lock);
  Meeting *meeting = nullptr;
  for (Meeting *open : all.open)
    if (open->key == key)
      meeting = open;
  if (!meeting) {
    if (!all.spare.empty()) {
      meeting = all.spare.back();
      all.spare.pop_back();
    } else {
      meeting = new Meeting;
      meeting->brought.resize(shared->here);
      meeting->parts = std::vector<MeetingPart>(process.options.threads);
    }
    meeting->key = key;
    meeting->collective = thread.current->collective;
    meeting->firstRank = thread.current->rank->global;
    meeting->threadsToCome = meeting->threadsToLeave = all.threadsHere;
    meeting->result = nullptr;
    meeting->error = ABI_SUCCESS;
    for (MeetingPart &part : meeting->parts) {
      part.meeting = meeting;
      part.arrived = part.left = 0;
      part.over = false;
      part.open = openEnd;
    }
    all.open.push_back(meeting);
  }
  all.threads[thread.index].open.push_back(meeting);
  return meeting;
}

/// Reverses the bits of the position if all positions below `members` have the same number of bits: halves that are
/// folded onto each other then contain neighbors, and neighbors of neighbors.
static int depositPlace(int place, int members) {
  if (members & (members - 1))
    return place;
  int reversed = 0;
  for (int bit = 1; bit < members; bit *= 2)
    reversed = 2 * reversed + (place & bit ? 1 : 0);
  return reversed;
}

Meeting *meet(Comm *comm, uint32_t number, int step, void *mine, MeetingWork work, void *context, MeetingWork forThread,
              const void *deposit, size_t depositBytes) {
  CommShared *shared = comm->shared;
  Thread &thread = *thisThread;
  Meetings::Of &of = shared->meetings->threads[thread.index];
  uint64_t key = uint64_t(number) << 8 | step;
  Meeting *meeting = nullptr;
  for (Meeting *open : of.open)
    if (open->key == key)
      meeting = open;
  if (!meeting)
    meeting = join(shared, thread, key);
  const char *collective = thread.current->collective;
  if (__builtin_expect(meeting->collective != collective, 0) &&
      (!meeting->collective || !collective || strcmp(meeting->collective, collective)))
    die(thread.current->rank, ABI_ERR_OTHER,
        "calls %s in %s, where rank %d calls %s: all ranks must call the same "
        "collectives in the same order",
        collective ? collective : "for a new communicator", describe(comm).c_str(), meeting->firstRank,
        meeting->collective ? meeting->collective : "for a new communicator");
  MeetingPart &part = meeting->parts[thread.index];
  meeting->brought[comm->hereIndex] = mine;
  if (depositBytes) {
    if (part.values.size() < depositBytes * of.members)
      part.values.resize(depositBytes * of.members);
    memcpy(part.values.data() + depositBytes * depositPlace(comm->threadPlace, of.members), deposit, depositBytes);
  }
  if (++part.arrived == of.members) {
    if (forThread)
      forThread(context, *meeting);
    if (meeting->threadsToCome.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      if (work)
        work(context, *meeting);
      for (int i = 0; i < process.options.threads; ++i)
        if (meeting->parts[i].arrived && i != thread.index)
          thread.send(process.threads[i], &meeting->parts[i]);
      endFor(part, thread);
      return meeting;
    }
  }
  Fiber *fiber = thread.current;
  fiber->waiting.what = "the other ranks of a collective";
  fiber->waiting.collective = collective;
  fiber->waiting.comm = comm;
  while (!part.over) {
    if (fiber->foreign) { // checks for itself
      thread.block();
      continue;
    }
    // Append to the list of waiting fibers, which later becomes part of the ready queue.
    fiber->next = nullptr;
    fiber->queued = true;
    (part.tail ? part.tail->next : part.head) = fiber;
    part.tail = fiber;
    thread.block();
  }
  fiber->waiting = Waiting();
  return meeting;
}

void leave(Comm *comm, Meeting *meeting) {
  Thread &thread = *thisThread;
  Meetings &all = *comm->shared->meetings;
  Meetings::Of &of = all.threads[thread.index];
  MeetingPart &part = meeting->parts[thread.index];
  if (++part.left != of.members)
    return;
  for (size_t i = 0; i < of.open.size(); ++i)
    if (of.open[i] == meeting) {
      of.open[i] = of.open.back();
      of.open.pop_back();
      break;
    }
  if (meeting->threadsToLeave.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  std::lock_guard<std::mutex> guard(all.lock);
  for (size_t i = 0; i < all.open.size(); ++i)
    if (all.open[i] == meeting) {
      all.open[i] = all.open.back();
      all.open.pop_back();
      break;
    }
  all.spare.push_back(meeting);
}

void meetAndLeave(Comm *comm, uint32_t number, int step) {
  leave(comm, meet(comm, number, step, nullptr, nullptr, nullptr));
}

} // namespace comm::ranks
