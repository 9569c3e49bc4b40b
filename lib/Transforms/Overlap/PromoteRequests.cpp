//===- PromoteRequests.cpp - The program's own requests become values ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mem2reg for requests. Memory is simulated along each chain: a start fills a slot, a wait empties one. Where all slots
// are empty at both ends of all chains, each wait has the one start that it waits for.
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Passes.h"

#include "Comm/Dialect/Comm/Utils/Naming.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "Comm/Dialect/Comm/IR/Comm.h"

#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Analysis/Phases/RequestMemory.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"

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

namespace {
struct PromoteRequests : public comm::impl::CommPromoteRequestsBase<PromoteRequests> {
  using CommPromoteRequestsBase::CommPromoteRequestsBase;
  void runOnOperation() final;
};

/// A wait, and the starts that it completes.
struct Completed {
  CompletionOpInterface wait;
  SmallVector<MPIOpInterface, 4> starts;
};

/// A variable or array of requests on the stack.
class RequestVariable {
public:
  RequestVariable(LLVM::AllocaOp variable, uint64_t handleSize)
      : variable(variable), layout(DataLayout::closest(variable)), handleSize(handleSize) {}

  /// Finds what each wait completes; if that cannot be told, why, for people: "" if it can.
  std::string analyze(const ScopeTree &scopes);
  ArrayRef<Completed> getCompleted() const { return completed; }

private:
  /// One operation that uses the variable. Bytes from its beginning.
  struct Use {
    MPIOpInterface start; ///< it starts a request
    CompletionOpInterface wait;
    int64_t offset = 0;
    int64_t count = 0; ///< of the requests it waits for
  };
  std::string findUses();
  std::string addUse(OpOperand &use, int64_t offset);
  std::string simulate(const Chain &chain, ArrayRef<Operation *> users);

  LLVM::AllocaOp variable;
  DataLayout layout;
  int64_t handleSize;
  llvm::MapVector<Operation *, Use> uses;
  SmallVector<Completed> completed;
};
} // namespace

/// A message in standard mode, which is complete when its buffer may be used again and tells nothing else.
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

/// "MPI_Waitall at heat.c:12", or what the operation is.
static std::string describeUse(Operation *op) {
  std::string name = "a use of it";
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    name = mpiOp.getCalledFunction().name;
  else if (auto call = dyn_cast<LLVM::CallOp>(op); call && call.getCallee())
    name = "a call of " + call.getCallee()->str();
  SourcePosition position = getSourcePosition(op->getLoc());
  return position.line ? name + " at " + toString(position) : name;
}

std::string RequestVariable::addUse(OpOperand &operand, int64_t offset) {
  Operation *op = operand.getOwner();
  if (uses.contains(op) || llvm::count(op->getOperands(), operand.get()) != 1)
    return describeUse(op) + " has two pointers to its requests: give each argument memory of its own";
  Use use;
  use.offset = offset;
  auto mpiOp = dyn_cast<MPIOpInterface>(op);
  if (!mpiOp) {
    uses.insert({op, use});
    return looksAtNoRequest(operand) ? ""
                                     : describeUse(op) + " may look at its request, or pass it on: keep the request in "
                                                         "a variable that only its start and its wait see";
  }
  if (isErrorUsed(mpiOp))
    return "the error code of " + describeUse(op) + " is used (-fcomm-errors-are-fatal promises that there is none)";
  int64_t count = 1;
  bool isRequest = mpiOp.getParam("request") == operand.get();
  bool isArray = mpiOp.getParam("array_of_requests") == operand.get();
  if (isOrdinaryStart(mpiOp) && isRequest) {
    use.start = mpiOp;
  } else if (auto wait = dyn_cast<WaitOp>(op); wait && isRequest) {
    use.wait = wait;
  } else if (auto wait = dyn_cast<WaitallOp>(op); wait && isArray) {
    if (mpiOp.getParam("array_of_statuses") || mpiOp.getOutcome("array_of_statuses"))
      return describeUse(op) + " returns statuses: pass MPI_STATUSES_IGNORE, or wait for each request";
    std::optional<int64_t> constant = getConstantInteger(mpiOp.getParam("count"));
    if (!constant)
      return describeUse(op) + " waits for a number of requests that is not constant: wait for each request, or for "
                               "MPI_REQUEST_NULL where there is none";
    count = *constant;
    use.wait = wait;
  } else if (isa<CompletionOpInterface>(op)) {
    return describeUse(op) + " completes it only if it can: wait for it with MPI_Wait or MPI_Waitall";
  } else {
    return describeUse(op) + " shares its variable: only MPI_Isend and MPI_Irecv, and waits for them, may";
  }
  use.count = count;
  uses.insert({op, use});
  return "";
}

