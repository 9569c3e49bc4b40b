//===- LinkTime.cpp - Link-time optimization with the plugin --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/LinkTime.h"

#include "Comm/MPI/Effects.h"
#include "Comm/MPI/Markers.h"
#include "Comm/MPI/Sums.h"
#include "Comm/Plugin/Fortran/Contiguity.h"
#include "Comm/Plugin/Utils/CalledFunction.h"
#include "Comm/Plugin/Utils/OverlapCode.h"
#include "Comm/Plugin/Utils/OverlapNames.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Comdat.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace comm;

/// Removes constructors that announce notes that are gone.
static bool takeOutConstructors(Module &module) {
  bool found = false;
  transformGlobalCtors(module, [&](Constant *entry) -> Constant * {
    auto *fields = dyn_cast<ConstantStruct>(entry);
    auto *function = fields ? dyn_cast<Function>(fields->getOperand(1)->stripPointerCasts()) : nullptr;
    bool isOurs = function && function->getName() == mpi::kTellMarkers;
    found |= isOurs;
    return isOurs ? nullptr : entry;
  });
  return found;
}

/// Calls `visit` for everything that the definition uses.
static void forEachUsed(const GlobalObject &object, function_ref<void(GlobalObject &)> visit) {
  SmallVector<const Value *> open;
  SmallPtrSet<const Value *, 32> seen;
  if (const auto *function = dyn_cast<Function>(&object)) {
    for (const Instruction &instruction : instructions(*function))
      open.append(instruction.value_op_begin(), instruction.value_op_end());
  } else if (const auto &variable = cast<GlobalVariable>(object); variable.hasInitializer()) {
    open.push_back(variable.getInitializer());
  }
  while (!open.empty()) {
    const auto *constant = dyn_cast<Constant>(open.pop_back_val());
    if (!constant || !seen.insert(constant).second)
      continue;
    if (const auto *used = dyn_cast<GlobalObject>(constant))
      visit(const_cast<GlobalObject &>(*used));
    else
      open.append(constant->value_op_begin(), constant->value_op_end());
  }
}

/// Returns the definitions of ours that files without bitcode use, which the linker therefore did not internalize, and
/// everything that they use.
static SmallPtrSet<GlobalObject *, 16> findShared(ArrayRef<GlobalObject *> ours) {
  SmallPtrSet<GlobalObject *, 16> shared;
  SmallVector<GlobalObject *> open;
  auto add = [&](GlobalObject &object) {
    if (overlap::isName(object.getName()) && !object.isDeclaration() && shared.insert(&object).second)
      open.push_back(&object);
  };
  for (GlobalObject *object : ours)
    if (!object->hasLocalLinkage())
      add(*object);
  while (!open.empty())
    forEachUsed(*open.pop_back_val(), add);
  return shared;
}

/// Makes the object visible to other files and to a lookup by name.
static void keepShared(GlobalObject &object) {
  if (!object.hasLocalLinkage())
    return;
  object.setLinkage(GlobalValue::LinkOnceODRLinkage);
  object.setVisibility(GlobalValue::HiddenVisibility);
}

bool comm::takeOutOverlapCode(Module &module) {
  OverlapCode::dropAssembly(module); // of files that were compiled without -flto
  SmallVector<GlobalObject *> ours;
  for (GlobalObject &object : module.global_objects())
    if (overlap::isName(object.getName()))
      ours.push_back(&object);
  if (ours.empty())
    return false;
  SmallPtrSet<GlobalObject *, 16> shared = findShared(ours);
  llvm::erase_if(ours, [&](GlobalObject *object) { return shared.contains(object); });
  for (GlobalObject *object : shared)
    keepShared(*object);
  takeOutConstructors(module);
  SmallPtrSet<GlobalObject *, 16> gone(ours.begin(), ours.end());
  removeFromUsedLists(module, [&](Constant *constant) {
    auto *object = dyn_cast<GlobalObject>(constant->stripPointerCasts());
    return object && gone.contains(object);
  });
  // Bodies first, since they use each other. Names that the linker internalized become external again.
  for (GlobalObject *object : ours) {
    if (auto *function = dyn_cast<Function>(object))
      function->deleteBody();
    else
      cast<GlobalVariable>(object)->setInitializer(nullptr);
    // An empty comdat would keep the one that is linked later from being used.
    if (const Comdat *group = object->getComdat()) {
      object->setComdat(nullptr);
      if (group->getUsers().empty())
        module.getComdatSymbolTable().erase(group->getName());
    }
    object->setLinkage(GlobalValue::ExternalLinkage);
    object->setVisibility(GlobalValue::DefaultVisibility);
    object->setDSOLocal(false);
  }
  auto isProgram = [&](const Use &use) {
    auto *instruction = dyn_cast<Instruction>(use.getUser());
    return !instruction || !shared.contains(instruction->getFunction());
  };
  for (Function &function : module) {
    StringRef name = function.getName();
    if (!name.consume_front(mpi::kCallPrefix) || !name.contains("MPI_") || function.use_empty())
      continue;
    FunctionCallee called = module.getOrInsertFunction(name, function.getFunctionType());
    function.replaceUsesWithIf(called.getCallee(), isProgram);
  }
  for (GlobalObject *object : ours)
    if (object->use_empty())
      object->eraseFromParent();
  return true;
}

