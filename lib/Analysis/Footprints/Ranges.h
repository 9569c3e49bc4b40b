//===- Ranges.h - Bounds of numbers -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_ANALYSIS_FOOTPRINTS_RANGES_H
#define COMM_LIB_ANALYSIS_FOOTPRINTS_RANGES_H

#include "Comm/Analysis/Footprints/Expr.h"

namespace comm {

/// Bounds of the sum and the product of two numbers. Bounds beyond 125 bits saturate.
Expr::Range add(Expr::Range a, Expr::Range b);
Expr::Range multiply(Expr::Range a, Expr::Range b);

/// Bounds of an atom whose operands, if it has any, are within these ranges.
Expr::Range getRange(const Atom &atom, Expr::Range first, Expr::Range second);
/// Bounds of an atom for all values of symbols and iterations.
Expr::Range getRange(const Atom &atom);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_FOOTPRINTS_RANGES_H
