//===- SymbolicExecutor.cpp - Symbolic execution of a graph ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicExecutor.h"

#include "llvm/ADT/Twine.h"
#include <utility>

using namespace mlir;
using namespace comm;

namespace {
/// Give up beyond this number of operations, or of paths through a loop.
constexpr unsigned maxSteps = 20000, maxWays = 16;
} // namespace

SymbolicExecutor::SymbolicExecutor(CDagOp op, const mpi::ABI &abi, Symbols &symbols, ProcessClass &result, bool alone,
                                   CFGLoopInfo *loops, Obstacle &obstacle)
    : op(op), abi(abi), symbols(symbols), result(result), loops(loops), obstacle(obstacle),
      values(op, symbols, alone ? nullptr : &result) {}

LogicalResult SymbolicExecutor::fail(Operation *at, const Twine &reason) {
  obstacle = {at, reason.str()};
  return failure();
}

bool SymbolicExecutor::isExhausted() { return ++steps > maxSteps; }

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult SymbolicExecutor::addMessage(MPIOpInterface message, State &state) {
  if (isLenient)
    return success();
  SymbolicEvent event;
  bool isSend = message.getMatching().kind == Matching::Kind::Send;
  event.kind = isSend ? SymbolicEvent::Kind::Send : SymbolicEvent::Kind::Receive;
  event.op = message;
  event.conditions = state.conditions;
  Value buffer = message.getParam("buf"), count = message.getParam("count");
  if (!isa<LLVM::LLVMPointerType>(buffer.getType()) || !count || !count.getType().isInteger(32))
    return fail(message, "its buffer is not a pointer with a count");
  event.buffer = values.get(buffer, state.env).address;
  if (!event.buffer.base)
    return fail(message, "the beginning of its buffer is not known in terms of rank and size");
  event.count = values.get(count, state.env).integer;
  if (!event.count)
    return fail(message, "its count is not known in terms of rank and size");
  event.datatype = getConstantName(message.getParam("datatype"));
  std::optional<unsigned> extent = abi.getDatatypeExtent(event.datatype);
  if (event.datatype.empty() || !abi.isPredefinedContiguous(event.datatype) || !extent)
    return fail(message, "its datatype is not one of the predefined ones without gaps");
  event.extent = *extent;
  event.peer = values.get(message.getParam(isSend ? "dest" : "source"), state.env).integer;
  if (!event.peer)
    return fail(message, "its peer is not known in terms of rank and size");
  event.tag = values.get(message.getParam("tag"), state.env).integer;
  if (!event.tag)
    return fail(message, "its tag is not known in terms of rank and size");
  state.events.push_back(std::move(event));
  return success();
}

