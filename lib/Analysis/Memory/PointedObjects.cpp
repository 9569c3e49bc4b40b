//===- PointedObjects.cpp - Objects of pointers ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointedObjects.h"

#include "Comm/Analysis/Memory/FunctionSummary.h"
#include "Comm/Analysis/Memory/RotatedPointers.h"
#include "Comm/Dialect/Comm/Utils/FunctionFacts.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace mlir;
using namespace comm;

PointedObjects::FunctionAliases &PointedObjects::getFunctionAliases(llvm::Function &function) {
  std::unique_ptr<FunctionAliases> &entry = aliases[&function];
  if (!entry)
    entry = std::make_unique<FunctionAliases>(functionAnalyses.getResult<llvm::AAManager>(function),
                                              functionAnalyses.getResult<llvm::DominatorTreeAnalysis>(function),
                                              functionAnalyses.getResult<llvm::LoopAnalysis>(function));
  return *entry;
}

llvm::BatchAAResults &PointedObjects::getAliases(llvm::Function &function, bool acrossIterations) {
  FunctionAliases &entry = getFunctionAliases(function);
  return acrossIterations ? entry.acrossIterations : entry.here;
}

bool PointedObjects::areApart(const llvm::Value *a, const llvm::Value *b) const {
  if (model.privateVariables.empty())
    return false;
  llvm::SmallVector<const llvm::Value *, 4> first, second;
  llvm::getUnderlyingObjects(a, first, /*LI=*/nullptr, /*MaxLookup=*/0);
  llvm::getUnderlyingObjects(b, second, /*LI=*/nullptr, /*MaxLookup=*/0);
  auto isPrivate = [&](const llvm::Value *object) { return model.privateVariables.contains(object); };
  return llvm::all_of(first, [&](const llvm::Value *x) {
    return llvm::all_of(second, [&](const llvm::Value *y) { return x != y && (isPrivate(x) || isPrivate(y)); });
  });
}

/// Whether the allocation happens after the pointer is known, so that the pointer does not point into it. An allocation
/// in a loop returns another object in each iteration.
static bool isMadeAfter(const llvm::Instruction *allocation, const llvm::Value *pointer,
                        const llvm::DominatorTree &dominance, const llvm::Loop *loop) {
  auto *made = dyn_cast<llvm::Instruction>(pointer);
  return made ? dominance.dominates(made, allocation) && !(loop && loop->contains(made)) : isa<llvm::Argument>(pointer);
}

/// Whether there is no object: the pointer is undefined or null.
static bool isNoObject(const llvm::Value &pointer, const llvm::Function &function) {
  return isa<llvm::UndefValue>(pointer) ||
         (isa<llvm::ConstantPointerNull>(pointer) && !llvm::NullPointerIsDefined(&function));
}

bool PointedObjects::haveOtherObjects(llvm::Function &function, const llvm::Value *a, const llvm::Value *b) {
  constexpr unsigned most = 8;
  SmallVector<const llvm::Value *, most> first, second;
  llvm::getUnderlyingObjects(a, first);
  llvm::getUnderlyingObjects(b, second);
  if (first.size() > most || second.size() > most)
    return false;
  bool isChosen = first.size() * second.size() > 1;
  llvm::BatchAAResults &aliases = getAliases(function, /*acrossIterations=*/true);
  const auto &dominance = functionAnalyses.getResult<llvm::DominatorTreeAnalysis>(function);
  const auto &loops = functionAnalyses.getResult<llvm::LoopAnalysis>(function);
  // An iteration may load a pointer to what an earlier one allocated, for any loop around the allocation.
  auto isNewer = [&](const llvm::Value *x, const llvm::Value *y) {
    if (!llvm::isNoAliasCall(x))
      return false;
    auto *allocation = cast<llvm::Instruction>(x);
    const llvm::Loop *loop = loops.getLoopFor(allocation->getParent());
    return isMadeAfter(allocation, y, dominance, loop ? loop->getOutermostLoop() : nullptr);
  };
  return llvm::all_of(first, [&](const llvm::Value *x) {
    return llvm::all_of(second, [&](const llvm::Value *y) {
      bool isOther =
          isChosen && (llvm::isIdentifiedObject(x) || llvm::isIdentifiedObject(y)) &&
          aliases.isNoAlias(llvm::MemoryLocation::getBeforeOrAfter(x), llvm::MemoryLocation::getBeforeOrAfter(y));
      return isNoObject(*x, function) || isNoObject(*y, function) ||
             (x != y && (isOther || isNewer(x, y) || isNewer(y, x)));
    });
  });
}

