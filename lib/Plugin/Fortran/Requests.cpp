//===- Requests.cpp - Fortran and C requests ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "Variables.h"

#include "Comm/MPI/Standard.h"
#include "Comm/Plugin/Fortran/CBinding.h"
#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace comm;
using mpi::HandleClass;

/// Size of a Fortran handle in bytes.
static constexpr uint64_t numberSize = 4;

/// A request passed by value is a C handle already.
static bool isAddressOfRequest(const mpi::Param &param) {
  return param.role == mpi::Role::Request && param.isAddress();
}

namespace {
/// A call that has to be replaced by a call to the C binding.
struct PendingCall {
  CallInst *call;
  const mpi::Function *known;

  bool isRequest(unsigned index) const { return isAddressOfRequest(known->params()[index]); }
};

/// A variable of requests and all its uses.
struct RequestVariable {
  Value *variable;
  SmallVector<GetElementPtrInst *> elements;
  /// Stores of constants other than active requests (`requests = 0`).
  SmallVector<Instruction *> stores;
  /// Loads whose result is only converted to a handle.
  SmallVector<LoadInst *> loads;
  SmallVector<IntrinsicInst *> lifetimes;
};

class RequestSettlement {
public:
  RequestSettlement(Module &module, const mpi::ABI &abi) : module(module), handles(module, abi) {}
  bool run();

private:
  void findCalls();
  std::optional<RequestVariable> inspect(Value *variable);
  bool inspectUse(const Use &use, RequestVariable &found);
  Value *createHandles(Value *variable);
  void replace(const RequestVariable &found);
  void settle(const PendingCall &pending);
  Value *convertNumbers(IRBuilder<> &builder, const PendingCall &pending, unsigned index);
  Value *convertNumber(IRBuilder<> &builder, const PendingCall &pending, unsigned index);

  Module &module;
  FortranHandles handles;
  SmallVector<PendingCall> calls;
  /// Maps variables that were replaced, and the addresses of their elements, to variables of handles.
  DenseMap<Value *, Value *> replaced;
};
} // namespace

static bool isPending(const Function &function) { return function.getName().starts_with(kPendingPrefix); }

void RequestSettlement::findCalls() {
  for (Function &function : module)
    if (isPending(function))
      for (User *user : function.users())
        if (auto *call = dyn_cast<CallInst>(user))
          calls.push_back({call, getMPIFunction(function)});
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Returns whether all uses of the variable's address are visible and its initial contents are not requests.
static bool isLocal(const Value *variable) {
  if (const auto *local = dyn_cast<AllocaInst>(variable))
    return local->isStaticAlloca() && local->getAddressSpace() == 0;
  const auto *global = dyn_cast<GlobalVariable>(variable);
  return global && global->hasLocalLinkage() && global->hasInitializer() && !global->isConstant() &&
         !global->isThreadLocal() && !global->hasSection() &&
         (global->getInitializer()->isNullValue() || isa<UndefValue>(global->getInitializer()));
}

static uint64_t getSize(const Value *variable, const DataLayout &layout) {
  if (const auto *local = dyn_cast<AllocaInst>(variable))
    return local->getAllocationSize(layout)->getFixedValue();
  return layout.getTypeAllocSize(cast<GlobalVariable>(variable)->getValueType());
}

static bool isPendingRequest(const Use &use) {
  const mpi::Param *param = getMPIParam(use);
  return param && isAddressOfRequest(*param) && isPending(*cast<CallBase>(use.getUser())->getCalledFunction());
}

/// If the instruction only fills request numbers with constants, returns how many; otherwise 0.
static uint64_t countFilledNumbers(const Instruction &inst, const Use &use) {
  constexpr uint64_t most = 64;
  uint64_t bytes = 0;
  if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    bool isPlain = store->isSimple() && store->getPointerOperand() == use.get();
    if (isPlain && isa<ConstantInt, ConstantData>(store->getValueOperand()))
      bytes = store->getDataLayout().getTypeStoreSize(store->getValueOperand()->getType());
  } else if (const auto *fill = dyn_cast<MemSetInst>(&inst)) {
    const auto *length = dyn_cast<ConstantInt>(fill->getLength());
    if (!fill->isVolatile() && isa<ConstantInt>(fill->getValue()) && length)
      bytes = length->getZExtValue();
  }
  return bytes % numberSize == 0 && bytes / numberSize <= most ? bytes / numberSize : 0;
}

