// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Planner.h"

#include <algorithm>

namespace comm::cdag {

bool Planner::attempt(Attempt attempt) {
  attempt_ = attempt;
  // Keep the stages of earlier attempts: their transfers now read scratch memory.
  schedule_.dependencies.clear();
  schedule_.collectives.resize(dataCollectives_);
  node_.clear();
  conflicts_.clear();
  placesOf(/*sources=*/true, sources_);
  placesOf(/*sources=*/false, targets_);
  if (!slice() || !orderData() || !orderCollectives())
    return false;
  if (attempt == Attempt::Direct)
    addBarriers();
  mergeSynchronization();
  std::sort(schedule_.dependencies.begin(), schedule_.dependencies.end(),
            [](const ScheduleDependency &a, const ScheduleDependency &b) {
              auto key = [](const ScheduleDependency &d) {
                uint64_t op = d.op.index * uint64_t(2) + d.op.collective;
                uint64_t on = d.on.index * uint64_t(2) + d.on.collective;
                return std::make_pair(d.rank, std::make_pair(op, on));
              };
              return key(a) < key(b);
            });
  size_t n = 0;
  for (const ScheduleDependency &d : schedule_.dependencies) {
    if (n) {
      const ScheduleDependency &last = schedule_.dependencies[n - 1];
      if (last.rank == d.rank && last.op.index == d.op.index && last.op.collective == d.op.collective &&
          last.on.index == d.on.index && last.on.collective == d.on.collective)
        continue;
    }
    schedule_.dependencies[n++] = d;
  }
  schedule_.dependencies.resize(n);
  return acyclic();
}

void Planner::resolveLocals() {
  for (uint32_t i = 0; i < schedule_.transfers.size(); ++i) {
    Transfer &t = schedule_.transfers[i];
    if (t.src == kNone || !(t.srcAddr & kScratchBit))
      continue;
    if (producer_.empty()) {
      producer_.assign(schedule_.transfers.size(), kNone);
      produces_.assign(graph_.numOps(), 0);
      executed_.assign(graph_.numOps(), 0);
      for (uint32_t k = 0; k < matching_.order.size(); ++k)
        executed_[matching_.order[k]] = k;
    }
    const LocalValue *value = std::upper_bound(locals_.begin(), locals_.end(), t.srcAddr,
                                               [](Addr addr, const LocalValue &v) { return addr < v.virtualAddr; }) -
                              1;
    t.srcAddr = value->addr + (t.srcAddr - value->virtualAddr);
    producer_[i] = value->op;
    produces_[value->op] = 1;
  }
}

bool Planner::run(Detection &detection) {
  schedule_ = Schedule();
  schedule_.collectives.swap(detection.collectives);
  schedule_.members.swap(detection.members);
  schedule_.transfers.swap(detection.transfers);
  rest_.swap(detection.rest);
  dataCollectives_ = schedule_.collectives.size();
  resolveLocals();
  bool done = false;
  uint32_t memberCount = static_cast<uint32_t>(schedule_.members.size());
  for (Attempt each : {Attempt::Direct, Attempt::WithoutBarriers, Attempt::Careful, Attempt::Closed}) {
    for (bool barrier : {true, false}) {
      mayAddBarrier_ = barrier && options_.sync == SyncPolicy::Keep;
      addedBarrier_ = false;
      schedule_.members.resize(memberCount);
      done = attempt(each);
      // Retry without barriers if one was added and may be the obstacle.
      if (done || !addedBarrier_)
        break;
    }
    if (done)
      break;
  }
  if (!done && !producer_.empty())
    return false;
  // Give up if nothing could be ordered, or if the collectives replace few messages because most are needed for
  // something else.
  uint64_t replaced = 0, least = 0;
  for (OpId op = 0; done && op < graph_.numOps(); ++op)
    replaced += graph_.isSend(op) && schedule_.actions[op] != Action::Keep;
  for (const Collective &c : schedule_.collectives)
    least += schedule_.numMembers(c, graph_) - 1;
  if (replaced == 0 || least > 2 * replaced)
    schedule_ = Schedule();
  schedule_.match = matching_.partner;
  return true;
}

} // namespace comm::cdag
