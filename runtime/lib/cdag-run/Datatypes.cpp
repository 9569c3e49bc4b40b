// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits datatypes into blocks of bytes (MPI 4.1, section 5.1.13), and translates MPI's predefined types and operators
// into those of communication DAGs.

#include "Local.h"

namespace comm::cdag::run {

namespace {

/// Appends a block. Joins it with the last one if it follows that in memory and in the type map.
bool append(Vec<Block> &blocks, int64_t offset, uint64_t size) {
  if (size == 0)
    return true;
  if (!blocks.empty() && blocks.back().offset + int64_t(blocks.back().size) == offset) {
    blocks.back().size += size;
    return true;
  }
  if (blocks.size() >= kMaxBlocks)
    return false;
  blocks.push_back({offset, size});
  return true;
}

/// Appends `count` copies of `unit`, `stride` bytes apart.
bool repeat(Vec<Block> &blocks, const Vec<Block> &unit, int64_t at, int64_t count, int64_t stride) {
  // A contiguous run is one block of any length.
  if (unit.size() == 1 && int64_t(unit[0].size) == stride && count > 0)
    return append(blocks, at + unit[0].offset, unit[0].size * uint64_t(count));
  if (unit.empty())
    return true;
  for (int64_t i = 0; i < count; ++i)
    for (const Block &block : unit)
      if (!append(blocks, at + i * stride + block.offset, block.size))
        return false;
  return true;
}

int64_t extentOf(MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(type, &lower, &extent);
  return int64_t(extent);
}

bool flattenOne(MPI_Datatype type, Vec<Block> &blocks, int depth);

bool flattenNamed(MPI_Datatype type, Vec<Block> &blocks) {
  int size = 0;
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_size(type, &size);
  MPI_Type_get_true_extent(type, &lower, &extent);
  // Pairs of a value and an index may have a gap in an unknown place.
  if (MPI_Aint(size) != extent)
    return false;
  return append(blocks, int64_t(lower), uint64_t(size));
}

bool flattenSubarray(const int *ints, MPI_Datatype inner, Vec<Block> &blocks, int depth) {
  int dims = ints[0];
  const int *sizes = ints + 1, *subsizes = sizes + dims, *starts = subsizes + dims;
  bool fortran = ints[1 + 3 * dims] == MPI_ORDER_FORTRAN;
  Vec<Block> unit;
  if (!flattenOne(inner, unit, depth))
    return false;
  int64_t stride = extentOf(inner), at = 0;
  // Start with the fastest dimension; each dimension is the unit of the next one.
  for (int k = 0; k < dims; ++k) {
    int d = fortran ? k : dims - 1 - k;
    Vec<Block> next;
    if (!repeat(next, unit, 0, subsizes[d], stride))
      return false;
    unit.swap(next);
    at += starts[d] * stride;
    stride *= sizes[d];
  }
  return repeat(blocks, unit, at, 1, 0);
}

bool flattenDerived(int combiner, const int *ints, const MPI_Aint *addresses, const MPI_Datatype *types,
                    Vec<Block> &blocks, int depth) {
  if (combiner == MPI_COMBINER_SUBARRAY)
    return flattenSubarray(ints, types[0], blocks, depth);
  if (combiner == MPI_COMBINER_STRUCT) {
    for (int i = 0; i < ints[0]; ++i) {
      Vec<Block> unit;
      if (!flattenOne(types[i], unit, depth) ||
          !repeat(blocks, unit, int64_t(addresses[i]), ints[1 + i], extentOf(types[i])))
        return false;
    }
    return true;
  }
  Vec<Block> unit;
  if (!flattenOne(types[0], unit, depth))
    return false;
  int64_t extent = extentOf(types[0]);
  switch (combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED:
    return repeat(blocks, unit, 0, 1, 0);
  case MPI_COMBINER_CONTIGUOUS:
    return repeat(blocks, unit, 0, ints[0], extent);
  case MPI_COMBINER_VECTOR:
  case MPI_COMBINER_HVECTOR:
    for (int i = 0; i < ints[0]; ++i) {
      int64_t at = combiner == MPI_COMBINER_VECTOR ? int64_t(i) * ints[2] * extent : int64_t(i) * int64_t(addresses[0]);
      if (!repeat(blocks, unit, at, ints[1], extent))
        return false;
    }
    return true;
  case MPI_COMBINER_INDEXED:
  case MPI_COMBINER_HINDEXED:
    for (int i = 0; i < ints[0]; ++i) {
      int64_t at = combiner == MPI_COMBINER_INDEXED ? int64_t(ints[1 + ints[0] + i]) * extent : int64_t(addresses[i]);
      if (!repeat(blocks, unit, at, ints[1 + i], extent))
        return false;
    }
    return true;
  case MPI_COMBINER_INDEXED_BLOCK:
  case MPI_COMBINER_HINDEXED_BLOCK:
    for (int i = 0; i < ints[0]; ++i) {
      int64_t at = combiner == MPI_COMBINER_INDEXED_BLOCK ? int64_t(ints[2 + i]) * extent : int64_t(addresses[i]);
      if (!repeat(blocks, unit, at, ints[1], extent))
        return false;
    }
    return true;
  default:
    return false;
  }
}

bool flattenOne(MPI_Datatype type, Vec<Block> &blocks, int depth) {
  if (depth > 16)
    return false;
  int numInts = 0, numAddresses = 0, numTypes = 0, combiner = 0;
  if (MPI_Type_get_envelope(type, &numInts, &numAddresses, &numTypes, &combiner) != MPI_SUCCESS)
    return false;
  if (combiner == MPI_COMBINER_NAMED)
    return flattenNamed(type, blocks);
  if (numTypes < 1)
    return false;
  Vec<int> ints(size_t(numInts) + 1, 0);
  Vec<MPI_Aint> addresses(size_t(numAddresses) + 1, 0);
  Vec<MPI_Datatype> types(size_t(numTypes), MPI_DATATYPE_NULL);
  if (MPI_Type_get_contents(type, numInts, numAddresses, numTypes, ints.data(), addresses.data(), types.data()) !=
      MPI_SUCCESS)
    return false;
  bool known = flattenDerived(combiner, ints.data(), addresses.data(), types.data(), blocks, depth + 1);
  for (MPI_Datatype &inner : types)
    if (!isNamed(inner))
      MPI_Type_free(&inner);
  return known;
}

} // namespace

bool isNamed(MPI_Datatype type) {
  int ints = 0, addresses = 0, types = 0, combiner = 0;
  return MPI_Type_get_envelope(type, &ints, &addresses, &types, &combiner) == MPI_SUCCESS &&
         combiner == MPI_COMBINER_NAMED;
}

bool flatten(MPI_Datatype type, int count, Vec<Block> &blocks) {
  blocks.clear();
  if (count == 0)
    return true;
  Vec<Block> unit;
  return flattenOne(type, unit, 0) && repeat(blocks, unit, 0, count, extentOf(type));
}

namespace {

struct TypeEntry {
  MPI_Datatype type;
  bool isFloat, isSigned;
};

} // namespace

bool elementTypeOf(MPI_Datatype type, ElementType &element) {
  const TypeEntry entries[] = {
      {MPI_INT, false, true},
      {MPI_DOUBLE, true, true},
      {MPI_FLOAT, true, true},
      {MPI_LONG, false, true},
      {MPI_LONG_LONG, false, true},
      {MPI_UNSIGNED, false, false},
      {MPI_UNSIGNED_LONG, false, false},
      {MPI_UNSIGNED_LONG_LONG, false, false},
      {MPI_SHORT, false, true},
      {MPI_UNSIGNED_SHORT, false, false},
      {MPI_SIGNED_CHAR, false, true},
      {MPI_UNSIGNED_CHAR, false, false},
      {MPI_INT8_T, false, true},
      {MPI_INT16_T, false, true},
      {MPI_INT32_T, false, true},
      {MPI_INT64_T, false, true},
      {MPI_UINT8_T, false, false},
      {MPI_UINT16_T, false, false},
      {MPI_UINT32_T, false, false},
      {MPI_UINT64_T, false, false},
  };
  for (const TypeEntry &entry : entries) {
    if (entry.type != type)
      continue;
    int size = 0;
    MPI_Type_size(type, &size);
    for (uint8_t t = 0; t < uint8_t(ElementType::Opaque); ++t) {
      ElementType candidate = ElementType(t);
      bool isSigned = isFloatingPoint(candidate) || candidate < ElementType::UInt8;
      if (elementSize(candidate) == uint32_t(size) && isFloatingPoint(candidate) == entry.isFloat &&
          isSigned == entry.isSigned) {
        element = candidate;
        return true;
      }
    }
  }
  return false;
}

MPI_Datatype mpiType(ElementType element) {
  switch (element) {
  case ElementType::Int8:
    return MPI_INT8_T;
  case ElementType::Int16:
    return MPI_INT16_T;
  case ElementType::Int32:
    return MPI_INT32_T;
  case ElementType::Int64:
    return MPI_INT64_T;
  case ElementType::UInt8:
    return MPI_UINT8_T;
  case ElementType::UInt16:
    return MPI_UINT16_T;
  case ElementType::UInt32:
    return MPI_UINT32_T;
  case ElementType::UInt64:
    return MPI_UINT64_T;
  case ElementType::Float:
    return MPI_FLOAT;
  case ElementType::Double:
    return MPI_DOUBLE;
  case ElementType::Opaque:
    break;
  }
  return MPI_BYTE;
}

bool operatorOf(MPI_Op op, ElementType element, Operator &result) {
  for (uint8_t o = 0; o <= uint8_t(Operator::BXor); ++o)
    if (mpiOp(Operator(o)) == op) {
      result = Operator(o);
      return !isFloatingPoint(element) || result <= Operator::Min;
    }
  return false;
}

MPI_Op mpiOp(Operator op) {
  switch (op) {
  case Operator::Sum:
    return MPI_SUM;
  case Operator::Prod:
    return MPI_PROD;
  case Operator::Max:
    return MPI_MAX;
  case Operator::Min:
    return MPI_MIN;
  case Operator::LAnd:
    return MPI_LAND;
  case Operator::LOr:
    return MPI_LOR;
  case Operator::LXor:
    return MPI_LXOR;
  case Operator::BAnd:
    return MPI_BAND;
  case Operator::BOr:
    return MPI_BOR;
  case Operator::BXor:
    return MPI_BXOR;
  }
  return MPI_OP_NULL;
}

} // namespace comm::cdag::run
