//===- MessageBytes.cpp - How long a message is ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MessageBytes.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/MPI/Standard.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace comm;

namespace {
/// A buffer, and the description of its message.
struct Message {
  Value buffer, count, datatype;
  /// Another buffer has a separate count: this one's is ignored if the buffer is MPI_IN_PLACE (MPI-4, 6.2).
  bool mayBeIgnored = false;
};
} // namespace

/// Returns the first buffer whose count all processes specify. In a rooted operation, a buffer with a block for each
/// process belongs to the root.
static std::optional<Message> findMessage(MPIOpInterface op) {
  const mpi::Function &function = op.getFunction();
  ArrayRef<mpi::Param> params = function.params();
  bool isRooted = function.findParam("root") >= 0;
  std::optional<Message> found;
  int count = -1;
  for (auto [index, param] : llvm::enumerate(params)) {
    if (param.role != mpi::Role::Buffer || function.countOf(index) < 0)
      continue;
    int ofThis = function.countOf(index), datatype = function.datatypeOf(index);
    if (found) {
      found->mayBeIgnored |= ofThis != count && op.getMatching().kind == Matching::Kind::Collective;
      continue;
    }
    bool isRoots = isRooted && llvm::is_contained(op.getPerRankBuffers(), StringRef(param.name));
    if (isRoots || datatype < 0 || params[ofThis].isArray || params[datatype].isArray)
      continue;
    count = ofThis;
    found = Message{op.getParam(param.name), op.getParam(params[ofThis].name), op.getParam(params[datatype].name)};
    found->mayBeIgnored = isRooted && index > 0;
  }
  bool isWhole = found && found->buffer && found->count && found->datatype && found->count.getType().isInteger();
  return isWhole ? found : std::nullopt;
}

/// Returns the size of an element in bytes, or null if querying it might be an error.
static Value computeSize(OpBuilder &builder, Location loc, const Message &message, const mpi::ABI *abi,
                         RuntimeCalls &runtime) {
  StringRef name = getConstantName(message.datatype);
  if (std::optional<unsigned> size = abi && !name.empty() ? abi->getDatatypeSize(name) : std::nullopt)
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(*size));
  // An ignored handle may be invalid, and MPI_DATATYPE_NULL has no size.
  if (message.mayBeIgnored || !name.empty() || !abi)
    return nullptr;
  Type type = getHandleType(mpi::HandleClass::Datatype, *abi, builder.getContext());
  Value handle = CastOp::create(builder, loc, type, message.datatype);
  return runtime.call(builder, loc, "comm_report_size", builder.getI64Type(), handle);
}

Value comm::computeMessageBytes(OpBuilder &builder, MPIOpInterface op, const mpi::ABI *abi, RuntimeCalls &runtime) {
  Location loc = op.getLoc();
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
  };
  std::optional<Message> message = findMessage(op);
  Value size = message ? computeSize(builder, loc, *message, abi, runtime) : Value();
  if (!size)
    return constant(-1);
  Value count = message->count;
  if (count.getType() != i64)
    count = LLVM::SExtOp::create(builder, loc, i64, count);
  Value bytes = LLVM::MulOp::create(builder, loc, count, size);
  auto replaceWhere = [&](Value value, StringRef name, int64_t instead) {
    Value predefined = ConstantOp::create(builder, loc, value.getType(), name);
    Value is = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, value, predefined);
    bytes = LLVM::SelectOp::create(builder, loc, is, constant(instead), bytes);
  };
  if (message->mayBeIgnored)
    replaceWhere(message->buffer, "MPI_IN_PLACE", -1);
  if (Value dest = op.getParam("dest"))
    replaceWhere(dest, "MPI_PROC_NULL", 0);
  else if (Value source = op.getParam("source"))
    replaceWhere(source, "MPI_PROC_NULL", 0);
  return bytes;
}
