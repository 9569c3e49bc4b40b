//===- FormCDag.cpp - Turn phases of messages into graphs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "CDagLowering.h"
#include "CollectiveProof.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Transforms/Utils/ControlFlow.h"
#include "Comm/Transforms/Utils/SendReceive.h"

#include "Comm/Analysis/Phases/Phases.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Reachability.h"

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

/// Makes the message async, so that it returns its request. A sendrecv becomes two messages.
static void replaceMessage(MPIOpInterface op, Value communicator) {
  OpBuilder builder(op);
  SmallVector<MPIOpInterface, 2> started;
  if (op.getMatching().kind == Matching::Kind::SendReceive) {
    auto [receive, send] = startHalves(builder, op);
    started = {receive, send};
  } else {
    started = {cloneWithMode(builder, op, Mode::async)};
  }
  // Each call has loaded the communicator separately.
  for (MPIOpInterface message : started)
    message->replaceUsesOfWith(message.getCommunicator(), communicator);
  op.erase();
}

//===----------------------------------------------------------------------===//
// The region
//===----------------------------------------------------------------------===//

/// Returns the value, recomputed by copies of its operations if these are inside: constants, casts, and loads of
/// variables that keep their value (see findPhases).
static Value copyBefore(OpBuilder &builder, Value value, llvm::function_ref<bool(Operation *)> isInside) {
  Operation *definition = value.getDefiningOp();
  if (!definition || !isInside(definition))
    return value;
  IRMapping mapping;
  for (Value operand : definition->getOperands())
    mapping.map(operand, copyBefore(builder, operand, isInside));
  return builder.clone(*definition, mapping)->getResult(0);
}

/// Creates the graph without its region. `before` maps a value of the phase to one that is available before it.
static CDagOp createGraph(OpBuilder &builder, const Phase &phase, TypeRange results,
                          llvm::function_ref<Value(Value)> before) {
  MPIOpInterface firstMessage = phase.messages.front();
  Location loc = firstMessage.getLoc();
  if (!phase.window)
    return CDagOp::create(builder, loc, results, before(phase.communicator), /*implied=*/true);
  MPIOpInterface firstFence = phase.firstFence, lastFence = phase.lastFence;
  return CDagOp::create(builder, loc, results, /*comm=*/Value(), phase.window, before(firstFence.getParam("assert")),
                        before(lastFence.getParam("assert")), phase.needsEpochs, /*implied=*/true);
}

/// Moves the units of the phase into the region of a comm.cdag.
static CDagOp outline(const Phase &phase) {
  ArrayRef<Unit> units = phase.chain->getUnits();
  const Unit &first = units[phase.begin], &last = units[phase.end - 1];
  MLIRContext *context = phase.messages.front()->getContext();
  Location loc = phase.messages.front()->getLoc();
  Block *before = first.op->getBlock();
  Region *region = before->getParent();

  // Split at the end first, which does not move the beginning.
  Block *exit = last.isPiece() ? last.join : last.op->getBlock()->splitBlock(last.op->getNextNode());
  Block *entry = before->splitBlock(first.op);

  // A single block yields. It passes on what the phase's units pass to the code after them.
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
    createBranch(builder, loc, {end, {}});
  }

  SmallVector<Block *> blocks = findReachable(entry).takeVector();
  llvm::erase_if(blocks, [&](Block *block) { return block == exit; });
  // Blocks after `exit` are not reached, since all edges now go to `end`.
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
  CDagOp graph = createGraph(builder, phase, ValueRange(yielded).getTypes(),
                             [&](Value value) { return copyBefore(builder, value, isInside); });
  for (auto [index, result] : llvm::enumerate(results))
    result.replaceAllUsesWith(graph.getResult(index));
  if (last.isPiece())
    exit->eraseArguments(0, exit->getNumArguments());
  unsigned next = results.size();
  for (Value value : live)
    value.replaceUsesWithIf(graph.getResult(next++), [&](OpOperand &use) { return !isInside(use.getOwner()); });
  createBranch(builder, loc, {exit, {}});
  for (Block *block : blocks)
    block->moveBefore(&graph.getBody(), graph.getBody().end());
  builder.setInsertionPointToEnd(end);
  YieldOp::create(builder, loc, yielded);
  return graph;
}

