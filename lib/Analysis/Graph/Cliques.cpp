//===- Cliques.cpp - Pairwise adjacent vertices ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Graph/Cliques.h"

#include "Comm/Analysis/Graph/Accesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace comm::graph;

namespace {
/// Matches a nest of loops and conditions around a single statement, and collects the conditions.
class NestReader {
public:
  explicit NestReader(ForallOp outermost) : outermost(outermost), graph(outermost.getOver()[0]) {}

  std::optional<TriangleCount> read() {
    bool isWhole = outermost.getDomain() == Domain::vertices && !outermost.getOrdered() && !outermost.hasFilter() &&
                   !outermost->getParentOfType<ForallOp>();
    if (!isWhole)
      return std::nullopt;
    vertices.push_back(outermost.getElement());
    if (!readBlock(outermost.getBody().front()) || vertices.size() != 3 || !accumulate || !isCount() ||
        !areNeighbors() || !areOrdered())
      return std::nullopt;
    return TriangleCount{accumulate};
  }

private:
  /// Whether the operation only queries vertex numbers and edges, so that it may be removed or run more often.
  static bool isQuestion(Operation &op) {
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults())
      return llvm::all_of(branch->getRegions(),
                          [](Region &region) { return llvm::all_of(region.front().without_terminator(), isQuestion); });
    // A 32-bit number may be too small for a vertex, and stop the program.
    if (auto id = dyn_cast<ToIdOp>(op))
      return id.getType().isInteger(64);
    return op.hasTrait<OpTrait::ConstantLike>() || isa<FromIdOp, HasEdgeOp, arith::CmpIOp, arith::AndIOp>(op);
  }

  bool readBlock(Block &block) {
    Operation *statement = nullptr;
    for (Operation &op : block.without_terminator()) {
      if (isQuestion(op))
        continue;
      if (statement)
        return false;
      statement = &op;
    }
    if (auto branch = dyn_cast_or_null<scf::IfOp>(statement))
      return branch.getElseRegion().empty() && readCondition(branch.getCondition()) &&
             readBlock(branch.getThenRegion().front());
    if (auto loop = dyn_cast_or_null<ForallOp>(statement))
      return readLoop(loop);
    accumulate = dyn_cast_or_null<AccumulateOp>(statement);
    return accumulate != nullptr;
  }

  bool readLoop(ForallOp loop) {
    bool isNeighbors = loop.getDomain() == Domain::out_neighbors || loop.getDomain() == Domain::in_neighbors;
    int center = isNeighbors ? find(loop.getCenter()) : -1;
    if (center < 0 || vertices.size() == 3 || loop.getOver()[0] != graph)
      return false;
    vertices.push_back(loop.getElement());
    addEdge(center, int(vertices.size()) - 1);
    if (loop.hasFilter()) {
      Block &filter = loop.getFilter().front();
      Value condition = cast<YieldOp>(filter.getTerminator()).getCondition();
      filtered[loop.getFilter().getArgument(0)] = int(vertices.size()) - 1;
      if (!llvm::all_of(filter.without_terminator(), isQuestion) || !readCondition(condition))
        return false;
    }
    return readBlock(loop.getBody().front());
  }

  /// Records a condition. Returns false if any part of it is not understood.
  bool readCondition(Value condition) {
    Operation *op = condition.getDefiningOp();
    if (!op)
      return false;
    if (auto both = dyn_cast<arith::AndIOp>(op))
      return readCondition(both.getLhs()) && readCondition(both.getRhs());
    if (auto both = dyn_cast<scf::IfOp>(op)) {
      // `a and b`, where b is evaluated only if a holds.
      if (both.getNumResults() != 1 || !matchPattern(both.elseYield().getOperand(0), m_Zero()))
        return false;
      return readCondition(both.getCondition()) && readCondition(both.thenYield().getOperand(0));
    }
    if (auto edge = dyn_cast<HasEdgeOp>(op)) {
      int source = find(edge.getSource()), target = find(edge.getTarget());
      if (source < 0 || target < 0 || source == target || edge.getGraph() != graph)
        return false;
      addEdge(source, target);
      return true;
    }
    auto compare = dyn_cast<arith::CmpIOp>(op);
    if (!compare)
      return false;
    int less = findNumbered(compare.getLhs()), greater = findNumbered(compare.getRhs());
    if (compare.getPredicate() == arith::CmpIPredicate::sgt)
      std::swap(less, greater);
    else if (compare.getPredicate() != arith::CmpIPredicate::slt)
      return false;
    if (less < 0 || greater < 0 || less == greater)
      return false;
    isLess[less][greater] = true;
    return true;
  }

  int find(Value vertex) const {
    vertex = stripConversions(vertex);
    if (auto found = filtered.find(vertex); found != filtered.end())
      return found->second;
    auto found = llvm::find(vertices, vertex);
    return found == vertices.end() ? -1 : int(found - vertices.begin());
  }
  int findNumbered(Value number) const {
    auto id = number.getDefiningOp<ToIdOp>();
    return id && isa<VertexType>(id.getElement().getType()) ? find(id.getElement()) : -1;
  }
  void addEdge(int a, int b) { hasEdge[a][b] = hasEdge[b][a] = true; }

  bool areNeighbors() const { return hasEdge[0][1] && hasEdge[0][2] && hasEdge[1][2]; }
  /// Whether the comparisons allow exactly one order of the three.
  bool areOrdered() const {
    bool reaches[3][3];
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        reaches[a][b] = a != b && (isLess[a][b] || (isLess[a][3 - a - b] && isLess[3 - a - b][b]));
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < a; ++b)
        if (reaches[a][b] == reaches[b][a])
          return false;
    return true;
  }
  /// `count += 1`, for a variable outside of the loop. Other sums could overflow in another order.
  bool isCount() {
    Type type = accumulate.getValue().getType();
    return accumulate.getKind() == ReductionKind::sum && accumulate.getCompanions().empty() &&
           (type.isInteger(32) || type.isInteger(64)) &&
           cast<CellType>(accumulate.getCell().getType()).getValueType() == type &&
           matchPattern(accumulate.getValue(), m_One()) &&
           !outermost->isAncestor(accumulate.getCell().getParentRegion()->getParentOp());
  }

  ForallOp outermost;
  Value graph;
  SmallVector<Value, 3> vertices;
  /// The values of elements in filters, which differ from those in bodies.
  llvm::DenseMap<Value, int> filtered;
  AccumulateOp accumulate;
  bool hasEdge[3][3] = {}, isLess[3][3] = {};
};
} // namespace

std::optional<TriangleCount> comm::graph::getTriangleCount(ForallOp vertices) { return NestReader(vertices).read(); }
