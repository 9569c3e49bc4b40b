// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Collectives that reduce. The result does not depend on arrival order: it is folded by rank within a kernel
/// thread, then by thread, then by process along a tree. Operators that do not commute are folded by rank only.
///
/// Small data are folded in the order of recursive doubling, the usual order in MPI implementations, as far as the
/// partition into threads and processes matches: floating-point sums then agree with those that a program prints
/// without ranks.
#include "collective/Collective.h"
#include "core/Counts.h"
#include "objects/Meeting.h"

#include <algorithm>

namespace comm::ranks {

// From this size on, the ranks share the work of one reduction.
static constexpr size_t sharedWork = 32 << 10;

static bool isHere(const Comm *c) { return c->shared->here == c->size; }

/// One rank's input, and what the work needs to know about all of them.
struct Term {
  const void *in;
  int64_t count;
  Datatype *type;
  Op *op;
  Comm *comm;
};

static const void *inputOf(const Meeting &meeting, int place) {
  return static_cast<Term *>(meeting.brought[place])->in;
}

/// sum = term[places] folded in ascending order. MPI's local reduction does not modify its left operand, so fold from
/// the right.
static int fold(const Meeting &meeting, const std::vector<int> &places, const Term &term, char *sum) {
  copySame(sum, inputOf(meeting, places.back()), term.count, term.type);
  int error = ABI_SUCCESS;
  for (int i = static_cast<int>(places.size()) - 2; i >= 0; --i) {
    int other = reduceLocal(inputOf(meeting, places[i]), sum, term.count, term.type, term.op);
    error = error ? error : other;
  }
  return error;
}

/// Runs in the last rank of each thread.
static void foldThread(void *context, Meeting &meeting) {
  const Term &term = *static_cast<Term *>(context);
  if (!term.op->commutes)
    return;
  int thread = thisThread->index;
  const auto &of = term.comm->shared->meetings->threads[thread];
  MeetingPart &part = meeting.parts[thread];
  part.sum.reset(term.count, term.type);
  part.error = fold(meeting, of.places, term, part.sum.get());
}

// Inputs up to this size are deposited, next to those of the thread's other ranks.
static constexpr size_t mostDeposited = 128;

static bool deposits(const Term &term) {
  return term.op->commutes && term.type->dense && term.count * term.type->size <= mostDeposited;
}

/// Folds into the first sum, in the order of recursive doubling: pairs from the beginning until a power of two remains,
/// then neighbors.
static int foldNeighbors(std::vector<char *> &sums, const Term &term) {
  size_t whole = 1;
  while (whole * 2 <= sums.size())
    whole *= 2;
  int error = ABI_SUCCESS;
  auto combine = [&](size_t from, size_t onto) {
    if (!error)
      error = reduceLocal(sums[from], sums[onto], term.count, term.type, term.op);
  };
  size_t pairs = sums.size() - whole;
  for (size_t i = 0; i < pairs; ++i) {
    combine(2 * i + 1, 2 * i);
    sums[i] = sums[2 * i];
  }
  sums.erase(sums.begin() + pairs, sums.begin() + 2 * pairs);
  for (size_t apart = 1; apart < whole; apart *= 2)
    for (size_t i = 0; i < whole; i += 2 * apart)
      combine(i + apart, i);
  return error;
}

// Up to this many deposits, unless a power of two, are folded one by one.
static constexpr int fewDeposits = 64;

/// Does the same over deposited values: folds the upper half onto the lower half, which takes few calls for many ranks.
/// For a power of two, neighbors are placed half of the deposits apart (Meeting.cpp).
static void foldDeposits(void *context, Meeting &meeting) {
  const Term &term = *static_cast<Term *>(context);
  int thread = thisThread->index;
  MeetingPart &part = meeting.parts[thread];
  int left = term.comm->shared->meetings->threads[thread].members;
  size_t bytes = term.count * term.type->size;
  part.error = ABI_SUCCESS;
  if (left < fewDeposits && (left & (left - 1))) {
    std::vector<char *> sums;
    for (int i = 0; i < left; ++i)
      sums.push_back(part.values.data() + i * bytes);
    part.error = foldNeighbors(sums, term);
    return;
  }
  while (left > 1 && !part.error) {
    int kept = (left + 1) / 2;
    part.error = reduceLocal(part.values.data() + kept * bytes, part.values.data(), (left - kept) * term.count,
                             term.type, term.op);
    left = kept;
  }
}

/// Runs in the last rank of the process.
static void foldProcess(void *context, Meeting &meeting) {
  const Term &term = *static_cast<Term *>(context);
  if (!term.op->commutes) {
    std::vector<int> all(meeting.brought.size());
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = i;
    meeting.sum.reset(term.count, term.type);
    meeting.result = meeting.sum.get();
    meeting.error = fold(meeting, all, term, meeting.sum.get());
    return;
  }
  std::vector<char *> sums;
  for (MeetingPart &part : meeting.parts)
    if (part.arrived) {
      sums.push_back(deposits(term) ? part.values.data() : part.sum.get());
      meeting.error = meeting.error ? meeting.error : part.error;
    }
  meeting.result = sums[0];
  int error = foldNeighbors(sums, term);
  meeting.error = meeting.error ? meeting.error : error;
}

/// Reduces among leaders, in place, along a binomial tree to the leader at position `root`.
static int reduceAmongLeaders(Comm *c, uint32_t n, const Term &term, char *sum, int root) {
  const std::vector<int> &leaders = c->shared->leaders;
  int processes = leaders.size();
  int relative = (c->shared->leaderIndex - root + processes) % processes;
  Scratch other(term.count, term.type);
  int error = ABI_SUCCESS;
  for (int bit = 1; bit < processes && !error; bit *= 2) {
    if (relative & bit) {
      int to = leaders[(relative - bit + root) % processes];
      return sendTo(c, sum, term.count, term.type, to, n);
    }
    if (relative + bit >= processes)
      continue;
    int from = leaders[(relative + bit + root) % processes];
    error = receiveFrom(c, other.get(), term.count, term.type, from, n);
    if (!error)
      error = reduceLocal(other.get(), sum, term.count, term.type, term.op);
  }
  return error;
}

/// Reduces among leaders, in place and for all of them, by recursive doubling: a sum of two processes crosses the
/// network once. Both partners fold in rank order, so that results are bitwise equal.
static int allreduceAmongLeaders(Comm *c, uint32_t n, const Term &term, char *sum) {
  const std::vector<int> &leaders = c->shared->leaders;
  int processes = leaders.size(), me = c->shared->leaderIndex, whole = 1;
  while (whole * 2 <= processes)
    whole *= 2;
  // The first `odd` pairs act as single processes.
  int odd = processes - whole;
  Scratch other(term.count, term.type);
  char *mine = sum, *theirs = other.get();
  int error = ABI_SUCCESS;
  if (me < 2 * odd && me % 2 == 0) {
    error = sendTo(c, sum, term.count, term.type, leaders[me + 1], n);
    int second = receiveFrom(c, sum, term.count, term.type, leaders[me + 1], n);
    return error ? error : second;
  }
  if (me < 2 * odd) {
    error = receiveFrom(c, theirs, term.count, term.type, leaders[me - 1], n);
    if (!error)
      error = reduceLocal(theirs, mine, term.count, term.type, term.op);
  }
  int place = me < 2 * odd ? me / 2 : me - odd;
  for (int bit = 1; bit < whole; bit *= 2) {
    int peerPlace = place ^ bit, peer = leaders[peerPlace < odd ? 2 * peerPlace + 1 : peerPlace + odd];
    Transfer out = {mine, term.count, term.type, peer, int(n & 0x7fffffff)}, in = out;
    in.buffer = theirs;
    int transferred = exchange(c, c->shared->context + 1, {out}, {in});
    error = error ? error : transferred;
    if (error)
      continue; // the others wait for the remaining messages
    if (peerPlace < place) {
      error = reduceLocal(theirs, mine, term.count, term.type, term.op);
    } else {
      error = reduceLocal(mine, theirs, term.count, term.type, term.op);
      std::swap(mine, theirs);
    }
  }
  if (mine != sum)
    copySame(sum, mine, term.count, term.type);
  if (me < 2 * odd)
    sendTo(c, sum, term.count, term.type, leaders[me - 1], n);
  return error;
}

/// Reduces across processes with an operator that does not commute: each rank in turn.
static int reduceInOrder(Comm *c, uint32_t n, const Term &term, void *out, int root) {
  if (c->rank != root)
    return sendTo(c, term.in, term.count, term.type, root, n);
  Scratch sum(term.count, term.type), other(term.count, term.type);
  int error = ABI_SUCCESS;
  for (int i = c->size - 1; i >= 0 && !error; --i) {
    const void *in = term.in;
    if (i != root) {
      char *room = i == c->size - 1 ? sum.get() : other.get();
      error = receiveFrom(c, room, term.count, term.type, i, n);
      in = room;
    }
    if (i == c->size - 1) {
      if (in != sum.get())
        copySame(sum.get(), in, term.count, term.type);
    } else if (!error) {
      error = reduceLocal(in, sum.get(), term.count, term.type, term.op);
    }
  }
  copySame(out, sum.get(), term.count, term.type);
  return error;
}

/// Reduces many elements in one process: each rank folds a part of them over all ranks. `out` is null if this rank does
/// not want the result.
static int reduceTogether(Comm *c, uint32_t n, Term &term, void *out) {
  Meeting *meeting = meet(
      c, n, 0, &term,
      [](void *context, Meeting &all) {
        const Term &any = *static_cast<Term *>(context);
        all.sum.reset(any.count, any.type);
        all.result = all.sum.get();
      },
      &term);
  int64_t share = (term.count + c->size - 1) / c->size;
  int64_t first = std::min(term.count, share * c->rank);
  int64_t count = std::min(term.count - first, share);
  ptrdiff_t offset = first * term.type->extent;
  int error = ABI_SUCCESS;
  if (count > 0) {
    char *sum = static_cast<char *>(meeting->result) + offset;
    auto at = [&](int rank) { return static_cast<const char *>(inputOf(*meeting, rank)) + offset; };
    copySame(sum, at(c->size - 1), count, term.type);
    for (int i = c->size - 2; i >= 0 && !error; --i)
      error = reduceLocal(at(i), sum, count, term.type, term.op);
  }
  meetAndLeave(c, n, 1);
  if (out)
    copySame(out, meeting->result, term.count, term.type);
  leave(c, meeting);
  return error;
}

/// Reduces to `root`, or to all if it is negative.
static int reduceTo(Comm *c, uint32_t n, const void *in, void *out, int64_t count, Datatype *type, Op *op, int root) {
  bool wants = root < 0 || root == c->rank;
  Term term = {in ? in : out, count, type, op, c};
  if (c->size == 1) {
    if (in)
      copySame(out, in, count, type);
    return ABI_SUCCESS;
  }
  // The input may be the output: nobody reads it after the sum is complete.
  if (isHere(c) && count * type->size >= sharedWork && count >= c->size)
    return reduceTogether(c, n, term, wants ? out : nullptr);
  if (!isHere(c) && !op->commutes) {
    int first = root < 0 ? 0 : root;
    int error = reduceInOrder(c, n, term, out, first);
    if (root >= 0)
      return error;
    int second = broadcast(c, n, out, count, type, 0);
    return error ? error : second;
  }
  Meeting *meeting = deposits(term)
                         ? meet(c, n, 0, &term, foldProcess, &term, foldDeposits, term.in, count * type->size)
                         : meet(c, n, 0, &term, foldProcess, &term, foldThread);
  int error = meeting->error;
  if (!isHere(c)) {
    CommShared *shared = c->shared;
    if (shared->leaders[shared->leaderIndex] == c->rank) {
      auto *sum = static_cast<char *>(meeting->result);
      error = root < 0 ? allreduceAmongLeaders(c, n, term, sum)
                       : reduceAmongLeaders(c, n, term, sum, shared->leaderOf(root));
    }
    meetAndLeave(c, n, 1);
  }
  if (wants)
    copySame(out, meeting->result, count, type);
  leave(c, meeting);
  return error;
}

int reduce(Comm *c, uint32_t n, const void *in, void *out, int64_t count, Datatype *type, Op *op, int root) {
  return reduceTo(c, n, in, out, count, type, op, root);
}

int allreduce(Comm *c, uint32_t n, const void *in, void *out, int64_t count, Datatype *type, Op *op) {
  return reduceTo(c, n, in, out, count, type, op, -1);
}

int scan(Comm *c, uint32_t n, const void *in, void *out, int64_t count, Datatype *type, Op *op, bool exclusive) {
  // Along the chain of ranks: data from the left is the left operand.
  Scratch own(count, type), left(count, type);
  copySame(own.get(), in ? in : out, count, type);
  int error = ABI_SUCCESS;
  if (c->rank > 0)
    error = receiveFrom(c, left.get(), count, type, c->rank - 1, n);
  if (c->rank > 0 && !error) {
    if (exclusive)
      copySame(out, left.get(), count, type);
    error = reduceLocal(left.get(), own.get(), count, type, op);
  }
  if (c->rank + 1 < c->size)
    sendTo(c, own.get(), count, type, c->rank + 1, n);
  if (!exclusive)
    copySame(out, own.get(), count, type);
  return error;
}

int reduceScatter(Comm *c, uint32_t n, const void *in, void *out, const int *counts, int64_t count, Datatype *type,
                  Op *op) {
  Places places(c->size, counts, count);
  int64_t total = places.total;
  Scratch sum(total, type);
  // With MPI_IN_PLACE, the input is in the receive buffer.
  int error = reduce(c, n, in ? in : out, sum.get(), total, type, op, 0);
  Blocks from, to;
  from.base = sum.get();
  from.type = to.type = type;
  from.count = count;
  from.counts = counts;
  from.longPlaces = places.begins.data();
  to.base = static_cast<char *>(out);
  to.count = counts ? counts[c->rank] : count;
  // The reduction's meetings may not be over: the scatter needs different ones.
  int second = scatter(c, n ^ 0x80000000u, from, to, 0);
  return error ? error : second;
}

} // namespace comm::ranks