static bool isOfExchange(const Function &function) {
  const mpi::Function *known = getMPIFunction(function);
  return known && mpi::isOfExchange(*known);
}

/// Attributes that LLVM's inliner reads: the cost limit of a callee, and an increase of it for one call.
static constexpr StringLiteral kThresholdName = "function-inline-threshold", kBonusName = "call-threshold-bonus";

/// With more callers, the code would grow too much.
static bool hasFewCallers(const Function &function) {
  static constexpr unsigned kMostCallers = 8;
  return !function.isDeclaration() && !function.hasOptSize() && !function.hasNUsesOrMore(kMostCallers + 1);
}

template <typename T> static void forEachCall(Function &function, T action) {
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (Function *callee = call->getCalledFunction())
        action(*call, *callee);
}

/// Returns the functions that, directly or indirectly, call a function of an exchange.
static DenseSet<const Function *> findTalkers(Module &module) {
  DenseSet<const Function *> talkers;
  SmallVector<const Function *> open;
  for (const Function &function : module)
    if (isOfExchange(function))
      open.push_back(&function);
  while (!open.empty())
    for (const User *user : open.pop_back_val()->users())
      if (auto *call = dyn_cast<CallBase>(user))
        if (talkers.insert(call->getFunction()).second)
          open.push_back(call->getFunction());
  return talkers;
}

/// Returns whether the function has a variable whose size is not a constant, such as an automatic array in Fortran. The
/// inliner leaves such a function alone, whatever its cost, because each call would take more of the caller's stack.
static bool hasDynamicVariable(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    auto *variable = dyn_cast<AllocaInst>(&instruction);
    return variable && !isa<ConstantInt>(variable->getArraySize());
  });
}

/// Returns whether the function is an exchange with such a variable, and short enough for each of its callers.
static bool isDynamicExchange(const Function &function, const DenseSet<const Function *> &talkers) {
  // The limit for all calls. An exchange of three arrays has 650 instructions.
  static constexpr unsigned kLargest = 3000;
  return talkers.contains(&function) && hasDynamicVariable(function) && hasFewCallers(function) &&
         function.getInstructionCount() * function.getNumUses() <= kLargest;
}

/// Returns whether the callers would get too many messages if the function were inlined. Each copy of a message is a
/// site of its own: with three ways to exchange, each in four directions, a program takes minutes to link.
static bool hasManyMessages(const Function &function) {
  static constexpr unsigned kMostMessages = 24;
  auto messages = count_if(instructions(function), [](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && isOfExchange(*callee);
  });
  return messages * function.getNumUses() > kMostMessages;
}

/// Returns whether the inliner must be told to inline the call, because it would leave it alone otherwise: the callee
/// has a variable of unknown size. With AlwaysInline, the inliner releases the variables of the callee after the call.
static bool mustForce(const CallBase &call, const DenseSet<const Function *> &talkers) {
  const Function *callee = call.getCalledFunction();
  return callee && !call.isNoInline() && !call.getFunction()->hasOptSize() && isDynamicExchange(*callee, talkers);
}

/// Returns the functions that talkers call, directly or indirectly, and the talkers.
static DenseSet<const Function *> findReached(const DenseSet<const Function *> &talkers) {
  DenseSet<const Function *> reached = talkers;
  SmallVector<const Function *> open(talkers.begin(), talkers.end());
  while (!open.empty())
    forEachCall(*const_cast<Function *>(open.pop_back_val()), [&](CallBase &, Function &callee) {
      if (!callee.isDeclaration() && reached.insert(&callee).second)
        open.push_back(&callee);
    });
  return reached;
}