/// Whether the call touches memory only through its arguments, apart from memory that MPI does not touch, and
/// `isHarmless` accepts each argument.
static bool touchesArgumentsAlone(const llvm::CallBase &call,
                                  llvm::function_ref<bool(const llvm::Value *)> isHarmless) {
  llvm::MemoryEffects others = call.getMemoryEffects()
                                   .getWithoutLoc(llvm::IRMemLocation::ArgMem)
                                   .getWithoutLoc(llvm::IRMemLocation::InaccessibleMem)
                                   .getWithoutLoc(llvm::IRMemLocation::ErrnoMem);
  return others.doesNotAccessMemory() && llvm::all_of(call.args(), [&](const llvm::Use &argument) {
           llvm::Type *type = argument->getType();
           return type->isPointerTy() ? isHarmless(argument) : !type->isPtrOrPtrVectorTy();
         });
}

/// Whether the callee cannot know any of the objects that the pointer may lead to. LLVM's alias analysis can tell for
/// one object, but gives up if there may be none (the memory of an empty vector).
bool PointedObjects::knowsNone(const llvm::CallBase &call, const llvm::Value *pointer) {
  constexpr unsigned most = 8;
  llvm::Function &function = const_cast<llvm::Function &>(*call.getFunction());
  SmallVector<const llvm::Value *, most> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  llvm::BatchAAResults &aliases = getAliases(function, /*acrossIterations=*/true);
  return objects.size() <= most && llvm::all_of(objects, [&](const llvm::Value *object) {
           return isNoObject(*object, function) ||
                  (llvm::isIdentifiedFunctionLocal(object) &&
                   !llvm::isModOrRefSet(aliases.getModRefInfo(&call, llvm::MemoryLocation::getBeforeOrAfter(object))));
         });
}

/// Whether a function of the C library finds only text or a stream through this pointer.
static bool leadsNowhere(const llvm::Value *object) {
  if (auto *load = dyn_cast<llvm::LoadInst>(object)) {
    auto *stream = dyn_cast<llvm::GlobalVariable>(load->getPointerOperand());
    return stream && stream->isDeclaration() && isStandardStream(*stream);
  }
  auto *text = dyn_cast<llvm::GlobalVariable>(object);
  return text && text->isConstant();
}

/// Whether a function of the C library cannot access the variable that is pointed to: one that is accessed only by its
/// name, or a number of this file (errno and the like belong to the library). The library accesses its own memory and
/// what its arguments lead to, which may include the address of a number of this file (a va_list).
bool PointedObjects::isOutOfReach(const llvm::CallBase &call, const llvm::Value *pointer) const {
  const llvm::Function *callee = call.getCalledFunction();
  auto *variable = dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer));
  if (!callee || !callee->isDeclaration() || !callee->hasFnAttribute(kCLibraryFact) || !variable)
    return false;
  bool isPrivate = model.privateVariables.contains(variable);
  if (!isPrivate && !(variable->hasInitializer() && variable->getValueType()->isSingleValueType()))
    return false;
  return llvm::all_of(call.args(), [&](const llvm::Use &argument) {
    if (!argument->getType()->isPtrOrPtrVectorTy())
      return true;
    if (isPrivate)
      return areApart(argument, variable);
    SmallVector<const llvm::Value *, 4> objects;
    llvm::getUnderlyingObjects(argument, objects);
    return llvm::all_of(objects, leadsNowhere);
  });
}

bool PointedObjects::touchesOtherObjects(llvm::Instruction &instruction, const llvm::Value *pointer) {
  llvm::Function &function = *instruction.getFunction();
  if (auto *call = dyn_cast<llvm::CallBase>(&instruction)) {
    bool isHarmless = touchesArgumentsAlone(*call, [&](const llvm::Value *argument) {
      return areApart(argument, pointer) || haveOtherObjects(function, argument, pointer);
    });
    return isHarmless || isOutOfReach(*call, pointer) || knowsNone(*call, pointer);
  }
  bool isSimple = isa<llvm::LoadInst>(instruction)    ? cast<llvm::LoadInst>(instruction).isSimple()
                  : isa<llvm::StoreInst>(instruction) ? cast<llvm::StoreInst>(instruction).isSimple()
                                                      : false;
  return isSimple && haveOtherObjects(function, llvm::getLoadStorePointerOperand(&instruction), pointer);
}

