//===- EmitCollectives.cpp - Operations of all processes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These are operations of the comm dialect, so Comm's own passes can optimize them.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"

using namespace mlir;
using namespace comm;
using namespace comm::graphlowering;
using Predicate = arith::CmpIPredicate;
using graph::ReductionKind;

/// Returns the MPI datatype for a value of this type in memory.
static StringRef getDatatype(Type type) {
  if (isa<FloatType>(type))
    return type.isF32() ? "MPI_FLOAT" : "MPI_DOUBLE";
  return type.getIntOrFloatBitWidth() <= 8 ? "MPI_INT8_T" : type.isInteger(32) ? "MPI_INT32_T" : "MPI_INT64_T";
}

/// Returns a predefined handle or constant of MPI.
Value Emitter::named(StringRef name, Type type) {
  return ConstantOp::create(builder, type, builder.getStringAttr(name));
}

SmallVector<Value> Emitter::allreduce(ValueRange given, StringRef operation, StringRef datatype) {
  Type type = given.front().getType();
  MLIRContext *context = builder.getContext();
  Location loc = builder.getLoc();
  Value mine = code.allocate(entry, type, int64_t(given.size()));
  Value all = code.allocate(entry, type, int64_t(given.size()));
  auto at = [&](Value base, size_t i) { return code.element(base, type, code.integer(int64_t(i))); };
  for (auto [index, value] : llvm::enumerate(given))
    code.store(value, at(mine, index));
  createMPIOp(builder, loc, "MPI_Allreduce", Mode::blocking,
              {{"sendbuf", mine},
               {"recvbuf", all},
               {"count", code.integer(int64_t(given.size()), 32)},
               {"datatype", named(datatype.empty() ? getDatatype(type) : datatype, DatatypeType::get(context))},
               {"op", named(operation, ReductionOpType::get(context))},
               {"comm", named("MPI_COMM_WORLD", CommunicatorType::get(context))}},
              {});
  SmallVector<Value> results;
  for (size_t i = 0; i < given.size(); ++i)
    results.push_back(code.load(type, at(all, i)));
  return results;
}

Value Emitter::allreduce(Value value, StringRef operation) {
  bool isTruth = value.getType().isInteger(1);
  if (isTruth)
    value = arith::ExtUIOp::create(builder, code.i32(), value);
  Value result = allreduce(ValueRange(value), operation).front();
  return isTruth ? code.isTrue(result) : result;
}

void Emitter::broadcast(Value memory, Type type, Value root) {
  MLIRContext *context = builder.getContext();
  createMPIOp(builder, builder.getLoc(), "MPI_Bcast", Mode::blocking,
              {{"buffer", memory},
               {"count", code.integer(1, 32)},
               {"datatype", named(getDatatype(type), DatatypeType::get(context))},
               {"root", root},
               {"comm", named("MPI_COMM_WORLD", CommunicatorType::get(context))}},
              {});
}

/// Sends values of a type to the processes that have copies of them. `counts`: the counts and displacements of values
/// to send and to receive.
void Emitter::emitExchange(Value sent, Value received, ArrayRef<Value> counts, Type type) {
  MLIRContext *context = builder.getContext();
  Value datatype = named(getDatatype(type), DatatypeType::get(context));
  Value comm = named("MPI_COMM_WORLD", CommunicatorType::get(context));
  createMPIOp(builder, builder.getLoc(), "MPI_Alltoallv", Mode::blocking,
              {{"sendbuf", sent},
               {"sendcounts", counts[0]},
               {"sdispls", counts[1]},
               {"sendtype", datatype},
               {"recvbuf", received},
               {"recvcounts", counts[2]},
               {"rdispls", counts[3]},
               {"recvtype", datatype},
               {"comm", comm}},
              {});
}

/// Each process sends a 32-bit number to each other one.
void Emitter::exchangeCounts(Value sent, Value received) {
  MLIRContext *context = builder.getContext();
  Value datatype = named(getDatatype(code.i32()), DatatypeType::get(context));
  Value comm = named("MPI_COMM_WORLD", CommunicatorType::get(context));
  createMPIOp(builder, builder.getLoc(), "MPI_Alltoall", Mode::blocking,
              {{"sendbuf", sent},
               {"sendcount", code.integer(1, 32)},
               {"sendtype", datatype},
               {"recvbuf", received},
               {"recvcount", code.integer(1, 32)},
               {"recvtype", datatype},
               {"comm", comm}},
              {});
}

