//===- OutlineRegions.cpp - Loops as parallel regions again ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was a worksharing loop (InlineRegions.cpp) has been copied, has other bounds, and may use values that are now
// computed before it. The region is therefore created from the loop as it is now, not restored:
//
//   for (x = start; more; x += step) body  =>  fork(region, count - 1, start, step, what the body uses)
//
//   region(thread, ..., last, start, step, ...):
//     lower = 0, upper = last
//     __kmpc_for_static_init_8u(..., thread, static, &isLast, &lower, &upper, &stride, 1, 1)
//     for (k = lower, x = start + step * lower; k <= min(upper, last); ++k, x += step) body
//     __kmpc_for_static_fini(..., thread)
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/OpenMP/WorksharingLoops.h"

#include "Comm/Plugin/Utils/InstructionNumber.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace comm;

namespace {
/// How a phi of the header changes.
struct Variable {
  PHINode *phi;
  Value *start, *step;
};

/// The worksharing loops of one function.
class Outliner {
public:
  Outliner(Function &function, ArrayRef<const WorksharingLoop *> worksharing);

  std::string run();
  unsigned getCount() const { return count; }

private:
  const WorksharingLoop *lookup(const Loop &loop) const;
  std::string outline(Loop &loop, const WorksharingLoop &from, DominatorTree &dominance, LoopInfo &loops,
                      ScalarEvolution &evolution, AssumptionCache &assumptions);
  std::string whyNotParallel(const Loop &loop, const WorksharingLoop &from) const;
  bool outlineNext(std::string &why);
  void finish(ArrayRef<BasicBlock *> blocks, Loop &loop, const WorksharingLoop &from, ArrayRef<Variable> variables,
              Value *last);

  Function &function;
  Module &module;
  DenseMap<unsigned, const WorksharingLoop *> byLatch;
  DenseSet<unsigned> writes;
  unsigned count = 0;
};
} // namespace

Outliner::Outliner(Function &function, ArrayRef<const WorksharingLoop *> worksharing)
    : function(function), module(*function.getParent()) {
  for (const WorksharingLoop *loop : worksharing) {
    byLatch.insert({loop->latch, loop});
    writes.insert(loop->writes.begin(), loop->writes.end());
  }
}

/// Copies of a loop keep its number and its mark (Worksharing.h); code that passes add around it may have the number.
const WorksharingLoop *Outliner::lookup(const Loop &loop) const {
  const BasicBlock *latch = loop.getLoopLatch();
  bool isMarked = latch && findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses");
  return isMarked ? byLatch.lookup(getInstructionNumber(*latch->getTerminator())) : nullptr;
}

/// Returns why the loop is not parallel, or an empty string: threads may do what the original region's threads did.
std::string Outliner::whyNotParallel(const Loop &loop, const WorksharingLoop &from) const {
  if (loop.getExitingBlock() != loop.getLoopLatch() || !isa<BranchInst>(loop.getLoopLatch()->getTerminator()))
    return "it ends in the middle of an iteration";
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &inst : *block) {
      if (any_of(inst.users(), [&](const User *user) { return !loop.contains(cast<Instruction>(user)); }))
        return "its results are used after it";
      const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
      bool isMarker = intrinsic && (isa<AssumeInst, NoAliasScopeDeclInst>(intrinsic) ||
                                    (!isa<MemIntrinsic>(intrinsic) && intrinsic->doesNotAccessMemory()));
      if (isMarker)
        continue;
      if (isa<CallBase>(inst) && !intrinsic && !is_contained(from.calls, getInstructionNumber(inst)))
        return "it calls functions that the program did not call there";
      bool isWrite = isa<StoreInst>(inst) || intrinsic || (inst.mayWriteToMemory() && !isa<CallBase>(inst));
      if (isa<AllocaInst>(inst) || inst.isAtomic() ||
          (isWrite && !is_contained(from.writes, getInstructionNumber(inst))))
        return "it writes memory that the program did not write there";
    }
  return "";
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Whether the runtime can pass the type as a word.
static bool isWord(Type *type) {
  if (type->isPointerTy())
    return type->getPointerAddressSpace() == 0;
  constexpr unsigned mostBits = 64;
  return (type->isIntegerTy() || type->isFloatingPointTy()) && type->getPrimitiveSizeInBits() <= mostBits &&
         !type->isX86_FP80Ty();
}

