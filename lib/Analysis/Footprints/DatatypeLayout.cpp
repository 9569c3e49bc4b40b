//===- DatatypeLayout.cpp - Bytes of a message ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DatatypeLayout.h"

#include "Comm/Dialect/Comm/IR/Comm.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Parameters.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/MPI/ABI.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace comm;

using Translation = llvm::function_ref<Expr(Value)>;

static TypeLayout unknownLayout() { return {Expr(), Expr::unknown(), {}, Expr::unknown()}; }

/// Sizes of C's types are the platform's, whatever the implementation of MPI. The lower bound of all is 0.
static TypeLayout getPredefined(StringRef name) {
  std::optional<unsigned> extent = mpi::ABI::all().front().getDatatypeExtent(name);
  return extent ? TypeLayout{Expr(), Expr(*extent), {}, Expr(*extent)} : unknownLayout();
}

/// `count` elements, `stride` bytes apart.
static TypeLayout repeat(const TypeLayout &element, const Expr &count, const Expr &stride) {
  TypeLayout result = element;
  if (result.size.isUnknown() || count.isUnknown() || stride.isUnknown())
    return unknownLayout();
  // Neighbors without a gap are one range.
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
  // A number of elements that is not positive touches nothing, and all that is said of it is right.
  result.extent = stride * (count - Expr(1)) + element.extent;
  return result;
}

/// The name of a predefined datatype that a call of the llvm dialect gets.
static StringRef getDatatypeName(Value handle) {
  if (StringRef name = getConstantName(handle); !name.empty())
    return name;
  Operation *op = handle.getDefiningOp();
  auto module = op ? op->getParentOfType<ModuleOp>() : ModuleOp();
  auto abiName = module ? module->getAttrOfType<StringAttr>(kABIAttrName) : StringAttr();
  const mpi::ABI *abi = abiName ? mpi::ABI::lookup(abiName) : nullptr;
  APInt value;
  if (!abi)
    return "";
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
    return abi->nameOfSymbol(address.getGlobalName(), mpi::HandleClass::Datatype);
  if (matchPattern(handle, m_ConstantInt(&value)))
    return abi->nameOfValue(value.getSExtValue(), mpi::HandleClass::Datatype);
  return "";
}

namespace {
/// Looks for the call that makes the datatype which a variable, or a member of a structure, holds at a load.
class MakerSearch {
public:
  explicit MakerSearch(LLVM::LoadOp load) : load(load), layout(DataLayout::closest(load)) {}
  LLVM::CallOp find();

private:
  bool visit(OpOperand &use, std::optional<int64_t> offset);
  bool isApart(std::optional<int64_t> offset, int64_t size) const {
    return offset && (*offset >= place + kHandleSize || *offset + size <= place);
  }

  static constexpr int64_t kHandleSize = 8;
  LLVM::LoadOp load;
  DataLayout layout;
  int64_t place = 0;
  LLVM::CallOp maker;
  /// What else may write there.
  SmallVector<Operation *> others;
};
} // namespace

/// False if somebody may write the handle whom this does not see.
bool MakerSearch::visit(OpOperand &use, std::optional<int64_t> offset) {
  Operation *user = use.getOwner();
  if (isa<LLVM::LoadOp, LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(user))
    return true;
  if (auto store = dyn_cast<LLVM::StoreOp>(user)) {
    if (store.getValue() == use.get())
      return false;
    if (!isApart(offset, layout.getTypeSize(store.getValue().getType()).getFixedValue()))
      others.push_back(user);
    return true;
  }
  if (isa<LLVM::MemsetOp, LLVM::MemcpyOp, LLVM::MemmoveOp>(user)) {
    if (use.getOperandNumber() == 0 && !(offset && *offset >= place + kHandleSize))
      others.push_back(user);
    return true;
  }
  std::optional<Parameter> parameter = findParameter(use);
  if (!parameter || parameter->keepsAddress())
    return false;
  std::optional<int64_t> size = getWrittenSize(*parameter);
  if (size == 0 || (size && isApart(offset, *size)))
    return true;
  auto call = dyn_cast<LLVM::CallOp>(user);
  const mpi::Param &param = parameter->get();
  bool isHandle = call && offset == place && param.role == mpi::Role::Datatype && !param.isArray &&
                  parameter->function->params().size() == call.getArgOperands().size() &&
                  llvm::count(call.getArgOperands(), use.get()) == 1;
  // MPI_Type_commit and MPI_Type_free.
  if (isHandle && param.direction == mpi::Direction::InOut && parameter->function->params().size() == 1)
    return true;
  if (isHandle && param.direction == mpi::Direction::Out && !maker)
    maker = call;
  else
    others.push_back(user);
  return true;
}

