//===- Splice.cpp - Putting new bodies into the user's module -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// New bodies are built next to the old ones and verified there. The first old body is removed only after all passed.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/RoundTrip/Splice.h"
#include "Comm/MPI/Markers.h"
#include "Comm/Plugin/RoundTrip/Extract.h"
#include "Comm/Plugin/Utils/Markers.h"
#include "Restore.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace {
/// Reading bitcode into a context that has a type %struct.S creates %struct.S.7; this maps it back to %struct.S.
class TypeMatcher final : public ValueMapTypeRemapper {
public:
  Type *remapType(Type *type) override;

private:
  Type *match(StructType *type);
  DenseMap<Type *, Type *> done;
};

/// A body under construction.
struct NewBody {
  Function *target;   ///< the user's function
  Function *building; ///< holds the new body until all are verified
  Function *source;   ///< the function in the result
};

class Splicer {
public:
  Splicer(Module &user, Module &result, const comm::Extract &extract, comm::QuestionOf getQuestion)
      : user(user), result(result), extract(extract), getQuestion(getQuestion) {}

  Error run(const std::vector<std::string> &changed, function_ref<void()> beforeCommit);

private:
  Error mapGlobals();
  Error mapGlobal(GlobalValue &global);
  GlobalValue *create(GlobalValue &global);
  Error build(Function &source);
  void cloneBody(Function &source, Function &into);
  Function *findRegion(const Function &function) const;
  Error verify(NewBody &body);
  void commit(NewBody &body);
  void abandon();
  Value *map(Value *value) { return MapValue(value, values, flags, &types); }

  static constexpr RemapFlags flags = RF_ReuseAndMutateDistinctMDs;
  Module &user;
  Module &result;
  const comm::Extract &extract;
  comm::QuestionOf getQuestion;
  TypeMatcher types;
  ValueToValueMapTy values;
  SmallVector<GlobalValue *> created;
  SmallVector<NewBody> bodies;
};
} // namespace

static Error failure(const Twine &why) { return createStringError(inconvertibleErrorCode(), why); }

Type *TypeMatcher::match(StructType *type) {
  if (!type->hasName())
    return type;
  auto [stem, number] = type->getName().rsplit('.');
  if (number.empty() || !all_of(number, [](char c) { return isDigit(c); }))
    return type;
  StructType *old = StructType::getTypeByName(type->getContext(), stem);
  if (!old || old->isOpaque() != type->isOpaque() || old->isPacked() != type->isPacked() ||
      old->getNumElements() != type->getNumElements())
    return type;
  for (auto [a, b] : zip(old->elements(), type->elements()))
    if (a != remapType(b))
      return type;
  return old;
}

Type *TypeMatcher::remapType(Type *type) {
  if (type->getNumContainedTypes() == 0)
    return type;
  if (Type *known = done.lookup(type))
    return known;
  Type *mapped = type;
  if (auto *structure = dyn_cast<StructType>(type); structure && !structure->isLiteral()) {
    // No recursion is possible: pointers are opaque.
    mapped = match(structure);
  } else if (structure) {
    SmallVector<Type *> elements;
    for (Type *element : structure->elements())
      elements.push_back(remapType(element));
    mapped = StructType::get(type->getContext(), elements, structure->isPacked());
  } else if (auto *array = dyn_cast<ArrayType>(type)) {
    mapped = ArrayType::get(remapType(array->getElementType()), array->getNumElements());
  } else if (auto *function = dyn_cast<FunctionType>(type)) {
    SmallVector<Type *> params;
    for (Type *param : function->params())
      params.push_back(remapType(param));
    mapped = FunctionType::get(remapType(function->getReturnType()), params, function->isVarArg());
  }
  return done[type] = mapped;
}

