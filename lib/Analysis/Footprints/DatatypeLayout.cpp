//===- DatatypeLayout.cpp - Bytes of a message ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DatatypeLayout.h"

#include "StoredNumbers.h"

#include "Comm/Analysis/Footprints/FootprintAnalysis.h"

#include "Comm/Analysis/Memory/DatatypeMaker.h"
#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/IR/RecordedABI.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Markers.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/MPI/ABI.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace comm;

/// Nested datatypes are analyzed to this depth.
static constexpr unsigned mostNesting = 4;

using Translation = llvm::function_ref<Expr(Value)>;

static TypeLayout unknownLayout() { return {Expr(), Expr::unknown(), {}, Expr::unknown()}; }

/// All predefined datatypes have the lower bound 0.
static TypeLayout getPredefined(StringRef name, Value handle) {
  std::optional<unsigned> extent = getDatatypeExtent(name, handle);
  return extent ? TypeLayout{Expr(), Expr(*extent), {}, Expr(*extent)} : unknownLayout();
}

/// `count` elements, `stride` bytes apart.
static TypeLayout repeat(const TypeLayout &element, const Expr &count, const Expr &stride) {
  TypeLayout result = element;
  if (result.size.isUnknown() || count.isUnknown() || stride.isUnknown())
    return unknownLayout();
  // Adjacent elements without a gap form one range.
  if (element.levels.empty() && element.size == stride) {
    result.size = stride * count;
  } else if (!stride.isNonNegative() && !(Expr() - stride).isNonNegative() && count.getConstant() != 1) {
    result.levels.push_back({stride, count});
  } else {
    Piece piece;
    piece.begin = element.begin;
    piece.size = element.size;
    piece.levels = element.levels;
    piece.repeat(stride, count);
    result = {piece.begin, piece.size, piece.levels, element.extent};
  }
  // If `count` is not positive, nothing is touched, so any extent is right.
  result.extent = stride * (count - Expr(1)) + element.extent;
  return result;
}

static TypeLayout getDatatype(Value handle, Translation translate, unsigned depth);

static std::optional<int64_t> getOrder(StringRef name, Operation *op) {
  const mpi::ABI *abi = getRecordedABI(op);
  return abi ? abi->getConstant(name) : std::nullopt;
}

/// A block of a multidimensional array, with lists on the stack for the sizes (MPI-4, 5.1.3).
static TypeLayout getSubarray(DatatypeMaker maker, Translation translate, unsigned depth) {
  Value sizes = maker.get("array_of_sizes"), subsizes = maker.get("array_of_subsizes");
  Value starts = maker.get("array_of_starts"), order = maker.get("order"), oldType = maker.get("oldtype");
  Value ndims = maker.get("ndims");
  constexpr int64_t mostDimensions = 4;
  std::optional<int64_t> dimensions = ndims ? getConstantInteger(ndims) : std::nullopt;
  std::optional<int64_t> isIn = order ? getConstantInteger(order) : std::nullopt;
  bool isRowMajor = isIn && isIn == getOrder("MPI_ORDER_C", maker.call);
  bool isKnown = isRowMajor || (isIn && isIn == getOrder("MPI_ORDER_FORTRAN", maker.call));
  // The large-count functions take lists of a wider type.
  bool isInt = StringRef(maker.function->params()[maker.function->findParam("array_of_sizes")].cType) == "int";
  if (!isKnown || !isInt || !sizes || !subsizes || !starts || !oldType || !dimensions || *dimensions < 1 ||
      *dimensions > mostDimensions)
    return unknownLayout();
  auto getList = [&](Value array) { return findStoredNumbers(array, *dimensions, 32, maker.call, translate); };
  SmallVector<Expr> whole = getList(sizes), part = getList(subsizes), first = getList(starts);
  TypeLayout result = getDatatype(oldType, translate, depth - 1);
  if (whole.empty() || part.empty() || first.empty() || result.size.isUnknown())
    return unknownLayout();
  if (isRowMajor)
    for (SmallVector<Expr> *list : {&whole, &part, &first})
      std::reverse(list->begin(), list->end());
  Expr stride = result.extent;
  for (auto [size, subsize, start] : llvm::zip_equal(whole, part, first)) {
    Expr extent = stride * size;
    Expr offset = stride * start;
    result = repeat(result, subsize, stride);
    result.begin = result.begin + offset;
    result.extent = extent;
    stride = extent;
  }
  return result;
}