bool PointedObjects::areRotated(const llvm::Value *a, const llvm::BasicBlock *useOfA, const llvm::Value *b,
                                const llvm::BasicBlock *useOfB) {
  auto *first = dyn_cast<llvm::PHINode>(llvm::getUnderlyingObject(a));
  auto *second = dyn_cast<llvm::PHINode>(llvm::getUnderlyingObject(b));
  if (!first || !second || first->getParent() != second->getParent() || !useOfA || !useOfB)
    return false;
  // Both uses must see the values of one execution of the block: it does not run again between them.
  auto &function = const_cast<llvm::Function &>(*first->getFunction());
  const auto &loops = functionAnalyses.getResult<llvm::LoopAnalysis>(function);
  const llvm::Loop *loop = loops.getLoopFor(first->getParent());
  if (loop && !(loop->contains(useOfA) && loop->contains(useOfB)))
    return false;
  auto areNew = [&](const llvm::Value *x, const llvm::Value *y) {
    return isNoObject(*x, function) || isNoObject(*y, function) ||
           (llvm::isIdentifiedObject(x) && llvm::isIdentifiedObject(y));
  };
  auto visitEdges = [](const llvm::Value *x, const llvm::Value *y,
                       llvm::function_ref<void(const llvm::Value *, const llvm::Value *)> visit) {
    auto *chosen = dyn_cast<llvm::SelectInst>(x), *other = dyn_cast<llvm::SelectInst>(y);
    if (chosen && other && chosen->getParent() == other->getParent() &&
        chosen->getCondition() == other->getCondition()) {
      visit(llvm::getUnderlyingObject(chosen->getTrueValue()), llvm::getUnderlyingObject(other->getTrueValue()));
      visit(llvm::getUnderlyingObject(chosen->getFalseValue()), llvm::getUnderlyingObject(other->getFalseValue()));
      return true;
    }
    auto *ofX = dyn_cast<llvm::PHINode>(x), *ofY = dyn_cast<llvm::PHINode>(y);
    if (!ofX || !ofY || ofX->getParent() != ofY->getParent())
      return false;
    for (const llvm::BasicBlock *from : ofX->blocks())
      visit(llvm::getUnderlyingObject(ofX->getIncomingValueForBlock(from)),
            llvm::getUnderlyingObject(ofY->getIncomingValueForBlock(from)));
    return true;
  };
  return isReducible(function) && areAlwaysDifferent<const llvm::Value *>(first, second, areNew, visitEdges);
}

/// Finds the allocations that the pointer may come from, in the current iteration of the loops around them. Returns
/// false if it may come from elsewhere.
static bool findAllocations(const llvm::Value *pointer, const llvm::LoopInfo &loops,
                            llvm::SmallSetVector<const llvm::Instruction *, 4> &allocations) {
  constexpr size_t most = 16;
  llvm::SmallSetVector<const llvm::Value *, 8> values;
  values.insert(llvm::getUnderlyingObject(pointer));
  for (size_t i = 0; i < values.size(); ++i) {
    const llvm::Value *value = values[i];
    if (values.size() > most)
      return false;
    auto *instruction = dyn_cast<llvm::Instruction>(value);
    auto *phi = dyn_cast<llvm::PHINode>(value);
    if (phi && !loops.isLoopHeader(phi->getParent()))
      for (const llvm::Value *incoming : phi->incoming_values())
        values.insert(llvm::getUnderlyingObject(incoming));
    else if (instruction && llvm::isNoAliasCall(instruction))
      allocations.insert(instruction);
    else if (!isa<llvm::ConstantPointerNull, llvm::UndefValue>(value))
      return false;
  }
  return !allocations.empty();
}

bool PointedObjects::isReducible(llvm::Function &function) {
  std::optional<bool> &isIrreducible = getFunctionAliases(function).isIrreducible;
  if (!isIrreducible) {
    llvm::ReversePostOrderTraversal<const llvm::Function *> order(&function);
    const auto &loops = functionAnalyses.getResult<llvm::LoopAnalysis>(function);
    isIrreducible = llvm::containsIrreducibleCFG<const llvm::BasicBlock *>(order, loops);
  }
  return !*isIrreducible;
}

