//===- InspectorMeasurements.cpp - Inspect where it pays ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Iterations/InspectorMeasurements.h"

#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/MPI/Markers.h"

using namespace mlir;
using namespace comm;

InspectorMeasurements::InspectorMeasurements(const Inspection &inspection, const InspectorEmitter &code)
    : InspectorEmitter(code) {
  OpBuilder::InsertionGuard guard(builder);
  auto module = inspection.unit.op->getParentOfType<ModuleOp>();
  std::string name;
  for (unsigned next = 0; name.empty() || module.lookupSymbol(name); ++next)
    name = "comm_inspections." + std::to_string(next);
  builder.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMArrayType::get(i64, mpi::kNumbersOfInspections);
  variable = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal, name,
                                    Attribute());
  builder.createBlock(&variable.getInitializerRegion());
  LLVM::ReturnOp::create(builder, module.getLoc(), LLVM::ZeroOp::create(builder, module.getLoc(), type).getResult());
}

Value InspectorMeasurements::askInspects(const Expr &count, std::optional<int64_t> fewest) const {
  Value address = getAddress();
  Value number = Materializer(builder, loc).get(count);
  number = LLVM::TruncOp::create(builder, loc, i64, number);
  Value least = fewest ? constant(*fewest) : number;
  Value limit = askRuntimeForNumber(builder, loc, mpi::kAskInspects, {address, number, least});
  return LLVM::SExtOp::create(builder, loc, i64, limit);
}

Value InspectorMeasurements::askInspectsTiles() const {
  return askRuntime(builder, loc, mpi::kAskInspectsTiles, getAddress());
}

Value InspectorMeasurements::askGoesOn(Value inspected) const {
  return askRuntime(builder, loc, mpi::kAskGoesOn, {getAddress(), inspected});
}

Value InspectorMeasurements::askInspected(Value address, Value inspected) const {
  return askRuntimeAlone(builder, loc, mpi::kAskInspected, {address, inspected});
}
