//===- MessageLoops.cpp - Short loops over messages -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/MessageLoops.h"

#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
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

/// A loop over messages (what has no nonblocking form, and waits, are none), or one that makes the datatypes of
/// messages: which of them is where is constant then.
static bool isWorthUnrolling(Loop &loop, const LoopInfo &loops, ScalarEvolution &evolution) {
  size_t size = 0;
  bool communicates = false, isInner = false, makesDatatypes = false;
  for (BasicBlock *block : loop.blocks()) {
    bool isOwn = loops.getLoopFor(block) == &loop;
    for (Instruction &instruction : *block)
      if (const mpi::Function *called = getCalledMPIFunction(instruction)) {
        (isOwn ? communicates : isInner) |= called->hasNonblocking();
        makesDatatypes |= makesDatatype(*called);
      }
    size += block->size();
  }
  // Of loops in loops the outer one is more likely over time steps.
  bool isOverMessages = communicates && (loop.isInnermost() || !loop.isOutermost());
  bool isOverDatatypes = makesDatatypes && !communicates && !isInner;
  if ((!isOverMessages && !isOverDatatypes) || hasUnrollTransformation(&loop) != TM_Unspecified)
    return false;
  unsigned count = evolution.getSmallConstantTripCount(&loop);
  return count > 1 && count <= kMostIterations && size * count <= kMostInstructions;
}

bool comm::unrollMessageLoops(Function &function, FunctionAnalysisManager &analyses) {
  LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty())
    return false;
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool isAny = false;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!isWorthUnrolling(*loop, loops, evolution))
      continue;
    addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
    isAny = true;
  }
  if (!isAny)
    return false;
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
