//===- PrintFootprints.cpp - Print footprints and compare them -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace comm;

namespace {
/// Prints the footprints of units that have the attribute `tag`, when each pair of them is independent, and the
/// iterations of a loop that may access memory of an earlier unit. Values are named by their tags, or as arguments.
struct PrintFootprints : public PassWrapper<PrintFootprints, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintFootprints)
  PrintFootprints() = default;
  PrintFootprints(const PrintFootprints &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-comm-footprints"; }
  StringRef getDescription() const final { return "Print footprints of tagged units and compare them"; }
  void getDependentDialects(DialectRegistry &) const final {}
  void runOnOperation() final;

private:
  struct Tagged {
    std::string name;
    Footprint footprint;
    FootprintAnalysis::Iterations iterations;
    Operation *op;
  };
  void print(ArrayRef<Tagged> units);
  void printTouching(const Tagged &loop, const Tagged &other);

  Option<bool> guards{*this, "guards", llvm::cl::desc("make code of conditions, before the second unit"),
                      llvm::cl::init(false)};
};
} // namespace

static std::string nameValue(Value value) {
  if (Operation *op = value.getDefiningOp())
    if (auto tag = op->getAttrOfType<StringAttr>("tag"))
      return "%" + tag.str();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return (argument.getOwner()->isEntryBlock() ? "%arg" : "%phi") + std::to_string(argument.getArgNumber());
  return "%" + value.getDefiningOp()->getName().stripDialect().str();
}

void PrintFootprints::printTouching(const Tagged &loop, const Tagged &other) {
  for (const Piece &piece : loop.iterations.footprint.pieces)
    for (const Piece &met : other.footprint.pieces) {
      if (!(piece.base == met.base) || met.isWhole || met.indices || !(piece.writes || met.writes))
        continue;
      TouchingIterations touching =
          findTouching(piece, /*loop=*/0, loop.iterations.count, met.getBegin(), met.getEnd());
      if (touching.valid.isFalse())
        continue;
      llvm::outs() << "  iterations of " << loop.name << " that meet " << other.name << ": [";
      touching.range.begin.print(llvm::outs(), nameValue);
      llvm::outs() << ", ";
      touching.range.end.print(llvm::outs(), nameValue);
      llvm::outs() << ") if ";
      touching.valid.print(llvm::outs(), nameValue);
      llvm::outs() << "\n";
    }
}

void PrintFootprints::print(ArrayRef<Tagged> units) {
  for (const Tagged &unit : units) {
    llvm::outs() << " " << unit.name << "\n";
    unit.footprint.print(llvm::outs(), nameValue);
    if (!unit.iterations.isLoop)
      continue;
    llvm::outs() << "  each of ";
    unit.iterations.count.print(llvm::outs(), nameValue);
    llvm::outs() << " iterations\n";
    unit.iterations.footprint.print(llvm::outs(), nameValue);
  }
  for (const auto &[i, first] : llvm::enumerate(units))
    for (const Tagged &second : units.drop_front(i + 1)) {
      Predicate independent = areIndependent(first.footprint, second.footprint, areDifferentObjects);
      llvm::outs() << " " << first.name << ", " << second.name << ": ";
      llvm::outs() << (independent.isTrue() ? "disjoint" : independent.isFalse() ? "overlap" : "disjoint if ");
      if (!independent.isTrue() && !independent.isFalse())
        independent.print(llvm::outs(), nameValue);
      llvm::outs() << "\n";
      if (second.iterations.isLoop)
        printTouching(second, first);
      if (!guards)
        continue;
      OpBuilder builder(first.op);
      if (Value condition = independent.materialize(builder, first.op->getLoc()))
        condition.getDefiningOp()->setAttr("guard", builder.getStringAttr(first.name + "," + second.name));
    }
}

void PrintFootprints::runOnOperation() {
  std::unique_ptr<FootprintAnalysis> analysis = FootprintAnalysis::create(getOperation());
  if (!analysis) {
    getOperation().emitError("the module cannot be translated to LLVM IR");
    return signalPassFailure();
  }
  SmallVector<std::pair<std::string, std::vector<Tagged>>> functions;
  for (auto function : getOperation().getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    auto &[name, tagged] = functions.emplace_back();
    name = function.getName();
    ScopeTree scopes(function.getFunctionBody());
    for (const std::unique_ptr<Chain> &chain : scopes.getChains())
      for (const Unit &unit : chain->getUnits())
        if (auto tag = unit.op->getAttrOfType<StringAttr>("tag");
            tag && (unit.isPiece() || !unit.op->getNumResults() || !tag.getValue().starts_with("value")))
          tagged.push_back({tag.str(), analysis->getFootprint(unit), analysis->getIterations(unit), unit.op});
  }
  for (const auto &[name, tagged] : functions) {
    llvm::outs() << "function " << name << "\n";
    print(tagged);
  }
}

void comm::test::registerFootprintPasses() { PassRegistration<PrintFootprints>(); }
