//===- LLVMModel.cpp - LLVM IR of a module, for analyses ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Memory/LLVMModel.h"

#include "LLVMNumbering.h"

#include "Comm/Analysis/Memory/LLVMAnalysisManagers.h"
#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Analysis/Memory/OpenMP.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/MPI/Effects.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace mlir;
using namespace comm;

namespace {
/// Replaces the comm ops in a copy of the module with calls.
class Modeler {
public:
  Modeler(ModuleOp copy) : copy(copy), builder(copy.getContext()) {}

  /// Sets `positions[i]` to the argument index of the op's i-th operand.
  void replace(MPIOpInterface op, SmallVectorImpl<int> &positions, OperationInstructions &made);
  void replaceRest();

private:
  LLVM::LLVMFuncOp getFunction(StringRef name, Type result, bool isVarArg);
  Value makeUnknown(Location loc, Type type);

  ModuleOp copy;
  OpBuilder builder;
};
} // namespace

LLVM::LLVMFuncOp Modeler::getFunction(StringRef name, Type result, bool isVarArg) {
  if (auto function = copy.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(copy.getBody());
  auto type = LLVM::LLVMFunctionType::get(result, {}, isVarArg);
  return LLVM::LLVMFuncOp::create(builder, copy.getLoc(), name, type);
}

/// Returns a value about which nothing is known.
Value Modeler::makeUnknown(Location loc, Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << "comm.model.value." << type;
  return LLVM::CallOp::create(builder, loc, getFunction(name, type, false), ValueRange{}).getResult();
}

void Modeler::replace(MPIOpInterface op, SmallVectorImpl<int> &positions, OperationInstructions &made) {
  builder.setInsertionPoint(op);
  SmallVector<Value> arguments;
  for (Value operand : op->getOperands()) {
    bool passed = LLVM::isCompatibleType(operand.getType());
    positions.push_back(passed ? arguments.size() : -1);
    if (passed)
      arguments.push_back(operand);
  }
  Type i32 = builder.getI32Type();
  auto call = LLVM::CallOp::create(builder, op.getLoc(), getFunction("comm.model.op", i32, true), arguments);
  made.move(op, call);
  for (OpResult result : op->getResults())
    if (LLVM::isCompatibleType(result.getType()) && !result.use_empty())
      result.replaceAllUsesWith(makeUnknown(op.getLoc(), result.getType()));
}

/// Replaces what remains once all operations are calls: constants and casts, used only by comm ops or as raw values.
void Modeler::replaceRest() {
  // Preorder: an op precedes the ones in its regions, and they are erased in reverse.
  SmallVector<Operation *> rest;
  copy.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa_and_nonnull<CommDialect>(op->getDialect()))
      rest.push_back(op);
  });
  for (Operation *op : rest) {
    builder.setInsertionPoint(op);
    for (OpResult result : op->getResults()) {
      if (!LLVM::isCompatibleType(result.getType()) || result.use_empty())
        continue;
      result.replaceAllUsesWith(makeUnknown(op->getLoc(), result.getType()));
    }
  }
  for (Operation *op : rest)
    op->dropAllReferences();
  for (Operation *op : llvm::reverse(rest))
    if (op->use_empty())
      op->erase();
}

/// The metadata of a loop refers to its location, which the model drops. LLVM cannot handle the null in its place.
static void dropLoopLocations(llvm::Instruction &instruction) {
  llvm::MDNode *loop = instruction.getMetadata(llvm::LLVMContext::MD_loop);
  if (!loop || llvm::all_of(loop->operands(), [](const llvm::MDOperand &operand) { return operand.get(); }))
    return;
  SmallVector<llvm::Metadata *> operands{nullptr}; // operand 0 is the node itself
  for (const llvm::MDOperand &operand : llvm::drop_begin(loop->operands()))
    if (operand)
      operands.push_back(operand);
  llvm::MDNode *clean = llvm::MDNode::getDistinct(instruction.getContext(), operands);
  clean->replaceOperandWith(0, clean);
  instruction.setMetadata(llvm::LLVMContext::MD_loop, clean);
}

llvm::CallBase *LLVMModel::getCall(Operation *op) const {
  llvm::CallBase *call = nullptr;
  if (auto it = instructions.find(op); it != instructions.end())
    for (llvm::Instruction *candidate : it->second)
      if (auto *found = dyn_cast<llvm::CallBase>(candidate))
        call = found;
  return call;
}

llvm::Value *LLVMModel::getArgument(Operation *op, Value wanted) const {
  llvm::CallBase *call = getCall(op);
  auto positions = arguments.find(op);
  if (!call || positions == arguments.end())
    return nullptr;
  for (auto [operand, position] : llvm::zip_equal(op->getOperands(), positions->second))
    if (operand == wanted && position >= 0 && position < static_cast<int>(call->arg_size()))
      return call->getArgOperand(position);
  return nullptr;
}

struct LLVMModel::Analyses {
  Analyses() { managers.registerAll(builder); }

  llvm::PassBuilder builder;
  LLVMAnalysisManagers managers;
};

LLVMModel::LLVMModel() = default;
LLVMModel::~LLVMModel() = default;

llvm::FunctionAnalysisManager &LLVMModel::getAnalyses() {
  if (!analyses)
    analyses = std::make_unique<Analyses>();
  return analyses->managers.functions;
}

void comm::forEachMentionedFunction(Operation *function, const SymbolTable &symbols,
                                    llvm::function_ref<void(Operation *)> visit) {
  auto look = [&](StringRef name) {
    Operation *mentioned = name.empty() ? nullptr : symbols.lookup(name);
    if (mentioned && isa<FunctionOpInterface>(mentioned))
      visit(mentioned);
  };
  function->walk([&](Operation *op) {
    if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
      look(address.getGlobalName());
    else if (auto call = dyn_cast<CallOpInterface>(op))
      if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
        look(callee.getRootReference());
  });
}