/// Returns true if control may go from one operation to the other within the phase, judging by branches alone.
static bool mayPrecede(const Phase &phase, Operation *first, Operation *second) {
  Block *from = first->getBlock(), *to = second->getBlock();
  if (from->getParent() != to->getParent() || from->getParentOp() != phase.chain->getBlocks().front()->getParentOp())
    return true;
  if (from == to && first->isBeforeInBlock(second))
    return true;
  llvm::SmallPtrSet<Block *, 8> seen;
  const Unit &last = phase.chain->getUnits()[phase.end - 1];
  SmallVector<Block *> work;
  // Stop at the end of the phase, where its next execution begins.
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

/// Returns true if every receive of the phase is in flight together with every send: then MPI forbids that their memory
/// overlaps.
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
  // Started operations stay in flight. A blocking one may be over before one of the other kind starts.
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

/// Replaces the loop or store of the reduction by an operation of the graph.
static void replaceReduction(const LocalReduction &reduction) {
  Operation *store = reduction.memoryOps.back();
  OpBuilder builder(store);
  Location loc = store->getLoc();
  if (reduction.loop) {
    // Run the block once, without the counter.
    auto branch = cast<BranchOpInterface>(reduction.loop->getTerminator());
    unsigned exit = branch->getSuccessor(0) == reduction.loop;
    builder.setInsertionPoint(branch);
    LLVM::BrOp::create(builder, loc, branch.getSuccessorOperands(exit).getForwardedOperands(),
                       branch->getSuccessor(exit));
    branch->erase();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*reduction.loop)))
      if (&op != reduction.loop->getTerminator())
        op.dropAllUses(), op.erase();
    for (auto it = reduction.loop->pred_begin(); it != reduction.loop->pred_end(); ++it)
      cast<BranchOpInterface>((*it)->getTerminator()).getSuccessorOperands(it.getSuccessorIndex()).erase(0);
    reduction.loop->eraseArgument(0);
    builder.setInsertionPoint(reduction.loop->getTerminator());
  }
  MLIRContext *context = builder.getContext();
  Value datatype = ConstantOp::create(builder, loc, DatatypeType::get(context), reduction.datatype),
        op = ConstantOp::create(builder, loc, ReductionOpType::get(context), reduction.operatorName),
        count = reduction.count;
  if (!count)
    count = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                     builder.getI32IntegerAttr(*reduction.constantCount));
  MPIOpInterface made = createMPIOp(
      builder, loc, "MPI_Reduce_local", Mode::blocking,
      {{"inbuf", reduction.in}, {"inoutbuf", reduction.inout}, {"count", count}, {"datatype", datatype}, {"op", op}},
      {});
  if (reduction.inIsTemporary)
    made->setDiscardableAttr(kTemporaryAttrName, builder.getUnitAttr());
  if (reduction.loop)
    return;
  SmallVector<Operation *> dead{store, store->getOperand(0).getDefiningOp()};
  llvm::append_range(dead, ArrayRef(reduction.memoryOps).drop_back());
  for (Operation *each : dead)
    each->erase();
}

static CDagOp form(const Phase &phase) {
  bool disjoint = areInFlightTogether(phase);
  CDagOp graph = outline(phase);
  graph.setDisjoint(disjoint);
  if (graph.getWin()) {
    phase.firstFence->erase();
    phase.lastFence->erase();
    for (MPIOpInterface access : phase.messages)
      access->replaceUsesOfWith(access.getRemoteAccess().window, graph.getWin());
    return graph;
  }
  for (CompletionOpInterface completion : phase.completions)
    completion->erase();
  for (MPIOpInterface message : phase.messages)
    replaceMessage(message, graph.getComm());
  for (const LocalReduction &reduction : phase.reductions)
    replaceReduction(reduction);
  return graph;
}

static std::string describeReductions(const Phase &phase) {
  size_t count = phase.reductions.size();
  if (count == 0)
    return "";
  return ", with " + std::to_string(count) + (count == 1 ? " reduction" : " reductions") + " of received data,";
}

namespace {
/// The phases of one function.
struct FunctionPhases {
  std::unique_ptr<ScopeTree> tree;
  std::vector<Phase> phases;
};
} // namespace

/// Returns the phases of all functions. All queries precede the first change, since the oracle describes the original
/// program.
static std::vector<FunctionPhases> findAllPhases(ModuleOp module, const RejectPhase &reject) {
  std::unique_ptr<MemoryOracle> oracle = MemoryOracle::create(module);
  std::vector<FunctionPhases> found;
  module.walk([&](FunctionOpInterface function) {
    if (function.isExternal())
      return;
    bool hasMessages = false;
    function->walk(
        [&](MPIOpInterface op) { hasMessages |= op.getMatching().kind != Matching::Kind::None || op.isOneSided(); });
    if (!hasMessages)
      return;
    FunctionPhases here;
    here.tree = std::make_unique<ScopeTree>(function.getFunctionBody());
    here.phases = findPhases(module, *here.tree, *oracle, reject);
    found.push_back(std::move(here));
  });
  return found;
}

/// Returns why each phase is not known to be collectives, in the order of findAllPhases, or "" if it is.
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
    const mpi::ABI *known = lookupABIOrStandard(abi, module);
    if (!known)
      return signalPassFailure();
    obstacles = findObstacles(module, *known);
  }
  std::vector<FunctionPhases> found = findAllPhases(module, [&](MPIOpInterface op, const Twine &reason) {
    remark::missed(op.getLoc(), remarkOpts("NoGraph", op))
        << getDisplayName(op) << " in a loop over processes is not part of a graph: " << reason.str();
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
      bool isOne = phase.messages.size() == 1;
      remark::passed(first.getLoc(), remarkOpts("Graph", first))
          << std::to_string(phase.messages.size()) << (isOne ? " call" : " calls") << " from " << getDisplayName(first)
          << " at " << toString(getSourcePosition(first.getLoc())) << " on" << describeReductions(phase)
          << (isOne ? " forms" : " form") << " a graph, which all processes of the "
          << (phase.window ? "window" : "communicator") << " are taken to execute together";
      form(phase);
      ++numGraphs;
    }
  }
}
