// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "window/Layout.h"

#include <algorithm>
#include <cstring>

namespace comm::ranks {

// Datatypes with a larger span are not decoded: see findRuns().
static constexpr int64_t mostSpanned = 256 << 20;

/// Sets \p basic to the type's only basic type; returns false if it has several.
static bool collectBasic(MPI_Datatype native, Datatype *&basic) {
  int integers, addresses, types, combiner;
  MPI_Type_get_envelope(native, &integers, &addresses, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) {
    Datatype *found = typeOf(handleOfNative(native));
    if (basic && basic != found)
      return false;
    basic = found;
    return true;
  }
  std::vector<int> someIntegers(integers + 1);
  std::vector<MPI_Aint> someAddresses(addresses + 1);
  std::vector<MPI_Datatype> parts(types + 1);
  MPI_Type_get_contents(native, integers, addresses, types, someIntegers.data(), someAddresses.data(), parts.data());
  bool isOne = true;
  for (int i = 0; i < types; ++i) {
    isOne = isOne && collectBasic(parts[i], basic);
    MPI_Type_get_envelope(parts[i], &integers, &addresses, &integers, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
      MPI_Type_free(&parts[i]);
  }
  return isOne;
}

Datatype *basicTypeOf(const Datatype *type) {
  if (type->predefined)
    return typeOf(type->handle);
  Datatype *basic = nullptr;
  return collectBasic(type->native, basic) ? basic : nullptr;
}

/// Appends a run, merging it with a contiguous last one.
static void append(TypeRuns &runs, int64_t offset, int64_t bytes) {
  if (!bytes)
    return;
  if (!runs.empty() && runs.back().first + runs.back().second == offset)
    runs.back().second += bytes;
  else
    runs.push_back({offset, bytes});
}

namespace {
/// Places elements of an old type as a datatype constructor does.
class Assembly {
public:
  Assembly(const TypeRuns &element, int64_t extent, TypeRuns &runs) : element(element), extent(extent), runs(runs) {}

  /// Places `count` contiguous elements from byte \p at on.
  void place(int64_t count, int64_t at) {
    if (element.size() == 1 && element[0].second == extent) {
      append(runs, at + element[0].first, count * extent);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      for (auto &run : element)
        append(runs, at + i * extent + run.first, run.second);
  }

  /// Places the part of an array described by MPI_Type_create_subarray.
  void placeSubarray(int dimensions, const int *sizes, const int *subsizes, const int *starts, bool lastIsFastest) {
    int64_t before = 1; // elements between neighbors in the dimension
    std::vector<int64_t> strides(dimensions);
    std::vector<int> order(dimensions); // dimensions, fastest first
    for (int i = 0; i < dimensions; ++i) {
      order[i] = lastIsFastest ? dimensions - 1 - i : i;
      strides[order[i]] = before;
      before *= sizes[order[i]];
    }
    int64_t first = 0, rows = 1;
    for (int i = 0; i < dimensions; ++i)
      first += starts[i] * strides[i];
    for (int i = 1; i < dimensions; ++i)
      rows *= subsizes[order[i]];
    for (int64_t row = 0; row < rows; ++row) {
      int64_t at = first, rest = row;
      for (int i = 1; i < dimensions; ++i) {
        at += rest % subsizes[order[i]] * strides[order[i]];
        rest /= subsizes[order[i]];
      }
      place(subsizes[order[0]], at * extent);
    }
  }

private:
  const TypeRuns &element;
  int64_t extent;
  TypeRuns &runs;
};
} // namespace

/// Determines the bytes of one element from the type's constructors. Returns false for unknown ones.
static bool assemble(MPI_Datatype native, TypeRuns &runs) {
  int integerCount, addressCount, typeCount, combiner;
  MPI_Type_get_envelope(native, &integerCount, &addressCount, &typeCount, &combiner);
  if (combiner == MPI_COMBINER_NAMED) {
    const Datatype *basic = typeOf(handleOfNative(native));
    if (!basic || !basic->dense)
      return false; // a pair has gaps
    append(runs, 0, basic->size);
    return true;
  }
  std::vector<int> numbers(integerCount + 1);
  std::vector<MPI_Aint> addresses(addressCount + 1);
  std::vector<MPI_Datatype> types(typeCount + 1);
  MPI_Type_get_contents(native, integerCount, addressCount, typeCount, numbers.data(), addresses.data(), types.data());
  bool isKnown = true;
  std::vector<TypeRuns> elements(typeCount);
  std::vector<MPI_Aint> extents(typeCount);
  for (int i = 0; i < typeCount; ++i) {
    MPI_Aint lower;
    MPI_Type_get_extent(types[i], &lower, &extents[i]);
    isKnown = isKnown && assemble(types[i], elements[i]);
    int a, b, c, kind;
    MPI_Type_get_envelope(types[i], &a, &b, &c, &kind);
    if (kind != MPI_COMBINER_NAMED)
      MPI_Type_free(&types[i]);
  }
  if (!isKnown || !typeCount)
    return false;
  Assembly all(elements[0], extents[0], runs);
  const int *n = numbers.data();
  const int count = n[0];
  switch (combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED:
    runs = elements[0];
    return true;
  case MPI_COMBINER_CONTIGUOUS:
    all.place(count, 0);
    return true;
  case MPI_COMBINER_VECTOR:
  case MPI_COMBINER_HVECTOR:
    for (int i = 0; i < count; ++i)
      all.place(n[1], i * (combiner == MPI_COMBINER_VECTOR ? n[2] * extents[0] : addresses[0]));
    return true;
  case MPI_COMBINER_INDEXED:
  case MPI_COMBINER_HINDEXED:
    for (int i = 0; i < count; ++i)
      all.place(n[1 + i], combiner == MPI_COMBINER_INDEXED ? n[1 + count + i] * extents[0] : addresses[i]);
    return true;
  case MPI_COMBINER_INDEXED_BLOCK:
  case MPI_COMBINER_HINDEXED_BLOCK:
    for (int i = 0; i < count; ++i)
      all.place(n[1], combiner == MPI_COMBINER_INDEXED_BLOCK ? n[2 + i] * extents[0] : addresses[i]);
    return true;
  case MPI_COMBINER_STRUCT:
    for (int i = 0; i < count; ++i)
      Assembly(elements[i], extents[i], runs).place(n[1 + i], addresses[i]);
    return true;
  case MPI_COMBINER_SUBARRAY:
    all.placeSubarray(count, n + 1, n + 1 + count, n + 1 + 2 * count, n[1 + 3 * count] == MPI_ORDER_C);
    return true;
  }
  return false;
}

/// Does the same for any datatype: packing memory whose bytes encode their positions shows where each byte of the
/// packed data comes from, in the order of the type map.
static int findRuns(const Datatype *type, TypeRuns &found) {
  if (type->trueExtent > mostSpanned || type->size > static_cast<size_t>(mostSpanned))
    return ABI_ERR_UNSUPPORTED_OPERATION;
  std::vector<char> memory(type->trueExtent + 1), packed(type->size + 1);
  std::vector<int64_t> place(type->size);
  for (int shift = 0; shift == 0 || (type->trueExtent - 1) >> shift > 0; shift += 8) {
    for (MPI_Aint i = 0; i < type->trueExtent; ++i)
      memory[i] = static_cast<char>(i >> shift);
    if (int error = packTo(packed.data(), memory.data() - type->trueLower, 1, type))
      return error;
    for (size_t i = 0; i < type->size; ++i)
      place[i] |= static_cast<int64_t>(static_cast<unsigned char>(packed[i])) << shift;
  }
  for (size_t i = 0; i < type->size; ++i) {
    append(found, place[i] + type->trueLower, 1);
  }
  return ABI_SUCCESS;
}

int runsOf(const Datatype *type, const TypeRuns *&runs) {
  runs = type->runs.load(std::memory_order_acquire);
  if (runs)
    return ABI_SUCCESS;
  auto *found = new TypeRuns;
  if (!assemble(type->native, *found)) {
    found->clear();
    if (int error = findRuns(type, *found)) {
      delete found;
      return error;
    }
  }
  if (type->runs.compare_exchange_strong(runs, found, std::memory_order_acq_rel))
    runs = found;
  else
    delete found;
  return ABI_SUCCESS;
}

int layoutOf(const Datatype *type, int64_t count, const Datatype *element, int64_t elements, Layout &layout) {
  layout.element = element;
  layout.runs.clear();
  int64_t size = element->size, extent = element->extent;
  elements = std::min<int64_t>(elements, size ? count * static_cast<int64_t>(type->size) / size : 0);
  if (elements <= 0)
    return ABI_SUCCESS;
  if (type->dense || type == element) {
    layout.runs.push_back({0, elements});
    return ABI_SUCCESS;
  }
  const TypeRuns *bytes;
  if (int error = runsOf(type, bytes))
    return error;
  auto append = [&](int64_t offset, int64_t some) {
    some = std::min(some, elements);
    elements -= some;
    if (!layout.runs.empty() && layout.runs.back().offset + layout.runs.back().count * extent == offset)
      layout.runs.back().count += some;
    else if (some)
      layout.runs.push_back({offset, some});
  };
  for (int64_t i = 0; i < count && elements; ++i) {
    int64_t passed = 0; // bytes of the element that the previous runs began
    for (auto &run : *bytes) {
      int64_t at = i * type->extent + run.first, left = run.second;
      // An element with a gap, such as a pair, begins in one run and ends in another.
      int64_t rest = std::min(left, passed ? size - passed : 0);
      passed = passed + rest == size ? 0 : passed + rest;
      at += rest;
      left -= rest;
      if (extent == size) {
        append(at, left / size);
        at += left / size * size;
        left %= size;
      }
      for (; left > 0; left -= size, at += size) {
        append(at, 1);
        passed = left < size ? left : 0;
      }
    }
  }
  return ABI_SUCCESS;
}

void gatherRuns(const char *base, const Run *runs, size_t count, const Datatype *element, char *packed) {
  for (size_t i = 0; i < count; ++i) {
    packTo(packed, base + runs[i].offset, runs[i].count, element);
    packed += runs[i].count * element->size;
  }
}

void scatterRuns(char *base, const Run *runs, size_t count, const Datatype *element, const char *packed) {
  for (size_t i = 0; i < count; ++i) {
    size_t bytes = runs[i].count * element->size, received;
    unpackFrom(packed, bytes, base + runs[i].offset, runs[i].count, element, received);
    packed += bytes;
  }
}

} // namespace comm::ranks
