//===- MemRefFootprints.cpp - Elements that units touch -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/MemRefFootprints.h"

#include "MemRefIndices.h"

#include "Comm/Analysis/Memory/MemoryOracle.h"
#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace comm;

namespace {
/// Collects what one unit touches.
class BoxReader {
public:
  explicit BoxReader(const Unit &unit) : unit(unit), indices(unit) {}
  Boxes read();

private:
  void read(Operation *op);
  void read(MPIOpInterface op);
  void addElement(Operation *op, Value memref, ArrayRef<IndexExpr> position, bool writes);
  void addAll(Operation *op, Value memref, bool writes, bool isObject);
  void add(Operation *op, Value memref, std::optional<SmallVector<IndexSpan>> spans, bool writes);

  const Unit &unit;
  IndexTranslator indices;
  Boxes result;
};
} // namespace

/// Converts indices of a view to indices of its source.
static std::optional<SmallVector<IndexSpan>> getSourceSpans(memref::SubViewOp view, IndexTranslator &indices,
                                                            const std::optional<SmallVector<IndexSpan>> &spans) {
  SmallVector<IndexSpan> result;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  unsigned next = 0;
  auto offsets = view.getMixedOffsets(), sizes = view.getMixedSizes(), strides = view.getMixedStrides();
  for (unsigned dim = 0; dim < offsets.size(); ++dim) {
    IndexExpr offset = indices.translate(offsets[dim]), size = indices.translate(sizes[dim]);
    std::optional<int64_t> stride = getConstantIntValue(strides[dim]);
    // The whole view if its own indices are unknown.
    IndexSpan inView{IndexExpr::constant(0), IndexExpr::inView(size, IndexExpr::constant(1), -1)};
    bool isKept = !dropped.test(dim);
    if (isKept && spans && !(*spans)[next].first.expr.isUnknown() && !(*spans)[next].last.expr.isUnknown())
      inView = (*spans)[next];
    next += isKept;
    if (!stride || *stride < 1) {
      result.emplace_back();
      continue;
    }
    result.push_back(
        {IndexExpr::inView(offset, inView.first, *stride), IndexExpr::inView(offset, inView.last, *stride)});
  }
  return result;
}

/// Follows views back to the underlying memref.
void BoxReader::add(Operation *op, Value memref, std::optional<SmallVector<IndexSpan>> spans, bool writes) {
  Box box;
  box.writes = writes;
  while (Operation *definition = memref.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(definition);
    if (!view || view.getViewDest() != memref)
      break;
    auto subview = dyn_cast<memref::SubViewOp>(definition);
    auto cast = dyn_cast<memref::CastOp>(definition);
    if (subview && !box.isWhole)
      spans = getSourceSpans(subview, indices, spans);
    else
      box.isWhole |= !cast || !isa<MemRefType>(cast.getSource().getType());
    memref = view.getViewSource();
  }
  box.root = memref;
  if (!indices.isBefore(memref)) {
    result.isUnknown = true;
    return;
  }
  // In other layouts, elements may overlap.
  auto type = dyn_cast<MemRefType>(memref.getType());
  box.isWhole |=
      !type || !type.getLayout().isIdentity() || !spans || spans->size() != static_cast<size_t>(type.getRank());
  if (!box.isWhole)
    for (const IndexSpan &span : *spans)
      box.dims.push_back(indices.spread(span, op));
  result.boxes.push_back(box);
}

void BoxReader::addElement(Operation *op, Value memref, ArrayRef<IndexExpr> position, bool writes) {
  SmallVector<IndexSpan> spans;
  for (const IndexExpr &index : position)
    spans.push_back({index, index});
  add(op, memref, spans, writes);
}

/// Adds all elements of a view, or its whole object.
void BoxReader::addAll(Operation *op, Value memref, bool writes, bool isObject) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (isObject || !type)
    return add(op, memref, std::nullopt, writes);
  add(op, memref, SmallVector<IndexSpan>(type.getRank()), writes);
}

