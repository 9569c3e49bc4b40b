// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Builder.h"

#include <algorithm>

namespace comm::cdag {

Builder::Builder(Graph &graph) : graph_(graph), accesses_(graph.numRanks()), last_(graph.numRanks(), kNone) {}

void Builder::needSignals() {
  // Allocated on demand: only barriers need these arrays.
  if (joint_.empty()) {
    joint_.assign(graph_.numRanks(), kNone);
    signals_.assign(graph_.numRanks(), kNone);
  }
}

void Builder::reads(OpId op, Rank rank, Addr addr, uint64_t size) { accesses_.read(rank, addr, size, op, found_); }

void Builder::writes(OpId op, Rank rank, Addr addr, uint64_t size) { accesses_.write(rank, addr, size, op, found_); }

void Builder::close(OpId op) {
  std::sort(found_.begin(), found_.end());
  for (size_t i = 0; i < found_.size(); ++i)
    if (found_[i] != op && (i == 0 || found_[i] != found_[i - 1]))
      graph_.addDependency(op, found_[i]);
  found_.clear();
  last_[graph_.rank(op)] = op;
}

void Builder::message(Rank src, Addr from, Rank dst, Addr to, uint64_t size, int32_t tag) {
  if (size == 0)
    return signal(src, dst, tag);
  OpId send = graph_.addSend(src, from, size, dst, tag);
  if (send == kNone)
    return;
  reads(send, src, from, size);
  close(send);
  OpId recv = graph_.addRecv(dst, to, size, src, tag);
  if (recv == kNone)
    return;
  writes(recv, dst, to, size);
  close(recv);
}

void Builder::signal(Rank src, Rank dst, int32_t tag) {
  needSignals();
  for (bool receives : {false, true}) {
    Rank rank = receives ? dst : src;
    OpId op = receives ? graph_.addRecv(dst, 0, 0, src, tag) : graph_.addSend(src, 0, 0, dst, tag);
    if (op == kNone)
      return;
    if (joint_[rank] != kNone)
      graph_.addDependency(op, joint_[rank]);
    links_.push_back({op, signals_[rank]});
    signals_[rank] = static_cast<uint32_t>(links_.size() - 1);
    last_[rank] = op;
  }
}

void Builder::joint(Rank rank) {
  needSignals();
  uint32_t head = signals_[rank];
  if (head == kNone)
    return;
  OpId nop = graph_.addNop(rank);
  for (; head != kNone; head = links_[head].next)
    graph_.addDependency(nop, links_[head].op);
  signals_[rank] = kNone;
  joint_[rank] = nop;
  last_[rank] = nop;
}

void Builder::copy(Rank rank, Addr dst, Addr src, uint64_t size) {
  if (size == 0 || dst == src)
    return;
  OpId op = graph_.addCopy(rank, dst, src, size);
  if (op == kNone)
    return;
  reads(op, rank, src, size);
  writes(op, rank, dst, size);
  close(op);
}

void Builder::reduce(Rank rank, Addr dst, Addr src, uint64_t size, Operator op, ElementType type, bool sourceFirst) {
  if (size == 0)
    return;
  OpId id = graph_.addReduce(rank, dst, src, size, op, type, sourceFirst);
  if (id == kNone)
    return;
  reads(id, rank, src, size);
  // The write also waits for the last write, so reading the destination adds no dependency.
  writes(id, rank, dst, size);
  close(id);
}

} // namespace comm::cdag
