//===- PrintScopes.cpp - Print chains and dependences ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "Comm/Analysis/Order/Dependence.h"
#include "Comm/Analysis/Order/ScopeTree.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace comm;

namespace {
/// Prints each chain's units, and with `dependences` the reason why each pair must keep its order. A unit's name is its
/// attribute `tag` if it has one.
struct PrintScopes : public PassWrapper<PrintScopes, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintScopes)
  PrintScopes() = default;
  PrintScopes(const PrintScopes &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-comm-scopes"; }
  StringRef getDescription() const final { return "Print the chains of each function and their dependences"; }
  void runOnOperation() final;
  void print(const Chain &chain, MemoryOracle *oracle);

  Option<bool> dependences{*this, "dependences", llvm::cl::desc("print dependences too"), llvm::cl::init(false)};
};
} // namespace

static std::string nameUnit(const Unit &unit, unsigned index) {
  if (auto tag = unit.op->getAttrOfType<StringAttr>("tag"))
    return tag.str();
  return std::to_string(index);
}

void PrintScopes::print(const Chain &chain, MemoryOracle *oracle) {
  llvm::outs() << "  chain of " << chain.getBlocks().size() << " blocks\n";
  for (auto [i, unit] : llvm::enumerate(chain.getUnits())) {
    llvm::outs() << "    " << nameUnit(unit, i) << ": " << unit.op->getName();
    if (unit.isPiece())
      llvm::outs() << " and " << unit.interior.size() << " blocks";
    if (unit.isLoop)
      llvm::outs() << ", loop";
    if (unit.leavesAbnormally())
      llvm::outs() << ", leaves";
    llvm::outs() << "\n";
  }
  if (!oracle)
    return;
  Dependence dependence(chain, *oracle, DependenceOptions());
  for (unsigned v = 0; v < chain.getUnits().size(); ++v)
    for (unsigned u = 0; u < v; ++u)
      if (Reason reason = dependence.getReason(u, v); reason != Reason::None)
        llvm::outs() << "    " << nameUnit(chain.getUnits()[u], u) << " -> " << nameUnit(chain.getUnits()[v], v) << ": "
                     << comm::describe(reason) << "\n";
}

void PrintScopes::runOnOperation() {
  std::unique_ptr<MemoryOracle> oracle;
  if (dependences)
    oracle = MemoryOracle::create(getOperation());
  for (auto function : getOperation().getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    llvm::outs() << "function " << function.getName() << "\n";
    ScopeTree scopes(function.getFunctionBody());
    for (const std::unique_ptr<Chain> &chain : scopes.getChains())
      print(*chain, oracle.get());
  }
}

void comm::test::registerTestPasses() {
  PassRegistration<PrintScopes>();
  registerFootprintPasses();
  registerGraphPasses();
  registerRequestPasses();
}
