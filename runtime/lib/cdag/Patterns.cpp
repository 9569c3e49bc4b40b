// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of patterns, and the generators of allgather and alltoall.
#include "Comm/CDag/Patterns.h"
#include "PatternsInternal.h"

#include <cstring>

namespace comm::cdag {

void emitAllgatherLinear(const Emitter &e) {
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i) {
    e.ownCopy(i, e.recv(i), e.send(), e.bytes());
    for (uint32_t k = 1; k < p; ++k)
      e.message(i, e.send(), (i + k) % p, e.recv(i), e.bytes());
  }
}

void emitAllgatherBinomial(const Emitter &e) {
  // Process 0 gathers, then sends the whole result down a tree. Every process gets its own block back.
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.recv(i), e.send(), e.bytes());
  for (uint32_t i = 1; i < p; ++i)
    e.message(i, e.recv(i), 0, e.recv(i), e.bytes());
  for (uint64_t span = 1; span < p; span *= 2)
    for (uint64_t i = 0; i < span && i + span < p; ++i)
      e.message(uint32_t(i), e.recv(), uint32_t(i + span), e.recv(), p * e.bytes());
}

void emitAllgatherRing(const Emitter &e) {
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.recv(i), e.send(), e.bytes());
  for (uint32_t step = 0; step + 1 < p; ++step)
    for (uint32_t i = 0; i < p; ++i) {
      uint32_t block = (i + p - step) % p;
      e.message(i, e.recv(block), (i + 1) % p, e.recv(block), e.bytes());
    }
}

void emitAllgatherBruck(const Emitter &e) {
  // temp(k) is the block of the k-th successor; rotated at the end.
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.temp(), e.send(), e.bytes());
  for (uint64_t span = 1; span < p; span *= 2) {
    uint64_t blocks = span < p - span ? span : p - span;
    for (uint32_t i = 0; i < p; ++i)
      e.message(uint32_t((i + span) % p), e.temp(), i, e.temp(span), blocks * e.bytes());
  }
  for (uint32_t i = 0; i < p; ++i) {
    e.copy(i, e.recv(i), e.temp(), (p - i) * e.bytes());
    e.copy(i, e.recv(), e.temp(p - i), i * e.bytes());
  }
}

void emitAllgatherDissemination(const Emitter &e) {
  // Like Bruck's algorithm, but the blocks are at their final places. A message that wraps around is split in two.
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.recv(i), e.send(), e.bytes());
  for (uint64_t span = 1; span < p; span *= 2) {
    uint64_t blocks = span < p - span ? span : p - span;
    for (uint32_t i = 0; i < p; ++i) {
      uint32_t from = uint32_t((i + span) % p);
      uint64_t head = from + blocks <= p ? blocks : p - from;
      e.message(from, e.recv(from), i, e.recv(from), head * e.bytes());
      if (head < blocks)
        e.message(from, e.recv(), i, e.recv(), (blocks - head) * e.bytes());
    }
  }
}

void emitAllgatherButterfly(const Emitter &e) {
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.recv(i), e.send(), e.bytes());
  for (uint32_t bit = 1; bit < p; bit *= 2)
    for (uint32_t i = 0; i < p; ++i) {
      uint32_t begin = i / bit * bit;
      e.message(i, e.recv(begin), i ^ bit, e.recv(begin), bit * e.bytes());
    }
}

void emitAlltoallLinear(const Emitter &e) {
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i) {
    e.ownCopy(i, e.recv(i), e.send(i), e.bytes());
    for (uint32_t k = 1; k < p; ++k)
      e.message(i, e.send((i + k) % p), (i + k) % p, e.recv(i), e.bytes());
  }
}

void emitAlltoallRing(const Emitter &e) {
  // Store and forward: in step k a process passes on the p-k blocks that have further to go. The first block that
  // arrives is for the receiver.
  uint32_t p = e.count();
  auto area = [&](uint32_t step) { return (step % 2) * uint64_t(p); };
  for (uint32_t i = 0; i < p; ++i) {
    e.ownCopy(i, e.recv(i), e.send(i), e.bytes());
    e.copy(i, e.temp(area(0)), e.send(i + 1), (p - 1 - i) * e.bytes());
    e.copy(i, e.temp(area(0) + p - 1 - i), e.send(), i * e.bytes());
  }
  for (uint32_t step = 1; step < p; ++step) {
    for (uint32_t i = 0; i < p; ++i)
      e.message(i, e.temp(area(step - 1) + (step > 1)), (i + 1) % p, e.temp(area(step)), (p - step) * e.bytes());
    for (uint32_t i = 0; i < p; ++i)
      e.copy(i, e.recv((i + p - step) % p), e.temp(area(step)), e.bytes());
  }
}

