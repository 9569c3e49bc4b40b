//===- InspectorEmitter.h - Emit the code of inspectors ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTOREMITTER_H
#define COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTOREMITTER_H

#include "Comm/Dialect/Comm/Utils/FrameSlots.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace comm {

/// The addresses from the first byte up to the end, exclusively. Empty ranges may end before they begin.
struct AddressRange {
  mlir::Value low, high;
};

/// What an inspection finds: the interior, the number of its parts, and where these are in the memory for them.
struct FoundInterior {
  mlir::Value low, high, numRuns, place;
};

/// Emits arithmetic on 64-bit numbers, accesses to variables, and branches, at the builder's position.
struct InspectorEmitter {
  InspectorEmitter(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc), i64(builder.getI64Type()), i1(builder.getI1Type()) {}

  mlir::Value constant(int64_t value) const {
    return mlir::LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(value));
  }
  mlir::Value truth(bool value) const {
    return mlir::LLVM::ConstantOp::create(builder, loc, i1, builder.getBoolAttr(value));
  }
  mlir::Value address(mlir::Value pointer) const { return mlir::LLVM::PtrToIntOp::create(builder, loc, i64, pointer); }
  /// Returns the bits of a pointer, or of an integer of at most 64 bits.
  mlir::Value toNumber(mlir::Value value) const {
    if (mlir::isa<mlir::LLVM::LLVMPointerType>(value.getType()))
      return address(value);
    return value.getType() == i64 ? value : mlir::LLVM::ZExtOp::create(builder, loc, i64, value).getResult();
  }
  mlir::Value add(mlir::Value a, mlir::Value b) const { return mlir::LLVM::AddOp::create(builder, loc, a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) const { return mlir::LLVM::SubOp::create(builder, loc, a, b); }
  mlir::Value mul(mlir::Value a, int64_t b) const { return mlir::LLVM::MulOp::create(builder, loc, a, constant(b)); }
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value a, mlir::Value b) const {
    return mlir::LLVM::ICmpOp::create(builder, loc, predicate, a, b);
  }
  mlir::Value both(mlir::Value a, mlir::Value b) const { return mlir::LLVM::AndOp::create(builder, loc, a, b); }
  mlir::Value either(mlir::Value a, mlir::Value b) const { return mlir::LLVM::OrOp::create(builder, loc, a, b); }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) const {
    return mlir::LLVM::SelectOp::create(builder, loc, condition, a, b);
  }

  mlir::Value load(mlir::Value variable, mlir::Type type) const {
    return mlir::LLVM::LoadOp::create(builder, loc, type, variable);
  }
  mlir::Value load(mlir::Value variable) const { return load(variable, i64); }
  void store(mlir::Value value, mlir::Value variable) const {
    mlir::LLVM::StoreOp::create(builder, loc, value, variable);
  }
  /// Sets the variable, a truth value, to true if that is so.
  void note(mlir::Value variable, mlir::Value isSo) const { store(either(load(variable, i1), isSo), variable); }
  /// Makes a variable of the function in which the operation is. It is promoted to a register later.
  mlir::Value makeVariable(mlir::Operation *op, mlir::Type type) const { return createFrameSlot(op, loc, type); }

  mlir::Block *makeBlock(mlir::Block *before) const {
    auto *block = new mlir::Block();
    before->getParent()->getBlocks().insert(mlir::Region::iterator(before), block);
    return block;
  }
  void branch(mlir::Block *target, mlir::ValueRange operands = {}) const {
    mlir::LLVM::BrOp::create(builder, loc, operands, target);
  }
  void branchIf(mlir::Value condition, mlir::Block *ifTrue, mlir::Block *ifFalse) const {
    mlir::LLVM::CondBrOp::create(builder, loc, condition, ifTrue, mlir::ValueRange(), ifFalse, mlir::ValueRange());
  }
  /// Branches to the block that takes the result of an inspection.
  void leave(const FoundInterior &found, mlir::Block *after) const {
    branch(after, {found.low, found.high, found.numRuns, found.place});
  }
  void leaveWithNone(mlir::Block *after) const {
    mlir::Value none = constant(0);
    leave({none, none, none, none}, after);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type i64, i1;
};

} // namespace comm

#endif // COMM_LIB_TRANSFORMS_OVERLAP_ITERATIONS_INSPECTOREMITTER_H
