//===- LLVMTranslation.h - Finding operations again in LLVM IR ----*- C++ -*-===//
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

/// Notes the instructions of an operation with the discardable attribute `comm.id` when a module is translated to LLVM
/// IR for the alias analysis, which finds operations by them.
void registerCommDialectTranslation(mlir::DialectRegistry &registry);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_LLVMTRANSLATION_H
