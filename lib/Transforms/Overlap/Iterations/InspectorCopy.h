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
  /// `finish` and `fail`, which must be adjacent. `beginTile`: the block through which control enters the loop for each
  /// tile, if iterations are inspected in tiles. A loop without iterations fails then.
  void emit(mlir::Block *beginTile = nullptr);

private:
  llvm::SmallPtrSet<mlir::Block *, 8> findBlocksAhead() const;
  void makeBlocks();
  llvm::SmallVector<mlir::Value> getKept(mlir::Block *target, mlir::OperandRange operands) const;
  mlir::Block *getEnd(mlir::Block *from, mlir::Block *target) const;
  void saveNext(mlir::Block *latch);
  mlir::Block *enterFirstTile(mlir::ValueRange operands);
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
  /// Of tiles: the block that begins one, the blocks of the loop, and variables for the arguments of its header.
  mlir::Block *beginTile = nullptr;
  llvm::SmallPtrSet<mlir::Block *, 16> blocksOfLoop;
  llvm::SmallVector<mlir::Value> saved;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTORCOPY_H
