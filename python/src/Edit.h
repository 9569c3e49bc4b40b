//===- Edit.h - Changes of IR that cannot go wrong ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PYTHON_EDIT_H
#define COMM_PYTHON_EDIT_H

#include "State.h"

namespace comm::python {

/// Puts an operation that is in no block before `before`, or at the end of the block. Raises, and changes nothing, if
/// it is in a block, if the block is inside of it, or if it uses values that cannot be used there.
void insertInto(const OpRef &op, const BlockRef &block, const OpRef &before);
/// Moves an operation; the same rules.
void moveTo(const OpRef &op, const BlockRef &block, MlirOperation before);
/// Takes it out of its block: whoever holds it owns it. Raises if its values are used outside of it.
void detach(const OpRef &op);
/// Deletes it. Raises if its values are used outside of it.
void erase(const OpRef &op);
/// Deletes a block with its operations. Raises if its values are used, or branches lead to it.
void eraseBlock(const BlockRef &block);
void setOperand(const OpRef &op, intptr_t index, const ValueRef &value);
/// All uses, or those of operations that are not in `except`.
void replaceUses(const ValueRef &of, const ValueRef &with, const std::vector<OpRef> &except);
/// After an operation that is in no block got operands: records what it must keep.
void recordUses(const OpRef &op);

/// Raises if brackets nest so deeply that MLIR's parser would run out of stack.
void checkDepth(const std::string &text);

} // namespace comm::python

#endif // COMM_PYTHON_EDIT_H
