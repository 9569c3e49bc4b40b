//===- CallBuilder.h - Calls, constants and slots of one ABI ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_COMMTOLLVM_CALLBUILDER_H
#define COMM_LIB_CONVERSION_COMMTOLLVM_CALLBUILDER_H

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace comm {

/// Returns the function that the op calls: the large-count form if a count has 64 bits. Null if MPI has no such form.
const mpi::Function *getFunctionToCall(MPIOpInterface op);

/// Returns the memref operand that implies this count or datatype of the op, or null. A buffer with `count` elements
/// for each process is the last choice.
mlir::Value getImplyingBuffer(MPIOpInterface op, const mpi::Param &param);

/// Returns the predefined object of this name if it can have this type: a handle, an integer or an address.
std::optional<mpi::HandleRepresentation> getRepresentationOf(llvm::StringRef name, mlir::Type type,
                                                             const mpi::ABI &abi);

/// A byte array with the size and alignment of MPI_Status.
mlir::Type getStatusType(const mpi::ABI &abi, mlir::MLIRContext *context);

/// Builds calls and what they need, at the insertion point or where required.
class CallBuilder {
public:
  CallBuilder(mlir::OpBuilder &builder, mlir::Operation *anchor, const mpi::ABI &abi)
      : builder(builder), anchor(anchor), loc(anchor->getLoc()), abi(abi) {}

  mlir::Value createInteger(mlir::Type type, int64_t value);
  /// Creates a handle, integer or address of this type.
  mlir::Value createConstant(const mpi::HandleRepresentation &representation, mlir::Type type);
  /// Creates the call. `attributes` is the comm.call attribute of the op, if any. `symbol`, if any, is the function to
  /// call in its place.
  mlir::LLVM::CallOp createCall(const mpi::Function &function, mlir::ValueRange arguments,
                                mlir::DictionaryAttr attributes = {}, llvm::StringRef symbol = {});
  /// Allocates `count` objects in the entry block of the function: a slot in a loop would grow the stack.
  mlir::Value createSlot(mlir::Type type, unsigned count = 1);
  /// Converts the integer to another width. An MPI count that does not fit becomes -1, which MPI rejects
  /// (MPI_ERR_COUNT).
  mlir::Value fitInteger(mlir::Value value, mlir::Type type, bool isCount);

  mlir::OpBuilder &builder;
  mlir::Operation *anchor;
  mlir::Location loc;
  const mpi::ABI &abi;
};

} // namespace comm

#endif // COMM_LIB_CONVERSION_COMMTOLLVM_CALLBUILDER_H
