//===- PrivatizeGlobals.cpp - Variables of user-level MPI ranks -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Ranks/PrivatizeGlobals.h"

#include "LibraryState.h"
#include "RankDiagnostics.h"
#include "RankTables.h"
#include "RankVariables.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace comm;

static const char *passName = "comm-privatize-globals";

/// The instruction before which an operand is needed: a phi's at the end of the block that it comes from.
static Instruction *getUsePoint(const Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  if (auto *phi = dyn_cast<PHINode>(user))
    return phi->getIncomingBlock(use)->getTerminator();
  return user;
}

/// Whether an operand of inline assembly has to be a constant, which a displaced address is not.
static bool isAsmConstant(const Use &use) {
  auto *call = dyn_cast<CallBase>(use.getUser());
  if (!call || !call->isInlineAsm() || !call->isArgOperand(&use))
    return false;
  unsigned argument = 0;
  for (const InlineAsm::ConstraintInfo &info : cast<InlineAsm>(call->getCalledOperand())->ParseConstraints()) {
    if (info.Type != InlineAsm::isInput && !info.isIndirect)
      continue;
    if (argument++ == call->getArgOperandNo(&use))
      return !info.Codes.empty() && all_of(info.Codes, [](StringRef code) { return code == "i" || code == "s"; });
  }
  return false;
}

namespace {
/// Displaces the addresses that one function uses.
class FunctionRewriter {
public:
  FunctionRewriter(Function &function, const RankVariables &variables, RankTables &tables)
      : function(function), variables(variables), tables(tables), dominators(function), loops(dominators) {}
  void rewrite(const MapVector<GlobalValue *, SmallVector<Use *>> &uses);

private:
  /// A block in front of all `blocks`, outside of loops as the passes that follow do not hoist for the vectorizer.
  BasicBlock *findBlock(ArrayRef<BasicBlock *> blocks);
  Value *makeAddress(IRBuilder<> &builder, GlobalValue &value, Value *displacement);
  Value *loadDisplacement(IRBuilder<> &builder);
  BasicBlock::iterator getInsertionPoint(BasicBlock &block);

  Function &function;
  const RankVariables &variables;
  RankTables &tables;
  DominatorTree dominators;
  LoopInfo loops;
};
} // namespace

BasicBlock::iterator FunctionRewriter::getInsertionPoint(BasicBlock &block) {
  return block.isEntryBlock() ? block.getFirstNonPHIOrDbgOrAlloca() : block.getFirstInsertionPt();
}

BasicBlock *FunctionRewriter::findBlock(ArrayRef<BasicBlock *> blocks) {
  BasicBlock *result = blocks.front();
  for (BasicBlock *block : blocks.drop_front())
    result = dominators.findNearestCommonDominator(result, block);
  auto getDominator = [&](BasicBlock *block) { return dominators.getNode(block)->getIDom()->getBlock(); };
  while (true) {
    if (Loop *loop = loops.getLoopFor(result))
      result = getDominator(loop->getHeader());
    else if (getInsertionPoint(*result) == result->end())
      result = getDominator(result); // a catchswitch
    else
      return result;
  }
}

Value *FunctionRewriter::loadDisplacement(IRBuilder<> &builder) {
  Value *address = getRankThreadLocal(builder, "comm_ranks_displacement", builder.getInt64Ty());
  LoadInst *load = builder.CreateAlignedLoad(builder.getInt64Ty(), address, Align(8), "comm.displacement");
  // A rank never changes its kernel thread, and the scheduler brings the value back with the rank.
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
  return load;
}

/// As an offset to the variable's own address, so that alias analysis still knows which variable it is. Without
/// inbounds: the copy lies outside of the image.
Value *FunctionRewriter::makeAddress(IRBuilder<> &builder, GlobalValue &value, Value *displacement) {
  if (variables.of(value) == Sharing::Unknown)
    displacement =
        builder.CreateAnd(displacement, tables.loadMask(builder, value, variables.isForeignThreadLocal(value)));
  return builder.CreateGEP(builder.getInt8Ty(), &value, displacement, value.getName() + ".rank");
}

void FunctionRewriter::rewrite(const MapVector<GlobalValue *, SmallVector<Use *>> &uses) {
  // First where, then what: the displacement goes before all addresses.
  SmallVector<std::pair<GlobalValue *, BasicBlock *>> places;
  SmallVector<BasicBlock *> blocks;
  IRBuilder<> builder(function.getContext());
  for (const auto &[value, list] : uses) {
    SmallVector<BasicBlock *> reachable;
    for (Use *use : list) {
      BasicBlock *block = getUsePoint(*use)->getParent();
      if (dominators.isReachableFromEntry(block))
        reachable.push_back(block);
      else
        use->set(PoisonValue::get(value->getType()));
    }
    if (reachable.empty())
      continue;
    places.emplace_back(value, findBlock(reachable));
    blocks.push_back(places.back().second);
  }
  if (blocks.empty())
    return;
  BasicBlock *first = findBlock(blocks);
  builder.SetInsertPoint(first, getInsertionPoint(*first));
  Value *displacement = loadDisplacement(builder);
  for (auto [value, block] : places) {
    BasicBlock::iterator point = getInsertionPoint(*block);
    if (block == first)
      point = std::next(cast<Instruction>(displacement)->getIterator());
    builder.SetInsertPoint(block, point);
    Value *address = makeAddress(builder, *value, displacement);
    for (Use *use : uses.lookup(value))
      if (!isa<PoisonValue>(use->get()))
        use->set(address);
  }
}

