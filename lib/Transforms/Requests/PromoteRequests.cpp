//===- PromoteRequests.cpp - Promote the program's requests to values -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mem2reg for requests. Memory is simulated along each chain: a start fills a slot, a wait empties one. If all slots
// are empty at both ends of all chains, each wait has exactly one start.
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "ForwardCounters.h"
#include "RecordedRequests.h"
#include "RequestSets.h"

#include "Comm/Dialect/Comm/Utils/Naming.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Analysis/Phases/RequestMemory.h"
#include "Comm/Analysis/Requests/RequestFlow.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace comm {
#define GEN_PASS_DEF_COMMPROMOTEREQUESTS
#include "Comm/Transforms/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm;

static constexpr StringLiteral kAcrossWindows =
    "nothing moves across an operation on a window, which other processes may access meanwhile";

namespace {
struct PromoteRequests : public comm::impl::CommPromoteRequestsBase<PromoteRequests> {
  using CommPromoteRequestsBase::CommPromoteRequestsBase;
  void runOnOperation() final;
};

/// A wait and the starts that it completes.
struct Completed {
  CompletionOpInterface wait;
  SmallVector<MPIOpInterface, 4> starts;
};

/// A variable or array of requests on the stack.
class RequestVariable {
public:
  RequestVariable(LLVM::AllocaOp variable, uint64_t handleSize)
      : variable(variable), layout(DataLayout::closest(variable)), handleSize(handleSize) {}

  /// Finds what each wait completes. Returns false if that is unknown. RequestFlow, which tells more, gives the reason.
  bool analyze(const ScopeTree &scopes);
  ArrayRef<Completed> getCompleted() const { return completed; }

private:
  /// An operation that uses the variable. Offsets are in bytes from its beginning.
  struct Use {
    MPIOpInterface start; ///< set if it starts a request
    CompletionOpInterface wait;
    int64_t offset = 0;
    int64_t count = 0; ///< number of requests it waits for
  };
  bool findUses();
  bool addUse(OpOperand &use, int64_t offset);
  bool simulate(const Chain &chain, ArrayRef<Operation *> users);

  LLVM::AllocaOp variable;
  DataLayout layout;
  int64_t handleSize;
  llvm::MapVector<Operation *, Use> uses;
  SmallVector<Completed> completed;
};
} // namespace

/// Returns true for starts in standard mode, whose completion means only that the buffer may be reused.
static bool isOrdinaryStart(MPIOpInterface op) {
  Matching::Kind kind = op.getMatching().kind;
  return op.isAsync() && (kind == Matching::Kind::Send || kind == Matching::Kind::Receive) &&
         !op.needsPostedReceive() && !op.completesRemotely();
}