bool RequestSettlement::inspectUse(const Use &use, RequestVariable &found) {
  User *user = use.getUser();
  if (auto *element = dyn_cast<GetElementPtrInst>(user)) {
    found.elements.push_back(element);
    return !element->getType()->isVectorTy();
  }
  if (auto *inst = dyn_cast<Instruction>(user); inst && countFilledNumbers(*inst, use) != 0) {
    found.stores.push_back(inst);
    return true;
  }
  if (auto *load = dyn_cast<LoadInst>(user)) {
    found.loads.push_back(load);
    return load->isSimple() && all_of(load->users(), [&](User *of) {
             auto *call = dyn_cast<CallInst>(of);
             return call && handles.isToC(*call, HandleClass::Request);
           });
  }
  if (auto *lifetime = dyn_cast<LifetimeIntrinsic>(user)) {
    found.lifetimes.push_back(lifetime);
    return true;
  }
  return isPendingRequest(use);
}

/// Returns nullopt if anything other than MPI may use the numbers.
std::optional<RequestVariable> RequestSettlement::inspect(Value *variable) {
  const DataLayout &layout = module.getDataLayout();
  if (!isLocal(variable) || getSize(variable, layout) % numberSize != 0)
    return std::nullopt;
  if (auto *global = dyn_cast<GlobalVariable>(variable))
    convertUsersOfConstantsToInstructions({global});
  RequestVariable found{variable, {}, {}, {}, {}};
  SmallVector<Value *> pointers{variable};
  for (size_t i = 0; i < pointers.size(); ++i)
    for (const Use &use : pointers[i]->uses()) {
      if (!inspectUse(use, found))
        return std::nullopt;
      if (isa<GetElementPtrInst>(use.getUser()))
        pointers.push_back(use.getUser());
    }
  return found;
}

/// Creates a variable with a C handle for each number.
Value *RequestSettlement::createHandles(Value *variable) {
  const DataLayout &layout = module.getDataLayout();
  Type *type = ArrayType::get(handles.getType(HandleClass::Request), getSize(variable, layout) / numberSize);
  if (auto *global = dyn_cast<GlobalVariable>(variable)) {
    auto *inC = new GlobalVariable(module, type, /*isConstant=*/false, global->getLinkage(),
                                   Constant::getNullValue(type), global->getName() + ".c", global);
    return inC;
  }
  return IRBuilder<>(cast<AllocaInst>(variable)).CreateAlloca(type, nullptr, variable->getName() + ".c");
}

