//===- RankDependence.cpp - Rank-dependent code ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankDependence.h"

#include "Comm/Analysis/Order/PostDominance.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace comm;

/// Limits the values visited by the search for a rank.
constexpr size_t maxValues = 4000;

RankDependence::RankDependence(ModuleOp module, StringRef number) : number(number) {
  module.walk([&](MPIOpInterface op) {
    Value rank = op.getParam(number);
    if (!rank || !isa<LLVM::LLVMPointerType>(rank.getType()))
      return;
    Value variable = getBasePointer(rank);
    if (auto address = variable.getDefiningOp<LLVM::AddressOfOp>())
      globals.insert(address.getGlobalName());
    else
      variables.insert(variable);
  });
}

bool RankDependence::dependsOnRank(Value value) {
  llvm::SmallSetVector<Value, 16> values;
  values.insert(value);
  for (size_t i = 0; i < values.size() && i < maxValues; ++i) {
    Value each = values[i];
    if (auto argument = dyn_cast<BlockArgument>(each)) {
      Block *block = argument.getOwner();
      for (auto it = block->pred_begin(); it != block->pred_end(); ++it)
        if (auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator()))
          if (Value incoming = branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()])
            values.insert(incoming);
      continue;
    }
    Operation *definition = each.getDefiningOp();
    if (auto mpiOp = dyn_cast<MPIOpInterface>(definition)) {
      if (mpiOp.getOutcome(number) == each)
        return true;
      continue;
    }
    if (auto load = dyn_cast<LLVM::LoadOp>(definition)) {
      Value variable = getBasePointer(load.getAddr());
      auto address = variable.getDefiningOp<LLVM::AddressOfOp>();
      if (variables.contains(variable) || (address && globals.contains(address.getGlobalName())))
        return true;
      for (Operation *user : variable.getUsers())
        if (auto store = dyn_cast<LLVM::StoreOp>(user); store && store.getAddr() == variable)
          values.insert(store.getValue());
      continue;
    }
    for (Value operand : definition->getOperands())
      values.insert(operand);
  }
  return false;
}

bool RankDependence::dependsOnRank(Operation *branch) {
  // Only the operand that selects the successor matters, not the values passed to it.
  return llvm::any_of(branch->getOperands(), [&](Value operand) {
    return (operand.getType().isIntOrIndex()) &&
           (!isa<BranchOpInterface>(branch) || operand == branch->getOperand(0)) && dependsOnRank(operand);
  });
}

Operation *RankDependence::findBranch(Operation *op) {
  for (Operation *inner = op; inner && !isa<FunctionOpInterface>(inner); inner = inner->getParentOp()) {
    Region *region = inner->getParentRegion();
    if (inner != op && dependsOnRank(inner))
      return inner;
    if (region->hasOneBlock())
      continue;
    // Find the blocks whose branches decide whether this one runs, transitively (Ferrante, Ottenstein and Warren, "The
    // Program Dependence Graph and Its Use in Optimization", 1987).
    PostDominance postDominance(*region);
    llvm::SmallSetVector<Block *, 8> dependent;
    dependent.insert(inner->getBlock());
    for (size_t i = 0; i < dependent.size(); ++i)
      for (Block &decides : *region) {
        if (decides.getNumSuccessors() < 2 || !postDominance.canReturn(&decides))
          continue;
        Block *end = postDominance.getImmediate(&decides);
        for (Block *successor : decides.getSuccessors())
          for (Block *runner = successor; runner && runner != end && postDominance.canReturn(runner);
               runner = postDominance.getImmediate(runner))
            if (runner == dependent[i]) {
              if (dependsOnRank(decides.getTerminator()))
                return decides.getTerminator();
              dependent.insert(&decides);
            }
      }
  }
  return nullptr;
}