/// Creates a global that only the result has; its initializer or body follows.
GlobalValue *Splicer::create(GlobalValue &global) {
  GlobalValue *copy;
  if (auto *function = dyn_cast<Function>(&global)) {
    auto *made = Function::Create(cast<FunctionType>(types.remapType(function->getFunctionType())),
                                  function->getLinkage(), function->getAddressSpace(), function->getName(), &user);
    made->setCallingConv(function->getCallingConv());
    made->setAttributes(function->getAttributes());
    copy = made;
  } else {
    auto &variable = cast<GlobalVariable>(global);
    auto *made = new GlobalVariable(user, types.remapType(variable.getValueType()), variable.isConstant(),
                                    variable.getLinkage(), nullptr, variable.getName(), nullptr,
                                    variable.getThreadLocalMode(), variable.getAddressSpace());
    made->setAlignment(variable.getAlign());
    if (variable.hasSection())
      made->setSection(variable.getSection());
    copy = made;
  }
  copy->setVisibility(global.getVisibility());
  copy->setUnnamedAddr(global.getUnnamedAddr());
  copy->setDSOLocal(global.isDSOLocal() || copy->isImplicitDSOLocal()); // MLIR omits it for private globals
  created.push_back(copy);
  return copy;
}

Error Splicer::mapGlobal(GlobalValue &global) {
  auto known = extract.globals.find(global.getName());
  if (known != extract.globals.end()) {
    values[&global] = known->second;
    return Error::success();
  }
  if (global.hasAppendingLinkage()) {
    if (global.getName() != "llvm.global_ctors" && global.getName() != "llvm.global_dtors")
      return failure("the pipeline created '" + global.getName() + "', which cannot be merged");
    return Error::success(); // merged at the end
  }
  if (isa<GlobalAlias>(global) || isa<GlobalIFunc>(global))
    return failure("the pipeline created the alias '" + global.getName() + "'");
  GlobalValue *existing = user.getNamedValue(global.getName());
  if (!existing || global.hasLocalLinkage()) {
    values[&global] = create(global);
    return Error::success();
  }
  // The same name must refer to the same thing.
  if (existing->hasLocalLinkage() || isa<Function>(existing) != isa<Function>(global) ||
      (!global.isDeclaration() && !existing->isDeclaration() && !global.isWeakForLinker()))
    return failure("'" + global.getName() + "' of the file hides what Comm needs under this name");
  if (!global.isDeclaration() && existing->isDeclaration())
    return failure("'" + global.getName() + "' is declared in the file, but Comm defines it");
  values[&global] = existing;
  return Error::success();
}

Error Splicer::mapGlobals() {
  for (GlobalValue &global : result.global_values())
    if (!global.getName().starts_with("llvm.dbg"))
      if (Error error = mapGlobal(global))
        return error;
  for (GlobalVariable &variable : result.globals()) {
    auto it = values.find(&variable);
    if (it == values.end())
      continue;
    auto *copy = dyn_cast<GlobalVariable>(&*it->second);
    if (copy && is_contained(created, copy) && variable.hasInitializer())
      copy->setInitializer(cast<Constant>(map(variable.getInitializer())));
  }
  return Error::success();
}

/// Copies the body of `source` into the empty `into`. The numbers in the debug locations are read before remapping,
/// which would otherwise walk and mutate the user's debug info.
void Splicer::cloneBody(Function &source, Function &into) {
  for (auto [from, to] : zip(source.args(), into.args()))
    values[&from] = &to;
  comm::InstructionOrigins origins;
  for (BasicBlock &block : source) {
    BasicBlock *copy = CloneBasicBlock(&block, values, "", &into);
    values[&block] = copy;
    for (auto [from, to] : zip(block, *copy)) {
      if (const Instruction *then = comm::originOf(from, extract))
        origins[&to] = then;
      to.setDebugLoc(DebugLoc());
      to.dropDbgRecords();
    }
  }
  for (Instruction &inst : instructions(into))
    RemapInstruction(&inst, values, flags, &types);
  if (source.hasPersonalityFn())
    into.setPersonalityFn(cast<Constant>(map(source.getPersonalityFn())));
  auto known = extract.globals.find(source.getName());
  if (known != extract.globals.end()) {
    auto &original = *cast<Function>(known->second);
    comm::restoreFromOriginals(into, original, origins, original.getSubprogram());
  } else if (Function *region = findRegion(source)) {
    comm::restoreFromOriginals(into, *region, origins, into.getSubprogram());
  }
}