LLVM::CallOp MakerSearch::find() {
  auto variable = getBasePointer(load.getAddr()).getDefiningOp<LLVM::AllocaOp>();
  for (Value pointer = load.getAddr(); auto gep = pointer.getDefiningOp<LLVM::GEPOp>(); pointer = gep.getBase()) {
    std::optional<int64_t> offset = getConstantOffset(gep, layout);
    if (!offset)
      return {};
    place += *offset;
  }
  if (!variable || !walkPointerUses(variable.getResult(), layout,
                                    [&](OpOperand &use, std::optional<int64_t> offset) { return visit(use, offset); }))
    return {};
  // An earlier iteration of a loop around both may have made it of other numbers. What comes to the variable without
  // the maker cannot come between the maker and the load either: each way from there to the load leads by the maker.
  DominanceInfo dominance(load->getParentOfType<FunctionOpInterface>());
  bool isOnly = maker && dominance.properlyDominates(maker, load) &&
                llvm::none_of(others, [&](Operation *other) { return dominance.properlyDominates(maker, other); });
  return isOnly ? maker : LLVM::CallOp();
}

static TypeLayout getDatatype(Value handle, Translation translate, unsigned depth) {
  if (StringRef name = getDatatypeName(handle); !name.empty())
    return getPredefined(name);
  if (auto cast = handle.getDefiningOp<CastOp>())
    return getDatatype(cast.getOperand(), translate, depth);
  auto load = handle.getDefiningOp<LLVM::LoadOp>();
  LLVM::CallOp maker = load && depth ? MakerSearch(load).find() : LLVM::CallOp();
  if (!maker)
    return unknownLayout();
  const mpi::Function &function = *mpi::lookupFunction(*maker.getCallee());
  auto find = [&](StringRef name) {
    int index = function.findParam(name);
    return index < 0 ? Value() : maker.getArgOperands()[index];
  };
  Value oldType = find("oldtype"), count = find("count"), length = find("blocklength"), stride = find("stride");
  // Contiguous, vector or hvector, by what they are told.
  unsigned numbers = function.params().size() - 2;
  if (!oldType || !count || (numbers != 1 && !(numbers == 3 && length && stride)))
    return unknownLayout();
  TypeLayout element = getDatatype(oldType, translate, depth - 1);
  if (numbers == 1)
    return repeat(element, translate(count), element.extent);
  TypeLayout block = repeat(element, translate(length), element.extent);
  // MPI_Type_create_hvector_c has the type of a count for it, as MPI_Type_vector_c has.
  bool inBytes = StringRef(function.name).contains("_hvector");
  Expr distance = inBytes ? translate(stride) : translate(stride) * element.extent;
  // Where blocks go backwards the bounds of the type are others, which the next element would need.
  TypeLayout result = repeat(block, translate(count), distance);
  if (!distance.isNonNegative())
    result.extent = Expr::unknown();
  return result;
}

TypeLayout comm::getLayout(const BufferAccess &access, Translation translate) {
  if (access.extent == BufferAccess::Extent::Scalar && access.param->role != mpi::Role::Status)
    return {Expr(), Expr(8), {}, Expr(8)};
  bool isMessage = access.extent == BufferAccess::Extent::Elements && access.datatype && access.count;
  if (!isMessage || !access.count.getType().isInteger())
    return unknownLayout();
  constexpr unsigned mostNesting = 4;
  TypeLayout element = getDatatype(access.datatype, translate, mostNesting);
  Expr count = translate(access.count);
  return count.getConstant() == 1 ? element : repeat(element, count, element.extent);
}
