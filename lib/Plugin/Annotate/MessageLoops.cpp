//===- MessageLoops.cpp - Short loops over messages -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/MessageLoops.h"

#include "Comm/MPI/Persistent.h"
#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace comm;

/// Directions of a lattice (D3Q27), neighbors in space (26), fields of a code.
static constexpr unsigned kMostIterations = 27;
/// Of all iterations together.
static constexpr size_t kMostInstructions = 3000;

static bool makesDatatype(const mpi::Function &function) {
  return function.findRole(mpi::Role::Datatype, mpi::Direction::Out) >= 0;
}

/// Whether the value is the entry of a table that belongs to the number of the iteration. A tag or a buffer that counts
/// iterations is rather one of a time step.
static bool isEntry(const Value *value, const Loop &loop, ScalarEvolution &evolution) {
  auto *load = dyn_cast<LoadInst>(value);
  if (!load || !loop.contains(load))
    return false;
  auto *place = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<Value *>(load->getPointerOperand())));
  return place && place->getLoop() == &loop;
}

/// Whether the instruction chooses by the number of the iteration, or by what is computed of it (`d / 2`, `d % 2`), by
/// a branch or a switch.
static bool decidesByNumber(const Instruction &instruction, const Loop &loop, ScalarEvolution &evolution) {
  auto isNumber = [&](const Value *value) {
    return evolution.isSCEVable(value->getType()) &&
           SCEVExprContains(evolution.getSCEV(const_cast<Value *>(value)), [&](const SCEV *part) {
             auto *number = dyn_cast<SCEVAddRecExpr>(part);
             return number && number->getLoop() == &loop;
           });
  };
  if (auto *choice = dyn_cast<SwitchInst>(&instruction))
    return isNumber(choice->getCondition());
  auto *branch = dyn_cast<BranchInst>(&instruction);
  auto *compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  return compare && any_of(compare->operands(), isNumber);
}

namespace {
/// What a loop does in its iterations, of which there is a small number.
struct LoopContents {
  /// Iterations, or 0.
  unsigned count = 0;
  /// Messages, without waits and what has no nonblocking form; also in inner loops.
  bool communicates = false, isInner = false;
  /// Messages, and starts of the program's own, whose neighbors or buffers are in tables.
  bool isOverTables = false;
  bool makesDatatypes = false, makesPersistent = false, readsTables = false;
  /// The number of the iteration decides what it does: one packs rows, another columns.
  bool isVaried = false;
};
} // namespace

/// Whether the program ends after the block: a call of MPI failed, and MPI_Abort comes next.
static bool isFatal(const BasicBlock *block) {
  constexpr unsigned mostBlocks = 8;
  for (unsigned i = 0; block && i < mostBlocks; ++i, block = block->getUniqueSuccessor())
    if (isa<UnreachableInst>(block->getTerminator()))
      return true;
  return false;
}

/// The number of iterations if it is a constant, and 0 if not. It may be less where the program ends within the loop.
static unsigned getIterations(Loop &loop, ScalarEvolution &evolution) {
  BasicBlock *latch = loop.getLoopLatch();
  SmallVector<BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  bool isLatchAlone = latch && loop.isLoopExiting(latch) && all_of(exiting, [&](BasicBlock *block) {
                        return block == latch || all_of(successors(block), [&](BasicBlock *next) {
                                 return loop.contains(next) || isFatal(next);
                               });
                      });
  return isLatchAlone ? evolution.getSmallConstantTripCount(&loop, latch) : evolution.getSmallConstantTripCount(&loop);
}

static LoopContents lookAt(Loop &loop, const LoopInfo &loops, ScalarEvolution &evolution) {
  LoopContents contents;
  unsigned count = getIterations(loop, evolution);
  if (count <= 1 || count > kMostIterations || hasUnrollTransformation(&loop) != TM_Unspecified)
    return contents;
  size_t size = 0;
  for (BasicBlock *block : loop.blocks()) {
    bool isOwn = loops.getLoopFor(block) == &loop;
    for (Instruction &instruction : *block) {
      contents.readsTables |= isOwn && isEntry(&instruction, loop, evolution);
      bool isEnd = instruction.isTerminator() && loop.isLoopExiting(block);
      contents.isVaried |= isOwn && !isEnd && decidesByNumber(instruction, loop, evolution);
      const mpi::Function *called = getCalledMPIFunction(instruction);
      if (!called)
        continue;
      (isOwn ? contents.communicates : contents.isInner) |= called->hasNonblocking();
      contents.makesDatatypes |= makesDatatype(*called);
      contents.makesPersistent |= mpi::getStartedFunction(*called) != nullptr;
      bool starts = called->hasNonblocking() || called->findRole(mpi::Role::Request, mpi::Direction::Out) >= 0;
      contents.isOverTables |= isOwn && starts && any_of(cast<CallBase>(instruction).args(), [&](Value *argument) {
                                 return isEntry(argument, loop, evolution);
                               });
    }
    size += block->size();
  }
  contents.count = size * count <= kMostInstructions ? count : 0;
  return contents;
}

/// A loop over messages, or one that makes their datatypes or persistent requests: which of them is where is constant
/// then.
static bool isWorthUnrolling(const Loop &loop, const LoopContents &contents) {
  // Of loops in loops the outer one is more likely over time steps.
  bool isInSteps = loop.isInnermost() || !loop.isOutermost();
  bool isOverMessages = (contents.communicates && isInSteps) || (contents.isOverTables && contents.isVaried);
  bool makesOnce = contents.makesDatatypes || contents.makesPersistent;
  return contents.count && (isOverMessages || (makesOnce && !contents.communicates && !contents.isInner));
}

bool comm::unrollMessageLoops(Function &function, FunctionAnalysisManager &analyses) {
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty())
    return false;
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  SmallVector<std::pair<Loop *, LoopContents>> all;
  for (Loop *loop : loops.getLoopsInPreorder())
    all.push_back({loop, lookAt(*loop, loops, evolution)});
  // Loops that start, pack or unpack go by the same tables as the messages next to them.
  SmallSet<std::pair<Loop *, unsigned>, 4> overMessages;
  for (auto &[loop, contents] : all)
    if (isWorthUnrolling(*loop, contents))
      overMessages.insert({loop->getParentLoop(), contents.count});
  if (overMessages.empty())
    return false;
  for (auto &[loop, contents] : all)
    if (isWorthUnrolling(*loop, contents) ||
        (contents.readsTables && overMessages.contains({loop->getParentLoop(), contents.count})))
      addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(
      LoopFullUnrollPass(/*OptLevel=*/2, /*OnlyWhenForced=*/true, /*ForgetSCEV=*/false)));
  // What the iterations differ by is constant now: entries of tables, branches, pointers in arrays.
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  analyses.invalidate(function, passes.run(function, analyses));
  return true;
}
