//===- DatatypeMaker.cpp - The call that makes a datatype -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/DatatypeMaker.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/IR/RecordedABI.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Parameters.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"
#include "Comm/MPI/ABI.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

/// Nested datatypes are analyzed to this depth.
static constexpr unsigned mostNesting = 4;

StringRef comm::getDatatypeName(Value handle) {
  if (StringRef name = getConstantName(handle); !name.empty())
    return name;
  Operation *op = handle.getDefiningOp();
  const mpi::ABI *abi = op ? getRecordedABI(op) : nullptr;
  if (!abi)
    return "";
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
    return abi->nameOfSymbol(address.getGlobalName(), mpi::HandleClass::Datatype);
  if (std::optional<int64_t> value = getConstantInteger(handle))
    return abi->nameOfValue(*value, mpi::HandleClass::Datatype);
  return "";
}

namespace {
/// Searches for the call that made the datatype whose handle is loaded from a variable or a structure member.
class MakerSearch {
public:
  explicit MakerSearch(LLVM::LoadOp load) : load(load), layout(DataLayout::closest(load)) {}
  DatatypeMaker find();

private:
  bool visit(OpOperand &use, std::optional<int64_t> offset);
  bool isApart(std::optional<int64_t> offset, int64_t size) const {
    return offset && (*offset >= place + kHandleSize || *offset + size <= place);
  }

  static constexpr int64_t kHandleSize = 8;
  LLVM::LoadOp load;
  DataLayout layout;
  int64_t place = 0;
  DatatypeMaker maker;
  /// Others that may write the handle.
  SmallVector<Operation *> others;
  /// Calls that the address escapes to.
  SmallVector<Operation *> escapes;
};
} // namespace

/// Returns false if the handle may be written by something that this search does not see.
bool MakerSearch::visit(OpOperand &use, std::optional<int64_t> offset) {
  Operation *user = use.getOwner();
  if (isa<LLVM::LoadOp, LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(user))
    return true;
  if (auto store = dyn_cast<LLVM::StoreOp>(user)) {
    if (store.getValue() == use.get())
      return false;
    if (!isApart(offset, layout.getTypeSize(store.getValue().getType()).getFixedValue()))
      others.push_back(user);
    return true;
  }
  if (isa<LLVM::MemsetOp, LLVM::MemcpyOp, LLVM::MemmoveOp>(user)) {
    if (use.getOperandNumber() == 0 && !(offset && *offset >= place + kHandleSize))
      others.push_back(user);
    return true;
  }
  std::optional<Parameter> parameter = findParameter(use);
  if (!parameter || parameter->keepsAddress()) {
    // For example a destructor that frees the datatype.
    bool isCall = isa<CallOpInterface>(user);
    if (isCall)
      escapes.push_back(user);
    return isCall;
  }
  std::optional<int64_t> size = getWrittenSize(*parameter);
  if (size == 0 || (size && isApart(offset, *size)))
    return true;
  // The call may throw, too: the load then does not run with a handle from it.
  auto call = isa<LLVM::CallOp, LLVM::InvokeOp>(user) ? cast<CallOpInterface>(user) : CallOpInterface();
  const mpi::Param &param = parameter->get();
  bool isHandle = call && offset == place && param.role == mpi::Role::Datatype && !param.isArray &&
                  parameter->function->params().size() == call.getArgOperands().size() &&
                  llvm::count(call.getArgOperands(), use.get()) == 1;
  // MPI_Type_commit and MPI_Type_free.
  if (isHandle && param.direction == mpi::Direction::InOut && parameter->function->params().size() == 1)
    return true;
  if (isHandle && param.direction == mpi::Direction::Out && !maker)
    maker = {call, parameter->function};
  else
    others.push_back(user);
  return true;
}