std::string RequestVariable::findUses() {
  std::string cause;
  walkPointerUses(variable.getResult(), layout, [&](OpOperand &use, std::optional<int64_t> offset) {
    if (isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(use.getOwner()))
      return true;
    cause = offset ? addUse(use, *offset)
                   : "which request of an array is meant depends on a variable: use constant indices, or one loop for "
                     "all requests that the compiler can unroll";
    return cause.empty();
  });
  return cause;
}

//===----------------------------------------------------------------------===//
// Simulation
//===----------------------------------------------------------------------===//

std::string RequestVariable::simulate(const Chain &chain, ArrayRef<Operation *> users) {
  llvm::DenseMap<int64_t, MPIOpInterface> live;
  unsigned at = 0; // of `users`, which are in the order of the chain
  for (unsigned unit = 0; unit < chain.getUnits().size() && at < users.size(); ++unit) {
    if (chain.getUnits()[unit].op != users[at] || chain.getUnits()[unit].isPiece())
      continue;
    Use &use = uses[users[at++]];
    if (use.start) {
      if (!live.insert({use.offset, use.start}).second)
        return describeUse(users[at - 1]) + " starts another request in its place before it is complete";
      continue;
    }
    if (!use.wait) {
      if (!live.empty())
        return describeUse(users[at - 1]) + " may overwrite the request before it is complete";
      continue;
    }
    Completed all{use.wait, {}};
    for (int64_t i = 0; i < use.count; ++i) {
      auto slot = live.find(use.offset + i * handleSize);
      if (slot == live.end())
        return describeUse(use.wait) + " waits for a request that is not started just before it: start and wait belong "
                                       "in one block, not in different branches or iterations";
      all.starts.push_back(slot->second);
      live.erase(slot);
    }
    completed.push_back(all);
  }
  if (at == users.size() && live.empty())
    return "";
  return "its wait is not in the same branch or iteration as its start";
}

/// The users of other chains that run while a request of this one may be in flight: between its first and last user.
static bool isInterrupted(const Chain &chain, ArrayRef<Operation *> users,
                          const llvm::MapVector<const Chain *, SmallVector<Operation *>> &all) {
  int first = chain.findUnit(users.front()), last = chain.findUnit(users.back());
  for (const auto &[other, others] : all)
    for (Operation *user : others)
      if (int unit = chain.findUnit(user); other != &chain && unit >= first && unit <= last)
        return true;
  return false;
}