/// A variable of each rank is no longer one of each thread.
static void dropThreadLocal(GlobalVariable &variable) {
  for (User *user : make_early_inc_range(variable.users()))
    if (auto *call = dyn_cast<IntrinsicInst>(user); call && call->getIntrinsicID() == Intrinsic::threadlocal_address) {
      call->replaceAllUsesWith(&variable);
      call->eraseFromParent();
    }
  // A file that still knows it as one of each thread is refused by the linker.
  variable.setThreadLocal(false);
}

/// Puts a definition where the runtime finds it.
static void place(GlobalVariable &variable) {
  if (variable.hasCommonLinkage())
    variable.setLinkage(GlobalValue::WeakAnyLinkage);
  variable.setConstant(false);
  if (variable.getInitializer()->isNullValue()) {
    // An attribute and not the section itself: only so it takes no room in the file. The other is for
    // -fno-zero-initialized-in-bss.
    variable.addAttribute("bss-section", "comm_rank_zero");
    variable.addAttribute("data-section", "comm_rank_data");
  } else {
    variable.setSection("comm_rank_data");
  }
}

static void rewriteUses(Module &module, const RankVariables &variables, RankTables &tables) {
  SmallVector<GlobalValue *> values(variables.perRank().begin(), variables.perRank().end());
  values.append(variables.foreignThreadLocal().begin(), variables.foreignThreadLocal().end());
  values.append(variables.unknown().begin(), variables.unknown().end());
  for (GlobalAlias &alias : module.aliases())
    if (variables.of(alias) != Sharing::Shared)
      values.push_back(&alias);
  // Aliases come first among the users of a variable as constants do, and stay as they are.
  SmallVector<Constant *> constants(values.begin(), values.end());
  convertUsersOfConstantsToInstructions(constants, nullptr, /*RemoveDeadConstants=*/false);

  MapVector<Function *, MapVector<GlobalValue *, SmallVector<Use *>>> uses;
  for (GlobalValue *value : values)
    for (Use &use : value->uses()) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      if (!user || isa<LandingPadInst>(user))
        continue;
      if (isAsmConstant(use) || user->getFunction()->hasFnAttribute(Attribute::Naked)) {
        warnAt(passName, *user,
               "assembly uses '" + value->getName() +
                   "' by its address, where no rank has its copy: pass it as a memory or register operand");
        continue;
      }
      uses[user->getFunction()][value].push_back(&use);
    }
  for (auto &[function, list] : uses)
    FunctionRewriter(*function, variables, tables).rewrite(list);
}

PreservedAnalyses PrivatizeGlobalsPass::run(Module &module, ModuleAnalysisManager &) {
  bool changed = rewireLibraryState(module, passName);
  RankVariables variables(module);
  for (const auto &[variable, cause] : variables.troubles())
    warnAt(passName, *variable, "ranks may not have their own '" + describe(*variable) + "': " + cause);
  warnSharedThreadLocals(module, variables.perRank(), passName);
  const DataLayout &layout = module.getDataLayout();
  for (GlobalVariable *variable : variables.perRank()) {
    remarkPrivatized(passName, *variable, layout.getTypeAllocSize(variable->getValueType()));
    if (variable->isThreadLocal())
      dropThreadLocal(*variable);
  }
  for (GlobalVariable *variable : variables.foreignThreadLocal())
    dropThreadLocal(*variable);
  // Code that is not position independent takes them to be in the program, where the linker then makes a copy of a
  // library's variable, which no rank would have for itself.
  for (ArrayRef<GlobalVariable *> declared : {variables.unknown(), variables.foreignThreadLocal()})
    for (GlobalVariable *variable : declared)
      if (variable->hasDefaultVisibility())
        variable->setDSOLocal(false);

  RankTables tables(module);
  for (const InitialPointer &pointer : variables.initialPointers())
    tables.addFixup(*pointer.variable, pointer.offset, pointer.target);
  tables.moveConstructors();
  rewriteUses(module, variables, tables);
  for (GlobalVariable *variable : variables.perRank())
    place(*variable);
  changed |= carryDisplacementToThreads(module);
  changed |= tables.finish();
  changed |= !variables.perRank().empty() || !variables.unknown().empty();
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
