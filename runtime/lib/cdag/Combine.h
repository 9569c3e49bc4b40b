// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the operators for the interpreter.
#ifndef COMM_CDAG_COMBINE_H
#define COMM_CDAG_COMBINE_H

#include "Comm/CDag/Types.h"

namespace comm::cdag {

/// Computes out = left op right on `size` bytes; out may alias either operand. User operators compose affine maps of
/// 32-bit numbers (x -> m x + c in 8 bytes), which is associative but not commutative.
void combine(uint8_t op, ElementType type, const uint8_t *left, const uint8_t *right, uint8_t *out, uint64_t size);

} // namespace comm::cdag

#endif
