// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "window/Layout.h"

#include <algorithm>
#include <cstring>

namespace comm::ranks {

// A datatype that spans more is not taken apart: see findRuns().
static constexpr int64_t mostSpanned = 256 << 20;

/// Sets \p basic to the type's only basic one; false if there are two.
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

/// The bytes of one element. Packing memory whose bytes say where they are shows where each byte of the packed data
/// comes from, for every kind of datatype and in the order of its type map.
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
    int64_t offset = place[i] + type->trueLower;
    if (!found.empty() && found.back().first + found.back().second == offset)
      ++found.back().second;
    else
      found.push_back({offset, 1});
  }
  return ABI_SUCCESS;
}

static int runsOf(const Datatype *type, const TypeRuns *&runs) {
  runs = type->runs.load(std::memory_order_acquire);
  if (runs)
    return ABI_SUCCESS;
  auto *found = new TypeRuns;
  if (int error = findRuns(type, *found)) {
    delete found;
    return error;
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
    int64_t passed = 0; // bytes of the element that the last runs began
    for (auto &run : *bytes) {
      int64_t at = i * type->extent + run.first, left = run.second;
      // An element with a gap, such as a pair's, begins in one run and ends in another.
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