/// Returns the product of integers over all processes. MPI's product does not tell when it leaves the range. The
/// unsigned product, which wraps around, is correct if the product of floating-point numbers, which is correct except
/// for its last digits, is near it.
Value Emitter::totalProduct(Value mine, Operation *op) {
  Type type = mine.getType(), real = builder.getF64Type();
  auto isNot = [&](Value number) { return code.widen(code.compare(Predicate::ne, mine, number)); };
  Value zero = code.constant(builder.getIntegerAttr(type, 0));
  SmallVector<Value> products =
      allreduce({code.widen(mine), isNot(zero), isNot(infinity(type))}, "MPI_PROD", "MPI_UINT64_T");
  auto toReal = [&](Value number) { return Value(arith::SIToFPOp::create(builder, real, code.widen(number))); };
  Value about = allreduce(toReal(mine), "MPI_PROD");
  // A product that is too large for a floating-point number is infinite, and zero times infinity is NaN.
  Value isZero = code.compare(Predicate::eq, products[1], code.integer(0));
  auto limit = [&](double bound) { return code.constant(builder.getF64FloatAttr(bound)); };
  about = arith::SelectOp::create(builder, isZero, limit(0), about);
  auto isBetween = [&](Value number, double bound) {
    using Real = arith::CmpFPredicate;
    Value isAbove = arith::CmpFOp::create(builder, Real::OGT, number, limit(-bound));
    return code.both(isAbove, arith::CmpFOp::create(builder, Real::OLT, number, limit(bound)));
  };
  Value error = arith::SubFOp::create(builder, about, toReal(products[0]));
  Value fits = code.both(isBetween(about, 0x1.8p63), isBetween(error, 0x1p62));
  auto leaves = [&] { stopNumber(about, type, op); };
  stopIf(arith::XOrIOp::create(builder, fits, code.integer(1, 1)), leaves);
  Value product = type.isInteger(64) ? products[0] : toRange(products[0], type, leaves);
  // A product of finite numbers must not become INF.
  stopIf(code.both(becomesInfinite(product, {}), code.isTrue(products[2])), leaves);
  return product;
}

/// Combines the values of all processes.
Value Emitter::total(Partial &partial, Value mine, Operation *op) {
  Type type = partial.type;
  switch (partial.kind) {
  case ReductionKind::min:
    return allreduce(mine, "MPI_MIN");
  case ReductionKind::max:
    return allreduce(mine, "MPI_MAX");
  case ReductionKind::conjunction:
    return allreduce(mine, type.isInteger(1) ? "MPI_MIN" : "MPI_BAND");
  case ReductionKind::disjunction:
    return allreduce(mine, type.isInteger(1) ? "MPI_MAX" : "MPI_BOR");
  case ReductionKind::product:
    return isa<FloatType>(type) ? allreduce(mine, "MPI_PROD") : totalProduct(mine, op);
  case ReductionKind::sum:
  case ReductionKind::count:
    break;
  }
  if (isa<FloatType>(type))
    return allreduce(mine, "MPI_SUM");
  // MPI's sum does not detect overflow and does not know infinity. Add both halves in 64 bits, and count the infinite
  // values.
  Value isInfinite = code.compare(Predicate::eq, mine, infinity(type));
  Value wide = code.widen(mine);
  Value low = code.both(wide, code.integer(0xffffffff));
  Value high = arith::ShRSIOp::create(builder, wide, code.integer(32));
  SmallVector<Value> sums = allreduce({low, high, code.widen(isInfinite)}, "MPI_SUM");
  Type widest = builder.getIntegerType(128);
  Value sum = arith::ExtSIOp::create(builder, widest, sums[1]);
  sum = arith::ShLIOp::create(builder, sum, code.integer(32, 128));
  sum = code.add(sum, arith::ExtSIOp::create(builder, widest, sums[0]));
  Value anyInfinite = code.isTrue(sums[2]);
  sum = arith::SelectOp::create(builder, anyInfinite, code.integer(0, 128), sum);
  auto leaves = [&] {
    Value others = code.sub(arith::TruncIOp::create(builder, code.i64(), sum), wide);
    stop(StopReduction, wide, others, graph::stringifyReductionKind(partial.kind), type, op);
  };
  return arith::SelectOp::create(builder, anyInfinite, infinity(type), toFinite(sum, type, leaves));
}

/// After a loop, updates a variable with the results of the iterations of all processes.
void Emitter::finishPartial(Value cell, Partial &partial) {
  Value memory = getValue(cell);
  Operation *op = loop->op;
  Value mine = code.load(partial.type, partial.memory);
  if (partial.constant) {
    Value isSet = allreduce(mine, "MPI_MAX");
    when(isSet, [&] { code.store(code.constant(partial.constant), memory); });
    return;
  }
  ReductionKind kind = partial.kind == ReductionKind::count ? ReductionKind::sum : partial.kind;
  Value all = total(partial, mine, op);
  if (partial.companions.empty()) {
    Value old = code.load(partial.type, memory);
    code.store(combine(kind, old, all, op), memory);
    return;
  }
  finishCompanions(cell, partial, mine, all);
}

/// Among the processes that found the best value, selects the smallest companions, one after another.
void Emitter::finishCompanions(Value cell, Partial &partial, Value mine, Value best) {
  Value changed = code.load(code.i1(), partial.flag);
  Value anyChanged = allreduce(changed, "MPI_MAX");
  when(anyChanged, [&] {
    code.store(best, getValue(cell));
    Value isCandidate = code.both(changed, same(mine, best));
    for (auto [pair, type] : llvm::zip_equal(partial.companions, partial.companionTypes)) {
      Value own = code.load(type, pair.second);
      if (type.isInteger(1))
        own = arith::ExtUIOp::create(builder, code.i32(), own);
      Value none = code.constant(identity(ReductionKind::min, own.getType()));
      Value least = allreduce(arith::SelectOp::create(builder, isCandidate, own, none), "MPI_MIN");
      isCandidate = code.both(isCandidate, same(own, least));
      code.store(type.isInteger(1) ? code.isTrue(least) : least, getValue(pair.first));
    }
  });
}