/// Returns these functions and all functions that they call or mention, transitively, since their bodies matter for
/// calls.
static SmallPtrSet<Operation *, 16> withCallees(ModuleOp module, ArrayRef<Operation *> functions) {
  SymbolTable symbols(module);
  SmallPtrSet<Operation *, 16> result(functions.begin(), functions.end());
  SmallVector<Operation *> work(functions);
  while (!work.empty())
    forEachMentionedFunction(work.pop_back_val(), symbols, [&](Operation *mentioned) {
      if (result.insert(mentioned).second)
        work.push_back(mentioned);
    });
  return result;
}

/// A copy of the function without its body.
static void cloneDeclaration(LLVM::LLVMFuncOp function, OpBuilder &builder) {
  auto copy = cast<LLVM::LLVMFuncOp>(builder.insert(function->cloneWithoutRegions()));
  copy.setLinkage(LLVM::Linkage::External);
  copy.setComdatAttr(nullptr);
  copy.removePersonalityAttr();
}

/// Clones the module with the bodies of some functions, or of all. `pairs` receives each operation that is cloned in
/// full, with its copy.
static OwningOpRef<ModuleOp> clone(ModuleOp module, std::optional<ArrayRef<Operation *>> functions,
                                   SmallVectorImpl<std::pair<Operation *, Operation *>> &pairs) {
  SmallPtrSet<Operation *, 16> bodies;
  if (functions)
    bodies = withCallees(module, *functions);
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->cloneWithoutRegions()));
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(&copy->getBodyRegion().emplaceBlock());
  auto unknownLoc = UnknownLoc::get(module.getContext());
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (functions && function && !function.isExternal() && !bodies.contains(function)) {
      cloneDeclaration(function, builder);
      continue;
    }
    size_t first = pairs.size(), i = first;
    op.walk([&](Operation *original) { pairs.emplace_back(original, nullptr); });
    builder.clone(op)->walk([&](Operation *inner) {
      inner->setLoc(unknownLoc); // debug information only costs time
      pairs[i++].second = inner;
    });
    assert(i == pairs.size() && "a clone has the same shape");
  }
  return copy;
}

/// An address that is only compared, or subtracted from another one (`size()` of a vector), does not expose the memory.
/// A ptrtoint would: a pointer that any function returns later might be based on it.
static llvm::Instruction *forgetProvenance(Operation *op, llvm::Instruction *instruction) {
  auto *number = llvm::dyn_cast<llvm::PtrToIntInst>(instruction);
  if (!number || op->getNumResults() != 1 || !isOnlySubtracted(op->getResult(0)) ||
      number->getType() != number->getDataLayout().getAddressType(number->getPointerOperand()->getType()))
    return instruction;
  auto *address = new llvm::PtrToAddrInst(number->getPointerOperand(), number->getType(), "", number->getIterator());
  number->replaceAllUsesWith(address);
  number->eraseFromParent();
  return address;
}

std::unique_ptr<LLVMModel> LLVMModel::build(ModuleOp module, std::optional<ArrayRef<Operation *>> functions) {
  SmallVector<std::pair<Operation *, Operation *>> pairs;
  OwningOpRef<ModuleOp> copy = clone(module, functions, pairs);
  auto model = std::make_unique<LLVMModel>();
  OperationInstructions made(module.getContext());
  for (auto [original, op] : pairs)
    if (!isa<ModuleOp, LLVM::LLVMFuncOp, LLVM::GlobalOp>(op))
      made.add(op, original);
  Modeler modeler(*copy);
  for (auto [original, op] : pairs)
    if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
      modeler.replace(mpiOp, model->arguments[original], made);
  modeler.replaceRest();

  ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
  model->module = translateModuleToLLVMIR(*copy, model->context, "comm-model", /*disableVerification=*/true);
  if (!model->module)
    return nullptr;
  declareForks(*model->module);
  // Clang declares operator new and delete `nobuiltin` and adds `builtin` to calls, which MLIR's calls cannot express.
  // Without this, LLVM would treat them as unknown functions.
  // Where an error handler of the program may run, answers of this model do not count (docs/soundness.md), so MPI's
  // queries only touch their arguments.
  for (llvm::Function &function : *model->module) {
    if (!function.isDeclaration())
      continue;
    function.removeFnAttr(llvm::Attribute::NoBuiltin);
    const mpi::Function *known = mpi::lookupFunction(function.getName());
    if (!known || !mpi::isQuery(*known) || known->numParams != function.arg_size())
      continue;
    function.setMemoryEffects(function.getMemoryEffects() & llvm::MemoryEffects::inaccessibleOrArgMemOnly());
    for (auto [argument, param] : llvm::zip_equal(function.args(), known->params())) {
      if (!argument.getType()->isPointerTy())
        continue;
      // A handle that is passed by value points to memory that only MPI accesses.
      if (!param.isAddress())
        argument.addAttr(llvm::Attribute::ReadNone);
      else if (mpi::onlyReads(*known, param) && !argument.hasAttribute(llvm::Attribute::ReadNone))
        argument.addAttr(llvm::Attribute::ReadOnly);
    }
  }
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global->hasAttr(kPrivateAttrName))
      if (llvm::GlobalVariable *variable = model->module->getGlobalVariable(global.getName(), /*AllowInternal=*/true))
        model->privateVariables.insert(variable);
  for (llvm::Function &function : *model->module)
    for (llvm::BasicBlock &block : function)
      dropLoopLocations(*block.getTerminator());
  made.forEach([&](Operation *op, llvm::Instruction *instruction) {
    model->instructions[op].push_back(forgetProvenance(op, instruction));
  });
  return model;
}