bool PointedObjects::isAllocatedSince(const llvm::Value *a, const llvm::BasicBlock *useOfA, const llvm::Value *b,
                                      const llvm::BasicBlock *useOfB) {
  if (!useOfA || !useOfB)
    return false;
  auto &function = const_cast<llvm::Function &>(*useOfA->getParent());
  const auto &loops = functionAnalyses.getResult<llvm::LoopAnalysis>(function);
  const auto &dominance = functionAnalyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto isSince = [&](const llvm::Value *made, const llvm::Value *known) {
    auto *value = dyn_cast<llvm::Instruction>(llvm::getUnderlyingObject(known));
    llvm::SmallSetVector<const llvm::Instruction *, 4> allocations;
    if (!value || !findAllocations(made, loops, allocations))
      return false;
    // Both uses see the value of one iteration, and all allocations come after it.
    const llvm::Loop *loop = loops.getLoopFor(value->getParent());
    return (!loop || (loop->contains(useOfA) && loop->contains(useOfB))) &&
           llvm::all_of(allocations, [&](const llvm::Instruction *allocation) {
             return value != allocation && dominance.dominates(value, allocation);
           });
  };
  return (isSince(a, b) || isSince(b, a)) && isReducible(function);
}

/// Whether the call returns memory that nobody else knows, and reads no memory itself, unlike realloc and strdup.
static bool allocates(const llvm::CallBase &call, const llvm::TargetLibraryInfo &library) {
  return llvm::isAllocationFn(&call, &library) && llvm::isNoAliasCall(&call) &&
         llvm::all_of(call.args(), [](const llvm::Use &argument) {
           return !argument->getType()->isPointerTy() ||
                  isa<llvm::GlobalVariable>(llvm::getUnderlyingObject(argument)); // std::nothrow
         });
}

bool PointedObjects::touchesWhatIsAllocatedSince(llvm::Instruction &instruction, const llvm::Value *pointer,
                                                 const llvm::BasicBlock *use) {
  const llvm::BasicBlock *block = instruction.getParent();
  auto *call = dyn_cast<llvm::CallBase>(&instruction);
  if (!call) {
    const llvm::Value *touched = llvm::getLoadStorePointerOperand(&instruction);
    return touched && isAllocatedSince(touched, block, pointer, use);
  }
  if (allocates(*call, functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(*call->getFunction())))
    return true;
  return touchesArgumentsAlone(
      *call, [&](const llvm::Value *argument) { return isAllocatedSince(argument, block, pointer, use); });
}

bool PointedObjects::isApartFromFreed(llvm::BatchAAResults &aliases, llvm::Instruction &deallocation,
                                      llvm::Instruction &other, bool isLater) {
  auto *call = dyn_cast<llvm::CallBase>(&deallocation);
  if (!call || other.isVolatile() || other.isAtomic())
    return false;
  const auto &library = functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(*call->getFunction());
  const llvm::Value *freed = llvm::getFreedOperand(call, &library);
  // A math function that sets errno: deallocation does not read errno.
  auto *ofLibrary = dyn_cast<llvm::CallBase>(&other);
  if (freed && ofLibrary && ofLibrary->getMemoryEffects().onlyAccessesErrnoMem())
    return true;
  const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&other);
  if (!pointer)
    return false;
  llvm::SmallVector<const llvm::Value *, 4> objects;
  if (freed)
    llvm::getUnderlyingObjects(pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  if (!freed || llvm::any_of(objects, [](const llvm::Value *object) { return isa<llvm::GlobalValue>(object); }))
    return false;
  if (isLater)
    return true;
  llvm::Function &function = *deallocation.getFunction();
  const llvm::Value *object = llvm::getUnderlyingObject(freed);
  return aliases.isNoAlias(llvm::MemoryLocation::getBeforeOrAfter(freed),
                           llvm::MemoryLocation::getBeforeOrAfter(pointer)) ||
         (llvm::isNoAliasCall(object) &&
          isMadeAfter(cast<llvm::Instruction>(object), llvm::getUnderlyingObject(pointer),
                      functionAnalyses.getResult<llvm::DominatorTreeAnalysis>(function),
                      functionAnalyses.getResult<llvm::LoopAnalysis>(function).getLoopFor(
                          cast<llvm::Instruction>(object)->getParent())));
}

bool PointedObjects::areAllocatorCalls(llvm::Instruction &a, llvm::Instruction &b) {
  auto *first = dyn_cast<llvm::CallBase>(&a), *second = dyn_cast<llvm::CallBase>(&b);
  if (!first || !second)
    return false;
  const auto &library = functionAnalyses.getResult<llvm::TargetLibraryAnalysis>(*a.getFunction());
  auto frees = [&](llvm::CallBase *call) { return llvm::getFreedOperand(call, &library) != nullptr; };
  return (allocates(*first, library) && frees(second)) || (frees(first) && allocates(*second, library));
}
