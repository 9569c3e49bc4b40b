// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most graphs need no bookkeeping at run time: each message waits for all messages of the previous group, or for none.
// Their calls are ordered once, at binding, and a run does what a programmer would have written: start a group, wait
// for it, compute, start the next one.
//
// In other graphs that would wait for messages that are not needed yet, possibly forever. The engine (Engine.cpp)
// starts those operations one by one.

#include "Bind.h"

#include <algorithm>

namespace comm::cdag::run {

namespace {

/// If finding the steps takes more visits of nodes, the engine's bookkeeping is cheaper.
constexpr size_t kMostVisits = size_t(1) << 22;

bool isMessage(const Node &node) { return node.kind == CallKind::Send || node.kind == CallKind::Recv; }

class StepFinder {
public:
  StepFinder(const Bound &bound, Vec<Node> &steps) : b_(bound), steps_(steps), pending_(bound.waitsFor) {}
  bool find();

private:
  void complete(uint32_t node);
  /// Starts messages that are ready, receives first so that messages find their buffer.
  void startMessages();
  void runLocal();
  /// Returns true if each message of `group_` waits for all of `before_`.
  bool waitsForAll();
  bool reachesGroup(uint32_t from);

  const Bound &b_;
  Vec<Node> &steps_;
  Vec<uint32_t> pending_, ready_, locals_, group_, before_;
  Vec<uint32_t> seen_, stack_; ///< the last walk that visited the node
  uint32_t walk_ = 0;
  size_t visits_ = 0;
};

void StepFinder::complete(uint32_t node) {
  for (uint32_t i = b_.successorsBegin[node]; i < b_.successorsBegin[node + 1]; ++i)
    if (--pending_[b_.successors[i]] == 0)
      ready_.push_back(b_.successors[i]);
}

void StepFinder::startMessages() {
  for (CallKind kind : {CallKind::Recv, CallKind::Send})
    for (uint32_t n : ready_)
      if (b_.nodes[n].kind == kind) {
        steps_.push_back(b_.nodes[n]);
        group_.push_back(n);
      }
  for (uint32_t n : ready_)
    if (!isMessage(b_.nodes[n]))
      locals_.push_back(n);
  ready_.clear();
}

void StepFinder::runLocal() {
  for (size_t i = 0; i < locals_.size(); ++i) {
    if (b_.nodes[locals_[i]].kind != CallKind::Nothing)
      steps_.push_back(b_.nodes[locals_[i]]);
    complete(locals_[i]);
  }
  locals_.clear();
}

bool StepFinder::reachesGroup(uint32_t from) {
  ++walk_;
  size_t reached = 0;
  stack_.push_back(from);
  while (!stack_.empty()) {
    uint32_t node = stack_.back();
    stack_.pop_back();
    for (uint32_t i = b_.successorsBegin[node]; i < b_.successorsBegin[node + 1]; ++i) {
      uint32_t next = b_.successors[i];
      ++visits_;
      // A call with other open dependencies belongs to a later group.
      if (seen_[next] == walk_ || pending_[next] != 0)
        continue;
      seen_[next] = walk_;
      if (isMessage(b_.nodes[next]))
        ++reached;
      else
        stack_.push_back(next);
    }
  }
  return reached == group_.size();
}

bool StepFinder::waitsForAll() {
  for (uint32_t node : before_)
    if (visits_ > kMostVisits || !reachesGroup(node))
      return false;
  return true;
}

bool StepFinder::find() {
  seen_.resize(b_.nodes.size(), 0);
  for (uint32_t n = 0; n < b_.nodes.size(); ++n)
    if (pending_[n] == 0)
      ready_.push_back(n);
  for (;;) {
    while (!ready_.empty()) {
      startMessages();
      runLocal();
    }
    if (group_.empty())
      return true;
    if (!waitsForAll())
      return false;
    // If there is nothing to do before the wait, the last message can use the blocking call, which is cheaper.
    Node &last = steps_.back();
    last.blocking = isMessage(last) && group_.size() == 1;
    if (!last.blocking) {
      Node wait = {};
      wait.kind = CallKind::WaitAll;
      steps_.push_back(wait);
    }
    for (uint32_t node : group_)
      complete(node);
    before_.swap(group_);
    group_.clear();
  }
}

bool isStarted(const Node &step) { return isMessage(step) && !step.blocking; }

/// Like startMessage(), in the blocking form.
int completeMessage(const Node &node, MPI_Comm comm) {
  return node.kind == CallKind::Send
             ? MPI_Send(node.to, node.count, node.type, node.peer, node.tag, comm)
             : MPI_Recv(node.to, node.count, node.type, node.peer, node.tag, comm, MPI_STATUS_IGNORE);
}

} // namespace

void StepList::clear() {
  std::free(block_);
  block_ = nullptr;
}

void StepList::find(const Bound &bound) {
  clear();
  Vec<Node> steps;
  if (!bound.calls.empty() || !bound.stages.empty() || !StepFinder(bound, steps).find() || steps.empty())
    return;
  uint32_t most = 0, started = 0;
  for (const Node &step : steps) {
    started = step.kind == CallKind::WaitAll ? 0 : started + isStarted(step);
    most = std::max(most, started);
  }
  size_t bytes = sizeof(Block) + steps.size() * sizeof(Node) + most * sizeof(MPI_Request);
  block_ = static_cast<Block *>(std::malloc(bytes));
  if (!block_)
    outOfMemory(bytes);
  block_->count = uint32_t(steps.size());
  block_->bytes = bytes;
  std::copy(steps.begin(), steps.end(), block_->steps());
}

int StepList::run(MPI_Comm comm) const {
  const Node *step = block_->steps(), *end = step + block_->count;
  auto *first = reinterpret_cast<MPI_Request *>(block_->steps() + block_->count), *next = first;
  int error = MPI_SUCCESS;
  for (; step != end && error == MPI_SUCCESS; ++step) {
    switch (step->kind) {
    case CallKind::Send:
    case CallKind::Recv:
      error = step->blocking ? completeMessage(*step, comm) : startMessage(*step, comm, next++);
      break;
    case CallKind::WaitAll:
      error = MPI_Waitall(int(next - first), first, MPI_STATUSES_IGNORE);
      next = first;
      break;
    case CallKind::Copy:
      std::memmove(step->to, step->from, step->bytes);
      break;
    case CallKind::Reduce:
      reduceLocal(*step);
      break;
    default:
      break;
    }
  }
  return error;
}

} // namespace comm::cdag::run
