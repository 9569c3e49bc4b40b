// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations shared by the generators. All algorithms number the processes by their index among the members, and
// address memory through these helpers.
#ifndef COMM_CDAG_PATTERNSINTERNAL_H
#define COMM_CDAG_PATTERNSINTERNAL_H

#include "Comm/CDag/Patterns.h"

namespace comm::cdag {

using Members = Vec<Rank>;

/// One pattern being emitted.
struct Emitter {
  Builder &builder;
  const Members &members;
  const PatternOptions &options;
  /// Tags differ, because the messages of one pair may be unordered and must not be mistaken for each other.
  mutable int32_t messages = 0;

  int32_t nextTag() const { return options.tag + messages++; }
  uint32_t count() const { return static_cast<uint32_t>(members.size()); }
  uint64_t bytes() const { return options.bytes; }
  Addr send(uint64_t block = 0) const { return options.sendAt + block * bytes(); }
  Addr recv(uint64_t block = 0) const { return options.recvAt + block * bytes(); }
  Addr temp(uint64_t block = 0) const { return options.tempAt + block * bytes(); }
  void message(uint32_t from, Addr source, uint32_t to, Addr target, uint64_t size) const {
    builder.message(members[from], source, members[to], target, size, nextTag());
  }
  void signal(uint32_t from, uint32_t to) const { builder.signal(members[from], members[to], nextTag()); }
  void joint(uint32_t member) const { builder.joint(members[member]); }
  void copy(uint32_t member, Addr dst, Addr src, uint64_t size) const { builder.copy(members[member], dst, src, size); }
  /// Copies a process's own block, if the options ask for it.
  void ownCopy(uint32_t member, Addr dst, Addr src, uint64_t size) const {
    if (options.selfCopies)
      copy(member, dst, src, size);
  }
  /// Emits dst = dst op src, or dst = src op dst with `sourceFirst`.
  void reduce(uint32_t member, Addr dst, Addr src, uint64_t size, bool sourceFirst = false) const {
    builder.reduce(members[member], dst, src, size, options.op, options.type, sourceFirst);
  }
};

using EmitFn = void (*)(const Emitter &);

/// Returns the largest power of two that is at most n (n > 0).
inline uint32_t floorPowerOfTwo(uint32_t n) {
  uint32_t power = 1;
  while (power <= n / 2)
    power *= 2;
  return power;
}

// PatternsRooted.cpp
void emitBcastLinear(const Emitter &);
void emitBcastBinomial(const Emitter &);
void emitBcastRing(const Emitter &);
void emitBcastScatterAllgather(const Emitter &);
void emitGatherLinear(const Emitter &);
void emitGatherBinomial(const Emitter &);
void emitScatterLinear(const Emitter &);
void emitScatterBinomial(const Emitter &);
void emitReduceLinear(const Emitter &);
void emitReduceBinomial(const Emitter &);
void emitReduceRing(const Emitter &);
// Patterns.cpp
void emitAllgatherLinear(const Emitter &);
void emitAllgatherBinomial(const Emitter &);
void emitAllgatherRing(const Emitter &);
void emitAllgatherBruck(const Emitter &);
void emitAllgatherDissemination(const Emitter &);
void emitAllgatherButterfly(const Emitter &);
void emitAlltoallLinear(const Emitter &);
void emitAlltoallRing(const Emitter &);
void emitAlltoallBruck(const Emitter &);
void emitAlltoallButterfly(const Emitter &);
// PatternsReduce.cpp
void emitAllreduceLinear(const Emitter &);
void emitAllreduceBinomial(const Emitter &);
void emitAllreduceRing(const Emitter &);
void emitAllreduceButterfly(const Emitter &);
void emitAllreduceDissemination(const Emitter &);
void emitReduceScatterLinear(const Emitter &);
void emitReduceScatterRing(const Emitter &);
void emitReduceScatterButterfly(const Emitter &);
void emitScanLinear(const Emitter &);
void emitScanDissemination(const Emitter &);
void emitExscanLinear(const Emitter &);
// PatternsSync.cpp
void emitBarrierLinear(const Emitter &);
void emitBarrierBinomial(const Emitter &);
void emitBarrierRing(const Emitter &);
void emitBarrierDissemination(const Emitter &);
void emitBarrierButterfly(const Emitter &);

} // namespace comm::cdag

#endif
