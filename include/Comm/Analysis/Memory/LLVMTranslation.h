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

/// Makes the discardable attribute `comm.id = N : i64` of an operation the metadata `!comm.id !{i64 N}` of its
/// instructions when a module is translated to LLVM IR. The alias analysis finds operations by it.
void registerCommDialectTranslation(mlir::DialectRegistry &registry);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_LLVMTRANSLATION_H
