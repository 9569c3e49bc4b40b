// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Interpret.h"
#include "Combine.h"

#include <algorithm>

namespace comm::cdag {

Error Image::create(const Graph &graph, uint64_t seed, Fill fill) {
  uint32_t p = graph.numRanks();
  low_.assign(p, ~Addr(0));
  Vec<Addr> high(p, 0);
  for (OpId op = 0; op < graph.numOps(); ++op) {
    uint64_t size = graph.size(op);
    if (size == 0)
      continue;
    auto touch = [&](Addr addr) {
      Rank r = graph.rank(op);
      low_[r] = std::min(low_[r], addr);
      high[r] = std::max(high[r], addr + size);
    };
    touch(graph.addr(op));
    if (graph.isLocal(op))
      touch(graph.source(op));
  }
  begin_.assign(size_t(p) + 1, 0);
  for (Rank r = 0; r < p; ++r) {
    if (low_[r] > high[r])
      low_[r] = high[r];
    // Align to whole elements, which fill the memory.
    low_[r] &= ~Addr(7);
    uint64_t size = (high[r] - low_[r] + 7) & ~uint64_t(7);
    if (size > uint64_t(1) << 28 || begin_[r] + size > uint64_t(1) << 28)
      return makeError(ErrorCode::TooLarge, r, kNone, "the memory of %u processes is too large to interpret", p);
    begin_[r + 1] = begin_[r] + size;
  }
  bytes_.resize(begin_[p]);
  Random random(seed);
  for (size_t i = 0; i < bytes_.size(); i += 8) {
    uint64_t word = random.next();
    if (fill == Fill::Doubles) {
      double value = double(int(word % 1000));
      std::memcpy(&word, &value, 8);
    } else if (fill == Fill::Floats) {
      float values[2] = {float(word % 100), float((word >> 32) % 100)};
      std::memcpy(&word, values, 8);
    }
    std::memcpy(bytes_.data() + i, &word, 8);
  }
  return Error();
}

namespace {

/// Visits nodes in random order, each after all its predecessors.
class RandomOrder {
public:
  RandomOrder(uint32_t nodes, uint64_t seed) : waits_(nodes, 0), random_(seed) {}
  void edge(uint32_t from, uint32_t to) {
    if (from != to)
      edges_.push_back({from, to});
  }
  /// Calls fn(node) for every node. Returns false if there is a cycle.
  template <typename Fn> bool run(Fn fn) {
    uint32_t n = static_cast<uint32_t>(waits_.size());
    Vec<uint32_t> begin(size_t(n) + 1, 0), successors(edges_.size());
    for (const Pair &e : edges_) {
      ++begin[e.from + 1];
      ++waits_[e.to];
    }
    for (uint32_t i = 0; i < n; ++i)
      begin[i + 1] += begin[i];
    Vec<uint32_t> fill = begin;
    for (const Pair &e : edges_)
      successors[fill[e.from]++] = e.to;
    Vec<uint32_t> ready;
    for (uint32_t i = 0; i < n; ++i)
      if (!waits_[i])
        ready.push_back(i);
    uint32_t done = 0;
    for (; !ready.empty(); ++done) {
      std::swap(ready[random_.below(ready.size())], ready.back());
      uint32_t node = ready.back();
      ready.pop_back();
      fn(node);
      for (uint32_t k = begin[node]; k < begin[node + 1]; ++k)
        if (--waits_[successors[k]] == 0)
          ready.push_back(successors[k]);
    }
    return done == n;
  }

private:
  struct Pair {
    uint32_t from, to;
  };
  Vec<uint32_t> waits_;
  Vec<Pair> edges_;
  Random random_;
};

void runOp(const Graph &graph, const Vec<OpId> &match, OpId op, Image &image) {
  uint64_t size = graph.size(op);
  Rank rank = graph.rank(op);
  if (size == 0)
    return;
  switch (graph.kind(op)) {
  case OpKind::Send: {
    OpId recv = match[op];
    std::memmove(image.at(graph.rank(recv), graph.addr(recv)), image.at(rank, graph.addr(op)), size);
    break;
  }
  case OpKind::Copy:
    std::memmove(image.at(rank, graph.addr(op)), image.at(rank, graph.source(op)), size);
    break;
  case OpKind::Reduce: {
    const Reduction &info = graph.reduction(op);
    uint8_t *dst = image.at(rank, graph.addr(op));
    const uint8_t *src = image.at(rank, graph.source(op));
    combine(info.op, info.type, info.sourceFirst ? src : dst, info.sourceFirst ? dst : src, dst, size);
    break;
  }
  case OpKind::Recv:
  case OpKind::Nop:
    break;
  }
}

struct Collectives {
  const Graph &graph;
  const Schedule &schedule;
  Image &image;
  Vec<uint8_t> scratch; ///< of all processes

  const uint8_t *read(Rank rank, Addr addr) {
    if (addr & kScratchBit)
      return scratch.data() + rank * schedule.scratchSize + (addr & ~kScratchBit);
    return image.at(rank, addr);
  }