static Type *getWordType(Type *type) { return type->isPointerTy() ? type : Type::getInt64Ty(type->getContext()); }

static Value *makeWord(IRBuilder<> &builder, Value *value) {
  Type *type = value->getType();
  if (type->isPointerTy())
    return value;
  if (type->isFloatingPointTy())
    value = builder.CreateBitCast(value, builder.getIntNTy(type->getPrimitiveSizeInBits()));
  return builder.CreateZExt(value, builder.getInt64Ty());
}

static Value *readWord(IRBuilder<> &builder, Value *word, Type *type) {
  if (type->isPointerTy())
    return word;
  word = builder.CreateTrunc(word, builder.getIntNTy(type->getPrimitiveSizeInBits()));
  return type->isFloatingPointTy() ? builder.CreateBitCast(word, type) : word;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Returns the global that the extract knows by that name.
static Constant *getPlace(Module &module, StringRef name) {
  if (GlobalValue *known = module.getNamedValue(name))
    return known;
  Type *type = ArrayType::get(Type::getInt8Ty(module.getContext()), 0);
  return new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::ExternalLinkage, nullptr, name);
}

static CallInst *callRuntime(IRBuilder<> &builder, Module &module, StringRef name, ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  auto *type = FunctionType::get(builder.getVoidTy(), types, false);
  CallInst *call = builder.CreateCall(module.getOrInsertFunction(name, type), arguments);
  call->setDoesNotThrow();
  return call;
}

