//===- InstrumentChecks.cpp - Watch the buffers in flight ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Interval.h"
#include "RuntimeCalls.h"

namespace comm {
#define GEN_PASS_DEF_COMMINSTRUMENTCHECKS
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct InstrumentChecks : public comm::impl::CommInstrumentChecksBase<InstrumentChecks> {
  using CommInstrumentChecksBase::CommInstrumentChecksBase;
  void runOnOperation() final;
};
} // namespace

void InstrumentChecks::runOnOperation() {}
