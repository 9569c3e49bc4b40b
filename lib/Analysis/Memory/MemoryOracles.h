//===- MemoryOracles.h - The two oracles --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_MEMORY_MEMORYORACLES_H
#define COMM_LIB_ANALYSIS_MEMORY_MEMORYORACLES_H

#include "Comm/Analysis/Memory/MemoryOracle.h"

#include <optional>

namespace comm {

/// Returns null if the module cannot be translated to LLVM IR. For queries about some functions only, or about all.
std::unique_ptr<MemoryOracle> createLLVMMemoryOracle(mlir::ModuleOp module,
                                                     std::optional<llvm::ArrayRef<mlir::Operation *>> functions);
std::unique_ptr<MemoryOracle> createMLIRMemoryOracle();

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_MEMORYORACLES_H