/// Returns the user's region that a region of the result stems from, or null.
Function *Splicer::findRegion(const Function &function) const {
  Attribute name = function.getFnAttribute(comm::kRegionAttr);
  auto known = name.isValid() ? extract.globals.find(name.getValueAsString()) : extract.globals.end();
  return known == extract.globals.end() ? nullptr : dyn_cast<Function>(known->second);
}

/// Copies the attributes of the original region, except for those that describe the whole body.
static void describeRegion(Function &made, const Function &region) {
  AttrBuilder attributes(made.getContext(), region.getAttributes().getFnAttrs());
  for (Attribute::AttrKind kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::NoFree, Attribute::WillReturn, Attribute::NoCallback,
        Attribute::Speculatable, Attribute::AlwaysInline, Attribute::NoRecurse, Attribute::MustProgress})
    attributes.removeAttribute(kind);
  made.removeFnAttr(comm::kRegionAttr);
  made.addFnAttrs(attributes);
  DISubprogram *scope = region.getSubprogram();
  if (!scope)
    return;
  made.setSubprogram(DISubprogram::getDistinct(made.getContext(), scope->getScope(), scope->getName(), made.getName(),
                                               scope->getFile(), scope->getLine(), scope->getType(),
                                               scope->getScopeLine(), nullptr, 0, 0, scope->getFlags(),
                                               scope->getSPFlags(), scope->getUnit()));
}

Error Splicer::build(Function &source) {
  auto known = extract.globals.find(source.getName());
  if (known == extract.globals.end()) {
    // Created by the pipeline.
    auto *made = cast<Function>(&*values[&source]);
    if (!is_contained(created, made))
      return Error::success();
    Function *region = findRegion(source);
    if (region)
      describeRegion(*made, *region);
    cloneBody(source, *made);
    std::string message;
    raw_string_ostream stream(message);
    if (region && verifyFunction(*made, &stream))
      return failure("a region of '" + region->getName() +
                     "' does not verify: " + StringRef(message).trim().split('\n').first);
    return Error::success();
  }
  auto *target = cast<Function>(known->second);
  if (types.remapType(source.getFunctionType()) != target->getFunctionType())
    return failure("the type of '" + target->getName() + "' changed");
  Function *building = Function::Create(target->getFunctionType(), GlobalValue::InternalLinkage,
                                        target->getAddressSpace(), target->getName() + ".comm", &user);
  bodies.push_back({target, building, &source});
  building->copyAttributesFrom(target);
  building->setComdat(nullptr);
  // This has local linkage even if the target does not: with -fPIC, the target may be preempted by another library's.
  building->setVisibility(GlobalValue::DefaultVisibility);
  building->setDSOLocal(true);
  cloneBody(source, *building);
  return Error::success();
}

Error Splicer::verify(NewBody &body) {
  // The verifier checks locations against the subprogram, so lend it.
  body.building->setSubprogram(body.target->getSubprogram());
  std::string message;
  raw_string_ostream stream(message);
  bool broken = verifyFunction(*body.building, &stream);
  body.building->setSubprogram(nullptr);
  if (broken)
    return failure("the new body of '" + body.target->getName() +
                   "' does not verify: " + StringRef(message).trim().split('\n').first);
  return Error::success();
}

/// Returns how many iterations the loop executes per call of the function, including surrounding loops; nullopt if
/// unknown.
static std::optional<uint64_t> countIterations(const Loop *loop, ScalarEvolution &evolution) {
  uint64_t product = 1;
  for (; loop; loop = loop->getParentLoop()) {
    unsigned times = evolution.getSmallConstantMaxTripCount(loop);
    if (times == 0)
      return std::nullopt;
    product = SaturatingMultiply(product, uint64_t(times));
  }
  return product;
}

