//===- InsertProgress.cpp - Let MPI progress while loops run --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "ProgressCode.h"

#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Naming.h"
#include "Comm/Dialect/Comm/Utils/Worksharing.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"

namespace comm {
#define GEN_PASS_DEF_COMMINSERTPROGRESS
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

/// Shorter loops, in cycles, end before MPI would be called twice.
static constexpr uint64_t kLeastCycles = 300000;

namespace {
struct InsertProgress : public comm::impl::CommInsertProgressBase<InsertProgress> {
  using CommInsertProgressBase::CommInsertProgressBase;
  void runOnOperation() final;

private:
  bool ignoresCosts() const { return cost == CostModel::None; }
};

/// Creates the oracle on first use, since translating a module takes a while.
class LazyOracle {
public:
  explicit LazyOracle(ModuleOp module) : module(module) {}
  /// Adds a function to analyze; call this before the first query.
  void add(LLVM::LLVMFuncOp function) { functions.push_back(function); }
  MemoryOracle &get() {
    if (!oracle)
      oracle = MemoryOracle::create(module, functions);
    return *oracle;
  }

private:
  ModuleOp module;
  SmallVector<Operation *> functions;
  std::unique_ptr<MemoryOracle> oracle;
};

/// Plans the code of one function.
class Planner {
public:
  Planner(LLVM::LLVMFuncOp function, LazyOracle &oracle, const mpi::ABI &abi, bool ignoresCosts)
      : function(function), scopes(function.getBody()), dominance(function),
        loops(dominance.getDomTree(&function.getBody())), oracle(oracle), abi(abi), ignoresCosts(ignoresCosts) {}
  /// Returns true if any communication is in flight in the function.
  bool findAllFlights();
  std::vector<ProgressPlan> run();
  LLVM::LLVMFuncOp getFunction() const { return function; }

private:
  void findPlans(const Chain &chain, ArrayRef<Flight> flights);
  void forbid(const Unit &unit);

