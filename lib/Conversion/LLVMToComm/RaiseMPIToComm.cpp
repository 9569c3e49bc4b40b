//===- RaiseMPIToComm.cpp - Calls of MPI functions become comm ops --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/Passes.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"
#include "MPICall.h"
#include "Places.h"

#include "Comm/Dialect/Comm/Utils/Callee.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace comm {
#define GEN_PASS_DEF_RAISEMPITOCOMM
#include "Comm/Conversion/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

/// Returns the names that a constant for this parameter can have. An integer that is a wildcard for one parameter is
/// just a number for another: a tag of -1 is MPI_ANY_TAG in a receive and an error in a send (MPI-4, 3.2.3 and 3.2.4).
static SmallVector<StringRef, 2> getConstantNames(const mpi::Function &function, const mpi::Param &param) {
  StringRef name = param.name;
  if (param.role == mpi::Role::Buffer)
    return {"MPI_IN_PLACE", "MPI_BOTTOM"};
  if (param.role == mpi::Role::Rank && !param.isPointer)
    return name == "source" ? SmallVector<StringRef, 2>{"MPI_ANY_SOURCE", "MPI_PROC_NULL"}
           : name == "dest" ? SmallVector<StringRef, 2>{"MPI_PROC_NULL"}
           : name == "root" ? SmallVector<StringRef, 2>{"MPI_ROOT", "MPI_PROC_NULL"}
                            : SmallVector<StringRef, 2>{};
  bool receives = name == "recvtag" || (name == "tag" && function.findParam("source") >= 0);
  if (param.role == mpi::Role::Tag && receives)
    return {"MPI_ANY_TAG"};
  return {};
}

/// Whether a call omits the parameter by passing NULL or MPI_STATUS_IGNORE.
static bool isLeftOut(const mpi::Param &param, const mpi::HandleRepresentation &representation, const mpi::ABI *abi) {
  if (param.role == mpi::Role::Status)
    return abi && abi->getAddress(getStatusIgnoreName(param)) == representation;
  bool isArgument = StringRef(param.name) == "argc" || StringRef(param.name) == "argv";
  return isArgument && representation.kind == mpi::HandleRepresentation::Pointer && representation.value == 0;
}

/// Whether the meaning of an argument for this parameter depends on the implementation.
static bool dependsOnABI(const mpi::Param &param) {
  return param.role == mpi::Role::Status || param.role == mpi::Role::Buffer || param.role == mpi::Role::Rank ||
         param.role == mpi::Role::Tag || getHandleClass(param.role);
}

namespace {
class Raiser {
public:
  Raiser(const mpi::ABI *abi, MLIRContext *context) : abi(abi), builder(context) {}

  /// Reports an error if an argument does not fit the ABI.
  LogicalResult verify(const MPICall &call);
  void raise(const MPICall &call);
  /// Erases unused constants and landing pads. Must run after all calls have been raised, since a landing pad may
  /// contain others.
  void cleanUp();

private:
  Value getConstant(Operation *user, StringRef name, Type type);
  Value raiseArgument(const MPICall &call, const mpi::Param &param, Value argument);

  const mpi::ABI *abi;
  OpBuilder builder;
  /// One constant per function, at its entry.
  DenseMap<std::pair<Region *, std::pair<StringAttr, Type>>, Value> constants;
  llvm::SetVector<Operation *> oldConstants;
  llvm::SetVector<Block *> landingPads;
};

struct RaiseMPIToCommPass : public comm::impl::RaiseMPIToCommBase<RaiseMPIToCommPass> {
  using RaiseMPIToCommBase::RaiseMPIToCommBase;
  void runOnOperation() override;
};
} // namespace

LogicalResult Raiser::verify(const MPICall &call) {
  for (auto [param, argument] : llvm::zip(call.called->params(), call.getArguments())) {
    auto error = [&, &param = param]() {
      return call.op->emitError() << "'" << call.called->name << "' gets '" << param.name << "' ";
    };
    if (!abi && dependsOnABI(param))
      return error() << "and the module does not show which MPI implementation it was compiled for: set the option abi";
    auto handleClass = getHandleClass(param.role);
    if (!handleClass || param.isPointer || param.isArray)
      continue;
    Type expected = getHandleType(*handleClass, *abi, builder.getContext());
    if (argument.getType() != expected)
      return error() << "as " << argument.getType() << ", but a handle of " << abi->getLibraryName() << " is "
                     << expected << ": compile the whole module with one mpi.h, and set the option abi to match it";
    auto representation = getRepresentation(argument);
    if (!representation || !abi->nameOf(*representation, *handleClass).empty())
      continue;
    for (const mpi::ABI &other : mpi::ABI::all())
      if (representation->kind == mpi::HandleRepresentation::Symbol &&
          !other.nameOf(*representation, *handleClass).empty())
        return error() << "@" << representation->symbol << ", a handle of " << other.getLibraryName() << ", not of "
                       << abi->getLibraryName()
                       << ": compile the whole module with one mpi.h, and set the option abi to match it";
  }
  return success();
}

Value Raiser::getConstant(Operation *user, StringRef name, Type type) {
  Region *function = user->getParentOfType<LLVM::LLVMFuncOp>() ? &user->getParentOfType<LLVM::LLVMFuncOp>().getBody()
                                                               : user->getParentRegion();
  Value &constant = constants[{function, {builder.getStringAttr(name), type}}];
  if (!constant) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&function->front());
    constant = ConstantOp::create(builder, builder.getUnknownLoc(), type, builder.getStringAttr(name));
  }
  return constant;
}

