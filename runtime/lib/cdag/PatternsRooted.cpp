// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Broadcast, gather, scatter and reduce: linear, chains and binomial trees. Trees number the processes relative to the
// root.
#include "PatternsInternal.h"

#include <algorithm>

namespace comm::cdag {

namespace {
/// Returns process `relative` of a tree whose process 0 is the root.
uint32_t absolute(const Emitter &e, uint32_t relative) {
  return static_cast<uint32_t>((uint64_t(relative) + e.options.root) % e.count());
}
} // namespace

void emitBcastLinear(const Emitter &e) {
  for (uint32_t i = 0; i < e.count(); ++i)
    if (i != e.options.root)
      e.message(e.options.root, e.send(), i, e.send(), e.bytes());
}

void emitBcastBinomial(const Emitter &e) {
  uint32_t p = e.count();
  for (uint64_t span = 1; span < p; span *= 2)
    for (uint64_t i = 0; i < span && i + span < p; ++i)
      e.message(absolute(e, uint32_t(i)), e.send(), absolute(e, uint32_t(i + span)), e.send(), e.bytes());
}

void emitBcastRing(const Emitter &e) {
  for (uint32_t i = 0; i + 1 < e.count(); ++i)
    e.message(absolute(e, i), e.send(), absolute(e, i + 1), e.send(), e.bytes());
}

void emitBcastScatterAllgather(const Emitter &e) {
  // Van de Geijn's algorithm: scatter pieces, then pass them around a ring.
  uint32_t p = e.count();
  auto begin = [&](uint32_t piece) { return e.bytes() * piece / p; };
  auto pass = [&](uint32_t from, uint32_t to, uint32_t piece) {
    e.message(absolute(e, from), e.send() + begin(piece), absolute(e, to), e.send() + begin(piece),
              begin(piece + 1) - begin(piece));
  };
  for (uint32_t i = 1; i < p; ++i)
    if (begin(i) != begin(i + 1))
      pass(0, i, i);
  for (uint32_t step = 0; step + 1 < p; ++step)
    for (uint32_t i = 0; i < p; ++i) {
      uint32_t piece = (i + p - step) % p;
      if ((i + 1) % p != 0 && begin(piece) != begin(piece + 1))
        pass(i, (i + 1) % p, piece);
    }
}

void emitGatherLinear(const Emitter &e) {
  uint32_t root = e.options.root;
  e.ownCopy(root, e.recv(root), e.send(), e.bytes());
  for (uint32_t i = 0; i < e.count(); ++i)
    if (i != root)
      e.message(i, e.send(), root, e.recv(i), e.bytes());
}

void emitGatherBinomial(const Emitter &e) {
  // temp(k) of a process holds the block of its k-th successor.
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.temp(), e.send(), e.bytes());
  for (uint64_t span = 1; span < p; span *= 2)
    for (uint64_t i = 0; i + span < p; i += 2 * span)
      e.message(absolute(e, uint32_t(i + span)), e.temp(), absolute(e, uint32_t(i)), e.temp(span),
                std::min<uint64_t>(span, p - i - span) * e.bytes());
  uint32_t root = e.options.root;
  uint32_t first = e.options.selfCopies ? 0 : 1;
  e.copy(root, e.recv(root + first), e.temp(first), (p - root - first) * e.bytes());
  e.copy(root, e.recv(0), e.temp(p - root), root * e.bytes());
}

void emitScatterLinear(const Emitter &e) {
  uint32_t root = e.options.root;
  e.ownCopy(root, e.recv(), e.send(root), e.bytes());
  for (uint32_t i = 0; i < e.count(); ++i)
    if (i != root)
      e.message(root, e.send(i), i, e.recv(), e.bytes());
}

void emitScatterBinomial(const Emitter &e) {
  uint32_t p = e.count(), root = e.options.root;
  e.copy(root, e.temp(0), e.send(root), (p - root) * e.bytes());
  e.copy(root, e.temp(p - root), e.send(0), root * e.bytes());
  uint64_t span = floorPowerOfTwo(p);
  for (; span >= 1; span /= 2)
    for (uint64_t i = 0; i + span < p; i += 2 * span)
      e.message(absolute(e, uint32_t(i)), e.temp(span), absolute(e, uint32_t(i + span)), e.temp(),
                std::min<uint64_t>(span, p - i - span) * e.bytes());
  for (uint32_t i = 0; i < p; ++i)
    if (i != root || e.options.selfCopies)
      e.copy(i, e.recv(), e.temp(), e.bytes());
}

void emitReduceLinear(const Emitter &e) {
  uint32_t p = e.count(), root = e.options.root;
  // Accumulate in the order of the processes.
  for (uint32_t i = 0; i < p; ++i) {
    Addr source = e.send();
    if (i != root) {
      source = e.temp(i);
      e.message(i, e.send(), root, source, e.bytes());
    }
    if (i == 0)
      e.copy(root, e.recv(), source, e.bytes());
    else
      e.reduce(root, e.recv(), source, e.bytes());
  }
}

void emitReduceBinomial(const Emitter &e) {
  uint32_t p = e.count();
  auto accumulator = [&](uint64_t i) { return i == 0 ? e.recv() : e.temp(0); };
  for (uint32_t i = 0; i < p; ++i)
    e.copy(absolute(e, i), accumulator(i), e.send(), e.bytes());
  for (uint64_t span = 1; span < p; span *= 2)
    for (uint64_t i = 0; i + span < p; i += 2 * span) {
      e.message(absolute(e, uint32_t(i + span)), accumulator(i + span), absolute(e, uint32_t(i)), e.temp(1), e.bytes());
      e.reduce(absolute(e, uint32_t(i)), accumulator(i), e.temp(1), e.bytes());
    }
}

void emitReduceRing(const Emitter &e) {
  uint32_t p = e.count();
  auto accumulator = [&](uint32_t i) { return i == 0 ? e.recv() : e.temp(0); };
  for (uint32_t i = p; i-- > 0;) {
    uint32_t self = absolute(e, i);
    e.copy(self, accumulator(i), e.send(), e.bytes());
    if (i + 1 < p) {
      e.message(absolute(e, i + 1), accumulator(i + 1), self, e.temp(1), e.bytes());
      e.reduce(self, accumulator(i), e.temp(1), e.bytes());
    }
  }
}

} // namespace comm::cdag
