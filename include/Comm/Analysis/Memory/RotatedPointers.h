//===- RotatedPointers.h - Pointers that a loop swaps -----------*- C++ -*-===//
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

/// Whether two pointers lead to different objects at any time at which both are known. Programs allocate two arrays and
/// swap them in each iteration (`tmp = old; old = now; now = tmp`), in several nested loops, and after branches. Both
/// pointers are then arguments of one block, and each edge to it hands over two pointers that differ already: by
/// induction over all times that control came to such blocks. Or one condition chooses both.
///
/// `areNew` tells two values that are different objects by themselves. `visitEdges` calls its function with what each
/// edge hands over for the two values, or what both are if the condition holds, and if not; it returns false if they
/// are no arguments of one block, nor chosen in one.
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
