// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allreduce, reduce_scatter and scans.
#include "PatternsInternal.h"

namespace comm::cdag {

namespace {
/// Returns the first byte of piece i if the message is cut into count() pieces of whole elements.
uint64_t pieceBegin(const Emitter &e, uint32_t i) {
  uint64_t elem = elementSize(e.options.type);
  return e.bytes() / elem * i / e.count() * elem;
}

/// Broadcasts the result down a binomial tree from process 0.
void bcastResult(const Emitter &e) {
  uint32_t p = e.count();
  for (uint64_t span = 1; span < p; span *= 2)
    for (uint64_t i = 0; i < span && i + span < p; ++i)
      e.message(uint32_t(i), e.recv(), uint32_t(i + span), e.recv(), e.bytes());
}
} // namespace

void emitAllreduceLinear(const Emitter &e) {
  uint32_t p = e.count();
  e.copy(0, e.recv(), e.send(), e.bytes());
  for (uint32_t i = 1; i < p; ++i) {
    e.message(i, e.send(), 0, e.temp(i), e.bytes());
    e.reduce(0, e.recv(), e.temp(i), e.bytes());
  }
  for (uint32_t i = 1; i < p; ++i)
    e.message(0, e.recv(), i, e.recv(), e.bytes());
}

void emitAllreduceBinomial(const Emitter &e) {
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.recv(), e.send(), e.bytes());
  for (uint64_t span = 1; span < p; span *= 2)
    for (uint64_t i = 0; i + span < p; i += 2 * span) {
      e.message(uint32_t(i + span), e.recv(), uint32_t(i), e.temp(), e.bytes());
      e.reduce(uint32_t(i), e.recv(), e.temp(), e.bytes());
    }
  bcastResult(e);
}

void emitAllreduceRing(const Emitter &e) {
  // A ring reduce_scatter of pieces, then a ring allgather.
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.recv(), e.send(), e.bytes());
  auto size = [&](uint32_t c) { return pieceBegin(e, c + 1) - pieceBegin(e, c); };
  for (uint32_t step = 0; step + 1 < p; ++step) {
    for (uint32_t i = 0; i < p; ++i) {
      uint32_t piece = (i + p - step) % p;
      if (size(piece))
        e.message(i, e.recv() + pieceBegin(e, piece), (i + 1) % p, e.temp() + pieceBegin(e, piece), size(piece));
    }
    for (uint32_t i = 0; i < p; ++i) {
      uint32_t piece = (i + p - step) % p;
      e.reduce((i + 1) % p, e.recv() + pieceBegin(e, piece), e.temp() + pieceBegin(e, piece), size(piece));
    }
  }
  for (uint32_t step = 0; step + 1 < p; ++step)
    for (uint32_t i = 0; i < p; ++i) {
      uint32_t piece = (i + 1 + p - step) % p;
      if (size(piece))
        e.message(i, e.recv() + pieceBegin(e, piece), (i + 1) % p, e.recv() + pieceBegin(e, piece), size(piece));
    }
}

void emitAllreduceButterfly(const Emitter &e) {
  // Recursive doubling; processes beyond a power of two fold into the others.
  uint32_t p = e.count(), core = floorPowerOfTwo(p);
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.recv(), e.send(), e.bytes());
  for (uint32_t i = core; i < p; ++i) {
    e.message(i, e.recv(), i - core, e.temp(), e.bytes());
    e.reduce(i - core, e.recv(), e.temp(), e.bytes());
  }
  for (uint32_t bit = 1; bit < core; bit *= 2) {
    for (uint32_t i = 0; i < core; ++i)
      e.message(i, e.recv(), i ^ bit, e.temp(), e.bytes());
    for (uint32_t i = 0; i < core; ++i)
      e.reduce(i, e.recv(), e.temp(), e.bytes());
  }
  for (uint32_t i = core; i < p; ++i)
    e.message(i - core, e.recv(), i, e.recv(), e.bytes());
}

