//===- Restore.h - Restoring what MLIR loses --------------------*- C++ -*-===//
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

/// Maps a new instruction to its original.
using InstructionOrigins = llvm::DenseMap<llvm::Instruction *, const llvm::Instruction *>;

/// Copies debug locations, metadata, call attributes and flags from the originals in `original` to the instructions of
/// `body`, which is already in the user's module. An instruction with the same operation and operands as its original
/// gets everything; one that merely stems from it gets the location. Locations belong to `scope`, which is the
/// original's subprogram or one that describes the same code, or null.
void restoreFromOriginals(llvm::Function &body, const llvm::Function &original, const InstructionOrigins &origins,
                          llvm::DISubprogram *scope);

} // namespace comm

#endif // COMM_LIB_PLUGIN_ROUNDTRIP_RESTORE_H
