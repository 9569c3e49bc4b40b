//===- CollectiveBuilder.cpp - Build proved collectives -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace comm;
using LLVM::ICmpPredicate;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value CollectiveBuilder::number(int64_t value, unsigned bits) {
  Type type = builder.getIntegerType(bits);
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

Value CollectiveBuilder::constant(StringRef name, Type type) {
  return ConstantOp::create(builder, loc, type, builder.getStringAttr(name));
}

Value CollectiveBuilder::emitAtom(Atom atom) {
  auto [it, isNew] = atoms.try_emplace(atom, Value());
  if (!isNew)
    return it->second;
  auto widen = [&](Value value) -> Value {
    return value.getType().isInteger(64) ? value
                                         : LLVM::SExtOp::create(builder, loc, builder.getI64Type(), value).getResult();
  };
  auto query = [&](StringRef function, StringRef outcome) {
    return widen(
        createMPIOp(builder, loc, function, Mode::blocking, {{"comm", communicator}}, {outcome}).getOutcome(outcome));
  };
  Value value;
  switch (symbols.getKind(atom)) {
  case Symbols::Kind::Rank:
    value = query("MPI_Comm_rank", "rank");
    break;
  case Symbols::Kind::Size:
    value = query("MPI_Comm_size", "size");
    break;
  case Symbols::Kind::Opaque:
    value = widen(symbols.getValue(atom));
    break;
  case Symbols::Kind::Mod: {
    // C's remainder has the sign of the dividend.
    Value inner = emit(symbols.getModulo(atom)), size = emitAtom(Symbols::size);
    value = LLVM::SRemOp::create(builder, loc, inner, size);
    value = LLVM::AddOp::create(builder, loc, value, size);
    value = LLVM::SRemOp::create(builder, loc, value, size);
    break;
  }
  case Symbols::Kind::Peer:
  case Symbols::Kind::Iteration:
  case Symbols::Kind::Phi:
    llvm_unreachable("arguments of a collective do not depend on a single message");
  }
  return atoms[atom] = value;
}

Value CollectiveBuilder::emit(const Poly &value) {
  Value sum;
  for (const auto &[monomial, factor] : value.getTerms()) {
    Value product;
    for (Atom atom : monomial) {
      Value each = emitAtom(atom);
      product = product ? LLVM::MulOp::create(builder, loc, product, each).getResult() : each;
    }
    if (!product)
      product = number(factor);
    else if (factor != 1)
      product = LLVM::MulOp::create(builder, loc, product, number(factor));
    sum = sum ? LLVM::AddOp::create(builder, loc, sum, product).getResult() : product;
  }
  return sum ? sum : number(0);
}

Value CollectiveBuilder::emitInt(const Poly &value) {
  if (std::optional<int64_t> constant = value.getConstant())
    return number(*constant, 32);
  const auto &[monomial, factor] = *value.getTerms().begin();
  if (value.getTerms().size() == 1 && monomial.size() == 1 && factor == 1 &&
      symbols.getKind(monomial.front()) == Symbols::Kind::Opaque)
    if (Value known = symbols.getValue(monomial.front()); known.getType().isInteger(32))
      return known;
  return LLVM::TruncOp::create(builder, loc, builder.getI32Type(), emit(value));
}

Value CollectiveBuilder::emit(const SymbolicAddress &address) {
  if (address.offset.isZero())
    return address.base;
  return LLVM::GEPOp::create(builder, loc, address.base.getType(), builder.getI8Type(), address.base,
                             ArrayRef<LLVM::GEPArg>{emit(address.offset)});
}

Value CollectiveBuilder::atRoot(Value isRoot, Value root, Value others) {
  return root == others ? root : LLVM::SelectOp::create(builder, loc, isRoot, root, others).getResult();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

MPIOpInterface CollectiveBuilder::buildRooted(const CollectivePlan &plan) {
  using Kind = CollectivePlan::Kind;
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value count = emitInt(plan.count), type = constant(plan.datatype, DatatypeType::get(builder.getContext()));
  Value root = emitInt(plan.root);
  Value isRoot = LLVM::ICmpOp::create(builder, loc, ICmpPredicate::eq, emit(Poly::of(Symbols::rank)), emit(plan.root));
  Value send = emit(plan.send);
  Value receive = plan.send == plan.receive ? send : emit(plan.receive);
  if (plan.kind == Kind::Bcast)
    return createMPIOp(builder, loc, "MPI_Bcast", Mode::blocking,
                       {{"buffer", atRoot(isRoot, send, receive)},
                        {"count", count},
                        {"datatype", type},
                        {"root", root},
                        {"comm", communicator}},
                       {});
  Value own = plan.own == CollectivePlan::Own::InPlace ? constant("MPI_IN_PLACE", pointer) : emit(plan.rootOwn);
  (plan.kind == Kind::Gather ? send : receive) = atRoot(isRoot, own, plan.kind == Kind::Gather ? send : receive);
  return createMPIOp(builder, loc, cdag::mpiName(plan.kind), Mode::blocking,
                     {{"sendbuf", send},
                      {"sendcount", count},
                      {"sendtype", type},
                      {"recvbuf", receive},
                      {"recvcount", count},
                      {"recvtype", type},
                      {"root", root},
                      {"comm", communicator}},
                     {});
}

/// Inserts a barrier if the count is 0: messages without data synchronize processes, but collectives without data do
/// not.
void CollectiveBuilder::buildBarrierIfEmpty(Value count) {
  Value isEmpty = LLVM::ICmpOp::create(builder, loc, ICmpPredicate::eq, count, number(0, 32));
  Block *before = builder.getInsertionBlock();
  Block *after = before->splitBlock(builder.getInsertionPoint());
  Block *barrier = builder.createBlock(after);
  createMPIOp(builder, loc, "MPI_Barrier", Mode::blocking, {{"comm", communicator}}, {});
  LLVM::BrOp::create(builder, loc, ValueRange(), after);
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, loc, isEmpty, barrier, after);
  builder.setInsertionPointToStart(after);
}

MPIOpInterface CollectiveBuilder::build(const CollectivePlan &plan) {
  if (plan.isRooted())
    return buildRooted(plan);
  Value count = emitInt(plan.count);
  if (plan.mayBeEmpty)
    buildBarrierIfEmpty(count);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value type = constant(plan.datatype, DatatypeType::get(builder.getContext()));
  Value send = plan.own == CollectivePlan::Own::InPlace ? constant("MPI_IN_PLACE", pointer) : emit(plan.send);
  return createMPIOp(builder, loc, cdag::mpiName(plan.kind), Mode::blocking,
                     {{"sendbuf", send},
                      {"sendcount", count},
                      {"sendtype", type},
                      {"recvbuf", emit(plan.receive)},
                      {"recvcount", count},
                      {"recvtype", type},
                      {"comm", communicator}},
                     {});
}

bool CollectiveBuilder::canBuild(const CollectivePlan &plan) { return plan.own != CollectivePlan::Own::Kept; }