void emitAlltoallBruck(const Emitter &e) {
  // temp(k) is the block that has k steps to go; temp(p..) packs outgoing blocks, temp(2p..) receives.
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i) {
    e.copy(i, e.temp(), e.send(i), (p - i) * e.bytes());
    e.copy(i, e.temp(p - i), e.send(), i * e.bytes());
  }
  for (uint64_t span = 1; span < p; span *= 2) {
    uint32_t packed = 0;
    for (uint32_t i = 0; i < p; ++i) {
      packed = 0;
      for (uint32_t k = 0; k < p; ++k)
        if (k & span)
          e.copy(i, e.temp(p + packed++), e.temp(k), e.bytes());
    }
    for (uint32_t i = 0; i < p; ++i)
      e.message(i, e.temp(p), uint32_t((i + span) % p), e.temp(2 * uint64_t(p)), packed * e.bytes());
    for (uint32_t i = 0; i < p; ++i) {
      uint64_t at = 2 * uint64_t(p);
      for (uint32_t k = 0; k < p; ++k)
        if (k & span)
          e.copy(i, e.temp(k), e.temp(at++), e.bytes());
    }
  }
  for (uint32_t i = 0; i < p; ++i)
    for (uint32_t k = e.options.selfCopies ? 0 : 1; k < p; ++k)
      e.copy(i, e.recv((i + p - k) % p), e.temp(k), e.bytes());
}

void emitAlltoallButterfly(const Emitter &e) {
  // The paper's figure 1. temp(k) holds the block for process k, later the block from process k; temp(p..) receives.
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.temp(), e.send(), p * e.bytes());
  for (uint32_t bit = 1; bit < p; bit *= 2) {
    for (uint32_t i = 0; i < p; ++i)
      for (uint32_t k = 0; k < p; k += bit)
        if ((k & bit) != (i & bit))
          e.message(i, e.temp(k), i ^ bit, e.temp(p + (k ^ bit)), bit * e.bytes());
    for (uint32_t i = 0; i < p; ++i)
      for (uint32_t k = 0; k < p; k += bit)
        if ((k & bit) != (i & bit))
          e.copy(i, e.temp(k), e.temp(p + k), bit * e.bytes());
  }
  for (uint32_t i = 0; i < p; ++i)
    for (uint32_t k = 0; k < p; ++k)
      if (k != i || e.options.selfCopies)
        e.copy(i, e.recv(k), e.temp(k), e.bytes());
}

namespace {
template <EmitFn Fn> void call(Builder &builder, const Members &members, const PatternOptions &options) {
  Fn(Emitter{builder, members, options});
}

using K = CollectiveKind;
const Pattern kPatterns[] = {
    {"bcast-linear", K::Bcast, false, call<emitBcastLinear>},
    {"bcast-binomial", K::Bcast, false, call<emitBcastBinomial>},
    {"bcast-ring", K::Bcast, false, call<emitBcastRing>},
    {"bcast-scatter-allgather", K::Bcast, false, call<emitBcastScatterAllgather>},
    {"gather-linear", K::Gather, false, call<emitGatherLinear>},
    {"gather-binomial", K::Gather, false, call<emitGatherBinomial>},
    {"scatter-linear", K::Scatter, false, call<emitScatterLinear>},
    {"scatter-binomial", K::Scatter, false, call<emitScatterBinomial>},
    {"allgather-linear", K::Allgather, false, call<emitAllgatherLinear>},
    {"allgather-binomial", K::Allgather, false, call<emitAllgatherBinomial>},
    {"allgather-ring", K::Allgather, false, call<emitAllgatherRing>},
    {"allgather-bruck", K::Allgather, false, call<emitAllgatherBruck>},
    {"allgather-dissemination", K::Allgather, false, call<emitAllgatherDissemination>},
    {"allgather-butterfly", K::Allgather, true, call<emitAllgatherButterfly>},
    {"alltoall-linear", K::Alltoall, false, call<emitAlltoallLinear>},
    {"alltoall-ring", K::Alltoall, false, call<emitAlltoallRing>},
    {"alltoall-bruck", K::Alltoall, false, call<emitAlltoallBruck>},
    {"alltoall-butterfly", K::Alltoall, true, call<emitAlltoallButterfly>},
    {"reduce-linear", K::Reduce, false, call<emitReduceLinear>},
    {"reduce-binomial", K::Reduce, false, call<emitReduceBinomial>},
    {"reduce-ring", K::Reduce, false, call<emitReduceRing>},
    {"allreduce-linear", K::Allreduce, false, call<emitAllreduceLinear>},
    {"allreduce-binomial", K::Allreduce, false, call<emitAllreduceBinomial>},
    {"allreduce-ring", K::Allreduce, false, call<emitAllreduceRing>},
    {"allreduce-butterfly", K::Allreduce, false, call<emitAllreduceButterfly>},
    {"allreduce-dissemination", K::Allreduce, false, call<emitAllreduceDissemination>},
    {"reduce_scatter-linear", K::ReduceScatter, false, call<emitReduceScatterLinear>},
    {"reduce_scatter-ring", K::ReduceScatter, false, call<emitReduceScatterRing>},
    {"reduce_scatter-butterfly", K::ReduceScatter, true, call<emitReduceScatterButterfly>},
    {"scan-linear", K::Scan, false, call<emitScanLinear>},
    {"scan-dissemination", K::Scan, false, call<emitScanDissemination>},
    {"exscan-linear", K::Exscan, false, call<emitExscanLinear>},
    {"barrier-linear", K::Barrier, false, call<emitBarrierLinear>},
    {"barrier-binomial", K::Barrier, false, call<emitBarrierBinomial>},
    {"barrier-ring", K::Barrier, false, call<emitBarrierRing>},
    {"barrier-dissemination", K::Barrier, false, call<emitBarrierDissemination>},
    {"barrier-butterfly", K::Barrier, true, call<emitBarrierButterfly>},
};
} // namespace

