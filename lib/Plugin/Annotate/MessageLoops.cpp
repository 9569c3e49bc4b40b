//===- MessageLoops.cpp - Short loops over messages -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/MessageLoops.h"

#include "Comm/MPI/Persistent.h"
#include "Comm/Plugin/Annotate/Simplify.h"
#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace comm;

/// Directions of a lattice (D3Q27), neighbors in space (26), fields of a code.
static constexpr unsigned kMostIterations = 27;
/// In all iterations together.
static constexpr size_t kMostInstructions = 3000;

static bool makesDatatype(const mpi::Function &function) {
  return function.findRole(mpi::Role::Datatype, mpi::Direction::Out) >= 0;
}

/// Whether the address grows with the iteration number.
static bool isNumbered(const Value *address, const Loop &loop, ScalarEvolution &evolution) {
  auto *place = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<Value *>(address)));
  return place && place->getLoop() == &loop;
}

/// Whether the value is loaded from a table indexed by the iteration number. A tag or buffer that is computed from the
/// number more likely belongs to a time step.
static bool isEntry(const Value *value, const Loop &loop, ScalarEvolution &evolution) {
  auto *load = dyn_cast<LoadInst>(value);
  return load && loop.contains(load) && isNumbered(load->getPointerOperand(), loop, evolution);
}

/// Whether the value is loaded from a table of constants.
static bool isConstantEntry(const Value *value, const Loop &loop, ScalarEvolution &evolution) {
  if (!isEntry(value, loop, evolution))
    return false;
  auto *table = dyn_cast<GlobalVariable>(getUnderlyingObject(cast<LoadInst>(value)->getPointerOperand()));
  return table && table->isConstant() && table->hasDefinitiveInitializer();
}

/// Whether the instruction is a branch or switch on the iteration number or on an expression of it (`d / 2`, `d % 2`).
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
/// The properties of a loop with few iterations.
struct LoopContents {
  /// Number of iterations, or 0.
  unsigned count = 0;
  /// Messages, except waits and functions without a nonblocking form; those in inner loops count, too.
  bool communicates = false, isInner = false;
  /// Messages, or starts written in the program, whose neighbors or buffers come from tables.
  bool isOverTables = false;
  /// Completes or starts the request of each iteration.
  bool waits = false;
  bool makesDatatypes = false, makesPersistent = false, readsTables = false, readsConstants = false, calls = false;
  /// Control flow depends on the iteration number: one iteration packs rows, another columns.
  bool isVaried = false;
};
} // namespace

/// Returns whether the program ends after the block: an MPI call failed, and MPI_Abort comes next.
static bool isFatal(const BasicBlock *block) {
  constexpr unsigned mostBlocks = 8;
  for (unsigned i = 0; block && i < mostBlocks; ++i, block = block->getUniqueSuccessor())
    if (isa<UnreachableInst>(block->getTerminator()))
      return true;
  return false;
}

/// Returns the number of iterations if it is constant, else 0. Fewer iterations run if one of them ends the program.
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
      contents.readsConstants |= isOwn && isConstantEntry(&instruction, loop, evolution);
      contents.calls |= isa<CallBase>(instruction) && instruction.mayHaveSideEffects();
      bool isEnd = instruction.isTerminator() && loop.isLoopExiting(block);
      contents.isVaried |= isOwn && !isEnd && decidesByNumber(instruction, loop, evolution);
      const mpi::Function *called = getCalledMPIFunction(instruction);
      if (!called)
        continue;
      (isOwn ? contents.communicates : contents.isInner) |= called->hasNonblocking();
      contents.makesDatatypes |= makesDatatype(*called);
      contents.makesPersistent |= mpi::getStartedFunction(*called) != nullptr;
      int request = called->findRole(mpi::Role::Request, mpi::Direction::InOut);
      contents.waits |=
          isOwn && request >= 0 && isNumbered(cast<CallBase>(instruction).getArgOperand(request), loop, evolution);
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

/// Returns whether the loop contains messages, or creates datatypes or persistent requests for messages. Once it is
/// unrolled, their places in arrays are constant.
static bool isWorthUnrolling(const Loop &loop, const LoopContents &contents) {
  // The outer loop of a nest is more likely a loop over time steps.
  bool isInSteps = loop.isInnermost() || !loop.isOutermost();
  bool isOverMessages = (contents.communicates && isInSteps) || (contents.isOverTables && contents.isVaried);
  // What is unpacked in each iteration is elsewhere.
  isOverMessages |= contents.waits && (contents.readsTables || contents.isVaried);
  bool makesOnce = contents.makesDatatypes || contents.makesPersistent;
  return contents.count && (isOverMessages || (makesOnce && !contents.communicates && !contents.isInner));
}

/// Returns whether the loop goes over the directions of a lattice, at each of its points: `f[i - c[q]]` for all q. Each
/// direction has a neighbor of its own, so what a point touches is known once the entries are constants.
static bool isOverDirections(const Loop &loop, const LoopContents &contents) {
  return contents.count && contents.readsConstants && !contents.calls && loop.isInnermost() && loop.getLoopDepth() >= 3;
}

bool comm::unrollMessageLoops(Function &function, FunctionAnalysisManager &analyses) {
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty())
    return false;
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  SmallVector<std::pair<Loop *, LoopContents>> all;
  for (Loop *loop : loops.getLoopsInPreorder())
    all.push_back({loop, lookAt(*loop, loops, evolution)});
  // Loops that start, pack or unpack use the same tables as the messages next to them.
  SmallSet<std::pair<Loop *, unsigned>, 4> overMessages;
  for (auto &[loop, contents] : all)
    if (isWorthUnrolling(*loop, contents))
      overMessages.insert({loop->getParentLoop(), contents.count});
  bool isAny = false;
  for (auto &[loop, contents] : all)
    if (isWorthUnrolling(*loop, contents) || isOverDirections(*loop, contents) ||
        (contents.readsTables && overMessages.contains({loop->getParentLoop(), contents.count}))) {
      addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
      isAny = true;
    }
  if (!isAny)
    return false;
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(
      LoopFullUnrollPass(/*OptLevel=*/2, /*OnlyWhenForced=*/true, /*ForgetSCEV=*/false)));
  // The differences between iterations are now constant: table entries, branches, pointers in arrays.
  runAndSimplify(std::move(passes), function, analyses);
  return true;
}
