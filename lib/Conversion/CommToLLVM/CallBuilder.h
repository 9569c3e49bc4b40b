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

/// The function that the op calls: the large-count form if a count is 64 bits wide. Null if MPI has no such form.
const mpi::Function *getFunctionToCall(MPIOpInterface op);

/// The memref operand that implies that count or datatype of the op, or null. A buffer that holds `count` elements for
/// each process is chosen last.
mlir::Value getImplyingBuffer(MPIOpInterface op, const mpi::Param &param);

/// The predefined object of that name if it can have that type: a handle, an integer or an address.
std::optional<mpi::HandleSpelling> getSpellingOf(llvm::StringRef name, mlir::Type type, const mpi::ABI &abi);

/// Bytes as MPI_Status has them, with its alignment.
mlir::Type getStatusType(const mpi::ABI &abi, mlir::MLIRContext *context);

/// Builds what the calls of one place need, at the insertion point or where it must be.
class CallBuilder {
public:
  CallBuilder(mlir::OpBuilder &builder, mlir::Operation *anchor, const mpi::ABI &abi)
      : builder(builder), anchor(anchor), loc(anchor->getLoc()), abi(abi) {}

  mlir::Value createInteger(mlir::Type type, int64_t value);
  /// A handle, integer or address of that type.
  mlir::Value createConstant(const mpi::HandleSpelling &spelling, mlir::Type type);
  /// The call; `attributes` is the comm.call of the op, if it has one. `symbol`, if any, is a function that stands for
  /// it.
  mlir::LLVM::CallOp createCall(const mpi::Function &function, mlir::ValueRange arguments,
                                mlir::DictionaryAttr attributes = {}, llvm::StringRef symbol = {});
  /// Memory for `count` objects in the entry block of the function: a slot in a loop would grow the stack.
  mlir::Value createSlot(mlir::Type type, unsigned count = 1);
  /// The integer in another width. An MPI count that does not fit becomes -1, which MPI rejects (MPI_ERR_COUNT).
  mlir::Value fitInteger(mlir::Value value, mlir::Type type, bool isCount);

  mlir::OpBuilder &builder;
  mlir::Operation *anchor;
  mlir::Location loc;
  const mpi::ABI &abi;
};

} // namespace comm

#endif // COMM_LIB_CONVERSION_COMMTOLLVM_CALLBUILDER_H
