//===- DiscardableAttr.h - Discardable attributes of a dialect ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_UTILS_DISCARDABLEATTR_H
#define COMM_DIALECT_UTILS_DISCARDABLEATTR_H

#include "mlir/IR/Operation.h"

namespace comm {

/// A discardable attribute that a dialect declares in TableGen: its type, and the operations that may have it.
struct DiscardableAttr {
  llvm::StringRef name;
  bool (*hasType)(mlir::Attribute);
  llvm::StringRef type;
  bool (*mayBeOn)(mlir::Operation *);
  llvm::StringRef place;
};

/// Checks that the operation may have the attribute. `file`: where the dialect declares such attributes.
inline llvm::LogicalResult verifyDiscardableAttr(llvm::ArrayRef<DiscardableAttr> known, mlir::Operation *op,
                                                 mlir::NamedAttribute attribute, llvm::StringRef file) {
  llvm::StringRef name = attribute.getName().getValue();
  const DiscardableAttr *found = llvm::find_if(known, [&](const DiscardableAttr &each) { return each.name == name; });
  if (found == known.end())
    return op->emitError() << "has the attribute '" << name << "', which the "
                           << attribute.getNameDialect()->getNamespace()
                           << " dialect does not know: drop it, or declare it in " << file;
  if (!found->hasType(attribute.getValue()))
    return op->emitError() << "has the attribute '" << name << "' of the wrong type: expected " << found->type;
  if (!found->mayBeOn(op))
    return op->emitError() << "has the attribute '" << name << "', which belongs on " << found->place << ": drop it";
  return llvm::success();
}

} // namespace comm

#endif // COMM_DIALECT_UTILS_DISCARDABLEATTR_H