std::string RequestVariable::analyze(const ScopeTree &scopes) {
  if (std::string cause = findUses(); !cause.empty())
    return cause;
  llvm::MapVector<const Chain *, SmallVector<Operation *>> byChain;
  for (auto &[op, use] : uses) {
    const Chain *chain = scopes.getChainOf(op);
    if (!chain || chain->findUnit(op) < 0)
      return describeUse(op) + " is where the flow of control has no structure (jumps into loops, exceptions)";
    byChain[chain].push_back(op);
  }
  for (auto &[chain, users] : byChain)
    llvm::sort(users, [chain = chain](Operation *a, Operation *b) { return chain->findUnit(a) < chain->findUnit(b); });
  for (auto &[chain, users] : byChain) {
    if (isInterrupted(*chain, users, byChain))
      return "between its start and its wait its variable is used on a branch or in a loop";
    if (std::string cause = simulate(*chain, users); !cause.empty())
      return cause;
  }
  return completed.empty() ? "no wait completes it in this function" : "";
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

/// Why a start is none of those that this pass looks for; "" if it is one of them.
static std::string whyNotOrdinary(MPIOpInterface op) {
  if (op.isOneSided())
    return "nothing moves across an operation on a window, which others may access meanwhile";
  Matching::Kind kind = op.getMatching().kind;
  if (kind == Matching::Kind::Collective)
    return std::string("nonblocking collectives of the program stay where they are: call ") + op.getFunction().name +
           ", which is made nonblocking, and moved";
  if (!isOrdinaryStart(op))
    return "its completion tells more than that its buffer may be used: MPI_Isend and MPI_Irecv can be moved";
  return "";
}

/// Says of what the program started or completes itself why it stays where it is.
class StayRemarks {
public:
  StayRemarks(const llvm::DenseMap<Value, std::string> &causes) : causes(causes) {}

  void explain(Operation *op) {
    if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
      explainOp(mpiOp);
    } else if (isa<LLVM::CallOp, LLVM::InvokeOp>(op)) {
      auto symbol = dyn_cast<SymbolRefAttr>(cast<CallOpInterface>(op).getCallableForCallee());
      const mpi::Function *function = symbol ? mpi::lookupFunction(symbol.getLeafReference()) : nullptr;
      bool hasRequest = function && llvm::any_of(function->params(), [](const mpi::Param &param) {
                          return param.role == mpi::Role::Request;
                        });
      if (hasRequest)
        report(op, function->name,
               "Comm has no operation for it (persistent and partitioned communication, files, requests of the "
               "program's own): nothing moves across it");
      else if (function && function->isOneSided())
        report(op, function->name, "nothing moves across an operation on a window, which others may access meanwhile");
    }
  }

private:
  void report(Operation *op, StringRef name, StringRef cause) {
    remark::missed(
        op->getLoc(),
        remark::RemarkOpts::name("KeptRequest").category("comm-promote-requests").function(getFunctionName(op)))
        << name << " stays where it is: " << cause;
  }

  std::string getCause(Value request) {
    Value base = getBasePointer(request);
    if (auto known = causes.find(base); known != causes.end())
      return known->second;
    if (base.getDefiningOp<LLVM::AllocaOp>())
      return "";
    return "its request is on the heap, in a global or in what a caller passed, where others may complete it: keep it "
           "in "
           "a variable of the function that starts and waits";
  }

  void explainOp(MPIOpInterface op) {
    StringRef name = op.getCalledFunction().name;
    auto completion = dyn_cast<CompletionOpInterface>(op.getOperation());
    if (op.isOneSided() || (op.isAsync() && !whyNotOrdinary(op).empty()))
      return report(op, name, whyNotOrdinary(op));
    SmallVector<Value> requests;
    if (completion)
      llvm::append_range(requests, completion.getRequests());
    else if (op.isAsync() && op.getParam("request"))
      requests.push_back(op.getParam("request"));
    for (Value request : requests) {
      if (!isa<LLVM::LLVMPointerType>(request.getType()))
        continue;
      std::string cause = getCause(request);
      if (cause.empty() && completion)
        cause = "it completes what this function started otherwise than by MPI_Isend and MPI_Irecv";
      if (!cause.empty())
        return report(op, name, cause);
    }
  }

  const llvm::DenseMap<Value, std::string> &causes;
};

void PromoteRequests::runOnOperation() {
  ModuleOp module = getOperation();
  StringRef name = getABIName(abi, module);
  if (name.empty())
    return markAllAnalysesPreserved(); // how large a request is, is not known
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
    llvm::DenseMap<Value, std::string> causes;
    uint64_t size = DataLayout::closest(function).getTypeSize(handle).getFixedValue();
    for (LLVM::AllocaOp variable : variables) {
      // Computed for each: promoting takes operations out of the chains.
      ScopeTree scopes(function.getFunctionBody());
      RequestVariable requests(variable, size);
      std::string cause = requests.analyze(scopes);
      if (!cause.empty()) {
        causes[variable.getResult()] = cause;
        continue;
      }
      for (Completed all : requests.getCompleted()) {
        numPromoted += all.starts.size();
        promote(all);
      }
    }
    StayRemarks remarks(causes);
    function.walk([&](Operation *op) { remarks.explain(op); });
  }
}