/// Returns the operand for this argument, or null to omit it.
Value Raiser::raiseArgument(const MPICall &call, const mpi::Param &param, Value argument) {
  auto representation = getRepresentation(argument);
  if (representation && isLeftOut(param, *representation, abi))
    return {};
  auto handleClass = getHandleClass(param.role);
  if (handleClass && !param.isPointer && !param.isArray) {
    Type type = getOutcomeType(*call.blocking, param.name, builder.getContext());
    StringRef name = representation ? abi->nameOf(*representation, *handleClass) : "";
    if (!name.empty())
      return getConstant(call.op, name, type);
    return CastOp::create(builder, call.op->getLoc(), type, argument);
  }
  if (representation)
    for (StringRef name : getConstantNames(*call.called, param)) {
      bool isSame = param.role == mpi::Role::Buffer ? abi->getAddress(name) == representation
                                                    : representation->kind == mpi::HandleRepresentation::Integer &&
                                                          abi->getConstant(name) == representation->value;
      if (isSame)
        return getConstant(call.op, name, argument.getType());
    }
  return argument;
}

void Raiser::cleanUp() {
  // Users first: an inttoptr before its integer.
  for (size_t i = 0; i < oldConstants.size(); ++i)
    for (Value operand : oldConstants[i]->getOperands())
      if (Operation *inner = operand.getDefiningOp())
        oldConstants.insert(inner);
  for (Operation *op : oldConstants)
    if (isOpTriviallyDead(op))
      op->erase();
  DenseMap<Region *, llvm::SetVector<Block *>> dead;
  for (Block *pad : landingPads)
    if (pad->hasNoPredecessors())
      dead[pad->getParent()].set_union(findReachable(pad));
  for (auto &[body, blocks] : dead) {
    blocks.set_subtract(findReachable(&body->front()));
    for (Block *block : blocks)
      block->dropAllReferences();
    for (Block *block : blocks) {
      block->dropAllDefinedValueUses();
      block->erase();
    }
  }
}

void Raiser::raise(const MPICall &call) {
  builder.setInsertionPoint(call.op);
  SmallVector<NamedParam> params;
  for (auto [param, argument] : llvm::zip(call.called->params(), call.getArguments())) {
    if (Value value = raiseArgument(call, param, argument))
      params.emplace_back(param.name, value);
    if (getRepresentation(argument))
      oldConstants.insert(argument.getDefiningOp());
  }
  SmallVector<StringRef> outcomes;
  bool usesError = !call.op->getResult(0).use_empty();
  if (usesError)
    outcomes.push_back("error");
  MPIOpInterface raised = createMPIOp(builder, call.op->getLoc(), call.blocking->name,
                                      call.isAsync() ? Mode::async : Mode::blocking, params, outcomes);
  if (DictionaryAttr attributes = getCallAttributes(call))
    raised->setDiscardableAttr(kCallAttrName, attributes);
  if (usesError)
    call.op->getResult(0).replaceAllUsesWith(raised.getOutcome("error"));
  // MPI's C functions do not throw: control continues at the normal destination.
  if (auto invoke = dyn_cast<LLVM::InvokeOp>(call.op)) {
    LLVM::BrOp::create(builder, invoke.getLoc(), invoke.getNormalDestOperands(), invoke.getNormalDest());
    landingPads.insert(invoke.getUnwindDest());
  }
  call.op->erase();
}

/// Whether a function takes the addresses of more than one variable by MPI_Get_address.
static bool comparesVariables(ModuleOp module) {
  return llvm::any_of(module.getOps<LLVM::LLVMFuncOp>(), [](LLVM::LLVMFuncOp function) {
    const void *first = nullptr;
    return function
        .walk([&](Operation *op) {
          auto call = dyn_cast<CallOpInterface>(op);
          StringRef name = getCalleeName(op);
          if ((name != "MPI_Get_address" && name != "MPI_Address") || call.getArgOperands().empty())
            return WalkResult::advance();
          Value object = getBasePointer(call.getArgOperands().front());
          auto global = object.getDefiningOp<LLVM::AddressOfOp>();
          const void *key = global ? global.getGlobalNameAttr().getAsOpaquePointer() : object.getAsOpaquePointer();
          bool isAnother = first && first != key;
          first = key;
          return isAnother ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

void RaiseMPIToCommPass::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  SmallVector<MPICall> calls;
  module.walk([&](Operation *op) {
    if (!isa<LLVM::CallOp, LLVM::InvokeOp>(op))
      return;
    MPICall call = matchMPICall(op, symbols);
    if (call.blocking)
      calls.push_back(call);
    else
      numLeft += call.called != nullptr;
  });
  const mpi::ABI *chosen = nullptr;
  if (!abi.empty() && !(chosen = lookupABI(abi, module)))
    return signalPassFailure();
  if (calls.empty())
    return markAllAnalysesPreserved();
  // Report all errors before changing anything.
  for (const MPICall &call : calls)
    if (failed(verifySignature(call)))
      return signalPassFailure();
  if (!chosen)
    chosen = detectABI(calls, symbols);
  // A function that the implementation lacks could not be lowered again. It comes from another library.
  if (chosen)
    llvm::erase_if(calls, [&](const MPICall &call) {
      bool isLacking = !chosen->hasFunction(call.called->name);
      numLeft += isLacking;
      return isLacking;
    });
  Raiser raiser(chosen, &getContext());
  for (const MPICall &call : calls)
    if (failed(raiser.verify(call)))
      return signalPassFailure();
  for (const MPICall &call : calls)
    raiser.raise(call);
  raiser.cleanUp();
  markPlaces(module);
  if (comparesVariables(module))
    module->setAttr(kAcrossVariablesAttrName, UnitAttr::get(&getContext()));
  numRaised += calls.size();
  if (chosen)
    module->setAttr(kABIAttrName, StringAttr::get(&getContext(), chosen->getName()));
}