/// Returns whether a call of the function may touch memory that its arguments point to, and inlining shows which.
static bool isKernel(const Function &function) {
  static constexpr unsigned kLargest = 1000;
  auto calls = [&](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    return call && call->getCalledFunction() == &function;
  };
  return !function.isDeclaration() && !function.isInterposable() && !function.hasOptSize() &&
         any_of(function.args(), [](const Argument &argument) { return argument.getType()->isPointerTy(); }) &&
         function.getInstructionCount() <= kLargest && !hasDynamicVariable(function) &&
         none_of(instructions(function), calls);
}

/// Favors calls in loops, and calls in their callees: the flux between two cells, an equation of state. A call touches
/// whatever its arguments point to, so a loop with such calls cannot be split.
static void favorCallsInLoops(const DenseSet<const Function *> &talkers) {
  // All callees of a function, in instructions before optimization; the limit of the inliner's cost for each.
  static constexpr unsigned kBudget = 5000, kThreshold = 3000;
  // Subscripts and the like are inlined anyway, and little is left of them.
  static constexpr unsigned kAccessor = 30;
  for (const Function *each : findReached(talkers)) {
    auto &function = *const_cast<Function *>(each);
    if (function.hasOptSize())
      continue;
    LoopInfo loops{DominatorTree(function)};
    unsigned size = 0;
    SmallVector<CallBase *> open, favored;
    auto visit = [&](CallBase &call, Function &callee) {
      if (call.isNoInline() || talkers.contains(&callee) || !isKernel(callee))
        return;
      unsigned ofCallee = callee.getInstructionCount();
      size += ofCallee <= kAccessor ? 1 : ofCallee;
      open.push_back(&call);
    };
    forEachCall(function, [&](CallBase &call, Function &callee) {
      if (loops.getLoopFor(call.getParent()))
        visit(call, callee);
    });
    while (!open.empty() && size <= kBudget) {
      favored.push_back(open.pop_back_val());
      forEachCall(*favored.back()->getCalledFunction(), visit);
    }
    if (size > kBudget)
      continue;
    for (CallBase *call : favored)
      call->addFnAttr(Attribute::get(function.getContext(), kThresholdName, std::to_string(kThreshold)));
  }
}

void comm::favorWrappers(Module &module) {
  // In units of the inliner's cost, whose default limit is 225: an exchange with its loops costs 300 to 600.
  static constexpr unsigned kBudget = 725;
  static constexpr unsigned kLargestFunction = 400; // instructions
  DenseSet<const Function *> talkers;
  SmallVector<Function *> open;
  for (Function &function : module)
    if (isOfExchange(function))
      open.push_back(&function);
  while (!open.empty()) {
    Function *function = open.pop_back_val();
    for (User *user : function->users()) {
      auto *call = dyn_cast<CallBase>(user);
      if (!call || call->getCalledFunction() != function)
        continue;
      if (!function->isDeclaration() && !call->isNoInline())
        call->addFnAttr(Attribute::get(module.getContext(), kThresholdName, std::to_string(kBudget)));
      Function *caller = call->getFunction();
      if (caller->getInstructionCount() <= kLargestFunction && talkers.insert(caller).second)
        open.push_back(caller);
    }
  }
  DenseSet<const Function *> all = findTalkers(module);
  for (const Function *talker : all)
    forEachCall(*const_cast<Function *>(talker), [&](CallBase &call, Function &callee) {
      if (mustForce(call, all) && !hasManyMessages(callee))
        call.addFnAttr(Attribute::AlwaysInline);
    });
  favorCallsInLoops(all);
}

/// Sizes of callees that are worth inlining next to an exchange, in instructions before optimization. A function with
/// one call is inlined as if it were static: the flows of four fields have 500 instructions.
static constexpr unsigned kLargestCallee = 300, kLargestOfOneCall = 1000;

/// Returns whether nothing but one call uses the function. LLVM inlines static ones anyway, unless they have an array
/// of fluxes of unknown size.
static bool hasOneCall(const Function &function) {
  return function.hasOneUse() && !function.isInterposable() &&
         (!function.hasLocalLinkage() || hasDynamicVariable(function));
}

/// Returns whether the function is large, and inlined only because it has one call.
static bool isPhase(const Function &function, const DenseSet<const Function *> &talkers) {
  unsigned size = function.getInstructionCount();
  return talkers.contains(&function) && hasOneCall(function) && size > kLargestCallee && size <= kLargestOfOneCall;
}

