//===- RotatedPointers.h - Pointers swapped by a loop -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_ROTATEDPOINTERS_H
#define COMM_ANALYSIS_MEMORY_ROTATEDPOINTERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVector.h"

#include <utility>

namespace comm {

/// Whether two pointers lead to different objects whenever both are live. Programs allocate two arrays and swap them in
/// each iteration (`tmp = old; old = now; now = tmp`), in several nested loops, and after branches. Either both
/// pointers are then arguments of one block, and each edge to it passes two pointers that are different: by induction
/// over the executions of such blocks. Or one condition selects both.
///
/// `areNew` tells whether two values are different objects on their own. `visitEdges` calls its function with the two
/// values passed by each edge, or selected by each value of the condition. It returns false if the two are neither
/// arguments of one block nor selected by one condition.
template <typename Value>
bool areAlwaysDifferent(Value a, Value b, llvm::function_ref<bool(Value, Value)> areNew,
                        llvm::function_ref<bool(Value, Value, llvm::function_ref<void(Value, Value)>)> visitEdges) {
  constexpr unsigned mostPairs = 32;
  llvm::SmallVector<std::pair<Value, Value>, 8> work{{a, b}};
  llvm::SmallSet<std::pair<const void *, const void *>, 8> seen;
  auto add = [&](Value x, Value y) { work.push_back({x, y}); };
  auto getKey = [](Value x, Value y) {
    const void *first = llvm::PointerLikeTypeTraits<Value>::getAsVoidPointer(x);
    const void *second = llvm::PointerLikeTypeTraits<Value>::getAsVoidPointer(y);
    return std::less<const void *>()(first, second) ? std::pair(first, second) : std::pair(second, first);
  };
  while (!work.empty()) {
    auto [x, y] = work.pop_back_val();
    if (x == y || seen.size() > mostPairs)
      return false;
    if (areNew(x, y) || !seen.insert(getKey(x, y)).second)
      continue;
    if (!visitEdges(x, y, add))
      return false;
  }
  return true;
}

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_ROTATEDPOINTERS_H
