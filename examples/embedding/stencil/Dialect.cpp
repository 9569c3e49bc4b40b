#include "Stencil.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#include "StencilDialect.cpp.inc"
#define GET_OP_CLASSES
#include "StencilOps.cpp.inc"

void stencil::StencilDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "StencilOps.cpp.inc"
      >();
}

LogicalResult stencil::FieldOp::verifyRegions() {
  Block &block = getBody().front();
  Type number = Float64Type::get(getContext());
  if (block.getNumArguments() == 2 && llvm::all_of(block.getArgumentTypes(), [&](Type type) { return type == number; }))
    return success();
  return emitOpError("has a row and a column, both f64");
}

LogicalResult stencil::ReadOp::verify() {
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (!program.lookupSymbol<FieldOp>(getField()))
    return emitOpError("reads '") << getField() << "', which is not a field";
  // Each process has one row of each neighbor.
  if (int64_t(getRow()) < -1 || int64_t(getRow()) > 1 || int64_t(getColumn()) < -1 || int64_t(getColumn()) > 1)
    return emitOpError("reads an element more than one row or column away");
  return success();
}
