// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers: messages of zero bytes.
#include "PatternsInternal.h"

namespace comm::cdag {

namespace {
void jointAll(const Emitter &e) {
  for (uint32_t i = 0; i < e.count(); ++i)
    e.joint(i);
}
} // namespace

void emitBarrierLinear(const Emitter &e) {
  uint32_t root = e.options.root;
  for (uint32_t i = 0; i < e.count(); ++i)
    if (i != root)
      e.signal(i, root);
  jointAll(e);
  for (uint32_t i = 0; i < e.count(); ++i)
    if (i != root)
      e.signal(root, i);
  jointAll(e);
}

void emitBarrierBinomial(const Emitter &e) {
  uint32_t p = e.count();
  uint64_t span = 1;
  for (; span < p; span *= 2) {
    for (uint64_t i = 0; i + span < p; i += 2 * span)
      e.signal(uint32_t(i + span), uint32_t(i));
    jointAll(e);
  }
  for (span /= 2; span >= 1; span /= 2) {
    for (uint64_t i = 0; i + span < p; i += 2 * span)
      e.signal(uint32_t(i), uint32_t(i + span));
    jointAll(e);
  }
}

void emitBarrierRing(const Emitter &e) {
  // A token goes around. All processes have arrived when it is back; the second round notifies everyone.
  uint32_t p = e.count();
  if (p < 2)
    return;
  for (uint32_t step = 0; step < 2 * p - 1; ++step) {
    e.signal(step % p, (step + 1) % p);
    e.joint(step % p);
    e.joint((step + 1) % p);
  }
}

void emitBarrierDissemination(const Emitter &e) {
  uint32_t p = e.count();
  for (uint64_t span = 1; span < p; span *= 2) {
    for (uint32_t i = 0; i < p; ++i)
      e.signal(i, uint32_t((i + span) % p));
    jointAll(e);
  }
}

void emitBarrierButterfly(const Emitter &e) {
  uint32_t p = e.count();
  for (uint32_t bit = 1; bit < p; bit *= 2) {
    for (uint32_t i = 0; i < p; ++i)
      e.signal(i, i ^ bit);
    jointAll(e);
  }
}

} // namespace comm::cdag
