//===- LikelySame.h - Values that are likely equal --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_FOOTPRINTS_LIKELYSAME_H
#define COMM_LIB_ANALYSIS_FOOTPRINTS_LIKELYSAME_H

#include "mlir/IR/Value.h"

namespace comm {

/// Returns the only value passed to this block argument, ignoring poison; optimizers merge the results of a guard this
/// way. Loads of one place count as one value, of which any is returned. Null if there are several.
mlir::Value getPassed(mlir::Value value);

/// Returns what the program initially stored where the value is loaded. Null if unknown, or if the value is not a load.
mlir::Value findStoredFirst(mlir::Value value);

/// Whether two values are equal unless a store intervenes: loads of one place, and values computed from such loads in
/// the same way. Programs reload their arrays and sizes after each call of MPI. Only for decisions about profitability.
bool isLikelySame(mlir::Value a, mlir::Value b);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_LIKELYSAME_H