static TypeLayout getDatatype(Value handle, Translation translate, unsigned depth) {
  if (StringRef name = getDatatypeName(handle); !name.empty())
    return getPredefined(name, handle);
  if (auto cast = handle.getDefiningOp<CastOp>())
    return getDatatype(cast.getOperand(), translate, depth);
  DatatypeMaker maker = depth ? findDatatypeMaker(handle) : DatatypeMaker();
  if (!maker)
    return unknownLayout();
  if (maker.get("array_of_subsizes"))
    return getSubarray(maker, translate, depth);
  Value oldType = maker.get("oldtype"), count = maker.get("count"), length = maker.get("blocklength");
  Value stride = maker.get("stride");
  // Tell contiguous, vector and hvector apart by their parameters.
  unsigned numbers = maker.function->params().size() - 2;
  if (!oldType || !count || (numbers != 1 && !(numbers == 3 && length && stride)))
    return unknownLayout();
  TypeLayout element = getDatatype(oldType, translate, depth - 1);
  if (numbers == 1)
    return repeat(element, translate(count), element.extent);
  TypeLayout block = repeat(element, translate(length), element.extent);
  // The type of MPI_Type_create_hvector_c's stride is a count, as for MPI_Type_vector_c, so the name decides.
  bool inBytes = StringRef(maker.function->name).contains("_hvector");
  Expr distance = inBytes ? translate(stride) : translate(stride) * element.extent;
  // With blocks that go backwards, the bounds of the type differ, which would change the position of the next element.
  TypeLayout result = repeat(block, translate(count), distance);
  if (!distance.isNonNegative())
    result.extent = Expr::unknown();
  return result;
}

/// Returns the layout that the runtime was asked for.
static TypeLayout getAsked(Value handle, Operation *op, Translation translate) {
  std::optional<AskedLayout> asked = findAskedLayout(getHandle(handle), op);
  if (!asked)
    return unknownLayout();
  return {translate(asked->begin),
          translate(asked->size),
          {{translate(asked->stride), translate(asked->count)}},
          translate(asked->extent)};
}

/// Whether it is known where the blocks of an element are: strides are, up to their sign.
static bool isKnown(const TypeLayout &element) {
  return !element.size.isUnknown() && llvm::all_of(element.levels, [](const Level &level) {
    return level.stride.isNonNegative() || (Expr() - level.stride).isNonNegative();
  });
}

bool comm::mustAsk(Value datatype) {
  auto translate = [](Value value) {
    std::optional<int64_t> number = getConstantInteger(value);
    return number ? Expr(*number) : Expr::symbol(value);
  };
  return !isKnown(getDatatype(datatype, translate, mostNesting));
}

TypeLayout comm::getLayout(Operation *op, const BufferAccess &access, Translation translate) {
  if (access.extent == BufferAccess::Extent::Scalar && access.param->role != mpi::Role::Status)
    return {Expr(), Expr(8), {}, Expr(8)};
  bool isMessage = access.extent == BufferAccess::Extent::Elements && access.datatype && access.count;
  if (!isMessage || !access.count.getType().isInteger())
    return unknownLayout();
  TypeLayout element = getDatatype(access.datatype, translate, mostNesting);
  if (!isKnown(element))
    if (TypeLayout asked = getAsked(access.datatype, op, translate); !asked.size.isUnknown())
      element = asked;
  Expr count = translate(access.count);
  return count.getConstant() == 1 ? element : repeat(element, count, element.extent);
}
