// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Detection in two steps. A process is still if all its threads are idle and every parcel sent between them was
/// received, twice in a row with the same epochs: nobody was active in between (Mattern 1987, the four-counter method).
/// Each still process reports to process 0 how many messages it has sent to and received from other processes. If all
/// are still and the sums agree, process 0 asks again; if nothing has changed, nothing will.
#include "message/Deadlock.h"
#include "core/Rank.h"
#include "message/Message.h"
#include "message/Network.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace comm::ranks {

static constexpr int mostReported = 16;

struct Snapshot {
  bool still = true;
  uint64_t sent = 0, received = 0, epochs = 0;
  bool operator==(const Snapshot &other) const {
    return still == other.still && sent == other.sent && received == other.received && epochs == other.epochs;
  }
};

static Snapshot look() {
  Snapshot snapshot;
  for (int i = 0; i < process.options.threads; ++i) {
    Thread &thread = process.threads[i];
    snapshot.epochs += thread.epoch.load();
    // Threads that a rank started may send without the knowledge of this one.
    snapshot.still &= thread.idle.load() && !thread.takesTurns;
    snapshot.sent += thread.sent.load();
    snapshot.received += thread.received.load();
  }
  snapshot.still &= snapshot.sent == snapshot.received;
  return snapshot;
}

static std::string peerText(int peer) { return peer == ABI_ANY_SOURCE ? "any rank" : "rank " + std::to_string(peer); }

static void reportRank(const Rank &rank) {
  const Fiber &fiber = rank.fiber;
  const Waiting &waiting = fiber.waiting;
  const comm_ranks_site *site = fiber.site;
  std::string text;
  const Comm *comm = waiting.comm;
  if (const Request *q = waiting.request) {
    comm = q->comm;
    if (q->kind == Request::Send)
      text = "to send to " + peerText(q->peer) + ", tag " + std::to_string(q->tag);
    else if (q->kind == Request::Receive)
      text = "for a message from " + peerText(q->peer) + ", " +
             (q->tag == ABI_ANY_TAG ? "any tag" : "tag " + std::to_string(q->tag));
    else if (q->kind == Request::Collective)
      text = "for a nonblocking collective";
    else if (q->kind == Request::OneSided)
      text = std::string("for ") + (waiting.what ? waiting.what : "one-sided communication") + ", " + peerText(q->peer);
    else
      text = "for a generalized request";
    if (comm && q->context == comm->shared->context + 1)
      text = "for rank " + std::to_string(q->peer) + " in a collective";
  } else if (waiting.what) {
    text = std::string("for ") + waiting.what;
    if (waiting.collective)
      text += std::string(" (") + waiting.collective + ")";
    if (waiting.peer || waiting.tag)
      text += " from " + peerText(waiting.peer) + ", " +
              (waiting.tag == ABI_ANY_TAG ? "any tag" : "tag " + std::to_string(waiting.tag));
  } else {
    text = "for other ranks";
  }
  if (comm)
    text += ", in " + describe(comm);
  char where[512] = "";
  if (site && site->file)
    snprintf(where, sizeof(where), "%s:%u: %s: ", site->file, site->line, site->mpi_call ? site->mpi_call : "?");
  fprintf(stderr, "comm-ranks: note: rank %d: %swaits %s\n", rank.global, where, text.c_str());
}

/// Reports what each rank of this process waits for. All threads are idle, so their ranks do not change.
static void report() {
  int waiting = 0;
  for (int i = 0; i < process.ranksHere; ++i) {
    if (process.ranks[i].ended)
      continue;
    if (++waiting <= mostReported)
      reportRank(process.ranks[i]);
  }
  if (waiting > mostReported)
    fprintf(stderr, "comm-ranks: note: and %d more ranks of this process\n", waiting - mostReported);
  fflush(stderr);
}

[[noreturn]] static void end() {
  report();
  die(nullptr, 1,
      "deadlock: all ranks that have not ended wait, and nothing is under "
      "way");
}

