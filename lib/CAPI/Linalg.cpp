//===- Linalg.cpp - C API: the bodies of linalg's named operations --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm-c/Dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

#include <optional>

using namespace mlir;

bool commFillNamedBody(MlirOperation raw) {
  Operation *op = unwrap(raw);
  auto named = dyn_cast<linalg::LinalgOp>(op);
  if (!named || op->getNumRegions() != 1 || !op->getRegion(0).empty())
    return false;
  auto build = named.getRegionBuilder();
  if (!build || op->getNumOperands() == 0)
    return false;
  SmallVector<Type> types;
  for (Type type : op->getOperandTypes()) {
    types.push_back(getElementTypeOrSelf(type));
    // The region builder only supports numbers.
    if (!types.back().isIntOrIndexOrFloat() && !isa<ComplexType>(types.back()))
      return false;
  }
  // Some builders check the number of arguments, and others use as many as the operation should have operands; the
  // latter need extra arguments, so try with these first.
  constexpr size_t kMost = 8;
  size_t numArguments = types.size();
  for (size_t numMore : {kMost, size_t(0)}) {
    types.resize(numArguments + numMore, types.back());
    SmallVector<Location> locations(types.size(), op->getLoc());
    OpBuilder builder(op->getContext());
    Block *body = builder.createBlock(&op->getRegion(0), {}, types, locations);
    ImplicitLocOpBuilder inside(op->getLoc(), builder);
    std::optional<Diagnostic> error;
    {
      ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diagnostic) {
        error = std::move(diagnostic);
        return success();
      });
      build(inside, *body, op->getAttrDictionary().getValue(), [&] { return emitError(op->getLoc()); });
    }
    bool usesMore = llvm::any_of(body->getArguments().drop_front(numArguments),
                                 [](BlockArgument argument) { return !argument.use_empty(); });
    if (!error && !usesMore) {
      body->eraseArguments(numArguments, numMore);
      return true;
    }
    bool isEmpty = body->empty();
    body->erase();
    if (usesMore || !isEmpty || numMore == 0)
      return false;
  }
  return false;
}