static bool isErrorUsed(MPIOpInterface op) {
  Value error = op.getOutcome("error");
  return error && !error.use_empty();
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

bool RequestVariable::addUse(OpOperand &operand, int64_t offset) {
  Operation *op = operand.getOwner();
  // The operation has two pointers to its requests.
  if (uses.contains(op) || llvm::count(op->getOperands(), operand.get()) != 1)
    return false;
  Use use;
  use.offset = offset;
  auto mpiOp = dyn_cast<MPIOpInterface>(op);
  if (!mpiOp) {
    uses.insert({op, use});
    return looksAtNoRequest(operand);
  }
  if (isErrorUsed(mpiOp))
    return false;
  int64_t count = 1;
  bool isRequest = mpiOp.getParam("request") == operand.get();
  bool isArray = mpiOp.getParam("array_of_requests") == operand.get();
  if (isOrdinaryStart(mpiOp) && isRequest) {
    use.start = mpiOp;
  } else if (auto wait = dyn_cast<WaitOp>(op); wait && isRequest) {
    use.wait = wait;
  } else if (auto wait = dyn_cast<WaitallOp>(op); wait && isArray) {
    std::optional<int64_t> constant = getConstantInteger(mpiOp.getParam("count"));
    if (!constant || mpiOp.getParam("array_of_statuses") || mpiOp.getOutcome("array_of_statuses"))
      return false;
    count = *constant;
    use.wait = wait;
  } else {
    return false;
  }
  use.count = count;
  uses.insert({op, use});
  return true;
}

bool RequestVariable::findUses() {
  return walkPointerUses(variable.getResult(), layout, [&](OpOperand &use, std::optional<int64_t> offset) {
    if (isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(use.getOwner()))
      return true;
    return offset && addUse(use, *offset);
  });
}

//===----------------------------------------------------------------------===//
// Simulation
//===----------------------------------------------------------------------===//

bool RequestVariable::simulate(const Chain &chain, ArrayRef<Operation *> users) {
  llvm::DenseMap<int64_t, MPIOpInterface> live;
  unsigned at = 0; // of `users`, which are in the order of the chain
  for (unsigned unit = 0; unit < chain.getUnits().size() && at < users.size(); ++unit) {
    if (chain.getUnits()[unit].op != users[at] || chain.getUnits()[unit].isPiece())
      continue;
    Use &use = uses[users[at++]];
    if (use.start) {
      if (!live.insert({use.offset, use.start}).second)
        return false; // another request is started in its place before it is complete
      continue;
    }
    if (!use.wait) {
      if (!live.empty())
        return false; // it may be overwritten before it is complete
      continue;
    }
    Completed all{use.wait, {}};
    for (int64_t i = 0; i < use.count; ++i) {
      auto slot = live.find(use.offset + i * handleSize);
      if (slot == live.end())
        return false; // start and wait are in different branches or iterations
      all.starts.push_back(slot->second);
      live.erase(slot);
    }
    completed.push_back(all);
  }
  return at == users.size() && live.empty();
}

/// Returns true if users in other chains run while a request of this one may be in flight: between its first and last
/// user.
static bool isInterrupted(const Chain &chain, ArrayRef<Operation *> users,
                          const llvm::MapVector<const Chain *, SmallVector<Operation *>> &all) {
  int first = chain.findUnit(users.front()), last = chain.findUnit(users.back());
  for (const auto &[other, others] : all)
    for (Operation *user : others)
      if (int unit = chain.findUnit(user); other != &chain && unit >= first && unit <= last)
        return true;
  return false;
}

bool RequestVariable::analyze(const ScopeTree &scopes) {
  if (!findUses())
    return false;
  llvm::MapVector<const Chain *, SmallVector<Operation *>> byChain;
  for (auto &[op, use] : uses) {
    const Chain *chain = scopes.getChainOf(op);
    if (!chain || chain->findUnit(op) < 0)
      return false; // unstructured control flow
    byChain[chain].push_back(op);
  }
  for (auto &[chain, users] : byChain)
    llvm::sort(users, [chain = chain](Operation *a, Operation *b) { return chain->findUnit(a) < chain->findUnit(b); });
  for (auto &[chain, users] : byChain)
    if (isInterrupted(*chain, users, byChain) || !simulate(*chain, users))
      return false;
  return !completed.empty();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void promote(Completed all) {
  auto wait = cast<MPIOpInterface>(all.wait.getOperation());
  IRRewriter builder(wait->getContext());
  for (MPIOpInterface start : all.starts) {
    builder.setInsertionPoint(start);
    MPIOpInterface promoted = cloneWithMode(builder, start, Mode::async);
    promoted->setDiscardableAttr(kOriginAttrName, builder.getStringAttr(start.getCalledFunction().name));
    promoted->setDiscardableAttr(kProgramsIntervalAttrName, builder.getUnitAttr());
    builder.setInsertionPoint(wait);
    SmallVector<NamedParam> params{{"request", promoted.getOutcome("request")}};
    SmallVector<StringRef> outcomes;
    auto one = dyn_cast<WaitOp>(wait.getOperation());
    if (one)
      getWaitOutcomes(one, params, outcomes);
    MPIOpInterface single = createMPIOp(builder, wait.getLoc(), "MPI_Wait", Mode::blocking, params, outcomes);
    if (one)
      replaceWaitOutcomes(builder, one, single);
    start.erase();
  }
  wait.erase();
}

/// Marks the waits for requests in memory whose starts are known, and returns these starts.
static llvm::DenseSet<Operation *> markFollowed(FunctionOpInterface function, const RequestFlow &flow) {
  llvm::DenseSet<Operation *> starts;
  function.walk([&](Operation *op) {
    const CompletedStarts *all = isWaitInMemory(op) ? flow.find(op) : nullptr;
    // A barrier orders accesses that no argument names.
    if (!all || !all->isKnown() || all->starts.empty() || llvm::any_of(all->starts, [](const InFlightStart &start) {
          return MPIOpInterface(start.start).getMatching().kind == Matching::Kind::Collective &&
                 MPIOpInterface(start.start).completesRemotely();
        }))
      return;
    op->setDiscardableAttr(kFollowedAttrName, UnitAttr::get(op->getContext()));
    for (const InFlightStart &start : all->starts)
      starts.insert(start.start);
  });
  return starts;
}

/// Reports why operations that the program itself starts or completes stay where they are.
class StayRemarks {
public:
  StayRemarks(const RequestFlow &flow, const llvm::DenseSet<Operation *> &followed) : flow(flow), followed(followed) {}

  void explain(Operation *op) {
    if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
      explainOp(mpiOp);
    } else if (isa<LLVM::CallOp, LLVM::InvokeOp>(op)) {
      const mpi::Function *function = mpi::lookupFunction(getCalleeName(op));
      if (function && function->usesRequests())
        report(op, function->name,
               "Comm has no operation for it (persistent and partitioned communication, files, requests of the "
               "program's own): nothing moves across it");
      else if (function && function->isOneSided())
        report(op, function->name, kAcrossWindows);
    }
  }

private:
  void report(Operation *op, StringRef name, StringRef cause) {
    remark::missed(
        op->getLoc(),
        remark::RemarkOpts::name("KeptRequest").category("comm-promote-requests").function(getFunctionName(op)))
        << name << " stays where it is: " << cause;
  }

  /// Returns the reason for an operation whose request is in memory.
  std::string getCause(MPIOpInterface op, Value request) {
    if (std::string why = flow.whyNotFollowed(op); !why.empty())
      return why;
    if (!isa<CompletionOpInterface>(op.getOperation()))
      return "no wait of this function completes it";
    if (!isWaitInMemory(op))
      return "it completes whichever requests are done: only MPI_Wait and MPI_Waitall can be moved";
    const CompletedStarts *all = flow.find(op);
    if (all && !all->starts.empty())
      return "it completes a barrier, which orders accesses to memory that is not among its arguments";
    return "nothing that this function starts is in flight there";
  }

  void explainOp(MPIOpInterface op) {
    StringRef name = op.getCalledFunction().name;
    if (op.isOneSided())
      return report(op, name, kAcrossWindows);
    // Followed requests are reported by the pass that moves them.
    if (followed.contains(op) || op->hasAttr(kFollowedAttrName) || op->hasAttr(kRecordedAttrName) ||
        op->hasAttr(kUnrecordedAttrName))
      return;
    SmallVector<Value> requests;
    if (auto completion = dyn_cast<CompletionOpInterface>(op.getOperation()))
      llvm::append_range(requests, completion.getRequests());
    else if (op.isAsync() && op.getParam("request"))
      requests.push_back(op.getParam("request"));
    for (Value request : requests)
      if (isa<LLVM::LLVMPointerType>(request.getType()))
        return report(op, name, getCause(op, request));
  }

  const RequestFlow &flow;
  const llvm::DenseSet<Operation *> &followed;
};

/// Returns variables, most likely structures, from which neighbors, sizes and datatypes of messages are loaded.
static llvm::SmallSetVector<LLVM::AllocaOp, 4> findDescriptions(FunctionOpInterface function) {
  llvm::SmallSetVector<LLVM::AllocaOp, 4> variables;
  function.walk([&](MPIOpInterface op) {
    for (Value operand : op->getOperands()) {
      if (auto cast = operand.getDefiningOp<CastOp>())
        operand = cast.getOperand();
      if (auto load = operand.getDefiningOp<LLVM::LoadOp>())
        if (auto variable = getBasePointer(load.getAddr()).getDefiningOp<LLVM::AllocaOp>())
          variables.insert(variable);
    }
  });
  return variables;
}

void PromoteRequests::runOnOperation() {
  ModuleOp module = getOperation();
  StringRef name = getABIName(abi, module);
  if (name.empty())
    return markAllAnalysesPreserved(); // the size of a request is unknown
  const mpi::ABI *known = lookupABI(name, module);
  if (!known)
    return signalPassFailure();
  Type handle = getHandleType(mpi::HandleClass::Request, *known, &getContext());
  for (auto function : module.getOps<FunctionOpInterface>()) {
    llvm::SmallSetVector<LLVM::AllocaOp, 4> variables;
    function.walk([&](MPIOpInterface op) {
      if (!isOrdinaryStart(op) || !op.getParam("request"))
        return;
      if (auto variable = getBasePointer(op.getParam("request")).getDefiningOp<LLVM::AllocaOp>())
        variables.insert(variable);
    });
    uint64_t size = DataLayout::closest(function).getTypeSize(handle).getFixedValue();
    llvm::SmallSetVector<LLVM::AllocaOp, 4> described = findDescriptions(function);
    described.insert(variables.begin(), variables.end());
    for (LLVM::AllocaOp variable : described)
      forwardCounters(variable, size);
    for (LLVM::AllocaOp variable : variables) {
      // Recompute this for each variable: promotion removes operations from the chains.
      ScopeTree scopes(function.getFunctionBody());
      RequestVariable requests(variable, size);
      if (!requests.analyze(scopes))
        continue;
      for (const Completed &all : requests.getCompleted()) {
        numPromoted += all.starts.size();
        promote(all);
      }
    }
  }
  uint64_t handleSize = DataLayout(module).getTypeSize(handle).getFixedValue();
  unsigned numSets = markRequestSets(module, *known, handleSize);
  if (record)
    recordRequests(module, *known, handleSize, numSets);
  for (auto function : module.getOps<FunctionOpInterface>()) {
    RequestFlow flow(function);
    llvm::DenseSet<Operation *> followed = markFollowed(function, flow);
    numFollowed += followed.size();
    StayRemarks remarks(flow, followed);
    function.walk([&](Operation *op) { remarks.explain(op); });
  }
}
