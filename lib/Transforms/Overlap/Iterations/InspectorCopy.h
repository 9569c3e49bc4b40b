//===- InspectorCopy.h - The copy of the loop that inspects -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORCOPY_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORCOPY_H

#include "Iterations/Inspector.h"
#include "Iterations/InspectorChecks.h"
#include "Iterations/InspectorEmitter.h"
#include "Iterations/InspectorRuns.h"

#include "mlir/IR/IRMapping.h"

namespace comm {

/// Copies a loop's address computation, with checks of the addresses.
class InspectorCopy : private InspectorEmitter {
public:
  /// Control goes to `finish` after the last iteration, and to `fail` if there is no interior.
  InspectorCopy(const Inspection &inspection, InspectorChecks &checks, InspectorRuns &runs, mlir::Block *finish,
                mlir::Block *fail, const InspectorEmitter &code)
      : InspectorEmitter(code), inspection(inspection), slice(*inspection.slice), checks(checks), runs(runs),
        finish(finish), fail(fail) {}

  /// Emits the copy, which begins at the builder's position with the branch into the loop. Its blocks are between
  /// `finish` and `fail`, which must be adjacent.
  void emit();

private:
  void makeBlocks();
  void copyBlock(mlir::Block *block);
  void copyTerminator(mlir::Block *block);
  mlir::Block *enterInnerLoop(const InnerAccesses &inner, mlir::ValueRange operands);
  void replaceOperands();

  const Inspection &inspection;
  const UnitSlice &slice;
  InspectorChecks &checks;
  InspectorRuns &runs;
  mlir::Block *finish, *fail;
  mlir::IRMapping map;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORCOPY_H
