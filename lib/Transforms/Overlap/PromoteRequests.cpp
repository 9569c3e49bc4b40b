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

#include "Comm/Dialect/Comm/Utils/Interval.h"

#include "Comm/Analysis/Phases/RequestMemory.h"
#include "Comm/Analysis/Order/ScopeTree.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
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

  /// Finds what each wait completes; false if anything else may look at the requests.
  bool analyze(const ScopeTree &scopes);
  ArrayRef<Completed> getCompleted() const { return completed; }

private:
  /// One operation that uses the variable. Bytes from its beginning.
  struct Use {
    MPIOpInterface start; ///< it starts a request
    CompletionOpInterface wait;
    int64_t offset = 0;
    int64_t count = 0; ///< of the requests it waits for
  };
  bool findUses();
  bool addUse(OpOperand &use, int64_t offset);
  std::optional<int64_t> getOffset(LLVM::GEPOp gep) const;
  bool simulate(const Chain &chain, ArrayRef<Operation *> users);

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

/// Bytes that a getelementptr with constant indices adds.
std::optional<int64_t> RequestVariable::getOffset(LLVM::GEPOp gep) const {
  Type type = gep.getElemType();
  int64_t offset = 0;
  for (auto [i, index] : llvm::enumerate(gep.getIndices())) {
    APInt constant;
    if (auto attribute = dyn_cast<IntegerAttr>(index))
      constant = attribute.getValue();
    else if (!matchPattern(cast<Value>(index), m_ConstantInt(&constant)))
      return std::nullopt;
    if (i > 0) {
      auto array = dyn_cast<LLVM::LLVMArrayType>(type);
      if (!array)
        return std::nullopt;
      type = array.getElementType();
    }
    offset += constant.getSExtValue() * static_cast<int64_t>(layout.getTypeSize(type).getFixedValue());
  }
  return offset;
}

bool RequestVariable::addUse(OpOperand &operand, int64_t offset) {
  Operation *op = operand.getOwner();
  if (uses.contains(op))
    return false; // a pointer to a request as another argument, too
  Use use;
  use.offset = offset;
  auto mpiOp = dyn_cast<MPIOpInterface>(op);
  if (!mpiOp) {
    uses.insert({op, use});
    return looksAtNoRequest(operand);
  }
  if (isErrorUsed(mpiOp))
    return false;
  APInt count(32, 1);
  if (isOrdinaryStart(mpiOp) && mpiOp.getParam("request") == operand.get()) {
    use.start = mpiOp;
  } else if (auto wait = dyn_cast<WaitOp>(op); wait && mpiOp.getParam("request") == operand.get()) {
    use.wait = wait;
  } else if (auto wait = dyn_cast<WaitallOp>(op); wait && mpiOp.getParam("array_of_requests") == operand.get()) {
    if (mpiOp.getParam("array_of_statuses") || mpiOp.getOutcome("array_of_statuses") ||
        !matchPattern(mpiOp.getParam("count"), m_ConstantInt(&count)))
      return false;
    use.wait = wait;
  } else {
    return false;
  }
  use.count = count.getSExtValue();
  uses.insert({op, use});
  // Another parameter may be the same pointer.
  return llvm::count(op->getOperands(), operand.get()) == 1;
}

bool RequestVariable::findUses() {
  SmallVector<std::pair<Value, int64_t>> pointers{{variable.getResult(), 0}};
  while (!pointers.empty()) {
    auto [pointer, offset] = pointers.pop_back_val();
    for (OpOperand &use : pointer.getUses()) {
      if (auto gep = dyn_cast<LLVM::GEPOp>(use.getOwner()); gep && gep.getBase() == use.get()) {
        std::optional<int64_t> more = getOffset(gep);
        if (!more)
          return false;
        pointers.push_back({gep.getResult(), offset + *more});
      } else if (isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(use.getOwner())) {
        continue;
      } else if (!addUse(use, offset)) {
        return false;
      }
    }
  }
  return true;
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
        return false; // the request that was there is lost
      continue;
    }
    if (!use.wait) {
      if (!live.empty())
        return false; // overwritten
      continue;
    }
    Completed all{use.wait, {}};
    for (int64_t i = 0; i < use.count; ++i) {
      auto slot = live.find(use.offset + i * handleSize);
      if (slot == live.end())
        return false;
      all.starts.push_back(slot->second);
      live.erase(slot);
    }
    completed.push_back(all);
  }
  return at == users.size() && live.empty();
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

bool RequestVariable::analyze(const ScopeTree &scopes) {
  if (!findUses())
    return false;
  llvm::MapVector<const Chain *, SmallVector<Operation *>> byChain;
  for (auto &[op, use] : uses) {
    const Chain *chain = scopes.getChainOf(op);
    if (!chain || chain->findUnit(op) < 0)
      return false;
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
      Value pointer = op.getParam("request");
      while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
        pointer = gep.getBase();
      if (auto variable = pointer.getDefiningOp<LLVM::AllocaOp>())
        variables.insert(variable);
    });
    if (variables.empty())
      continue;
    uint64_t size = DataLayout::closest(function).getTypeSize(handle).getFixedValue();
    for (LLVM::AllocaOp variable : variables) {
      // Anew for each: promoting takes operations out of the chains.
      ScopeTree scopes(function.getFunctionBody());
      RequestVariable requests(variable, size);
      if (!requests.analyze(scopes))
        continue;
      for (Completed all : requests.getCompleted()) {
        numPromoted += all.starts.size();
        promote(all);
      }
    }
  }
}