LogicalResult SymbolicExecutor::execute(Operation &each, State &state) {
  if (isExhausted())
    return fail(&each, "the graph is too large");
  if (auto message = dyn_cast<MPIOpInterface>(each); message && message.getMatching().kind != Matching::Kind::None)
    return addMessage(message, state);
  if (isa<AfterOp, TransferOp>(each))
    return fail(&each, "the order of its messages is not implied by buffers");
  if (auto other = dyn_cast<MPIOpInterface>(each)) {
    auto has = [&](StringRef name) { return other.getParam(name) || other.getOutcome(name); };
    if (!other.isLocal() || !(has("rank") || has("size")))
      return fail(&each, "there is more in its graph than sends and receives");
  }
  if (each.getNumRegions() != 0)
    return fail(&each, "it has structured control flow");
  if (auto copy = dyn_cast<LLVM::MemcpyOp>(each)) {
    if (isLenient)
      return success();
    SymbolicEvent event;
    event.kind = SymbolicEvent::Kind::Copy;
    event.op = copy;
    event.conditions = state.conditions;
    event.buffer = values.get(copy.getDst(), state.env).address;
    event.source = values.get(copy.getSrc(), state.env).address;
    event.count = values.get(copy.getLen(), state.env).integer;
    state.events.push_back(std::move(event));
    return success();
  }
  for (Value value : each.getResults())
    state.env[value] = values.compute(&each, value, state.env);
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Collects the successors that control may continue with, each with its condition (an unknown difference: always).
LogicalResult SymbolicExecutor::branch(Operation *terminator, State &state, Walk &walk,
                                       SmallVectorImpl<std::pair<unsigned, SymbolicCondition>> &taken) {
  if (terminator->getNumSuccessors() == 1) {
    taken.push_back({0, {}});
    return success();
  }
  auto choice = dyn_cast<LLVM::CondBrOp>(terminator);
  if (!choice)
    return fail(terminator, "it has control flow other than branches on a condition");
  if (walk.loop && !(walk.loop->contains(choice.getTrueDest()) && walk.loop->contains(choice.getFalseDest()))) {
    // The loop's end is determined from its trip count.
    bool continuesOnTrue = walk.loop->contains(choice.getTrueDest());
    if (continuesOnTrue == walk.loop->contains(choice.getFalseDest()))
      return fail(terminator, "a loop in it has several exits");
    std::optional<SymbolicCompare> compare = values.decodeCompare(choice.getCondition(), state.env);
    if (walk.exit && (!compare || compare->predicate != walk.exit->predicate ||
                      compare->difference != walk.exit->difference || walk.continuesOnTrue != continuesOnTrue))
      walk.exitDiffers = true;
    if (!compare)
      walk.exitDiffers = true;
    walk.exit = compare;
    walk.continuesOnTrue = continuesOnTrue;
    walk.exitBlock = choice->getBlock();
    taken.push_back({continuesOnTrue ? 0u : 1u, {}});
    return success();
  }
  SymbolicDecision decision = values.decide(choice.getCondition(), state.env);
  using Kind = SymbolicDecision::Kind;
  if (decision.kind == Kind::True || decision.kind == Kind::False) {
    taken.push_back({decision.kind == Kind::True ? 0u : 1u, {}});
    return success();
  }
  auto undecided = [&](const Twine &reason) -> LogicalResult {
    if (!isLenient)
      return fail(terminator, reason);
    taken.push_back({0, {}});
    taken.push_back({1, {}});
    return success();
  };
  if (decision.kind == Kind::Unknown)
    return undecided("a condition in it is not known in terms of rank and size");
  const Poly &difference = decision.condition.difference;
  bool variesInLoop = symbols.mentionsKind(difference, Symbols::Kind::Iteration) ||
                      symbols.mentionsKind(difference, Symbols::Kind::Phi);
  if (variesInLoop) {
    SymbolicCondition otherwise = decision.condition;
    otherwise.isZero = !otherwise.isZero;
    taken.push_back({0, decision.condition});
    taken.push_back({1, otherwise});
    return success();
  }
  std::optional<int64_t> factor = difference.getLinear(Symbols::rank);
  if (!factor || std::abs(*factor) != 1)
    return undecided("a condition in it is not about one process");
  Poly process = Poly::of(Symbols::rank) - Poly(*factor) * difference;
  if (!symbols.isUniform(process))
    return undecided("the root may differ between processes");
  Poly last = Poly::of(Symbols::size) - Poly(1);
  if (!symbols.isNonNegative(process) || !symbols.isNonNegative(last - process))
    return undecided("not every communicator has a process with the rank of the root");
  needed = process;
  return failure();
}

/// Returns the values passed to the successor's arguments.
void SymbolicExecutor::enter(Operation *terminator, unsigned index, State &state,
                             SmallVectorImpl<SymbolicValue> &arguments) {
  Block *target = terminator->getSuccessor(index);
  arguments.assign(target->getNumArguments(), SymbolicValue());
  auto branchOp = dyn_cast<BranchOpInterface>(terminator);
  if (!branchOp)
    return;
  SuccessorOperands operands = branchOp.getSuccessorOperands(index);
  for (unsigned i = 0; i < target->getNumArguments(); ++i)
    if (Value operand = operands[i])
      arguments[i] = values.get(operand, state.env);
}

LogicalResult SymbolicExecutor::explore(Block *block, State state, Walk &walk) {
  bool isFirst = true;
  while (true) {
    CFGLoop *loop = loops ? loops->getLoopFor(block) : nullptr;
    if (loop && loop != walk.loop && loop->getHeader() == block) {
      if (failed(runLoop(loop, state, block)))
        return failure();
      isFirst = false;
      continue;
    }
    if (walk.loop && !isFirst && block == walk.loop->getHeader())
      return fail(block->getTerminator(), "a loop in it has several entries");
    isFirst = false;
    for (Operation &each : block->without_terminator())
      if (failed(execute(each, state)))
        return failure();
    Operation *terminator = block->getTerminator();
    if (isExhausted())
      return fail(terminator, "the graph is too large");
    if (isa<YieldOp>(terminator) && !walk.loop) {
      walk.ends.push_back(std::move(state));
      return success();
    }
    if (terminator->getNumSuccessors() == 0)
      return fail(terminator, "it may not return normally");
    SmallVector<std::pair<unsigned, SymbolicCondition>> taken;
    if (failed(branch(terminator, state, walk, taken)))
      return failure();
    for (size_t way = 0; way < taken.size(); ++way) {
      auto &[index, condition] = taken[way];
      bool isLast = way + 1 == taken.size();
      State next = isLast ? std::exchange(state, State()) : state;
      if (condition.difference)
        next.conditions.push_back(condition);
      SmallVector<SymbolicValue> arguments;
      enter(terminator, index, next, arguments);
      Block *target = terminator->getSuccessor(index);
      if (walk.loop && target == walk.loop->getHeader()) {
        next.next = std::move(arguments);
        walk.ends.push_back(std::move(next));
        if (walk.ends.size() > maxWays)
          return fail(terminator, "a loop in it has too many branches");
        if (isLast)
          return success();
        continue;
      }
      for (auto [argument, value] : llvm::zip(target->getArguments(), arguments))
        next.env[argument] = value;
      if (isLast) {
        state = std::move(next);
        block = target;
      } else if (failed(explore(target, std::move(next), walk))) {
        return failure();
      }
    }
  }
}

LogicalResult SymbolicExecutor::run() {
  Walk walk;
  if (failed(explore(&op.getBody().front(), State(), walk)))
    return failure();
  if (walk.ends.size() != 1)
    return fail(op, "it has several exits");
  result.events = std::move(walk.ends.front().events);
  return success();
}

//===----------------------------------------------------------------------===//
// All processes
//===----------------------------------------------------------------------===//

void SymbolicGraph::assume(const ProcessClass *which) {
  symbols.minSize = which ? 2 : 1;
  symbols.minRank = Poly(0);
  symbols.maxRank = which ? Poly::of(Symbols::size) - Poly(1) : Poly(0);
  if (!which)
    return;
  for (const ProcessClass::Member &member : which->members) {
    if (member.isEqual)
      symbols.minRank = symbols.maxRank = member.process;
    else if (member.process == symbols.minRank)
      symbols.minRank = symbols.minRank + Poly(1);
    else if (member.process == symbols.maxRank)
      symbols.maxRank = symbols.maxRank - Poly(1);
  }
}

/// Programs copy their own block before or after they exchange the others.
static std::vector<CopyBeside> findCopies(CDagOp op, Symbols &symbols) {
  constexpr unsigned maxDistance = 64;
  ProcessClass everyone;
  SymbolicEvaluator values(op, symbols, &everyone);
  const SymbolicEnv nothing;
  std::vector<CopyBeside> found;
  auto look = [&](Operation *first, bool backwards) {
    SmallVector<Operation *> between;
    for (Operation *each = first; each && between.size() < maxDistance;) {
      // A call may not return, so a copy after it may not run.
      if (!backwards && isa<LLVM::CallOp>(each))
        break;
      if (auto copy = dyn_cast<LLVM::MemcpyOp>(each)) {
        SymbolicEvent event;
        event.kind = SymbolicEvent::Kind::Copy;
        event.op = copy;
        event.buffer = values.get(copy.getDst(), nothing).address;
        event.source = values.get(copy.getSrc(), nothing).address;
        event.count = values.get(copy.getLen(), nothing).integer;
        found.push_back({std::move(event), between});
      }
      between.push_back(each);
      if (backwards)
        each = each->getPrevNode();
      else if (auto jump = dyn_cast<LLVM::BrOp>(each))
        each = jump.getDest()->hasNoPredecessors() || !jump.getDest()->getSinglePredecessor()
                   ? nullptr
                   : &jump.getDest()->front();
      else
        each = each->getNextNode();
    }
  };
  look(op->getPrevNode(), /*backwards=*/true);
  look(op->getNextNode(), /*backwards=*/false);
  return found;
}

std::unique_ptr<SymbolicGraph> comm::buildSymbolicGraph(CDagOp op, const mpi::ABI &abi, Obstacle &obstacle) {
  if (!op.getComm()) {
    obstacle = {op, "its graph has no communicator"};
    return nullptr;
  }
  if (!op.getImplied()) {
    obstacle = {op, "the order of its messages is not implied by buffers"};
    return nullptr;
  }
  std::unique_ptr<DominanceInfo> dominance;
  std::unique_ptr<CFGLoopInfo> loops;
  if (!op.getBody().hasOneBlock()) {
    dominance = std::make_unique<DominanceInfo>(op);
    loops = std::make_unique<CFGLoopInfo>(dominance->getDomTree(&op.getBody()));
  }
  auto graph = std::make_unique<SymbolicGraph>();
  // Whenever something depends on whether a process is a certain one, split the class in two.
  std::vector<ProcessClass> open(1);
  while (!open.empty()) {
    ProcessClass next = std::move(open.back());
    open.pop_back();
    graph->assume(&next);
    SmallVector<ProcessClass::Member, 1> members = next.members;
    SymbolicExecutor executor(op, abi, graph->symbols, next, /*alone=*/false, loops.get(), obstacle);
    if (succeeded(executor.run())) {
      graph->classes.push_back(std::move(next));
      continue;
    }
    if (!executor.needed)
      return nullptr;
    if (members.size() > 2) {
      obstacle = {op, "too many processes behave differently from the others"};
      return nullptr;
    }
    for (bool isEqual : {false, true}) {
      ProcessClass half;
      half.members = members;
      half.members.push_back({executor.needed, isEqual});
      open.push_back(std::move(half));
    }
  }
  ProcessClass everyone;
  graph->assume(&everyone);
  graph->copies = findCopies(op, graph->symbols);
  graph->assume(nullptr);
  SymbolicExecutor executor(op, abi, graph->symbols, graph->alone, /*alone=*/true, loops.get(), obstacle);
  if (failed(executor.run())) {
    if (obstacle.reason.empty())
      obstacle = {op, "the behavior of a single process is not known"};
    return nullptr;
  }
  return graph;
}
