//===- Retype.h - Replaces types in every operation --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_MPITOCOMM_RETYPE_H
#define COMM_LIB_CONVERSION_MPITOCOMM_RETYPE_H

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Transforms/DialectConversion.h"

namespace comm {

/// Replaces types one-to-one, including inside other types (function types, tuples, tensors).
class RetypingConverter : public mlir::TypeConverter {
public:
  explicit RetypingConverter(llvm::function_ref<void(mlir::AttrTypeReplacer &)> addReplacements);
  mlir::Attribute convertAttribute(mlir::Attribute attribute) const { return replacer.replace(attribute); }
  /// Whether no type of its operands, results, blocks and attributes is to be replaced.
  bool isLegalOp(mlir::Operation *op) const;

private:
  mutable mlir::AttrTypeReplacer replacer; // caches its replacements
};

/// Marks operations illegal if they have a type to replace, and adds the patterns that replace it: upstream's for
/// functions, calls, returns, branches and scf, and a pattern that rebuilds any other operation.
void populateRetyping(const RetypingConverter &converter, mlir::RewritePatternSet &patterns,
                      mlir::ConversionTarget &target);

} // namespace comm

#endif // COMM_LIB_CONVERSION_MPITOCOMM_RETYPE_H
