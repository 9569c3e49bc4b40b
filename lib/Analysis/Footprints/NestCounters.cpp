//===- NestCounters.cpp - Counters of nested loops ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `for (k...) for (j...) buffer[n++] = ...`: each row starts with the n that the previous one ended with. Scalar
// evolution only understands the inner loop, because that one may be skipped: the outer loop passes on either the final
// n of the inner loop or its own.
//
//===----------------------------------------------------------------------===//

#include "ScalarTranslation.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace comm;

/// Strips a cast that keeps the low bits, or the single-operand phi after a loop. Returns null if there is neither.
static llvm::Value *stripOnce(llvm::Value *value, unsigned width) {
  auto *phi = llvm::dyn_cast<llvm::PHINode>(value);
  if (phi && phi->getNumIncomingValues() == 1)
    return phi->getIncomingValue(0);
  auto *cast = llvm::dyn_cast<llvm::CastInst>(value);
  bool isInteger = cast && llvm::isa<llvm::TruncInst, llvm::SExtInst, llvm::ZExtInst>(cast);
  return isInteger && cast->getSrcTy()->getIntegerBitWidth() >= width ? cast->getOperand(0) : nullptr;
}

static llvm::Value *strip(llvm::Value *value, unsigned width) {
  while (llvm::Value *inner = stripOnce(value, width))
    value = inner;
  return value;
}

/// Returns the loop directly inside `around` in which the number was computed, or null.
static const llvm::Loop *findOrigin(llvm::Value *value, const llvm::Loop &around, const llvm::LoopInfo &loops) {
  for (unsigned width = value->getType()->getIntegerBitWidth(); value; value = stripOnce(value, width)) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
    const llvm::Loop *loop = instruction ? loops.getLoopFor(instruction->getParent()) : nullptr;
    if (loop && loop->getParentLoop() == &around)
      return loop;
  }
  return nullptr;
}

/// Whether control reaches the block in all iterations of the outermost loop or in none: all branches on the way from
/// the loop's header are loop-invariant.
static bool isDecidedBefore(llvm::BasicBlock *block, const llvm::Loop &loop, const llvm::Loop &outermost) {
  constexpr unsigned mostBlocks = 8;
  for (unsigned i = 0; block && i < mostBlocks; ++i) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    bool isKnown = branch && (branch->isUnconditional() || outermost.isLoopInvariant(branch->getCondition()));
    if (!isKnown || block == loop.getHeader())
      return isKnown;
    block = block->getSinglePredecessor();
  }
  return false;
}

/// Returns the increment of the loop's variable in an iteration that enters the inner loop around the instruction.
/// Either all iterations of the outermost loop enter it or none.
std::optional<Expr> ScalarTranslator::findNestStep(llvm::PHINode &phi, const llvm::Loop &loop,
                                                   const llvm::Loop &outermost) {
  llvm::ScalarEvolution &scalars = scope.scalars;
  llvm::BasicBlock *latch = loop.getLoopLatch();
  if (!latch || phi.getNumIncomingValues() != 2 || phi.getBasicBlockIndex(latch) < 0)
    return std::nullopt;
  llvm::Value *next = phi.getIncomingValueForBlock(latch);
  auto *merge = llvm::dyn_cast<llvm::PHINode>(next);
  if (merge && merge->getNumIncomingValues() == 2 && scope.loops.getLoopFor(merge->getParent()) == &loop) {
    unsigned skipped = merge->getIncomingValue(0) == &phi ? 0 : 1;
    if (merge->getIncomingValue(skipped) != &phi || !isDecidedBefore(merge->getIncomingBlock(skipped), loop, outermost))
      return std::nullopt;
    next = merge->getIncomingValue(1 - skipped);
  }
  const llvm::Loop *inner = findOrigin(next, loop, scope.loops);
  if (!inner || !inner->contains(context) || !inner->getLoopLatch() ||
      inner->getExitingBlock() != inner->getLoopLatch())
    return std::nullopt;
  const llvm::SCEV *grown = scalars.getMinusSCEV(scalars.getSCEVAtScope(next, &loop), scalars.getSCEV(&phi));
  if (!llvm::isa<llvm::SCEVCouldNotCompute>(grown) && scalars.isLoopInvariant(grown, &loop))
    return translate(grown, /*modulo64=*/false);
  unsigned width = phi.getType()->getIntegerBitWidth();
  for (llvm::PHINode &counter : inner->getHeader()->phis()) {
    llvm::BasicBlock *entry = inner->getLoopPredecessor();
    if (!entry || strip(counter.getIncomingValueForBlock(inner->getLoopLatch()), width) != strip(next, width) ||
        strip(counter.getIncomingValueForBlock(entry), width) != &phi)
      continue;
    std::optional<Expr> step = findNestStep(counter, *inner, outermost);
    if (!step || step->contains(scope.inUnit.lookup(inner)))
      return std::nullopt;
    return limit(*step * (getLastIteration(*inner) + Expr(1)), width, /*modulo64=*/false);
  }
  return std::nullopt;
}

