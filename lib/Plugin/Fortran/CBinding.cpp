//===- CBinding.cpp - From MPI's Fortran binding to the C binding ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Fortran/CBinding.h"

#include "AddressConstants.h"
#include "Handles.h"
#include "Variables.h"

#include "Comm/MPI/ABI.h"
#include "Comm/MPI/Standard.h"
#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;
using mpi::Direction;
using mpi::Role;

namespace {
/// How a Fortran argument, which is an address, is passed to C.
enum class Passing {
  Buffer,      // the same address, or an address constant
  Status,      // the same address, or MPI_STATUS_IGNORE
  Statuses,    // the same address, or MPI_STATUSES_IGNORE
  Address,     // the same address
  Requests,    // the same address, until settleRequests knows what else uses the numbers there
  Value,       // the number there
  Truth,       // the number there, converted to 0 or 1
  Handle,      // the handle for the number there
  HandlePlace, // the address of a variable for a handle, whose number is stored there after the call
  IndexPlace   // the same for an index, which starts at 1 in Fortran and at 0 in C
};

/// A call to the Fortran binding, and the equivalent C function.
struct FortranCall {
  CallInst *call;
  const mpi::Function *known;

  bool hasErrorCode() const { return known->returnsErrorCode; }
  Value *getArgument(unsigned index) const { return call->getArgOperand(index); }
};

/// Replaces calls in a module.
class CBindingCalls {
public:
  CBindingCalls(Module &module, const mpi::ABI &abi) : module(module), handles(module, abi), addresses(module, abi) {}
  /// The call must be one of findCalls.
  void replace(const FortranCall &call);

private:
  Value *convert(IRBuilder<> &builder, const FortranCall &call, unsigned index);
  Value *makeHandlePlace(IRBuilder<> &builder, const FortranCall &call, unsigned index);
  Value *getResult(IRBuilder<> &builder, const mpi::Param &param, Value *place);
  void storeResults(IRBuilder<> &builder, const FortranCall &call, ArrayRef<Value *> places, Value *code);

  Module &module;
  FortranHandles handles;
  AddressConstants addresses;
};
} // namespace

/// Returns the type of a number that C passes by value; null for others.
static Type *getNumberType(StringRef cType, LLVMContext &context) {
  if (cType == "int")
    return Type::getInt32Ty(context);
  if (cType == "MPI_Aint" || cType == "MPI_Count" || cType == "MPI_Offset")
    return Type::getInt64Ty(context);
  return nullptr;
}

static std::optional<Passing> getPassingOfNumber(const mpi::Param &param, LLVMContext &context) {
  if (!getNumberType(param.cType, context))
    return std::nullopt;
  if (param.isAddress())
    return param.role != Role::Index ? std::optional(Passing::Address)
           : param.isScalarOut()     ? std::optional(Passing::IndexPlace)
                                     : std::nullopt;
  return param.role == Role::Logical ? Passing::Truth : Passing::Value;
}

/// Returns nullopt if the two bindings differ in a way that is not handled here.
static std::optional<Passing> getPassing(const mpi::Param &param, LLVMContext &context) {
  switch (param.role) {
  case Role::Buffer:
    return Passing::Buffer;
  case Role::Status:
    return !param.writes() ? Passing::Address : param.isArray ? Passing::Statuses : Passing::Status;
  case Role::Request:
    return param.isAddress() ? Passing::Requests : Passing::Handle;
  case Role::Datatype:
  case Role::Comm:
  case Role::Op:
  case Role::Group:
  case Role::Info:
    if (param.isArray)
      return std::nullopt;
    return param.isPointer ? Passing::HandlePlace : Passing::Handle;
  default:
    return param.isNumber() ? getPassingOfNumber(param, context) : std::nullopt;
  }
}