void Outliner::finish(ArrayRef<BasicBlock *> blocks, Loop &loop, const WorksharingLoop &from,
                      ArrayRef<Variable> variables, Value *last) {
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader(),
             *exit = loop.getExitBlock();
  LLVMContext &context = module.getContext();
  SmallSetVector<Value *, 16> used;
  auto use = [&](Value *value) {
    auto *inst = dyn_cast<Instruction>(value);
    if (isa<Argument>(value) || (inst && !loop.contains(inst)))
      used.insert(value);
  };
  use(last);
  for (const Variable &variable : variables) {
    use(variable.start);
    use(variable.step);
  }
  for (BasicBlock *block : blocks)
    for (Instruction &inst : *block) {
      inst.dropDbgRecords();
      auto *phi = dyn_cast<PHINode>(&inst);
      for (Use &operand : inst.operands())
        if (!phi || loop.contains(phi->getIncomingBlock(operand)))
          use(operand.get());
    }

  // Create the region function.
  IRBuilder<> builder(context);
  Type *pointer = builder.getPtrTy(), *i64 = builder.getInt64Ty(), *i32 = builder.getInt32Ty();
  SmallVector<Type *> types{pointer, pointer};
  for (Value *value : used)
    types.push_back(getWordType(value->getType()));
  Function *region = Function::Create(FunctionType::get(builder.getVoidTy(), types, false),
                                      GlobalValue::InternalLinkage, from.region + ".comm", module);
  region->addFnAttr(kRegionAttr, from.region);
  region->setDoesNotThrow();
  for (unsigned i : {0u, 1u}) {
    region->addParamAttr(i, Attribute::NoAlias);
    region->addParamAttr(i, Attribute::NoUndef);
  }

  // Create the fork.
  Instruction *jump = before->getTerminator();
  builder.SetInsertPoint(jump);
  SmallVector<Value *> arguments{getPlace(module, from.forkPlace), builder.getInt32(used.size()), region};
  for (Value *value : used)
    arguments.push_back(makeWord(builder, value));
  auto *forkType = FunctionType::get(builder.getVoidTy(), {pointer, i32, pointer}, /*isVarArg=*/true);
  CallInst *fork = builder.CreateCall(module.getOrInsertFunction("__kmpc_fork_call", forkType), arguments);
  fork->setDoesNotThrow();
  if (from.fork && function.getSubprogram())
    fork->setDebugLoc(DILocation::get(context, from.fork, 0, function.getSubprogram()));
  exit->replacePhiUsesWith(latch, before);
  builder.CreateBr(exit);
  jump->eraseFromParent();

  // Create the code that each thread executes before and after the loop.
  BasicBlock *entry = BasicBlock::Create(context, "", region), *enter = BasicBlock::Create(context, "", region);
  for (BasicBlock *block : blocks)
    region->splice(region->end(), &function, block->getIterator());
  BasicBlock *leave = BasicBlock::Create(context, "", region);
  builder.SetInsertPoint(entry);
  builder.SetCurrentDebugLocation(DebugLoc());
  Value *isLast = builder.CreateAlloca(i32), *lower = builder.CreateAlloca(i64), *upper = builder.CreateAlloca(i64),
        *stride = builder.CreateAlloca(i64);
  DenseMap<Value *, Value *> inRegion;
  for (auto [index, value] : enumerate(used))
    inRegion[value] = readWord(builder, region->getArg(index + 2), value->getType());
  auto map = [&](Value *value) {
    Value *mapped = inRegion.lookup(value);
    return mapped ? mapped : value;
  };
  Value *end = map(last), *place = getPlace(module, from.loopPlace);
  builder.CreateStore(builder.getInt32(0), isLast);
  builder.CreateStore(builder.getInt64(0), lower);
  builder.CreateStore(end, upper);
  builder.CreateStore(builder.getInt64(1), stride);
  Value *thread = builder.CreateLoad(i32, region->getArg(0));
  callRuntime(builder, module, "__kmpc_for_static_init_8u",
              {place, thread, builder.getInt32(kStaticSchedule), isLast, lower, upper, stride, builder.getInt64(1),
               builder.getInt64(1)});
  Value *first = builder.CreateLoad(i64, lower), *final = builder.CreateLoad(i64, upper);
  final = builder.CreateBinaryIntrinsic(Intrinsic::umin, final, end);
  builder.CreateCondBr(builder.CreateICmpULE(first, final), enter, leave);
  builder.SetInsertPoint(leave);
  callRuntime(builder, module, "__kmpc_for_static_fini", {place, thread});
  builder.CreateRetVoid();

  // Move the loop.
  for (BasicBlock *block : blocks)
    for (Instruction &inst : *block)
      for (Use &operand : inst.operands())
        if (Value *mapped = inRegion.lookup(operand.get()))
          operand.set(mapped);
  builder.SetInsertPoint(enter);
  for (const Variable &variable : variables) {
    Type *type = variable.phi->getType();
    Value *start = map(variable.start), *step = map(variable.step), *here;
    if (type->isPointerTy())
      here = builder.CreatePtrAdd(start, builder.CreateMul(step, first));
    else
      here = builder.CreateAdd(start, builder.CreateMul(step, builder.CreateZExtOrTrunc(first, type)));
    int index = variable.phi->getBasicBlockIndex(before);
    variable.phi->setIncomingValue(index, here);
    variable.phi->setIncomingBlock(index, enter);
  }
  builder.CreateBr(header);
  builder.SetInsertPoint(header, header->begin());
  PHINode *number = builder.CreatePHI(i64, 2);
  auto *branch = cast<BranchInst>(latch->getTerminator());
  branch->setMetadata(LLVMContext::MD_loop, nullptr); // removes the mark
  builder.SetInsertPoint(branch);
  builder.SetCurrentDebugLocation(DebugLoc());
  Value *next = builder.CreateAdd(number, builder.getInt64(1), "", /*HasNUW=*/false, /*HasNSW=*/false);
  bool isBackFirst = branch->getSuccessor(0) == header;
  branch->setCondition(isBackFirst ? builder.CreateICmpNE(number, final) : builder.CreateICmpEQ(number, final));
  branch->setSuccessor(isBackFirst ? 1 : 0, leave);
  number->addIncoming(first, enter);
  number->addIncoming(next, latch);
}

