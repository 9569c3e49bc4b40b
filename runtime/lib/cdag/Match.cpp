// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Match.h"
#include "ChannelTable.h"
#include "Successors.h"

#include <cstdio>

namespace comm::cdag {

namespace {

/// The key of a queue: source and tag, the tag only, the source only, or nothing.
enum Class { Exact, AnySource, AnyTag, Any, NumClasses };

class Matcher {
public:
  Matcher(Graph &graph, Matching &matching) : graph_(graph), matching_(matching), successors_(graph), channels_(64) {}

  Error run();

private:
  static Class classOf(const Graph &graph, OpId recv) {
    return Class((graph.peer(recv) == kAnySource ? AnySource : Exact) | (graph.tag(recv) == kAnyTag ? AnyTag : Exact));
  }
  bool uses(Rank dst, unsigned c) const { return c == Exact || (!classes_.empty() && (classes_[dst] & (1u << c))); }
  OpId &next(unsigned c, OpId op) { return next_[c][op]; }
  void findClasses();
  void post(OpId op);
  void postSend(OpId op);
  void postRecv(OpId op);
  void enqueue(unsigned c, Rank src, Rank dst, int32_t tag, OpId op);
  /// Returns the first operation of the queue that is still unmatched, or kNone.
  OpId front(unsigned c, Channel &channel);
  void complete(OpId op);
  void match(OpId send, OpId recv);
  Error explain();
  bool isDone(OpId op) const { return waits_[op] == kNone; }
  OpId blocker(OpId op) const;