void BoxReader::read(MPIOpInterface op) {
  CommAccesses all = getCommAccesses(op);
  result.isUnknown |= all.isUnknown || op->hasAttr(kFollowedAttrName);
  for (const BufferAccess &access : all.accesses)
    if (getConstantName(access.buffer).empty() && !isa<RequestType>(access.buffer.getType()))
      addAll(op, access.buffer, access.writes, access.extent != BufferAccess::Extent::MemRef);
}

void BoxReader::read(Operation *op) {
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op))
    return read(mpiOp);
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (isa<CallOpInterface>(op) || !interface) {
    bool isKnown = !isa<CallOpInterface>(op) &&
                   (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || op->hasTrait<OpTrait::IsTerminator>());
    result.isUnknown |= !isKnown;
    return;
  }
  SmallVector<IndexExpr> position;
  bool isElement = true;
  if (isa<memref::LoadOp, memref::StoreOp>(op)) {
    auto values =
        isa<memref::LoadOp>(op) ? cast<memref::LoadOp>(op).getIndices() : cast<memref::StoreOp>(op).getIndices();
    for (Value index : values)
      position.push_back(indices.translate(index));
  } else if (isa<affine::AffineLoadOp, affine::AffineStoreOp>(op)) {
    bool isLoad = isa<affine::AffineLoadOp>(op);
    AffineMap map =
        isLoad ? cast<affine::AffineLoadOp>(op).getAffineMap() : cast<affine::AffineStoreOp>(op).getAffineMap();
    auto operands =
        isLoad ? cast<affine::AffineLoadOp>(op).getMapOperands() : cast<affine::AffineStoreOp>(op).getMapOperands();
    for (AffineExpr expr : map.getResults())
      position.push_back(indices.translate(expr, map.getNumDims(), operands));
  } else {
    isElement = false;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      continue; // it is not shared yet
    bool writes = !isa<MemoryEffects::Read>(effect.getEffect());
    if (!effect.getValue())
      result.isUnknown = true;
    else if (isElement)
      addElement(op, effect.getValue(), position, writes);
    else
      addAll(op, effect.getValue(), writes, /*isObject=*/isa<MemoryEffects::Free>(effect.getEffect()));
  }
}

Boxes BoxReader::read() {
  unit.walk([&](Operation *op) { read(op); });
  return std::move(result);
}

Boxes MemRefFootprints::getBoxes(const Unit &unit) { return BoxReader(unit).read(); }

/// The condition under which one range ends before the other begins. Never if only an empty range could satisfy it.
static Predicate endsBefore(const IndexRange &a, const IndexRange &b) {
  if ((a.first - b.first).isNonNegative())
    return Predicate::never();
  return Predicate::lessOrEqual(a.last + Expr(1), b.first);
}

/// Boxes of one memref are disjoint if their index ranges are disjoint in some dimension.
static Predicate areApart(const Box &a, const Box &b) {
  Predicate result = Predicate::never();
  for (auto [x, y] : llvm::zip_equal(a.dims, b.dims)) {
    if (x.first.isUnknown() || x.last.isUnknown() || y.first.isUnknown() || y.last.isUnknown())
      continue;
    result = result || endsBefore(x, y) || endsBefore(y, x);
    if (result.isTrue())
      break;
  }
  return result;
}

Predicate MemRefFootprints::areIndependent(const Boxes &a, const Boxes &b) {
  if ((a.isUnknown && !b.boxes.empty()) || (b.isUnknown && !a.boxes.empty()) || (a.isUnknown && b.isUnknown))
    return Predicate::never();
  Predicate result = Predicate::always();
  for (const Box &x : a.boxes)
    for (const Box &y : b.boxes) {
      if ((!x.writes && !y.writes) || objects.areApart(x.root, y.root))
        continue;
      if (x.root != y.root || x.isWhole || y.isWhole)
        return Predicate::never();
      result = result && areApart(x, y);
      if (result.isFalse())
        return result;
    }
  return result;
}