std::string Outliner::outline(Loop &loop, const WorksharingLoop &from, DominatorTree &dominance, LoopInfo &loops,
                              ScalarEvolution &evolution, AssumptionCache &assumptions) {
  simplifyLoop(&loop, &dominance, &loops, &evolution, &assumptions, nullptr, /*PreserveLCSSA=*/false);
  BasicBlock *before = loop.getLoopPreheader(), *exit = loop.getExitBlock();
  if (!before || !loop.getLoopLatch() || !exit || !exit->getSinglePredecessor() || exit->isEHPad())
    return "it is entered or left in several ways";
  if (std::string why = whyNotParallel(loop, from); !why.empty())
    return why;
  for (PHINode &phi : exit->phis())
    if (auto *value = dyn_cast<Instruction>(phi.getIncomingValue(0)); value && loop.contains(value))
      return "its results are used after it";

  const SCEV *times = evolution.getBackedgeTakenCount(&loop);
  Type *i64 = Type::getInt64Ty(module.getContext());
  constexpr unsigned mostBits = 64;
  SCEVExpander expander(evolution, "");
  Instruction *place = before->getTerminator();
  if (isa<SCEVCouldNotCompute>(times) || evolution.getTypeSizeInBits(times->getType()) > mostBits ||
      !expander.isSafeToExpandAt(times, place))
    return "its number of iterations is not known before it";
  SmallVector<Variable> variables;
  for (PHINode &phi : make_early_inc_range(loop.getHeader()->phis())) {
    Value *start = phi.getIncomingValueForBlock(before), *next = phi.getIncomingValueForBlock(loop.getLoopLatch());
    if (next == &phi || next == start) {
      phi.replaceAllUsesWith(start);
      phi.eraseFromParent();
      continue;
    }
    const SCEV *values = evolution.isSCEVable(phi.getType()) ? evolution.getSCEV(&phi) : nullptr;
    const auto *grows = dyn_cast_or_null<SCEVAddRecExpr>(values);
    if (!grows || grows->getLoop() != &loop || !grows->isAffine())
      return "iterations hand over what they have computed";
    const SCEV *step = grows->getStepRecurrence(evolution);
    if (!evolution.isLoopInvariant(step, &loop) || !expander.isSafeToExpandAt(step, place))
      return "iterations hand over what they have computed";
    if (!isWord(phi.getType()))
      return "it counts in large numbers";
    variables.push_back({&phi, start, nullptr});
  }
  for (Variable &variable : variables) {
    const auto *grows = cast<SCEVAddRecExpr>(evolution.getSCEV(variable.phi));
    variable.step = expander.expandCodeFor(grows->getStepRecurrence(evolution), nullptr, place);
    if (variable.phi->getType()->isPointerTy() && variable.step->getType() != i64)
      return "its pointers are not words";
  }
  Value *last = expander.expandCodeFor(evolution.getNoopOrZeroExtend(times, i64), i64, place);
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : *block)
      for (Use &operand : inst.operands()) {
        auto *value = dyn_cast<Instruction>(operand.get());
        bool isLiveIn = isa<Argument>(operand.get()) || (value && !loop.contains(value));
        if (isLiveIn && !isWord(operand->getType()))
          return "it uses values that are not words";
      }
  SmallVector<BasicBlock *> blocks;
  for (BasicBlock &block : function)
    if (loop.contains(&block))
      blocks.push_back(&block);
  finish(blocks, loop, from, variables, last);
  ++count;
  return "";
}

/// Outlines one loop. Returns false if none is left, or sets `why`.
bool Outliner::outlineNext(std::string &why) {
  TargetLibraryInfoImpl library(module.getTargetTriple());
  TargetLibraryInfo functions(library);
  AssumptionCache assumptions(function);
  DominatorTree dominance(function);
  LoopInfo loops(dominance);
  ScalarEvolution evolution(function, functions, assumptions, dominance, loops);
  for (Loop *loop : loops.getLoopsInPreorder())
    if (const WorksharingLoop *from = lookup(*loop)) {
      why = outline(*loop, *from, dominance, loops, evolution, assumptions);
      return why.empty();
    }
  return false;
}

std::string Outliner::run() {
  std::string why;
  while (outlineNext(why))
    ;
  if (why.empty() && any_of(instructions(function), [&](const Instruction &inst) {
        return writes.contains(getInstructionNumber(inst)) && inst.mayWriteToMemory();
      }))
    why = "it is no longer a loop";
  return why;
}

std::string comm::outlineWorksharingLoops(Module &module, ArrayRef<WorksharingLoop> loops, unsigned &count) {
  SmallVector<Function *> functions;
  for (Function &function : module)
    if (!function.isDeclaration())
      functions.push_back(&function);
  for (Function *function : functions) {
    SmallVector<const WorksharingLoop *> own;
    for (const WorksharingLoop &loop : loops)
      if (loop.function == function->getName())
        own.push_back(&loop);
    if (own.empty())
      continue;
    Outliner outliner(*function, own);
    if (std::string why = outliner.run(); !why.empty())
      return "a worksharing loop cannot be shared again: " + why;
    count += outliner.getCount();
  }
  return "";
}
