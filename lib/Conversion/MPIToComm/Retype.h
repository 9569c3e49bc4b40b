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

/// Replaces types one for one, wherever they occur inside others (function types, tuples, tensors).
class RetypingConverter : public mlir::TypeConverter {
public:
  explicit RetypingConverter(llvm::function_ref<void(mlir::AttrTypeReplacer &)> addReplacements);
  mlir::Attribute convertAttribute(mlir::Attribute attribute) const { return replacer.replace(attribute); }
  /// True if the types of its operands, results, blocks and attributes stay what they are.
  bool isLegalOp(mlir::Operation *op) const;

private:
  mutable mlir::AttrTypeReplacer replacer; // caches what it replaced
};

/// Makes every operation illegal that has a type to replace, and adds the patterns that give it the new types:
/// upstream's for functions, calls, returns, branches and scf, and for any other operation one that rebuilds it.
void populateRetyping(const RetypingConverter &converter, mlir::RewritePatternSet &patterns,
                      mlir::ConversionTarget &target);

} // namespace comm

#endif // COMM_LIB_CONVERSION_MPITOCOMM_RETYPE_H
