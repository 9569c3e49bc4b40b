//===- FormCDag.cpp - Phases of messages become graphs ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "CollectiveProof.h"
#include "Interval.h"
#include "SendReceive.h"

#include "Comm/Analysis/Phases.h"
#include "Comm/Conversion/CSignature.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace comm {
#define GEN_PASS_DEF_COMMFORMCDAG
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

namespace {
struct FormCDag : public comm::impl::CommFormCDagBase<FormCDag> {
  using CommFormCDagBase::CommFormCDagBase;
  void runOnOperation() final;
};
} // namespace

static remark::RemarkOpts remarkOpts(StringRef name, Operation *op) {
  return remark::RemarkOpts::name(name).category("comm-form-cdag").function(getFunctionName(op));
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// The message becomes async, and returns its request; a sendrecv becomes two.
static void replaceMessage(MPIOpInterface op, Value communicator) {
  OpBuilder builder(op);
  SmallVector<MPIOpInterface, 2> started;
  if (op.getMatching().kind == Matching::Kind::SendReceive) {
    auto [receive, send] = startHalves(builder, op);
    started = {receive, send};
  } else {
    started = {cloneWithMode(builder, op, Mode::async)};
  }
  // Each call has read the communicator for itself.
  for (MPIOpInterface message : started)
    message->replaceUsesOfWith(message.getCommunicator(), communicator);
  op.erase();
}

//===----------------------------------------------------------------------===//
// The region
//===----------------------------------------------------------------------===//

static void createBranch(OpBuilder &builder, Location loc, Block *target, ValueRange operands) {
  if (builder.getBlock()->getParentOp()->getParentOfType<LLVM::LLVMFuncOp>() ||
      isa<LLVM::LLVMFuncOp>(builder.getBlock()->getParentOp()))
    LLVM::BrOp::create(builder, loc, operands, target);
  else
    cf::BranchOp::create(builder, loc, target, operands);
}

/// The blocks from `entry` up to `exit`, which control reaches them by.
static SmallVector<Block *> collectBlocks(Block *entry, Block *exit) {
  llvm::SmallSetVector<Block *, 8> blocks;
  blocks.insert(entry);
  for (size_t i = 0; i < blocks.size(); ++i)
    for (Block *successor : blocks[i]->getSuccessors())
      if (successor != exit)
        blocks.insert(successor);
  return blocks.takeVector();
}

/// The value, from copies of its operations where those are inside: constants, casts, and loads of variables that keep
/// their value (see findPhases).
static Value copyBefore(OpBuilder &builder, Value value, llvm::function_ref<bool(Operation *)> isInside) {
  Operation *definition = value.getDefiningOp();
  if (!definition || !isInside(definition))
    return value;
  IRMapping mapping;
  for (Value operand : definition->getOperands())
    mapping.map(operand, copyBefore(builder, operand, isInside));
  return builder.clone(*definition, mapping)->getResult(0);
}

/// Puts the units of the phase into the region of a comm.cdag.
static CDagOp outline(const Phase &phase) {
  ArrayRef<Unit> units = phase.chain->getUnits();
  const Unit &first = units[phase.begin], &last = units[phase.end - 1];
  MLIRContext *context = phase.messages.front()->getContext();
  Location loc = phase.messages.front()->getLoc();
  Block *before = first.op->getBlock();
  Region *region = before->getParent();

  // The end first: splitting there leaves the beginning where it is.
  Block *exit = last.isPiece() ? last.join : last.op->getBlock()->splitBlock(last.op->getNextNode());
  Block *entry = before->splitBlock(first.op);

  // One block yields: it takes over what the phase's units hand to the code behind them.
  OpBuilder builder(context);
  Block *end = new Block();
  region->getBlocks().insert(Region::iterator(exit), end);
  SmallVector<Value> results, yielded;
  if (last.isPiece()) {
    for (BlockArgument argument : exit->getArguments())
      end->addArgument(argument.getType(), argument.getLoc());
    SmallVector<Block *> predecessors(exit->getPredecessors());
    for (Block *predecessor : predecessors)
      for (BlockOperand &successor : predecessor->getTerminator()->getBlockOperands())
        if (successor.get() == exit)
          successor.set(end);
    llvm::append_range(yielded, end->getArguments());
    llvm::append_range(results, exit->getArguments());
  } else {
    builder.setInsertionPointToEnd(last.op->getBlock());
    createBranch(builder, loc, end, {});
  }

  SmallVector<Block *> blocks = collectBlocks(entry, nullptr);
  llvm::erase_if(blocks, [&](Block *block) { return block == exit; });
  // What lies beyond `exit` is not reached, for all edges go to `end` now.
  llvm::SmallSetVector<Value, 8> live;
  llvm::SmallPtrSet<Block *, 8> inside(blocks.begin(), blocks.end());
  auto isInside = [&](Operation *user) {
    Operation *ancestor = region->findAncestorOpInRegion(*user);
    return ancestor && inside.contains(ancestor->getBlock());
  };
  for (Block *block : blocks) {
    auto note = [&](Value value) {
      if (llvm::any_of(value.getUsers(), [&](Operation *user) { return !isInside(user); }))
        live.insert(value);
    };
    if (block != end)
      llvm::for_each(block->getArguments(), note);
    for (Operation &op : *block)
      llvm::for_each(op.getResults(), note);
  }
  llvm::append_range(yielded, live);

  builder.setInsertionPointToEnd(before);
  Value communicator = phase.communicator;
  communicator = copyBefore(builder, communicator, isInside);
  auto graph = CDagOp::create(builder, loc, ValueRange(yielded).getTypes(), communicator, /*implied=*/true,
                              /*disjoint=*/false);
  for (auto [index, result] : llvm::enumerate(results))
    result.replaceAllUsesWith(graph.getResult(index));
  if (last.isPiece())
    exit->eraseArguments(0, exit->getNumArguments());
  unsigned next = results.size();
  for (Value value : live)
    value.replaceUsesWithIf(graph.getResult(next++), [&](OpOperand &use) { return !isInside(use.getOwner()); });
  createBranch(builder, loc, exit, {});
  for (Block *block : blocks)
    block->moveBefore(&graph.getBody(), graph.getBody().end());
  builder.setInsertionPointToEnd(end);
  YieldOp::create(builder, loc, yielded);
  return graph;
}

/// Whether control may come from one operation to the other within the phase, as far as branches tell.
static bool mayPrecede(const Phase &phase, Operation *first, Operation *second) {
  Block *from = first->getBlock(), *to = second->getBlock();
  if (from->getParent() != to->getParent() || from->getParentOp() != phase.chain->getBlocks().front()->getParentOp())
    return true;
  if (from == to && first->isBeforeInBlock(second))
    return true;
  llvm::SmallPtrSet<Block *, 8> seen;
  const Unit &last = phase.chain->getUnits()[phase.end - 1];
  SmallVector<Block *> work;
  // Behind the phase its next execution begins.
  auto goOn = [&](Block *block) {
    if (last.isPiece() || block != last.op->getBlock())
      work.append(block->succ_begin(), block->succ_end());
  };
  goOn(from);
  while (!work.empty()) {
    Block *block = work.pop_back_val();
    if (block == last.join || !seen.insert(block).second)
      continue;
    if (block == to)
      return true;
    goOn(block);
  }
  return false;
}

/// Each receive of the phase is in flight together with each send: then MPI forbids that their memory overlaps.
static bool areInFlightTogether(const Phase &phase) {
  SmallVector<MPIOpInterface> sends, receives;
  for (MPIOpInterface message : phase.messages) {
    Matching::Kind kind = message.getMatching().kind;
    if (kind != Matching::Kind::Send && kind != Matching::Kind::Receive)
      return false;
    (kind == Matching::Kind::Send ? sends : receives).push_back(message);
    for (CompletionOpInterface completion : phase.completions)
      if (mayPrecede(phase, completion, message))
        return false;
  }
  // Operations that are started stay in flight; a blocking one may be over before one of the other kind starts.
  auto allStarted = [](ArrayRef<MPIOpInterface> messages) {
    return llvm::all_of(messages, [](MPIOpInterface message) { return message.isAsync(); });
  };
  auto noneBefore = [&](ArrayRef<MPIOpInterface> blocking, ArrayRef<MPIOpInterface> started) {
    return llvm::none_of(blocking, [&](MPIOpInterface first) {
      return !first.isAsync() &&
             llvm::any_of(started, [&](MPIOpInterface second) { return mayPrecede(phase, first, second); });
    });
  };
  return (allStarted(receives) && noneBefore(sends, receives)) || (allStarted(sends) && noneBefore(receives, sends));
}

static CDagOp form(const Phase &phase) {
  bool disjoint = areInFlightTogether(phase);
  CDagOp graph = outline(phase);
  graph.setDisjoint(disjoint);
  for (CompletionOpInterface completion : phase.completions)
    completion->erase();
  for (MPIOpInterface message : phase.messages)
    replaceMessage(message, graph.getComm());
  return graph;
}

namespace {
/// The phases of one function.
struct FunctionPhases {
  std::unique_ptr<ScopeTree> tree;
  std::vector<Phase> phases;
};
} // namespace

/// The phases of all functions. All questions come before the first change: the oracle answers for the program as it
/// was.
static std::vector<FunctionPhases> findAllPhases(ModuleOp module, const RejectPhase &reject) {
  std::unique_ptr<MemoryOracle> oracle = MemoryOracle::create(module);
  std::vector<FunctionPhases> found;
  module.walk([&](FunctionOpInterface function) {
    if (function.isExternal())
      return;
    bool hasMessages = false;
    function->walk([&](MPIOpInterface op) { hasMessages |= op.getMatching().kind != Matching::Kind::None; });
    if (!hasMessages)
      return;
    FunctionPhases here;
    here.tree = std::make_unique<ScopeTree>(function.getFunctionBody());
    here.phases = findPhases(module, *here.tree, *oracle, reject);
    found.push_back(std::move(here));
  });
  return found;
}

/// Why each phase is not known to be collectives, in the order of findAllPhases; "" for those that are.
static std::vector<std::string> findObstacles(ModuleOp module, const mpi::ABI &abi) {
  OwningOpRef<ModuleOp> copy = module.clone();
  std::vector<FunctionPhases> found = findAllPhases(*copy, [](MPIOpInterface, const Twine &) {});
  std::vector<CDagOp> graphs;
  for (FunctionPhases &here : found) {
    size_t begin = graphs.size();
    for (const Phase &phase : llvm::reverse(here.phases))
      graphs.insert(graphs.begin() + begin, form(phase));
  }
  GraphMemory memory(*copy);
  std::vector<std::string> reasons;
  for (CDagOp graph : graphs) {
    Obstacle obstacle;
    bool disagrees;
    bool proved = proveCollectives(graph, abi, memory, obstacle, disagrees).has_value();
    reasons.push_back(proved ? "" : describeObstacle(graph, obstacle));
  }
  return reasons;
}

void FormCDag::runOnOperation() {
  ModuleOp module = getOperation();
  std::vector<std::string> obstacles;
  if (provable) {
    StringRef name = getABIName(abi, module);
    const mpi::ABI *known = lookupABI(name.empty() ? "mpi-abi" : name, module);
    if (!known)
      return signalPassFailure();
    obstacles = findObstacles(module, *known);
  }
  std::vector<FunctionPhases> found = findAllPhases(module, [&](MPIOpInterface op, const Twine &reason) {
    remark::missed(op.getLoc(), remarkOpts("NoGraph", op))
        << getDisplayName(op) << " in a loop over processes is no part of a graph: " << reason.str();
    ++numRejected;
  });
  size_t next = 0;
  for (FunctionPhases &here : found) {
    size_t begin = next;
    next += here.phases.size();
    for (size_t i = here.phases.size(); i-- > 0;) {
      const Phase &phase = here.phases[i];
      MPIOpInterface first = phase.messages.front();
      if (provable && !obstacles[begin + i].empty()) {
        remark::missed(first.getLoc(), remarkOpts("NoGraph", first)) << obstacles[begin + i];
        ++numRejected;
        continue;
      }
      markChanged(first);
      remark::passed(first.getLoc(), remarkOpts("Graph", first))
          << std::to_string(phase.messages.size()) << " calls from " << getDisplayName(first) << " at "
          << toString(getSourcePosition(first.getLoc()))
          << " on form a graph, which all processes of the communicator are taken to execute together";
      form(phase);
      ++numGraphs;
    }
  }
}
