//===- LinearIndex.h - Which element of an array -----------------*- C++ -*-===//
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

/// `symbol + constant`, as mathematical integers; without a symbol a constant.
struct LinearIndex {
  mlir::Value symbol;
  int64_t constant = 0;

  LinearIndex operator+(int64_t n) const { return {symbol, constant + n}; }
};

/// What an integer is, looked at through extensions and additions that do not wrap.
LinearIndex getLinearIndex(mlir::Value value);
/// Whether no execution makes it negative, as far as the IR shows.
bool isNonNegative(mlir::Value value);
/// The sum, if at most one of the two has a symbol.
std::optional<LinearIndex> add(LinearIndex a, LinearIndex b);

/// Where a pointer points to, counted in elements of that many bytes from the beginning of its object (getBasePointer).
/// None if that is not a sum of a constant and one value.
std::optional<LinearIndex> getElement(mlir::Value pointer, const mlir::DataLayout &layout, uint64_t size);

} // namespace comm

#endif // COMM_ANALYSIS_REQUESTS_LINEARINDEX_H