  LLVM::LLVMFuncOp function;
  ScopeTree scopes;
  DominanceInfo dominance;
  CFGLoopInfo loops;
  LazyOracle &oracle;
  RequestFlows requests;
  const mpi::ABI &abi;
  bool ignoresCosts;
  /// Blocks that run while a communication that must not progress is in flight, and headers of loops in plans.
  llvm::DenseSet<Block *> forbidden, planned;
  /// The flights of each chain that has any, inner chains first.
  std::vector<std::pair<const Chain *, std::vector<Flight>>> allFlights;
  std::vector<ProgressPlan> plans;
};
} // namespace

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static remark::RemarkOpts getRemark(StringRef name, MPIOpInterface start) {
  return remark::RemarkOpts::name(name).category("comm-insert-progress").function(getFunctionName(start));
}

/// Calls `fn` with each MPI call of the program among the starts, and its name. The two halves of an MPI_Sendrecv are
/// one call.
static void forEachCall(ArrayRef<Flight> flights, llvm::function_ref<void(MPIOpInterface, StringRef)> fn) {
  llvm::DenseSet<std::pair<Location, StringRef>> seen;
  for (const Flight &flight : flights)
    if (seen.insert({MPIOpInterface(flight.start).getLoc(), flight.name}).second)
      fn(flight.start, flight.name);
}

static void tell(ProgressPlan &plan) {
  std::string where = toString(getSourcePosition(plan.places.getLoop()->getLoc()));
  forEachCall(plan.flights, [&](MPIOpInterface start, StringRef name) {
    remark::passed(start.getLoc(), getRemark("Progress", start))
        << name << " at " << toString(getSourcePosition(start.getLoc())) << " progresses in the loop at " << where;
  });
}

static void tellMissed(ArrayRef<Flight> flights, Operation *loop, StringRef why) {
  std::string where = toString(getSourcePosition(loop->getLoc()));
  forEachCall(flights, [&](MPIOpInterface start, StringRef name) {
    remark::missed(start.getLoc(), getRemark("NoProgress", start))
        << name << " may not progress in the loop at " << where << ": " << why.str();
  });
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

void Planner::forbid(const Unit &unit) {
  for (Block *block : unit.interior)
    forbidden.insert(block);
}

void Planner::findPlans(const Chain &chain, ArrayRef<Flight> flights) {
  for (auto [index, unit] : llvm::enumerate(chain.getUnits())) {
    if (!unit.isPiece())
      continue;
    ProgressPlan plan{unit, {}, {}, {}};
    for (const Flight &flight : flights)
      if (flight.helpedFrom < index && index < flight.end) {
        plan.flights.push_back(flight);
        plan.begins.push_back(chain.getUnits()[flight.begin].op);
      }
    auto isHeader = [&](Block *block) { return loops.isLoopHeader(block); };
    if (plan.flights.empty() || llvm::none_of(unit.interior, isHeader))
      continue;
    // Threads of a team run such a loop, and they may not call MPI.
    if (llvm::any_of(unit.interior, [](Block *block) { return isWorksharing(block->getTerminator()); }))
      continue;
    plan.places = findPlaces(unit, loops, oracle.get(), ignoresCosts ? 0 : kLeastCycles);
    auto isTaken = [&](Block *header) { return !planned.insert(header).second; };
    llvm::erase_if(plan.places.ticks, isTaken);
    llvm::erase_if(plan.places.strips, [&](const StripMine &strip) { return isTaken(strip.header); });
    for (const Refusal &refusal : plan.places.refusals)
      tellMissed(plan.flights, refusal.loop, refusal.why);
    if (plan.places.isEmpty())
      continue;
    auto foreign = llvm::find_if(plan.flights, [](const Flight &flight) { return !flight.whyNot.empty(); });
    bool isForbidden =
        llvm::any_of(plan.places.ticks, [&](Block *header) { return forbidden.contains(header); }) ||
        llvm::any_of(plan.places.strips, [&](const StripMine &strip) { return forbidden.contains(strip.header); });
    if (foreign != plan.flights.end())
      tellMissed(*foreign, plan.places.getLoop(), foreign->whyNot);
    else if (!isForbidden)
      plans.push_back(std::move(plan));
  }
}

bool Planner::findAllFlights() {
  // Visit inner scopes first: they know what is in flight in their loops.
  for (const std::unique_ptr<Chain> &chain : llvm::reverse(scopes.getChains())) {
    std::vector<Flight> flights = findFlights(*chain, requests, abi, ignoresCosts);
    for (const Flight &flight : flights)
      if (!flight.whyNot.empty())
        for (const Unit &unit : chain->getUnits().slice(flight.begin, flight.end - flight.begin))
          forbid(unit);
    if (!flights.empty())
      allFlights.emplace_back(chain.get(), std::move(flights));
  }
  return !allFlights.empty();
}

std::vector<ProgressPlan> Planner::run() {
  for (auto &[chain, flights] : allFlights)
    findPlans(*chain, flights);
  return std::move(plans);
}

/// Returns true if threads of a team may execute the function: then the executing thread may not be allowed to call
/// MPI.
static bool isInParallelRegion(LLVM::LLVMFuncOp function) {
  if (function.getName().contains("omp_outlined"))
    return true;
  return function
      .walk([](LLVM::CallOp call) {
        StringRef name = call.getCallee().value_or("");
        bool isOutside =
            name == "__kmpc_fork_call" || name == "__kmpc_global_thread_num" || name == "__kmpc_push_num_threads";
        return name.starts_with("__kmpc_") && !isOutside ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void InsertProgress::runOnOperation() {
  const mpi::ABI *chosen = mpi::ABI::lookup(getABIName(abi, getOperation()));
  auto starts = [](LLVM::LLVMFuncOp function) {
    return function
        .walk([](MPIOpInterface op) { return op.isAsync() ? WalkResult::interrupt() : WalkResult::advance(); })
        .wasInterrupted();
  };
  SmallVector<LLVM::LLVMFuncOp> functions;
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
    if (chosen && !function.isExternal() && !function.getBody().hasOneBlock() && starts(function))
      functions.push_back(function);
  if (functions.empty())
    return;
  std::vector<std::pair<LLVM::LLVMFuncOp, std::vector<ProgressPlan>>> plans;
  {
    LazyOracle oracle(getOperation());
    std::vector<std::unique_ptr<Planner>> planners;
    for (LLVM::LLVMFuncOp function : functions) {
      auto planner = std::make_unique<Planner>(function, oracle, *chosen, ignoresCosts());
      if (!planner->findAllFlights())
        continue;
      oracle.add(function);
      planners.push_back(std::move(planner));
    }
    for (const std::unique_ptr<Planner> &planner : planners) {
      LLVM::LLVMFuncOp function = planner->getFunction();
      std::vector<ProgressPlan> found = planner->run();
      if (isInParallelRegion(function))
        for (ProgressPlan &plan : found)
          tellMissed(plan.flights, plan.places.getLoop(), "threads of a team may execute it, but must not call MPI");
      else if (!found.empty())
        plans.emplace_back(function, std::move(found));
    }
  }
  RuntimeCalls runtime(getOperation());
  for (auto &[function, found] : plans) {
    ProgressCode code(runtime, *chosen, ignoresCosts(), function.getBody());
    for (ProgressPlan &plan : found) {
      tell(plan);
      code.insert(plan);
      numLoops += plan.places.ticks.size() + plan.places.strips.size();
    }
    markChanged(&function.getBody().front().front());
  }
}
