//===- LikelySame.h - Values that nobody changes in between -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_FOOTPRINTS_LIKELYSAME_H
#define COMM_LIB_ANALYSIS_FOOTPRINTS_LIKELYSAME_H

#include "mlir/IR/Value.h"

namespace comm {

/// The only value that control hands over, as optimizers do with what a guard has computed; null if there are several.
mlir::Value getPassed(mlir::Value value);

/// What the program stored at its start where the value is loaded; null if that is not known, and for other values than
/// loads.
mlir::Value findStoredFirst(mlir::Value value);

/// Whether two values are one unless somebody stores between them: loads of one place, and what is computed of such
/// loads in the same way. Programs load their arrays and sizes once more after each call of MPI. Only for decisions
/// about what pays.
bool isLikelySame(mlir::Value a, mlir::Value b);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_LIKELYSAME_H