// What process 0 knows about each process, and the round in which it asks.
struct ProcessState {
  uint64_t sent = 0, received = 0;
  int live = 0; ///< ranks that have not ended
  int round = -1;
};
static std::mutex lock;
static std::vector<ProcessState> states;
static int currentRound = 0;
static uint64_t lastSent, lastReceived;
static bool haveLast = false;
// What this process reported last, and the round in which it was asked.
static int askedRound = 0, toldRound = -1;
static uint64_t toldSent, toldReceived;

/// In process 0, returns true if all processes have reported in this round, are still, and have the same counts as in
/// the previous round; asks again if there is a reason to.
static bool judge() {
  uint64_t sent = 0, received = 0, live = 0;
  for (auto &state : states) {
    if (state.round < currentRound)
      return false;
    live += state.live;
    sent += state.sent;
    received += state.received;
  }
  if (!live)
    return false; // the program ends
  if (sent == received && haveLast && sent == lastSent && received == lastReceived)
    return true;
  haveLast = sent == received;
  lastSent = sent;
  lastReceived = received;
  ++currentRound;
  WireHeader header;
  header.kind = WireHeader::Ask;
  header.dataTag = currentRound;
  for (int i = 1; i < process.count; ++i)
    network.sendState(i, header);
  askedRound = currentRound;
  return false;
}

/// In process 0: makes the others report, waits for that, and ends the program.
[[noreturn]] static void endAll() {
  static std::atomic<bool> ending{false};
  if (ending.exchange(true))
    for (;;)
      pause();
  WireHeader header;
  header.kind = WireHeader::Deadlocked;
  for (int i = 1; i < process.count; ++i)
    network.sendState(i, header);
  timespec moment = {0, 1000000};
  for (int i = 0; i < 200; ++i) {
    network.progress(*thisThread);
    nanosleep(&moment, nullptr);
  }
  end();
}

static void hear(int from, int round, uint64_t sent, uint64_t received, int live) {
  if (states.empty())
    states.resize(process.count);
  states[from] = {sent, received, live, round};
}

/// Reports to process 0. Returns true if process 0 found a deadlock.
static bool tell(int round, uint64_t sent, uint64_t received) {
  toldRound = round;
  toldSent = sent;
  toldReceived = received;
  if (process.index == 0) {
    hear(0, round, sent, received, process.live.load());
    return judge();
  }
  WireHeader header;
  header.kind = WireHeader::State;
  header.dataTag = round;
  header.context = sent;
  header.bytes = received;
  header.tag = process.live.load();
  network.sendState(0, header);
  return false;
}

void onDeadlockMessage(const WireHeader &header) {
  std::lock_guard<std::mutex> guard(lock);
  if (header.kind == WireHeader::Deadlocked) {
    report();
    // Process 0 ends the program.
    return;
  }
  if (header.kind == WireHeader::Ask) {
    askedRound = header.dataTag;
    return;
  }
  hear(header.from, header.dataTag, header.context, header.bytes, header.tag);
}

bool Network::checkForDeadlock() {
  if (!process.live.load() && !network.active())
    return false;
  std::unique_lock<std::mutex> guard(lock, std::try_to_lock);
  if (!guard)
    return false;
  Snapshot first = look();
  if (!first.still)
    return false;
  uint64_t pending = network.pending.load();
  uint64_t sent = network.sent.load(), received = network.received.load();
  Snapshot second = look();
  if (!(first == second))
    return false;
  if (!network.active()) {
    if (process.live.load())
      end();
    return true;
  }
  if (pending || sent != network.sent.load() || received != network.received.load())
    return true;
  // Report once per round, and again if something has changed since.
  bool found = false;
  if (toldRound != askedRound || toldSent != sent || toldReceived != received)
    found = tell(askedRound, sent, received);
  else if (process.index == 0)
    found = judge();
  guard.unlock();
  if (found)
    endAll();
  return true;
}

} // namespace comm::ranks
