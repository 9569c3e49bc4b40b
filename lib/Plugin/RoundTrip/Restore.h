//===- Restore.h - What the way through MLIR loses --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_ROUNDTRIP_RESTORE_H
#define COMM_LIB_PLUGIN_ROUNDTRIP_RESTORE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class DISubprogram;
class Function;
class Instruction;
} // namespace llvm

namespace comm {

/// New instruction to the original that it stems from.
using InstructionOrigins = llvm::DenseMap<llvm::Instruction *, const llvm::Instruction *>;

/// Puts on the instructions of `body`, which is already in the user's module,
/// the debug locations, metadata, call attributes and flags of their originals
/// in `original`. An instruction that is the same as its original (operation
/// and operands) gets all; one that stems from another gets the location.
/// Locations are of `scope`, the subprogram of the original or one that describes the same code; null if there is none.
void restoreFromOriginals(llvm::Function &body, const llvm::Function &original, const InstructionOrigins &origins,
                          llvm::DISubprogram *scope);

} // namespace comm

#endif // COMM_LIB_PLUGIN_ROUNDTRIP_RESTORE_H