/// Returns whether the copy that may run in place of the function is worth optimizing: some loop only computes and may
/// execute more than a few instructions.
static bool hasComputation(Function &function) {
  constexpr uint64_t mostInstructions = 2000;
  DominatorTree dominance(function);
  LoopInfo loops(dominance);
  TargetLibraryInfoImpl library(function.getParent()->getTargetTriple());
  TargetLibraryInfo functions(library);
  AssumptionCache assumptions(function);
  ScalarEvolution evolution(function, functions, assumptions, dominance, loops);
  return any_of(loops.getLoopsInPreorder(), [&](const Loop *loop) {
    uint64_t size = 0;
    for (const BasicBlock *block : loop->blocks()) {
      if (any_of(*block, [](const Instruction &inst) { return isa<CallBase>(inst) && !isa<IntrinsicInst>(inst); }))
        return false;
      size += block->size();
    }
    std::optional<uint64_t> times = countIterations(loop, evolution);
    return !times || SaturatingMultiply(*times, size) > mostInstructions;
  });
}

/// Returns whether optimizing the function again takes long. False where the optimizer may change floating-point
/// results.
static bool isLarge(const Function &function) {
  constexpr unsigned least = 4000;
  return function.getInstructionCount() >= least && none_of(instructions(function), [](const Instruction &inst) {
           return isa<FPMathOperator>(inst) && inst.getFastMathFlags().any();
         });
}

/// Clones the function as it is, to be optimized or not.
static Function *keepOriginal(Function &function, bool isOptimized) {
  ValueToValueMapTy values;
  Function *copy = CloneFunction(&function, values);
  copy->setName(function.getName() + ".comm.original");
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  copy->setDSOLocal(true);
  copy->setComdat(nullptr);
  copy->addFnAttr(comm::kOriginalAttr);
  // Code that only communicates does not need to be optimized twice.
  if (!isOptimized) {
    copy->addFnAttr(Attribute::Cold);
    bool isFast = isLarge(function) && !function.hasMinSize();
    if (isFast)
      copy->removeFnAttr(Attribute::OptimizeForSize);
    copy->addFnAttr(isFast ? Attribute::OptimizeNone : Attribute::OptimizeForSize);
  }
  copy->removeFnAttr(Attribute::AlwaysInline);
  copy->removeFnAttr(Attribute::InlineHint);
  copy->addFnAttr(Attribute::NoInline);
  return copy;
}

/// Moves variables of fixed size to the beginning of the entry block. Questions to the runtime are inlined later and
/// split that block, and a variable in any other block is allocated again whenever control passes it.
static void gatherVariables(Function &function) {
  BasicBlock &entry = function.getEntryBlock();
  BasicBlock::iterator place = entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &inst : make_early_inc_range(make_range(place, entry.end())))
    if (auto *slot = dyn_cast<AllocaInst>(&inst); slot && isa<Constant>(slot->getArraySize()))
      slot->moveBefore(entry, place);
}