/// Returns the C function that can replace calls to this declaration; null if there is none.
static const mpi::Function *findCFunction(const Function &declaration, const mpi::ABI &abi) {
  const mpi::Function *known = declaration.isDeclaration() ? mpi::lookupLinkerName(declaration.getName()) : nullptr;
  if (!known || declaration.getName() != StringRef(known->name).lower() + "_" || !abi.hasFunction(known->name))
    return nullptr;
  LLVMContext &context = declaration.getContext();
  bool isPassable = all_of(enumerate(known->params()), [&](auto each) {
    const mpi::Param &param = each.value();
    bool isCounted = param.role != Role::Request || !param.isArray || known->findParam(param.length) >= 0;
    // Addresses other than those of messages have different meanings in the two languages: MPI_Buffer_detach returns a
    // pointer in C and nothing in Fortran. Weights may be MPI_UNWEIGHTED.
    bool isSame =
        (param.role != Role::Buffer || known->isMessage(each.index())) && !StringRef(param.name).contains("weights");
    return isCounted && isSame && getPassing(param, context).has_value();
  });
  bool isClock = StringRef(known->resultType) == "double" && known->params().empty();
  return isPassable && (known->returnsErrorCode || isClock) ? known : nullptr;
}

/// Whether the arguments are those of the standard, optionally followed by the lengths of character buffers.
static bool isAsDeclared(const FortranCall &call) {
  unsigned expected = call.known->numParams + call.hasErrorCode();
  auto isLength = [](const Use &argument) { return argument->getType()->isIntegerTy(64); };
  auto isAddress = [](const Use &argument) { return argument->getType()->isPointerTy(); };
  bool isResultKnown = call.hasErrorCode() ? call.call->use_empty() : call.call->getType()->isDoubleTy();
  return isResultKnown && call.call->arg_size() >= expected &&
         all_of(make_range(call.call->arg_begin(), call.call->arg_begin() + expected), isAddress) &&
         all_of(make_range(call.call->arg_begin() + expected, call.call->arg_end()), isLength) &&
         !call.call->isMustTailCall() && !call.call->hasOperandBundles();
}

static SmallVector<FortranCall> findCalls(Module &module, const mpi::ABI &abi) {
  SmallVector<FortranCall> calls;
  for (Function &function : module)
    if (const mpi::Function *known = findCFunction(function, abi))
      for (User *user : function.users()) {
        FortranCall call{dyn_cast<CallInst>(user), known};
        if (call.call && call.call->getCalledOperand() == &function && isAsDeclared(call))
          calls.push_back(call);
      }
  return calls;
}

/// Creates a variable for a handle, initialized with the program's handle.
Value *CBindingCalls::makeHandlePlace(IRBuilder<> &builder, const FortranCall &call, unsigned index) {
  const mpi::Param &param = call.known->params()[index];
  mpi::HandleClass handleClass = *getHandleClass(param.role);
  AllocaInst *place = createVariable(*call.call->getFunction(), handles.getType(handleClass));
  Value *given =
      param.reads() ? handles.load(builder, call.getArgument(index), handleClass) : handles.getNull(handleClass);
  builder.CreateStore(given, place);
  return place;
}

/// Returns the Fortran form of what C stored in `place`; null where C stored into the program's variable.
Value *CBindingCalls::getResult(IRBuilder<> &builder, const mpi::Param &param, Value *place) {
  switch (*getPassing(param, builder.getContext())) {
  case Passing::HandlePlace: {
    mpi::HandleClass handleClass = *getHandleClass(param.role);
    return handles.getNumber(builder, builder.CreateLoad(handles.getType(handleClass), place), handleClass);
  }
  case Passing::IndexPlace: {
    Value *index = builder.CreateLoad(builder.getInt32Ty(), place);
    Value *isIndex = builder.CreateICmpSGE(index, builder.getInt32(0)); // else MPI_UNDEFINED
    return builder.CreateSelect(isIndex, builder.CreateAdd(index, builder.getInt32(1)), index);
  }
  default:
    return nullptr;
  }
}

/// Stores the results of the call in the program's variables. A failed call leaves them unchanged.
void CBindingCalls::storeResults(IRBuilder<> &builder, const FortranCall &call, ArrayRef<Value *> places, Value *code) {
  for (auto [index, param] : enumerate(call.known->params()))
    if (Value *result = getResult(builder, param, places[index])) {
      Value *variable = call.getArgument(index);
      Value *before = builder.CreateAlignedLoad(result->getType(), variable, Align(1));
      Value *after = builder.CreateSelect(builder.CreateIsNull(code), result, before);
      builder.CreateAlignedStore(after, variable, Align(1));
    }
}