std::optional<Expr> ScalarTranslator::translateNestCounter(llvm::PHINode &phi) {
  const llvm::Loop *loop = scope.loops.getLoopFor(phi.getParent());
  auto it = loop ? scope.inUnit.find(loop) : scope.inUnit.end();
  llvm::BasicBlock *entry = loop ? loop->getLoopPredecessor() : nullptr;
  if (it == scope.inUnit.end() || !entry || loop->getHeader() != phi.getParent() || !phi.getType()->isIntegerTy())
    return std::nullopt;
  std::optional<Expr> step = findNestStep(phi, *loop, *loop);
  if (!step || step->isUnknown() || step->contains(it->second))
    return std::nullopt;
  Expr first = translate(scope.scalars.getSCEV(phi.getIncomingValueForBlock(entry)), /*modulo64=*/false);
  unsigned width = phi.getType()->getIntegerBitWidth();
  return width > 64 ? Expr::unknown() : limit(first + *step * Expr::iteration(it->second), width, /*modulo64=*/false);
}

/// Translates what the narrow type keeps of a variable that is wider. If an inner loop is unrolled (`buffer[n++]` for
/// each of two ghost cells), LLVM widens `int n` but narrows it again in each iteration: n = (int)n + 2. Then scalar
/// evolution understands only that n grows by 2 modulo 2^32.
std::optional<Expr> ScalarTranslator::translateNarrowCounter(llvm::Value *leaf, llvm::Type *type) {
  llvm::ScalarEvolution &scalars = scope.scalars;
  auto *phi = llvm::dyn_cast<llvm::PHINode>(leaf);
  const llvm::Loop *loop = phi ? scope.loops.getLoopFor(phi->getParent()) : nullptr;
  auto it = loop ? scope.inUnit.find(loop) : scope.inUnit.end();
  llvm::BasicBlock *entry = loop ? loop->getLoopPredecessor() : nullptr, *latch = loop ? loop->getLoopLatch() : nullptr;
  if (it == scope.inUnit.end() || !entry || !latch || loop->getHeader() != phi->getParent() || !loop->contains(context))
    return std::nullopt;
  auto narrow = [&](llvm::Value *value) { return scalars.getTruncateExpr(scalars.getSCEV(value), type); };
  const llvm::SCEV *grown = scalars.getMinusSCEV(narrow(phi->getIncomingValueForBlock(latch)), narrow(phi));
  if (llvm::isa<llvm::SCEVCouldNotCompute>(grown) || !scalars.isLoopInvariant(grown, loop))
    return std::nullopt;
  Expr step = translate(grown, /*modulo64=*/false);
  Expr first = translate(narrow(phi->getIncomingValueForBlock(entry)), /*modulo64=*/false);
  if (step.isUnknown() || first.isUnknown() || step.contains(it->second))
    return std::nullopt;
  return limit(first + step * Expr::iteration(it->second), type->getIntegerBitWidth(), /*modulo64=*/false);
}