/// Returns the functions that would be too large with all their phases (assembly, solver, verification). Each phase has
/// its own exchanges next to their computation. Taking in all of them gains nothing, but one message that overlaps in
/// the result costs a copy of the whole (docs/soundness.md, *Error codes*).
static DenseSet<const Function *> findDrivers(Module &module, const DenseSet<const Function *> &talkers) {
  static constexpr unsigned kLargest = 3000;
  DenseSet<const Function *> drivers;
  for (Function &function : module) {
    if (!talkers.contains(&function))
      continue;
    unsigned size = function.getInstructionCount();
    forEachCall(function, [&](CallBase &, Function &callee) {
      if (isPhase(callee, talkers))
        size += callee.getInstructionCount();
    });
    if (size > kLargest)
      drivers.insert(&function);
  }
  return drivers;
}

/// Favors callees next to an exchange that are more than one statement. A loop packs, unpacks or computes; iterations
/// of a called loop cannot be split. An exchange that is called once (`halo.exchange(u)`) is inlined next to the
/// computation that it can overlap with and to the members that hold its requests.
static void favorCallsNextToExchanges(Module &module, const DenseSet<const Function *> &talkers) {
  // Three nested loops that copy a face cost 350.
  static constexpr unsigned kBudget = 500;
  DenseSet<const Function *> drivers = findDrivers(module, talkers);
  auto isFavored = [&](const Function &caller, const Function &callee) {
    unsigned largest = hasOneCall(callee) ? kLargestOfOneCall : kLargestCallee;
    if (!hasFewCallers(callee) || callee.getInstructionCount() > largest)
      return false;
    if (talkers.contains(&callee))
      return hasOneCall(callee) && !(isPhase(callee, talkers) && drivers.contains(&caller));
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> backedges;
    FindFunctionBackedges(callee, backedges);
    return !backedges.empty();
  };
  for (Function &function : module)
    if (talkers.contains(&function))
      forEachCall(function, [&](CallBase &call, Function &callee) {
        if (call.isNoInline() || function.hasOptSize())
          return;
        bool isForced = mustForce(call, talkers);
        if (!isForced && !isFavored(function, callee))
          return;
        if (isForced || hasOneCall(callee) || hasDynamicVariable(callee))
          call.addFnAttr(Attribute::AlwaysInline);
        else
          call.addFnAttr(Attribute::get(module.getContext(), kThresholdName, std::to_string(kBudget)));
      });
}

/// LLVM speculates loads from memory that is always readable, far from the loop that needs them and across
/// communication. C++ guarantees readability for references, `this` included; C guarantees it for no pointer.
void comm::keepLoadsConditional(Module &module) {
  for (const Function *talker : findTalkers(module))
    for (Argument &argument : const_cast<Function *>(talker)->args())
      for (Attribute::AttrKind kind : {Attribute::Dereferenceable, Attribute::DereferenceableOrNull})
        argument.removeAttr(kind);
}

/// Returns whether the MPI function creates a datatype. If it is inlined where the datatype is used, the type is known
/// there: a member that a constructor sets.
static bool makesDatatype(const Function &function) {
  const mpi::Function *known = getMPIFunction(function);
  return known && known->findRole(mpi::Role::Datatype, mpi::Direction::Out) >= 0;
}

/// Returns whether calls of the function are worth inlining their caller: messages, datatypes, and the copies around a
/// message that LLVM removes where the caller knows the array.
static bool isWorthInlining(const Function &callee) {
  return isOfExchange(callee) || makesDatatype(callee) || callee.getName() == kIsContiguous;
}

void comm::favorWrappersOfFile(Module &module) {
  // The cost of a call, its error check and its packing loop.
  static constexpr unsigned kBonus = 250;
  for (Function &function : module)
    if (hasFewCallers(function))
      forEachCall(function, [&](CallBase &call, Function &callee) {
        if (isWorthInlining(callee))
          call.addFnAttr(Attribute::get(module.getContext(), kBonusName, std::to_string(kBonus)));
      });
  DenseSet<const Function *> talkers = findTalkers(module);
  favorCallsNextToExchanges(module, talkers);
  favorCallsInLoops(talkers);
}

void comm::forgetWrappersOfFile(Module &module) {
  for (Function &function : module)
    if (isWorthInlining(function))
      for (User *user : function.users())
        if (auto *call = dyn_cast<CallBase>(user))
          call->removeFnAttr(kBonusName);
}