  Graph &graph_;
  Matching &matching_;
  Successors successors_;
  ChannelTable channels_;
  /// The oldest waiting operation of each destination. It stays outside of the table while the table has no other
  /// operation of that destination, so that common patterns need no hashing.
  Vec<OpId> oldest_;
  Vec<uint32_t> inTable_; ///< per destination
  bool isSimple(Rank dst) const { return classes_.empty() || classes_[dst] == 0; }
  bool matchOldest(Rank dst, OpId op);
  bool keepOldest(Rank dst, OpId op);
  Vec<uint32_t> waits_; ///< open dependencies; kNone: completed
  Vec<OpId> ready_;     ///< ready operations before or at at_
  OpId at_ = 0;
  uint32_t clock_ = 0;
  Vec<OpId> next_[NumClasses];
  Vec<uint8_t> classes_; ///< per process: classes of its receives
  Vec<uint32_t> posted_; ///< time of posting; used with wildcards only
  Error error_;
};

void Matcher::findClasses() {
  for (OpId op = 0; op < graph_.numOps(); ++op) {
    if (!graph_.isRecv(op))
      continue;
    Class c = classOf(graph_, op);
    if (c == Exact)
      continue;
    if (classes_.empty()) {
      classes_.assign(graph_.numRanks(), 0);
      posted_.assign(graph_.numOps(), 0);
    }
    classes_[graph_.rank(op)] |= uint8_t(1u << c);
    if (next_[c].empty())
      next_[c].assign(graph_.numOps(), kNone);
  }
}

OpId Matcher::front(unsigned c, Channel &channel) {
  while (channel.head != kNone && matching_.partner[channel.head] != kNone)
    channel.head = next(c, channel.head);
  return channel.head;
}

void Matcher::enqueue(unsigned c, Rank src, Rank dst, int32_t tag, OpId op) {
  Channel *channel = channels_.get(src, dst, tag);
  next(c, op) = kNone;
  if (front(c, *channel) == kNone)
    channel->head = op;
  else
    next(c, channel->tail) = op;
  channel->tail = op;
}

void Matcher::complete(OpId op) {
  waits_[op] = kNone;
  matching_.order.push_back(op);
  // Operations after at_ are visited there.
  for (OpId successor : successors_.of(op))
    if (--waits_[successor] == 0 && successor <= at_)
      ready_.push_back(successor);
}

void Matcher::match(OpId send, OpId recv) {
  matching_.partner[send] = recv;
  matching_.partner[recv] = send;
  if (graph_.size(send) > graph_.size(recv) && !error_) {
    char sender[160], receiver[160];
    graph_.describe(send, sender, sizeof(sender));
    graph_.describe(recv, receiver, sizeof(receiver));
    error_ = makeError(ErrorCode::Truncation, graph_.rank(recv), recv,
                       "process %u, %s is shorter than its message: process "
                       "%u, %s",
                       graph_.rank(recv), receiver, graph_.rank(send), sender);
  }
  // Complete both before the successors of either one start.
  complete(send);
  complete(recv);
}

bool Matcher::matchOldest(Rank dst, OpId op) {
  OpId other = oldest_[dst];
  if (other == kNone || graph_.kind(other) == graph_.kind(op) || graph_.tag(other) != graph_.tag(op))
    return false;
  OpId send = graph_.isSend(op) ? op : other;
  OpId recv = graph_.isSend(op) ? other : op;
  if (graph_.peer(recv) != graph_.rank(send))
    return false;
  oldest_[dst] = kNone;
  match(send, recv);
  return true;
}

bool Matcher::keepOldest(Rank dst, OpId op) {
  if (oldest_[dst] != kNone || inTable_[dst] != 0)
    return false;
  oldest_[dst] = op;
  return true;
}

void Matcher::postSend(OpId op) {
  Rank src = graph_.rank(op), dst = graph_.peer(op);
  int32_t tag = graph_.tag(op);
  bool simple = isSimple(dst);
  if (simple && (matchOldest(dst, op) || (inTable_[dst] == 0 && keepOldest(dst, op))))
    return;
  OpId best = kNone;
  for (unsigned c = Exact; c < NumClasses; ++c) {
    if (!uses(dst, c))
      continue;
    Channel *channel = channels_.find(c & AnySource ? kAnySource : src, dst, c & AnyTag ? kAnyTag : tag);
    if (!channel)
      continue;
    OpId recv = front(c, *channel);
    if (recv == kNone || graph_.isSend(recv))
      continue;
    if (best == kNone || posted_[recv] < posted_[best])
      best = recv;
  }
  if (best != kNone) {
    --inTable_[dst];
    return match(op, best);
  }
  ++inTable_[dst];
  for (unsigned c = Exact; c < NumClasses; ++c)
    if (uses(dst, c))
      enqueue(c, c & AnySource ? kAnySource : src, dst, c & AnyTag ? kAnyTag : tag, op);
}

void Matcher::postRecv(OpId op) {
  Class c = classOf(graph_, op);
  Rank dst = graph_.rank(op);
  if (isSimple(dst) && (matchOldest(dst, op) || (inTable_[dst] == 0 && keepOldest(dst, op))))
    return;
  Channel *channel = channels_.find(graph_.peer(op), graph_.rank(op), graph_.tag(op));
  if (channel) {
    OpId send = front(c, *channel);
    if (send != kNone && graph_.isSend(send)) {
      --inTable_[dst];
      return match(send, op);
    }
  }
  ++inTable_[dst];
  enqueue(c, graph_.peer(op), graph_.rank(op), graph_.tag(op), op);
}

OpId Matcher::blocker(OpId op) const {
  if (waits_[op] != 0) {
    for (auto *d = graph_.depsBegin(op); d != graph_.depsEnd(op); ++d)
      if (!isDone(d->on))
        return d->on;
    return kNone;
  }
  // The operation is posted: find a partner that is not, if there is one.
  auto fits = [&](OpId send, OpId recv) {
    return graph_.isSend(send) && graph_.isRecv(recv) && graph_.peer(send) == graph_.rank(recv) &&
           (graph_.peer(recv) == kAnySource || graph_.peer(recv) == graph_.rank(send)) &&
           (graph_.tag(recv) == kAnyTag || graph_.tag(recv) == graph_.tag(send));
  };
  bool sends = graph_.isSend(op);
  for (OpId other = 0; other < graph_.numOps(); ++other)
    if (!isDone(other) && waits_[other] != 0 && (sends ? fits(op, other) : fits(other, op)))
      return other;
  return kNone;
}

Error Matcher::explain() {
  OpId op = 0;
  while (isDone(op))
    ++op;
  // Follow what the operation waits for, to an operation without a partner or around a cycle.
  constexpr unsigned kSteps = 64;
  OpId trail[kSteps];
  unsigned steps = 0, cycle = kSteps;
  for (; steps < kSteps; ++steps) {
    for (unsigned i = 0; i < steps && cycle == kSteps; ++i)
      if (trail[i] == op)
        cycle = i;
    if (cycle != kSteps)
      break;
    trail[steps] = op;
    OpId on = blocker(op);
    if (on == kNone) {
      char text[160];
      graph_.describe(op, text, sizeof(text));
      return makeError(ErrorCode::Unmatched, graph_.rank(op), op, "process %u, %s has no matching %s", graph_.rank(op),
                       text, graph_.isSend(op) ? "receive" : "send");
    }
    op = on;
  }
  unsigned begin = cycle == kSteps ? 0 : cycle;
  Error error = makeError(ErrorCode::Deadlock, graph_.rank(trail[begin]), trail[begin], "deadlock: ");
  size_t used = std::strlen(error.text);
  for (unsigned i = begin; i < steps && used + 1 < sizeof(error.text); ++i) {
    char text[160];
    graph_.describe(trail[i], text, sizeof(text));
    used += static_cast<size_t>(std::snprintf(error.text + used, sizeof(error.text) - used, "process %u, %s waits for ",
                                              graph_.rank(trail[i]), text));
  }
  if (used + 1 < sizeof(error.text))
    std::snprintf(error.text + used, sizeof(error.text) - used, "%s", cycle == kSteps ? "more" : "the first");
  return error;
}

void Matcher::post(OpId op) {
  if (!posted_.empty())
    posted_[op] = clock_++;
  if (graph_.isSend(op))
    postSend(op);
  else if (graph_.isRecv(op))
    postRecv(op);
  else
    complete(op);
}

Error Matcher::run() {
  uint32_t n = graph_.numOps();
  matching_.partner.assign(n, kNone);
  matching_.order.clear();
  matching_.order.reserve(n);
  next_[Exact].assign(n, kNone);
  waits_.assign(n, 0);
  oldest_.assign(graph_.numRanks(), kNone);
  inTable_.assign(graph_.numRanks(), 0);
  findClasses();
  for (const Dependency &dep : graph_.dependencies())
    ++waits_[dep.op];
  // Visit all operations once in their order, which is close to the program's and to the order in memory. Operations
  // that become ready at a lower number go first.
  for (at_ = 0; at_ < n; ++at_) {
    if (waits_[at_] == 0)
      post(at_);
    for (size_t i = 0; i < ready_.size(); ++i)
      post(ready_[i]);
    ready_.clear();
  }
  if (error_)
    return error_;
  if (matching_.order.size() != n)
    return explain();
  return Error();
}

} // namespace

Error matchMessages(Graph &graph, Matching &matching) {
  if (graph.error())
    return graph.error();
  graph.freeze();
  return Matcher(graph, matching).run();
}

} // namespace comm::cdag