/// Makes the function begin with a tail call to `original` if the answer to the question is not 0.
static void branchToOriginal(Function &function, Function &original, StringRef question) {
  BasicBlock &entry = function.getEntryBlock();
  BasicBlock::iterator place = entry.getFirstNonPHIOrDbgOrAlloca();
  BasicBlock *rest = entry.splitBasicBlock(place, "");
  BasicBlock *other = BasicBlock::Create(function.getContext(), "", &function);
  entry.getTerminator()->eraseFromParent();
  IRBuilder<> builder(&entry);
  if (DISubprogram *scope = function.getSubprogram())
    builder.SetCurrentDebugLocation(DILocation::get(function.getContext(), 0, 0, scope));
  builder.CreateCondBr(comm::ask(builder, question), other, rest);
  builder.SetInsertPoint(other);
  SmallVector<Value *> arguments;
  for (Argument &argument : function.args())
    arguments.push_back(&argument);
  CallInst *call = builder.CreateCall(&original, arguments);
  call->setCallingConv(function.getCallingConv());
  AttributeList attributes = function.getAttributes();
  call->setAttributes(attributes.removeFnAttributes(function.getContext()));
  call->setTailCallKind(CallInst::TCK_MustTail);
  if (function.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

/// Promotes variables that passes created to registers: LLVM would do so only after the loop vectorizer.
static void promoteVariables(Function &function) {
  SmallVector<AllocaInst *> variables;
  for (Instruction &inst : function.getEntryBlock())
    if (auto *slot = dyn_cast<AllocaInst>(&inst); slot && isAllocaPromotable(slot))
      variables.push_back(slot);
  if (variables.empty())
    return;
  DominatorTree dominance(function);
  PromoteMemToReg(variables, dominance);
}

void Splicer::commit(NewBody &body) {
  Function &target = *body.target;
  std::string question = getQuestion ? getQuestion(body.source->getName()) : "";
  Function *kept = nullptr;
  if (!question.empty()) {
    // A single process has nothing to overlap; an equally optimized original is then better.
    bool isOptimized = hasComputation(target);
    if (isOptimized)
      question += comm::mpi::kOrOneProcess;
    kept = keepOriginal(target, isOptimized);
  }
  for (BasicBlock &block : target)
    block.dropAllReferences();
  while (!target.empty())
    target.begin()->eraseFromParent();
  target.splice(target.end(), body.building);
  for (auto [from, to] : zip(body.building->args(), target.args()))
    from.replaceAllUsesWith(&to);
  if (!target.hasPersonalityFn() && body.building->hasPersonalityFn())
    target.setPersonalityFn(body.building->getPersonalityFn());
  body.building->eraseFromParent();
  gatherVariables(target);
  if (kept)
    branchToOriginal(target, *kept, question);
  promoteVariables(target);
}

void Splicer::abandon() {
  for (NewBody &body : bodies)
    body.building->deleteBody();
  for (GlobalValue *global : created) {
    if (auto *function = dyn_cast<Function>(global))
      function->deleteBody();
    else
      cast<GlobalVariable>(global)->setInitializer(nullptr);
  }
  for (NewBody &body : bodies)
    body.building->eraseFromParent();
  for (GlobalValue *global : created) {
    global->replaceAllUsesWith(PoisonValue::get(global->getType()));
    global->eraseFromParent();
  }
}

/// Appends the entries of the result's list of constructors or destructors.
static void mergeStructors(Module &user, GlobalVariable &list, function_ref<Value *(Value *)> map) {
  auto *entries = dyn_cast<ConstantArray>(list.getInitializer());
  if (!entries)
    return;
  for (Value *entry : entries->operands()) {
    auto *fields = cast<ConstantStruct>(entry);
    int priority = cast<ConstantInt>(fields->getOperand(0))->getSExtValue();
    auto *function = cast<Function>(map(fields->getOperand(1)));
    if (list.getName() == "llvm.global_ctors")
      appendToGlobalCtors(user, function, priority);
    else
      appendToGlobalDtors(user, function, priority);
  }
}

Error Splicer::run(const std::vector<std::string> &changed, function_ref<void()> beforeCommit) {
  Error error = mapGlobals();
  for (Function &function : result) {
    if (error)
      break;
    bool known = extract.globals.contains(function.getName());
    if (function.isDeclaration() || (known && !is_contained(changed, function.getName())))
      continue;
    error = build(function);
  }
  for (NewBody &body : bodies)
    if (!error)
      error = verify(body);
  if (error) {
    abandon();
    return error;
  }
  beforeCommit();
  for (NewBody &body : bodies)
    commit(body);
  for (StringRef name : {"llvm.global_ctors", "llvm.global_dtors"})
    if (GlobalVariable *list = result.getNamedGlobal(name); list && list->hasInitializer())
      mergeStructors(user, *list, [&](Value *value) { return map(value); });
  return Error::success();
}

Error comm::spliceFunctions(Module &user, Module &result, const Extract &extract,
                            const std::vector<std::string> &changed, QuestionOf getQuestion,
                            function_ref<void()> beforeCommit) {
  TimeTraceScope scope("CommSplice");
  return Splicer(user, result, extract, getQuestion).run(changed, beforeCommit);
}