void RequestSettlement::replace(const RequestVariable &found) {
  const DataLayout &layout = module.getDataLayout();
  Type *handle = handles.getType(HandleClass::Request);
  uint64_t factor = layout.getTypeAllocSize(handle) / numberSize;
  replaced[found.variable] = createHandles(found.variable);
  for (GetElementPtrInst *element : found.elements) { // each after its base pointer
    IRBuilder<> builder(element);
    Value *offset = emitGEPOffset(&builder, layout, element);
    offset = builder.CreateMul(offset, ConstantInt::get(offset->getType(), factor));
    replaced[element] = builder.CreatePtrAdd(replaced.lookup(element->getPointerOperand()), offset);
  }
  for (Instruction *store : found.stores) {
    IRBuilder<> builder(store);
    const Use &pointer = store->getOperandUse(isa<StoreInst>(store) ? StoreInst::getPointerOperandIndex() : 0);
    for (uint64_t i = 0, count = countFilledNumbers(*store, pointer); i < count; ++i)
      builder.CreateStore(handles.getNull(HandleClass::Request),
                          builder.CreateConstInBoundsGEP1_64(handle, replaced.lookup(pointer.get()), i));
    store->eraseFromParent();
  }
  for (LoadInst *load : found.loads) {
    IRBuilder<> builder(load);
    Value *inC = builder.CreateLoad(handle, replaced.lookup(load->getPointerOperand()));
    for (User *conversion : make_early_inc_range(load->users())) {
      conversion->replaceAllUsesWith(inC);
      cast<Instruction>(conversion)->eraseFromParent();
    }
    load->eraseFromParent();
  }
  for (IntrinsicInst *lifetime : found.lifetimes) // covers the whole function, since its caller cannot tell
    lifetime->eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Creates a C request from the number for the duration of the call, and stores its number back afterwards.
Value *RequestSettlement::convertNumber(IRBuilder<> &builder, const PendingCall &pending, unsigned index) {
  const mpi::Param &param = pending.known->params()[index];
  Value *variable = pending.call->getArgOperand(index);
  AllocaInst *place = createVariable(*pending.call->getFunction(), handles.getType(HandleClass::Request));
  builder.CreateStore(param.reads() ? handles.load(builder, variable, HandleClass::Request)
                                    : handles.getNull(HandleClass::Request),
                      place);
  IRBuilder<> after(pending.call->getNextNode());
  after.SetCurrentDebugLocation(pending.call->getDebugLoc());
  Value *handle = after.CreateLoad(place->getAllocatedType(), place);
  after.CreateAlignedStore(handles.getNumber(after, handle, HandleClass::Request), variable, Align(1));
  return place;
}

/// Builds a loop from 0 to `length` before the instruction.
static void forEachElement(Value *length, Instruction *before, function_ref<void(IRBuilder<> &, Value *)> build) {
  IRBuilder<> builder(before);
  Value *isAny = builder.CreateICmpNE(length, ConstantInt::get(length->getType(), 0));
  Instruction *loop = SplitBlockAndInsertIfThen(isAny, before->getIterator(), /*Unreachable=*/false);
  auto [body, i] = SplitBlockAndInsertSimpleForLoop(length, loop->getIterator());
  IRBuilder<> inside(body);
  inside.SetCurrentDebugLocation(before->getDebugLoc());
  build(inside, i);
}

/// Does the same for an array, which is on the stack during the call.
Value *RequestSettlement::convertNumbers(IRBuilder<> &builder, const PendingCall &pending, unsigned index) {
  const mpi::Param &param = pending.known->params()[index];
  Value *variable = pending.call->getArgOperand(index);
  Value *count = pending.call->getArgOperand(pending.known->findParam(param.length));
  Type *handle = handles.getType(HandleClass::Request), *number = builder.getInt32Ty();
  Value *length = builder.CreateBinaryIntrinsic(Intrinsic::smax, builder.CreateSExt(count, builder.getInt64Ty()),
                                                builder.getInt64(0));
  CallInst *stack = builder.CreateStackSave();
  AllocaInst *place = builder.CreateAlloca(handle, length);
  Instruction *next = pending.call->getNextNode();
  forEachElement(length, pending.call, [&](IRBuilder<> &in, Value *i) {
    in.CreateStore(handles.load(in, in.CreateGEP(number, variable, {i}), HandleClass::Request),
                   in.CreateGEP(handle, place, {i}));
  });
  forEachElement(length, next, [&](IRBuilder<> &out, Value *i) {
    Value *done = out.CreateLoad(handle, out.CreateGEP(handle, place, {i}));
    out.CreateAlignedStore(handles.getNumber(out, done, HandleClass::Request), out.CreateGEP(number, variable, {i}),
                           Align(1));
  });
  IRBuilder<> end(next);
  end.SetCurrentDebugLocation(pending.call->getDebugLoc());
  end.CreateStackRestore(stack);
  builder.SetInsertPoint(pending.call);
  return place;
}

void RequestSettlement::settle(const PendingCall &pending) {
  IRBuilder<> builder(pending.call);
  SmallVector<Value *> arguments(pending.call->args());
  for (unsigned index = 0; index < arguments.size(); ++index) {
    if (!pending.isRequest(index))
      continue;
    Value *inC = replaced.lookup(arguments[index]);
    bool isArray = pending.known->params()[index].isArray;
    arguments[index] = inC       ? inC
                       : isArray ? convertNumbers(builder, pending, index)
                                 : convertNumber(builder, pending, index);
  }
  FunctionCallee callee = module.getOrInsertFunction(pending.known->name, pending.call->getFunctionType());
  CallInst *call = builder.CreateCall(callee, arguments);
  pending.call->replaceAllUsesWith(call);
  pending.call->eraseFromParent();
}

bool RequestSettlement::run() {
  findCalls();
  SetVector<Value *> variables;
  for (const PendingCall &pending : calls)
    for (unsigned index = 0; index < pending.known->numParams; ++index)
      if (pending.isRequest(index))
        variables.insert(getUnderlyingObject(pending.call->getArgOperand(index), /*MaxLookup=*/0));
  SmallVector<RequestVariable, 0> found;
  for (Value *variable : variables)
    if (std::optional<RequestVariable> requests = inspect(variable))
      found.push_back(std::move(*requests));
  for (const RequestVariable &requests : found)
    replace(requests);
  for (const PendingCall &pending : calls)
    settle(pending);
  for (const RequestVariable &requests : found) {
    for (GetElementPtrInst *element : reverse(requests.elements))
      element->eraseFromParent();
    if (auto *global = dyn_cast<GlobalVariable>(requests.variable))
      global->eraseFromParent();
    else
      cast<AllocaInst>(requests.variable)->eraseFromParent();
  }
  for (Function &function : make_early_inc_range(module))
    if (isPending(function) && function.use_empty())
      function.eraseFromParent();
  return !calls.empty();
}

bool comm::settleRequests(Module &module, const mpi::ABI &abi) { return RequestSettlement(module, abi).run(); }
