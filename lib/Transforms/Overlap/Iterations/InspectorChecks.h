//===- InspectorChecks.h - Compare addresses with ranges --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORCHECKS_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORCHECKS_H

#include "Iterations/InspectorAccesses.h"
#include "Iterations/InspectorEmitter.h"
#include "Iterations/InspectorRanges.h"
#include "Iterations/InspectorResults.h"
#include "Iterations/InspectorRuns.h"

namespace comm {

/// The comparisons in the copy of the loop: whether an iteration touches what it avoids, or what none may touch. The
/// inspection fails before it loads what is in flight, since that could lead anywhere. Operands are those of the loop,
/// which the copy replaces by its own.
class InspectorChecks : private InspectorEmitter {
public:
  InspectorChecks(const Inspection &inspection, const InspectorRanges &ranges, const InspectorRuns &runs,
                  InspectorResults &results, const InspectorEmitter &code)
      : InspectorEmitter(code), inspection(inspection), slice(*inspection.slice), ranges(ranges), runs(runs),
        results(results), accesses(inspection) {}

  /// Returns what is compared before the inner loop that consists of that block, or null.
  const InnerAccesses *getInner(mlir::Block *block) const { return accesses.getInner(block); }

  /// Emits what is computed before the whole loop.
  void enterLoop();
  /// Emits all comparisons for an inner loop that need not be made in it. Blocks go before `fail`.
  void enterInnerLoop(const InnerAccesses &inner, mlir::Block *fail);
  /// Emits the comparisons for an operation, before its copy.
  void check(mlir::Operation *op, mlir::Block *fail);
  /// Records what a load of the slice has read, after its copy.
  void noteLoad(mlir::LLVM::LoadOp op);

private:
  /// The indices with which an access by a narrow index meets a range, and the variable that is set then.
  struct NarrowCheck {
    mlir::Value flag, index;
    NarrowAccess::Indices indices;
  };

  mlir::Value meets(const TouchedBytes &bytes, llvm::ArrayRef<unsigned> which) const;
  void failIf(mlir::Value isHit, mlir::Block *fail);
  void checkSweep(const InspectedAccess &access, const Sweep &sweep, const AddressRange &swept, mlir::Value isSane,
                  mlir::Block *fail);
  void enterSweep(const InspectedAccess *access, mlir::Operation *op, const InnerLoop &loop, const Sweep &sweep,
                  mlir::Block *fail);
  void prepareNarrow(const InspectedAccess &access, const NarrowAccess &narrow, bool isAhead);

  const Inspection &inspection;
  const UnitSlice &slice;
  const InspectorRanges &ranges;
  const InspectorRuns &runs;
  InspectorResults &results;
  InspectorAccesses accesses;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<NarrowCheck>> narrowChecks;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORCHECKS_H
