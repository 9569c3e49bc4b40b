//===- ShareTerms.cpp - Share terms between a vertex's edges --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Transforms/Graph/Passes.h"

#include "Remarks.h"

#include "Comm/Analysis/Graph/Gathers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace comm {
#define GEN_PASS_DEF_GRAPHSHARETERMS
#include "Comm/Transforms/Graph/Passes.h.inc"
} // namespace comm

using namespace mlir;
using namespace comm::graph;

namespace {
struct ShareTerms : public comm::impl::GraphShareTermsBase<ShareTerms> {
  void runOnOperation() override {
    SmallVector<ForallOp> loops;
    getOperation()->walk([&](ForallOp loop) { loops.push_back(loop); });
    for (ForallOp loop : loops) {
      llvm::DenseSet<Operation *> having;
      for (const SharedTerm &term : getSharedTerms(loop)) {
        having.insert(term.neighbors);
        tell(*this, term.term.getDefiningOp(), "computed once for each vertex, before the loop");
        share(term);
      }
      tellOthers(loop, having);
    }
  }

private:
  void tellOthers(ForallOp loop, const llvm::DenseSet<Operation *> &having) {
    if (loop.getDomain() != Domain::vertices || loop->getParentOfType<ForallOp>())
      return;
    loop.getBody().walk([&](ForallOp neighbors) {
      if (!neighbors.getCenter() || having.contains(neighbors))
        return;
      tellNot(*this, neighbors,
              loop.hasFilter() || loop.getOrdered()
                  ? "nothing is shared among edges: the loop around it does not visit all vertices in any order"
                  : "nothing is shared among edges: no term that depends only on the neighbor and cannot stop the "
                    "program has more than one read or a division");
    });
  }

  /// Computes the term into a property by a separate loop just before.
  void share(SharedTerm term) {
    ForallOp loop = term.vertices;
    auto function = loop->getParentOfType<func::FuncOp>();
    Value graph = loop.getOver()[0];
    // Use one property for all runs of the loop.
    OpBuilder builder(loop);
    if (auto argument = dyn_cast<BlockArgument>(graph);
        argument && function && argument.getOwner() == &function.front())
      builder.setInsertionPointToStart(&function.front());
    auto type = PropertyType::get(&getContext(), Element::vertex, term.term.getType());
    auto property = PropertyOp::create(builder, loop.getLoc(), type, graph, StringAttr());
    builder.setInsertionPoint(loop);
    auto fill = ForallOp::create(builder, term.term.getLoc(), Domain::vertices, /*ordered=*/false, graph,
                                 /*hasFilter=*/false);
    builder.setInsertionPointToStart(&fill.getBody().front());
    IRMapping mapping;
    mapping.map(term.neighbors.getElement(), fill.getElement());
    Value value = clone(builder, term.term, term.neighbors, mapping);
    StoreOp::create(builder, term.term.getLoc(), value, property, fill.getElement());
    builder.setInsertionPointAfterValue(term.term);
    Value load =
        LoadOp::create(builder, term.term.getLoc(), term.term.getType(), property, term.neighbors.getElement());
    term.term.replaceAllUsesWith(load);
    eraseDead(term.term.getDefiningOp());
    ++numShared;
  }

  /// Erases dead operations, which would prevent the loop from being a gather.
  static void eraseDead(Operation *op) {
    if (!op || !isOpTriviallyDead(op))
      return;
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    for (Value operand : operands)
      eraseDead(operand.getDefiningOp());
  }

  Value clone(OpBuilder &builder, Value value, ForallOp neighbors, IRMapping &mapping) {
    Operation *op = value.getDefiningOp();
    if (mapping.contains(value) || !op || !neighbors->isAncestor(op))
      return mapping.lookupOrDefault(value);
    for (Value operand : op->getOperands())
      clone(builder, operand, neighbors, mapping);
    return builder.clone(*op, mapping)->getResult(0);
  }
};
} // namespace
