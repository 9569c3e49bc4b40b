//===- PrintGraphAnalyses.cpp - Print analyses of graph programs ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "Comm/Analysis/Graph/Relaxations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace comm::graph;

namespace {
/// A pass for each analysis, which prints its results for each function.
template <typename Derived> struct PrintPass : public PassWrapper<Derived, OperationPass<func::FuncOp>> {
  void runOnOperation() final {
    llvm::outs() << "function " << this->getOperation().getName() << "\n";
    print(this->getOperation());
  }
  virtual void print(func::FuncOp function) = 0;
};
} // namespace

static void printNames(StringRef title, const llvm::SetVector<Value> &objects) {
  if (objects.empty())
    return;
  llvm::outs() << " " << title << "(";
  llvm::interleaveComma(objects, llvm::outs(), [](Value object) { llvm::outs() << getObjectName(object); });
  llvm::outs() << ")";
}

/// `graph.forall@12`: the operation and its line.
static void printStatement(Operation *op) {
  llvm::outs() << op->getName();
  if (auto loc = dyn_cast<FileLineColLoc>(op->getLoc()))
    llvm::outs() << "@" << loc.getLine();
}

namespace {
struct PrintExclusive : public PrintPass<PrintExclusive> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintExclusive)
  StringRef getArgument() const final { return "test-graph-exclusive"; }
  StringRef getDescription() const final { return "Print reduction-exclusive statements and what is safe to cache"; }
  void print(func::FuncOp function) final {
    function.walk<WalkOrder::PreOrder>([](Operation *op) {
      std::optional<Exclusive> exclusive =
          op->getNumRegions() && !isa<func::FuncOp>(op) ? getExclusive(op) : std::nullopt;
      if (!exclusive)
        return;
      llvm::outs() << "  ";
      printStatement(op);
      printNames("elements", exclusive->elements);
      printNames("cache", getCacheSafe(op));
      llvm::outs() << "\n";
      // Lemma 1: statements inside that lead to the reduction are exclusive as well.
      op->walk([&](Operation *inner) {
        if (inner->getNumRegions() && inner->isAncestor(exclusive->reduction) && !getExclusive(inner))
          inner->emitError("contradicts lemma 1");
      });
    });
  }
};

struct PrintCacheSafe : public PrintPass<PrintCacheSafe> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintCacheSafe)
  StringRef getArgument() const final { return "test-graph-cache-safe"; }
  StringRef getDescription() const final { return "Print which properties loops read and may keep"; }
  void print(func::FuncOp function) final {
    function.walk<WalkOrder::PreOrder>([](ForallOp loop) {
      llvm::outs() << "  ";
      printStatement(loop);
      printNames("keeps", getCacheSafe(loop));
      llvm::outs() << "\n";
    });
  }
};

struct PrintRelaxations : public PrintPass<PrintRelaxations> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintRelaxations)
  StringRef getArgument() const final { return "test-graph-relaxations"; }
  StringRef getDescription() const final { return "Print which fixed points can run in any order, or why not"; }
  void print(func::FuncOp function) final {
    function.walk([](FixedPointOp op) {
      std::string reason;
      std::optional<Relaxation> found = getRelaxation(op, reason);
      llvm::outs() << "  ";
      printStatement(op);
      if (!found) {
        llvm::outs() << ": " << reason << "\n";
        return;
      }
      llvm::outs() << ": any order of " << getObjectName(found->property)
                   << (found->edgeStep      ? ", adds a value of the edge"
                       : found->uniformStep ? ", adds the same"
                                            : "")
                   << (found->isUniform ? ", tells all the same" : "") << (found->hasTies ? ", companions differ" : "")
                   << "\n";
    });
  }
};

struct PrintPulses : public PrintPass<PrintPulses> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintPulses)
  StringRef getArgument() const final { return "test-graph-pulses"; }
  StringRef getDescription() const final { return "Print pulses, and what they exchange"; }
  void print(func::FuncOp function) final {
    function.walk<WalkOrder::PreOrder>([](Block *block) {
      for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
        if (auto loop = dyn_cast<ForallOp>(op); loop && !loop.getOrdered())
          return;
      for (const Pulse &pulse : getPulses(*block)) {
        llvm::outs() << "  pulse";
        for (Operation *op : pulse.operations) {
          llvm::outs() << " ";
          printStatement(op);
        }
        printNames("reads", pulse.remoteReads);
        printNames("updates", pulse.remoteUpdates);
        printNames("combines", pulse.combined);
        printNames("local", pulse.local);
        llvm::outs() << "\n";
      }
    });
  }
};

struct PrintMonotonic : public PrintPass<PrintMonotonic> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintMonotonic)
  StringRef getArgument() const final { return "test-graph-monotonic"; }
  StringRef getDescription() const final { return "Print how reductions grow with their property"; }
  void print(func::FuncOp function) final {
    static const char *const names[] = {"not monotonic", "constant", "copied", "shifted"};
    function.walk([](ReduceOp reduce) {
      llvm::outs() << "  " << stringifyReductionKind(reduce.getKind()) << " of " << getObjectName(reduce.getProperty())
                   << ": " << names[unsigned(getGrowth(reduce))] << "\n";
    });
  }
};

struct PrintNeighborEdges : public PrintPass<PrintNeighborEdges> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintNeighborEdges)
  StringRef getArgument() const final { return "test-graph-neighborhoods"; }
  StringRef getDescription() const final { return "Print searches for edges that a loop has already"; }
  void print(func::FuncOp function) final {
    for (const NeighborEdge &each : getNeighborEdges(function)) {
      llvm::outs() << "  ";
      printStatement(each.search);
      llvm::outs() << " is the edge of ";
      printStatement(each.loop);
      llvm::outs() << "\n";
    }
  }
};

struct PrintLocality : public PrintPass<PrintLocality> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintLocality)
  StringRef getArgument() const final { return "test-graph-locality"; }
  StringRef getDescription() const final {
    return "Print which accesses are of the own vertex, and which may be remote";
  }
  void print(func::FuncOp function) final {
    static const char *const kinds[] = {"read", "write", "reduce"};
    static const char *const places[] = {"own", "own-in", "child", "center", "other"};
    function.walk<WalkOrder::PreOrder>([](ForallOp loop) {
      if (loop.getOrdered())
        return;
      llvm::outs() << "  ";
      printStatement(loop);
      llvm::outs() << ":";
      for (const PlacedAccess &each : getAccesses(loop))
        if (isa<PropertyType>(each.access.object.getType()))
          llvm::outs() << " " << kinds[unsigned(each.access.kind)] << "(" << getObjectName(each.access.object) << ", "
                       << places[unsigned(each.place)] << (isLocal(each) ? ", local)" : ")");
      llvm::outs() << "\n";
    });
  }
};
} // namespace

void comm::test::registerGraphPasses() {
  PassRegistration<PrintExclusive>();
  PassRegistration<PrintCacheSafe>();
  PassRegistration<PrintRelaxations>();
  PassRegistration<PrintPulses>();
  PassRegistration<PrintMonotonic>();
  PassRegistration<PrintNeighborEdges>();
  PassRegistration<PrintLocality>();
}
