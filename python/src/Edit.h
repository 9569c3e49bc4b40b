//===- Edit.h - Changes of IR that cannot go wrong ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PYTHON_EDIT_H
#define COMM_PYTHON_EDIT_H

#include "State.h"

namespace comm::python {

/// Inserts a detached operation before `before`, or at the end of the block. Raises without any change if the operation
/// is in a block, contains the block, or uses values that are not available there.
void insertInto(const OpRef &op, const BlockRef &block, const OpRef &before);
/// Moves an operation under the same rules.
void moveTo(const OpRef &op, const BlockRef &block, MlirOperation before);
/// Removes an operation from its block; its holders own it then. Raises if its values are used outside of it.
void detach(const OpRef &op);
/// Deletes an operation. Raises if its values are used outside of it.
void erase(const OpRef &op);
/// Deletes a block with its operations. Raises if its values are used or if it has predecessors.
void eraseBlock(const BlockRef &block);
void setOperand(const OpRef &op, intptr_t index, const ValueRef &value);
/// Replaces all uses, except those in operations of `except`.
void replaceUses(const ValueRef &of, const ValueRef &with, const std::vector<OpRef> &except);
/// Called after a detached operation got operands: records the owners that it must keep alive.
void recordUses(const OpRef &op);

/// Raises if brackets nest so deeply that MLIR's parser would overflow the stack.
void checkDepth(const std::string &text);

} // namespace comm::python

#endif // COMM_PYTHON_EDIT_H
