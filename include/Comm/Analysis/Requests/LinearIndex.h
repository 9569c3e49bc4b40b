//===- LinearIndex.h - Linear array indices ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_REQUESTS_LINEARINDEX_H
#define COMM_ANALYSIS_REQUESTS_LINEARINDEX_H

#include "mlir/IR/Value.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include <optional>

namespace comm {

/// `symbol + constant`, as mathematical integers. Just a constant if there is no symbol.
struct LinearIndex {
  mlir::Value symbol;
  int64_t constant = 0;

  LinearIndex operator+(int64_t n) const { return {symbol, constant + n}; }
};

/// Decomposes an integer, looking through extensions and additions that do not wrap.
LinearIndex getLinearIndex(mlir::Value value);
/// Whether the IR shows that the value is never negative.
bool isNonNegative(mlir::Value value);
/// Returns the sum if at most one of the two has a symbol.
std::optional<LinearIndex> add(LinearIndex a, LinearIndex b);

/// Returns where a pointer points to, in elements of `size` bytes from the beginning of its object (getBasePointer).
/// None if that is not the sum of a constant and at most one value.
std::optional<LinearIndex> getElement(mlir::Value pointer, const mlir::DataLayout &layout, uint64_t size);

} // namespace comm

#endif // COMM_ANALYSIS_REQUESTS_LINEARINDEX_H
