//===- Streams.cpp - Collectives that all go one way ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/Streams.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

namespace {
/// The direction of a rooted collective.
enum class Flow { FromRoot, ToRoot };

/// A root that is the same in all iterations: a value from outside the loop, or a number.
struct Root {
  Value value;
  std::optional<int64_t> number;
  bool operator==(const Root &other) const { return number ? number == other.number : value == other.value; }
};

/// The outermost loop around an operation: an MLIR loop, or blocks of a function.
class OutermostLoop {
public:
  OutermostLoop(Operation *op, FunctionOpInterface function);
  explicit operator bool() const { return structured || !blocks.empty(); }
  void walk(llvm::function_ref<WalkResult(Operation *)> fn) const;
  bool contains(Value value) const;

private:
  Region &body;
  Operation *structured = nullptr;
  SetVector<Block *> blocks;
};
} // namespace

OutermostLoop::OutermostLoop(Operation *op, FunctionOpInterface function) : body(function.getFunctionBody()) {
  for (Operation *around = op->getParentOp(); around && around != function; around = around->getParentOp())
    if (isa<LoopLikeOpInterface>(around))
      structured = around;
  if (body.hasOneBlock())
    return;
  DominanceInfo dominance(function);
  CFGLoopInfo loops(dominance.getDomTree(&body));
  if (CFGLoop *loop = loops.getLoopFor(body.findAncestorBlockInRegion(*op->getBlock())))
    blocks.insert_range(loop->getOutermostLoop()->getBlocks());
}

void OutermostLoop::walk(llvm::function_ref<WalkResult(Operation *)> fn) const {
  if (blocks.empty()) {
    structured->walk(fn);
    return;
  }
  for (Block *block : blocks)
    if (block->walk(fn).wasInterrupted())
      return;
}

bool OutermostLoop::contains(Value value) const {
  if (blocks.empty())
    return structured->isAncestor(value.getParentBlock()->getParentOp());
  return blocks.contains(body.findAncestorBlockInRegion(*value.getParentBlock()));
}

static std::optional<Flow> getFlow(MPIOpInterface op) {
  if (op.getMatching().kind != Matching::Kind::Collective || !op.getParam("root"))
    return std::nullopt;
  if (op.getParam("op"))
    return Flow::ToRoot;
  // The root has a block for each process: it receives in a gather and sends in a scatter.
  if (op.getParam("recvcounts") || llvm::is_contained(op.getPerRankBuffers(), "recvbuf"))
    return Flow::ToRoot;
  return Flow::FromRoot;
}

static Root getRoot(MPIOpInterface op) { return {op.getParam("root"), getConstantInteger(op.getParam("root"))}; }

bool comm::isInStream(MPIOpInterface op) {
  std::optional<Flow> flow = getFlow(op);
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!flow || !function)
    return false;
  OutermostLoop loop(op, function);
  Root root = getRoot(op);
  if (!loop || (!root.number && loop.contains(root.value)))
    return false;
  bool isStream = true;
  loop.walk([&](Operation *inner) {
    auto other = dyn_cast<MPIOpInterface>(inner);
    // A completion of starts, which are checked themselves.
    auto completion = dyn_cast<CompletionOpInterface>(inner);
    bool isCompletion = completion && llvm::all_of(completion.getRequests(), [](Value request) {
                          return isa_and_nonnull<MPIOpInterface>(request.getDefiningOp());
                        });
    bool isQuiet = isCompletion || (other ? other.isLocal() : !isa<CallOpInterface>(inner));
    isStream = isQuiet || (other && getFlow(other) == flow && getRoot(other) == root);
    return isStream ? WalkResult::advance() : WalkResult::interrupt();
  });
  return isStream;
}
