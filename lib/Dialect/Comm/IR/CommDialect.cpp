//===- CommDialect.cpp - The comm dialect --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/IR/Comm.h"

#include "Comm/Dialect/Utils/DiscardableAttr.h"
#include "Comm/MPI/Sums.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace comm;

#include "Comm/Dialect/Comm/IR/CommDialect.cpp.inc"
#include "Comm/Dialect/Comm/IR/CommEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Comm/Dialect/Comm/IR/CommAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "Comm/Dialect/Comm/IR/CommInterfaces.cpp.inc"
#include "Comm/Dialect/Comm/IR/CommTypes.cpp.inc"

void CommDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Comm/Dialect/Comm/IR/CommTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Comm/Dialect/Comm/IR/CommAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Comm/Dialect/Comm/IR/CommOps.cpp.inc"
      >();
}

static bool isAny(Operation *) { return true; }

static ArrayRef<DiscardableAttr> getDiscardableAttrs() {
  auto isUnit = [](Attribute value) { return isa<UnitAttr>(value); };
  auto isString = [](Attribute value) { return isa<StringAttr>(value); };
  auto isMPIOp = [](Operation *op) { return isa<MPIOpInterface>(op); };
  auto isStartKind = [](Attribute value) {
    auto kind = dyn_cast<StringAttr>(value);
    return kind && mpi::symbolizeStartKind(kind.getValue());
  };
  auto isLabel = [](Attribute value) {
    auto label = dyn_cast<IntegerAttr>(value);
    return label && label.getType().isInteger(64) && label.getInt() > 0;
  };
  auto isLabels = [](Attribute value) {
    auto labels = dyn_cast<DenseI64ArrayAttr>(value);
    SmallVector<int64_t> sorted = labels ? llvm::to_vector(labels.asArrayRef()) : SmallVector<int64_t>();
    llvm::sort(sorted);
    return !sorted.empty() && sorted.front() > 0 && llvm::adjacent_find(sorted) == sorted.end();
  };
  static const DiscardableAttr known[] = {
      {kABIAttrName, isString, "a string", [](Operation *op) { return isa<ModuleOp>(op); }, "a module"},
      {kAcrossVariablesAttrName, isUnit, "a unit", [](Operation *op) { return isa<ModuleOp>(op); }, "a module"},
      {kBoundsAttrName, isUnit, "a unit", [](Operation *op) { return op->getNumSuccessors() == 1; },
       "a branch with one successor"},
      {kCallAttrName, [](Attribute value) { return isa<DictionaryAttr>(value); }, "a dictionary", isMPIOp,
       "an operation of MPI"},
      {kChangedAttrName, isUnit, "a unit", [](Operation *op) { return isa<FunctionOpInterface>(op); }, "a function"},
      {kCleanupAttrName, isUnit, "a unit", [](Operation *op) { return isa<WaitOp>(op); }, "a comm.wait"},
      {kOriginAttrName, isString, "a string", isMPIOp, "an operation of MPI"},
      {kExcludesAttrName, isLabels, "an array of different positive numbers",
       [](Operation *op) { return op->getNumSuccessors() != 0; }, "a branch"},
      {kFollowedAttrName, isUnit, "a unit", isMPIOp, "an operation of MPI"},
      {kIdAttrName, [](Attribute value) { return isa<IntegerAttr>(value); }, "an integer", isAny, ""},
      {kInteriorAttrName, isLabels, "an array of different positive numbers",
       [](Operation *op) { return op->getNumSuccessors() != 0; }, "a branch"},
      {kLabelAttrName, isLabel, "a positive number", isAny, ""},
      {kLeftAttrName, isUnit, "a unit", [](Operation *op) { return isa<WaitOp, WaitIfOp>(op); },
       "a comm.wait or comm.wait_if"},
      {kOnlySplitAttrName, isUnit, "a unit", [](Operation *op) { return isa<FunctionOpInterface>(op); }, "a function"},
      {kPlaceAttrName, isUnit, "a unit", [](Operation *op) { return isa<LLVM::LoadOp>(op); }, "an llvm.load"},
      {kPredictionAttrName, [](Attribute value) { return isa<FlatSymbolRefAttr>(value); }, "the name of a global",
       [](Operation *op) {
         auto start = dyn_cast<MPIOpInterface>(op);
         return start && start.isAsync();
       },
       "a start"},
      {kPrivateAttrName, isUnit, "a unit", [](Operation *op) { return isa<LLVM::GlobalOp>(op); },
       "an llvm.mlir.global"},
      {kProgramsIntervalAttrName, isUnit, "a unit", isMPIOp, "an operation of MPI"},
      {kRecalledAttrName, isUnit, "a unit", [](Operation *op) { return isa<MPIOpInterface>(op) && op->use_empty(); },
       "an operation of MPI whose results are not used"},
      {kRecordedAttrName, isUnit, "a unit", isMPIOp, "an operation of MPI"},
      {kRequestSetAttrName, isLabel, "a positive number", isMPIOp, "an operation of MPI"},
      {kStartKindAttrName, isStartKind, "\"exact\", \"sum\", \"ordered\" or \"either\"", isMPIOp,
       "an operation of MPI"},
      {kTemporaryAttrName, isUnit, "a unit", isAny, ""},
      {kUnrecordedAttrName, isUnit, "a unit", [](Operation *op) { return isa<WaitallOp>(op); }, "a comm.waitall"},
      {kWaitLoopAttrName, isLabel, "a positive number", [](Operation *op) { return isa<WaitallOp>(op); },
       "a comm.waitall"},
  };
  return known;
}

LogicalResult CommDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verifyDiscardableAttr(getDiscardableAttrs(), op, attribute, "CommBase.td");
}

Operation *CommDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto name = dyn_cast<StringAttr>(value);
  return name ? ConstantOp::create(builder, loc, type, name).getOperation() : nullptr;
}