const Pattern *patternsBegin() { return kPatterns; }
const Pattern *patternsEnd() { return kPatterns + sizeof(kPatterns) / sizeof(*kPatterns); }

const Pattern *findPattern(const char *wanted) {
  for (const Pattern &pattern : kPatterns)
    if (std::strcmp(pattern.name, wanted) == 0)
      return &pattern;
  return nullptr;
}

Error emitPattern(Graph &graph, Builder &builder, const Pattern &pattern, const Members &members,
                  PatternOptions &options) {
  uint64_t p = members.size();
  if (pattern.powerOfTwo && (p & (p - 1)))
    return makeError(ErrorCode::BadArgument, kNone, kNone,
                     "pattern %s is defined for powers of two only, not for "
                     "%llu processes",
                     pattern.name, static_cast<unsigned long long>(p));
  if (p == 0 || options.root >= p)
    return makeError(ErrorCode::BadRank, options.root, kNone, "pattern %s: root %u is not one of its %llu processes",
                     pattern.name, options.root, static_cast<unsigned long long>(p));
  // The largest layout: contributions, results and three blocks of scratch memory per process.
  uint64_t region;
  if (__builtin_mul_overflow(p, options.bytes, &region) || region >= (uint64_t(1) << 59) ||
      options.sendAt >= uint64_t(1) << 60)
    return makeError(ErrorCode::BadSize, kNone, kNone,
                     "pattern %s on %llu processes: blocks of %llu bytes do "
                     "not fit into 2^63 bytes",
                     pattern.name, static_cast<unsigned long long>(p), static_cast<unsigned long long>(options.bytes));
  if (!options.recvAt)
    options.recvAt = options.sendAt + region;
  if (!options.tempAt)
    options.tempAt = options.recvAt + region;
  if (std::strcmp(pattern.name, "allreduce-dissemination") == 0 && (p & (p - 1)))
    options.op = Operator::Max;
  graph.addBuffer(kNone, options.tempAt, 3 * region, "temp",
                  /*temporary=*/true);
  pattern.emit(builder, members, options);
  return graph.error();
}

Error generatePattern(const char *wanted, uint32_t ranks, const PatternOptions &options, Graph &graph) {
  const Pattern *pattern = findPattern(wanted);
  if (!pattern)
    return makeError(ErrorCode::BadArgument, kNone, kNone, "there is no pattern %s", wanted);
  graph = Graph(ranks);
  // Exact for linear and tree patterns; the graphs of others grow.
  graph.reserve(2 * size_t(ranks), ranks);
  Builder builder(graph);
  Members members(ranks);
  for (Rank i = 0; i < ranks; ++i)
    members[i] = i;
  PatternOptions local = options;
  return emitPattern(graph, builder, *pattern, members, local);
}

} // namespace comm::cdag