void emitAllreduceDissemination(const Emitter &e) {
  // Counts contributions twice if p is not a power of two; emitPattern ensures that the operator allows it.
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.recv(), e.send(), e.bytes());
  for (uint64_t span = 1; span < p; span *= 2) {
    for (uint32_t i = 0; i < p; ++i)
      e.message(i, e.recv(), uint32_t((i + span) % p), e.temp(), e.bytes());
    for (uint32_t i = 0; i < p; ++i)
      e.reduce(i, e.recv(), e.temp(), e.bytes());
  }
}

void emitReduceScatterLinear(const Emitter &e) {
  uint32_t p = e.count();
  for (uint32_t j = 0; j < p; ++j) {
    e.copy(j, e.recv(), e.send(j), e.bytes());
    for (uint32_t i = 0; i < p; ++i)
      if (i != j) {
        e.message(i, e.send(j), j, e.temp(i), e.bytes());
        e.reduce(j, e.recv(), e.temp(i), e.bytes());
      }
  }
}

void emitReduceScatterRing(const Emitter &e) {
  // temp(0..p-1) accumulates, temp(p..2p-1) receives.
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.temp(), e.send(), p * e.bytes());
  for (uint32_t step = 0; step + 1 < p; ++step) {
    for (uint32_t i = 0; i < p; ++i) {
      uint32_t block = (i + 2 * p - 1 - step) % p;
      e.message(i, e.temp(block), (i + 1) % p, e.temp(p + block), e.bytes());
    }
    for (uint32_t i = 0; i < p; ++i) {
      uint32_t block = (i + 2 * p - 1 - step) % p;
      e.reduce((i + 1) % p, e.temp(block), e.temp(p + block), e.bytes());
    }
  }
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.recv(), e.temp(i), e.bytes());
}

void emitReduceScatterButterfly(const Emitter &e) {
  // Recursive halving: a process keeps the half of the blocks that contains its own.
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.temp(), e.send(), p * e.bytes());
  for (uint32_t half = p / 2; half >= 1; half /= 2) {
    for (uint32_t i = 0; i < p; ++i) {
      uint32_t peer = i ^ half, begin = peer / half * half;
      e.message(i, e.temp(begin), peer, e.temp(p + begin), half * e.bytes());
    }
    for (uint32_t i = 0; i < p; ++i) {
      uint32_t begin = i / half * half;
      e.reduce(i, e.temp(begin), e.temp(p + begin), half * e.bytes());
    }
  }
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.recv(), e.temp(i), e.bytes());
}

void emitScanLinear(const Emitter &e) {
  for (uint32_t i = 0; i < e.count(); ++i) {
    e.copy(i, e.recv(), e.send(), e.bytes());
    if (i == 0)
      continue;
    e.message(i - 1, e.recv(), i, e.temp(), e.bytes());
    e.reduce(i, e.recv(), e.temp(), e.bytes(), /*sourceFirst=*/true);
  }
}

void emitScanDissemination(const Emitter &e) {
  // Hillis and Steele.
  uint32_t p = e.count();
  for (uint32_t i = 0; i < p; ++i)
    e.copy(i, e.recv(), e.send(), e.bytes());
  for (uint64_t span = 1; span < p; span *= 2) {
    for (uint32_t i = 0; i + span < p; ++i)
      e.message(i, e.recv(), uint32_t(i + span), e.temp(), e.bytes());
    for (uint64_t i = span; i < p; ++i)
      e.reduce(uint32_t(i), e.recv(), e.temp(), e.bytes(),
               /*sourceFirst=*/true);
  }
}

void emitExscanLinear(const Emitter &e) {
  // temp(0) is the prefix for the next process.
  uint32_t p = e.count();
  for (uint32_t i = 0; i + 1 < p; ++i) {
    e.copy(i, e.temp(), e.send(), e.bytes());
    if (i > 0)
      e.reduce(i, e.temp(), e.recv(), e.bytes(), /*sourceFirst=*/true);
    e.message(i, e.temp(), i + 1, e.recv(), e.bytes());
  }
}

} // namespace comm::cdag
