//===- DeriveStrides.cpp - Strides of memrefs from their sizes ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace comm {
#define GEN_PASS_DEF_COMMDERIVESTRIDES
#include "Comm/Conversion/Passes.h.inc"
} // namespace comm

using namespace mlir;

namespace {
struct DeriveStrides : comm::impl::CommDeriveStridesBase<DeriveStrides> {
  void runOnOperation() override;
};
} // namespace

/// Whether the type has strides that depend on dynamic sizes.
static bool hasUnknownStrides(MemRefType type) {
  return type && type.getLayout().isIdentity() && type.getRank() > 1 &&
         llvm::any_of(type.getShape().drop_front(), ShapedType::isDynamic);
}

/// Returns the same memref, with strides computed as products of sizes.
static Value deriveStrides(OpBuilder &builder, BlockArgument parameter) {
  auto type = cast<MemRefType>(parameter.getType());
  Location loc = parameter.getLoc();
  unsigned rank = type.getRank();
  SmallVector<OpFoldResult> sizes, strides(rank);
  for (unsigned dim = 0; dim < rank; ++dim)
    sizes.push_back(type.isDynamicDim(dim)
                        ? OpFoldResult(memref::DimOp::create(builder, loc, parameter, dim).getResult())
                        : OpFoldResult(builder.getIndexAttr(type.getDimSize(dim))));
  auto getValue = [&](OpFoldResult size) {
    if (auto value = dyn_cast<Value>(size))
      return value;
    return arith::ConstantOp::create(builder, loc, cast<IntegerAttr>(cast<Attribute>(size))).getResult();
  };
  int64_t known = 1;
  Value product;
  SmallVector<int64_t> layout(rank);
  for (unsigned dim = rank; dim-- > 0;) {
    layout[dim] = product ? ShapedType::kDynamic : known;
    strides[dim] = product ? OpFoldResult(product) : OpFoldResult(builder.getIndexAttr(known));
    if (!product && !type.isDynamicDim(dim))
      known *= type.getDimSize(dim);
    else if (dim)
      product = !product && known == 1
                    ? getValue(sizes[dim])
                    : arith::MulIOp::create(builder, loc, getValue(strides[dim]), getValue(sizes[dim])).getResult();
  }
  auto strided =
      MemRefType::get(type.getShape(), type.getElementType(),
                      StridedLayoutAttr::get(builder.getContext(), /*offset=*/0, layout), type.getMemorySpace());
  Value cast =
      memref::ReinterpretCastOp::create(builder, loc, strided, parameter, builder.getIndexAttr(0), sizes, strides);
  return memref::CastOp::create(builder, loc, type, cast);
}

void DeriveStrides::runOnOperation() {
  getOperation()->walk([&](FunctionOpInterface function) {
    if (function.isExternal())
      return;
    Block &entry = function.getFunctionBody().front();
    for (BlockArgument parameter : entry.getArguments()) {
      if (!hasUnknownStrides(dyn_cast<MemRefType>(parameter.getType())) || parameter.use_empty())
        continue;
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : parameter.getUses())
        uses.push_back(&use);
      OpBuilder builder = OpBuilder::atBlockBegin(&entry);
      Value derived = deriveStrides(builder, parameter);
      for (OpOperand *use : uses)
        use->set(derived);
      ++numParameters;
    }
  });
}
