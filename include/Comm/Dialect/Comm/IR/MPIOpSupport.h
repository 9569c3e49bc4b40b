//===- MPIOpSupport.h - Support code for MPI ops ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax, verifier and effects of the ops that CommOps.td makes from the MPI tables. For the generated code only.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_IR_MPIOPSUPPORT_H
#define COMM_DIALECT_COMM_IR_MPIOPSUPPORT_H

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <vector>

namespace comm::detail {

/// {"request_result", "error"} to {"request", "error"}.
std::vector<llvm::StringRef> stripResultSuffix(std::vector<llvm::StringRef> names);

/// Returns the segment sizes in an op's properties; empty if the op has only one group and needs none.
template <typename P>
auto operandSegments(P &properties, int) -> decltype(llvm::MutableArrayRef<int32_t>(properties.operandSegmentSizes)) {
  return properties.operandSegmentSizes;
}
template <typename P> llvm::MutableArrayRef<int32_t> operandSegments(P &, long) { return {}; }
template <typename P>
auto resultSegments(P &properties, int) -> decltype(llvm::MutableArrayRef<int32_t>(properties.resultSegmentSizes)) {
  return properties.resultSegmentSizes;
}
template <typename P> llvm::MutableArrayRef<int32_t> resultSegments(P &, long) { return {}; }

mlir::ParseResult parseMPIOp(mlir::OpAsmParser &parser, mlir::OperationState &state, llvm::StringRef function,
                             llvm::ArrayRef<llvm::StringRef> params, llvm::ArrayRef<llvm::StringRef> outcomes,
                             llvm::MutableArrayRef<int32_t> operandSegments,
                             llvm::MutableArrayRef<int32_t> resultSegments, ModeAttr &mode);
void printMPIOp(mlir::OpAsmPrinter &printer, MPIOpInterface op);
llvm::LogicalResult verifyMPIOp(MPIOpInterface op);
void getMPIEffects(MPIOpInterface op,
                   llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);
bool completesAll(MPIOpInterface op);

} // namespace comm::detail

#endif // COMM_DIALECT_COMM_IR_MPIOPSUPPORT_H