DatatypeMaker MakerSearch::find() {
  auto variable = getBasePointer(load.getAddr()).getDefiningOp<LLVM::AllocaOp>();
  std::optional<int64_t> offset = getConstantOffset(load.getAddr(), layout);
  if (!variable || !offset)
    return {};
  place = *offset;
  if (!walkPointerUses(variable.getResult(), layout,
                       [&](OpOperand &use, std::optional<int64_t> offset) { return visit(use, offset); }))
    return {};
  // In a loop around both, an earlier iteration may have made the datatype with other numbers. A writer that is not
  // dominated by the maker cannot run between the maker and the load: any path from it to the load leads through the
  // maker.
  DominanceInfo dominance(load->getParentOfType<FunctionOpInterface>());
  bool isOnly =
      maker && dominance.properlyDominates(maker.call, load) &&
      llvm::none_of(others, [&](Operation *other) { return dominance.properlyDominates(maker.call, other); }) &&
      llvm::none_of(escapes, [&](Operation *escape) { return mayReach(escape, load.getOperation()); });
  return isOnly ? maker : DatatypeMaker();
}

/// Looks through an argument of a guard's join, which is the value, or poison where the guarded code does not run.
static Value skipPoison(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner()->isEntryBlock())
    return value;
  Value only;
  for (BlockOperand &edge : argument.getOwner()->getUses()) {
    auto branch = dyn_cast<BranchOpInterface>(edge.getOwner());
    Value operand = branch ? branch.getSuccessorOperands(edge.getOperandNumber())[argument.getArgNumber()] : Value();
    if (!operand || (only && only != operand && !operand.getDefiningOp<LLVM::PoisonOp>()))
      return value;
    if (!operand.getDefiningOp<LLVM::PoisonOp>())
      only = operand;
  }
  return only ? only : value;
}

Value DatatypeMaker::get(StringRef parameter) {
  int index = function->findParam(parameter);
  return index < 0 ? Value() : call.getArgOperands()[index];
}

DatatypeMaker comm::findDatatypeMaker(Value handle) {
  auto load = skipPoison(handle).getDefiningOp<LLVM::LoadOp>();
  return load ? MakerSearch(load).find() : DatatypeMaker();
}

static StringRef getElementName(Value datatype, unsigned depth) {
  if (StringRef name = getDatatypeName(datatype); !name.empty())
    return name;
  if (auto cast = datatype.getDefiningOp<CastOp>())
    return getElementName(cast.getOperand(), depth);
  DatatypeMaker maker = depth ? findDatatypeMaker(datatype) : DatatypeMaker();
  Value element = maker ? maker.get("oldtype") : Value();
  return element ? getElementName(element, depth - 1) : "";
}

StringRef comm::getElementName(Value datatype) { return ::getElementName(datatype, mostNesting); }

/// Whether the displacements of the datatype that the call makes are relative to the buffer. Lists of MPI_Aint may
/// contain addresses.
static bool makesRelative(DatatypeMaker maker, unsigned depth);

static bool isRelative(Value handle, unsigned depth) {
  if (!getDatatypeName(handle).empty())
    return true;
  if (auto cast = handle.getDefiningOp<CastOp>())
    return isRelative(cast.getOperand(), depth);
  DatatypeMaker maker = depth ? findDatatypeMaker(handle) : DatatypeMaker();
  return maker && makesRelative(maker, depth - 1);
}

static bool makesRelative(DatatypeMaker maker, unsigned depth) {
  for (auto [param, operand] : llvm::zip_equal(maker.function->params(), maker.call.getArgOperands())) {
    if (param.direction == mpi::Direction::Out)
      continue;
    bool isDatatype = param.role == mpi::Role::Datatype;
    bool isList = param.isArray || param.isPointer;
    if (isDatatype ? isList || !isRelative(operand, depth) : isList && StringRef(param.cType) != "int")
      return false;
  }
  return true;
}

bool comm::isRelative(Value datatype) { return ::isRelative(datatype, mostNesting); }