Value *CBindingCalls::convert(IRBuilder<> &builder, const FortranCall &call, unsigned index) {
  const mpi::Param &param = call.known->params()[index];
  Value *argument = call.getArgument(index);
  switch (*getPassing(param, builder.getContext())) {
  case Passing::Buffer:
    // (MPI_IN_PLACE exists for collectives only, MPI-4, 6.2.)
    argument = call.known->findRole(Role::Tag, Direction::In) < 0 ? addresses.convert(builder, argument, "MPI_IN_PLACE")
                                                                  : argument;
    return addresses.convert(builder, argument, "MPI_BOTTOM");
  case Passing::Status:
    return addresses.convert(builder, argument, "MPI_STATUS_IGNORE");
  case Passing::Statuses:
    return addresses.convert(builder, argument, "MPI_STATUSES_IGNORE");
  case Passing::Address:
  case Passing::Requests:
    return argument;
  case Passing::Value:
    return builder.CreateAlignedLoad(getNumberType(param.cType, builder.getContext()), argument, Align(1));
  case Passing::Truth: {
    Value *number = builder.CreateAlignedLoad(builder.getInt32Ty(), argument, Align(1));
    return builder.CreateZExt(builder.CreateIsNotNull(number), builder.getInt32Ty());
  }
  case Passing::Handle:
    return handles.load(builder, argument, *getHandleClass(param.role));
  case Passing::HandlePlace:
    return makeHandlePlace(builder, call, index);
  case Passing::IndexPlace:
    return createVariable(*call.call->getFunction(), builder.getInt32Ty());
  }
  llvm_unreachable("unknown way to pass an argument");
}

void CBindingCalls::replace(const FortranCall &call) {
  IRBuilder<> builder(call.call);
  SmallVector<Value *> arguments;
  SmallVector<Type *> types;
  for (unsigned index = 0; index < call.known->numParams; ++index) {
    arguments.push_back(convert(builder, call, index));
    types.push_back(arguments.back()->getType());
  }
  Type *result = call.hasErrorCode() ? builder.getInt32Ty() : builder.getDoubleTy();
  bool isPending = any_of(call.known->params(), [&](const mpi::Param &param) {
    return getPassing(param, builder.getContext()) == Passing::Requests;
  });
  std::string name = (isPending ? kPendingPrefix.str() : "") + call.known->name;
  FunctionCallee callee = module.getOrInsertFunction(name, FunctionType::get(result, types, /*isVarArg=*/false));
  CallInst *inC = builder.CreateCall(callee, arguments);
  if (call.hasErrorCode()) {
    storeResults(builder, call, arguments, inC);
    builder.CreateAlignedStore(inC, call.getArgument(call.known->numParams), Align(1));
  } else {
    call.call->replaceAllUsesWith(inC);
  }
  call.call->eraseFromParent();
}

const mpi::ABI *comm::findFortranABI(const Module &module, StringRef name) {
  for (const mpi::ABI &abi : mpi::ABI::all())
    if (abi.hasFortran() && (name.empty() || name == abi.getName()) &&
        (module.getNamedValue(getBlockSymbol(abi, "MPI_BOTTOM")) || (!name.empty() && convertsHandles(module))))
      return &abi;
  return nullptr;
}

bool comm::callCBinding(Module &module, const mpi::ABI &abi) {
  SmallVector<FortranCall> calls = findCalls(module, abi);
  CBindingCalls replaced(module, abi);
  for (const FortranCall &call : calls)
    replaced.replace(call);
  return !calls.empty();
}

AllocaInst *comm::createVariable(Function &function, Type *type) {
  IRBuilder<> builder(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  return builder.CreateAlloca(type, nullptr, "comm.place");
}

bool comm::foldFortranHandles(Function &function, const mpi::ABI &abi) {
  FortranHandles handles(*function.getParent(), abi);
  AddressConstants addresses(*function.getParent(), abi);
  bool changed = false;
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    Value *folded = handles.fold(inst);
    if (!folded)
      folded = addresses.fold(inst);
    if (!folded)
      continue;
    inst.replaceAllUsesWith(folded);
    inst.eraseFromParent();
    changed = true;
  }
  return changed;
}
