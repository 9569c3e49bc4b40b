//===- LLVMTranslation.h - Mapping operations to LLVM IR --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_LLVMTRANSLATION_H
#define COMM_ANALYSIS_MEMORY_LLVMTRANSLATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace comm {

/// Records the instructions of each operation with the discardable attribute `comm.id` during the translation of a
/// module to LLVM IR, so that the alias analysis can find them.
void registerCommDialectTranslation(mlir::DialectRegistry &registry);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_LLVMTRANSLATION_H
