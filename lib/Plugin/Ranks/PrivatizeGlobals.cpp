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

/// Returns the instruction before which an operand is needed: for a phi, the terminator of the incoming block.
static Instruction *getUsePoint(const Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  if (auto *phi = dyn_cast<PHINode>(user))
    return phi->getIncomingBlock(use)->getTerminator();
  return user;
}

/// Whether an operand of inline assembly must be a constant, which a displaced address is not.
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
  /// Returns a block that dominates `blocks`, outside of loops, because later passes do not hoist for the vectorizer.
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
      result = getDominator(result); // the block ends in a catchswitch
    else
      return result;
  }
}

Value *FunctionRewriter::loadDisplacement(IRBuilder<> &builder) {
  Value *address = getRankThreadLocal(builder, "comm_ranks_displacement", builder.getInt64Ty());
  LoadInst *load = builder.CreateAlignedLoad(builder.getInt64Ty(), address, Align(8), "comm.displacement");
  // A rank never changes its kernel thread, and the scheduler restores the value when it resumes the rank.
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
  return load;
}

/// Adds the displacement as an offset to the variable's own address, so alias analysis still knows the variable. Not
/// inbounds: the copy lies outside of the image.
Value *FunctionRewriter::makeAddress(IRBuilder<> &builder, GlobalValue &value, Value *displacement) {
  if (variables.of(value) == Sharing::Unknown)
    displacement =
        builder.CreateAnd(displacement, tables.loadMask(builder, value, variables.isForeignThreadLocal(value)));
  return builder.CreateGEP(builder.getInt8Ty(), &value, displacement, value.getName() + ".rank");
}

void FunctionRewriter::rewrite(const MapVector<GlobalValue *, SmallVector<Use *>> &uses) {
  // Determine all insertion points first: the displacement must be loaded before all addresses.
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

/// Makes a thread-local variable an ordinary one, since each rank has a copy.
static void dropThreadLocal(GlobalVariable &variable) {
  for (User *user : make_early_inc_range(variable.users()))
    if (auto *call = dyn_cast<IntrinsicInst>(user); call && call->getIntrinsicID() == Intrinsic::threadlocal_address) {
      call->replaceAllUsesWith(&variable);
      call->eraseFromParent();
    }
  // The linker rejects files that still declare it thread_local.
  variable.setThreadLocal(false);
}

/// Moves a definition to the section where the runtime finds it.
static void place(GlobalVariable &variable) {
  if (variable.hasCommonLinkage())
    variable.setLinkage(GlobalValue::WeakAnyLinkage);
  variable.setConstant(false);
  if (variable.getInitializer()->isNullValue()) {
    // With an attribute instead of a section, zeros take no space in the file. The second attribute is for
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
  // Aliases are constants among the users of a variable, and stay unchanged.
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
  // Code that is not position independent assumes that these variables are in the program. The linker would then copy a
  // library's variable there, and ranks would share the copy.
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