  void move(const Collective &c) {
    Vec<uint8_t> buffer;
    for (uint32_t i = c.begin; i < c.end; ++i) {
      const Transfer &t = schedule.transfers[i];
      const uint8_t *from = read(t.src, t.srcAddr);
      buffer.append(from, from + t.size);
    }
    uint64_t at = 0;
    for (uint32_t i = c.begin; i < c.end; ++i) {
      const Transfer &t = schedule.transfers[i];
      std::memcpy(image.at(t.dst, t.dstAddr), buffer.data() + at, t.size);
      at += t.size;
    }
  }

  void reduce(const Collective &c) {
    Vec<uint8_t> results;
    uint32_t members = schedule.numMembers(c, graph);
    for (uint32_t i = c.begin + c.numInputs; i < c.end; ++i) {
      const Transfer &t = schedule.transfers[i];
      uint32_t first = 0, last = members;
      if (c.kind == CollectiveKind::Scan)
        last = schedule.position(c, t.dst) + 1;
      if (c.kind == CollectiveKind::Exscan)
        last = schedule.position(c, t.dst);
      size_t at = results.size();
      results.resize(at + t.size);
      bool any = false;
      for (uint32_t m = first; m < last; ++m) {
        Rank rank = schedule.member(c, m);
        for (uint32_t k = c.begin; k < c.begin + c.numInputs; ++k) {
          const Transfer &in = schedule.transfers[k];
          if (in.src != rank || in.dstAddr > t.srcAddr || in.dstAddr + in.size < t.srcAddr + t.size)
            continue;
          const uint8_t *from = read(rank, in.srcAddr) + (t.srcAddr - in.dstAddr);
          if (any)
            combine(c.op, c.type, results.data() + at, from, results.data() + at, t.size);
          else
            std::memcpy(results.data() + at, from, t.size);
          any = true;
        }
      }
    }
    size_t at = 0;
    for (uint32_t i = c.begin + c.numInputs; i < c.end; ++i) {
      const Transfer &t = schedule.transfers[i];
      std::memcpy(image.at(t.dst, t.dstAddr), results.data() + at, t.size);
      at += t.size;
    }
  }
};

} // namespace

void runGraph(const Graph &graph, const Matching &matching, uint64_t seed, Image &image) {
  RandomOrder order(graph.numOps(), seed);
  // A message is executed at the node of its send.
  auto node = [&](OpId op) { return graph.isRecv(op) ? matching.partner[op] : op; };
  for (const Dependency &d : graph.dependencies())
    order.edge(node(d.on), node(d.op));
  order.run([&](uint32_t op) { runOp(graph, matching.partner, op, image); });
}

Error runSchedule(const Graph &graph, const Schedule &schedule, uint64_t seed, Image &image) {
  uint32_t n = graph.numOps();
  uint32_t count = static_cast<uint32_t>(schedule.collectives.size());
  Collectives run{graph, schedule, image, {}};
  run.scratch.resize(graph.numRanks() * schedule.scratchSize);
  for (const Stage &s : schedule.stages)
    std::memcpy(run.scratch.data() + s.rank * schedule.scratchSize + s.scratch, image.at(s.rank, s.addr), s.size);
  RandomOrder order(n + count, seed);
  auto node = [&](OpId op) {
    return graph.isRecv(op) && schedule.action(op) != Action::Drop ? schedule.match[op] : op;
  };
  auto ref = [&](NodeRef r) { return r.collective ? n + r.index : node(r.index); };
  for (const Dependency &d : graph.dependencies())
    order.edge(node(d.on), node(d.op));
  for (const ScheduleDependency &d : schedule.dependencies)
    order.edge(ref(d.on), ref(d.op));
  for (uint32_t c = 1; c < count; ++c)
    order.edge(n + c - 1, n + c);
  bool complete = order.run([&](uint32_t i) {
    if (i < n) {
      if (schedule.action(i) == Action::Keep)
        runOp(graph, schedule.match, i, image);
      return;
    }
    const Collective &c = schedule.collectives[i - n];
    if (c.numInputs)
      run.reduce(c);
    else
      run.move(c);
  });
  if (!complete)
    return makeError(ErrorCode::Deadlock, kNone, kNone, "the schedule's dependencies are cyclic");
  return Error();
}

Error compareLive(const Graph &graph, const Image &expected, const Image &actual) {
  Liveness live(graph);
  Error error;
  for (Rank r = 0; r < graph.numRanks() && !error; ++r)
    live.forEachLive(r, expected.low(r), expected.high(r), [&](Addr lo, Addr hi) {
      for (Addr at = lo; at < hi && !error; ++at)
        if (*expected.at(r, at) != *actual.at(r, at))
          error = makeError(ErrorCode::Race, r, kNone,
                            "process %u, address 0x%llx: 0x%02x instead of "
                            "0x%02x",
                            r, static_cast<unsigned long long>(at), *actual.at(r, at), *expected.at(r, at));
    });
  return error;
}

} // namespace comm::cdag
