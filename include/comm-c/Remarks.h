//===- Remarks.h - C API: what passes did, and why not more ---------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_C_REMARKS_H
#define COMM_C_REMARKS_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CommRemarkKind {
  CommRemarkPassed,
  CommRemarkMissed,
  CommRemarkFailure,
  CommRemarkAnalysis,
  CommRemarkUnknown,
} CommRemarkKind;

typedef struct CommRemarkArgument {
  MlirStringRef key; ///< "String" for text between arguments
  MlirStringRef value;
} CommRemarkArgument;

typedef struct CommRemark {
  CommRemarkKind kind;
  MlirStringRef pass;     ///< its category, which is the name of the pass
  MlirStringRef name;     ///< "Overlap"
  MlirStringRef function; ///< empty if it has none
  MlirLocation location;
  intptr_t numArguments;
  CommRemarkArgument const *arguments; ///< the message is their values one after the other
} CommRemark;

/// May be called on several threads, one at a time.
typedef void (*CommRemarkCallback)(CommRemark const *remark, void *userData);

/// From now on, remarks whose pass matches the regular expression `filter` go to the callback instead of where they
/// went before. Returns failure, with a diagnostic, if the expression is wrong.
MLIR_CAPI_EXPORTED MlirLogicalResult commContextEnableRemarks(MlirContext context, MlirStringRef filter,
                                                              CommRemarkCallback callback, void *userData);
/// A diagnostic about a place, for the handlers of its context: mlirEmitError for other severities, too.
MLIR_CAPI_EXPORTED void commEmitDiagnostic(MlirLocation location, MlirDiagnosticSeverity severity,
                                           MlirStringRef message);

/// No more remarks.
MLIR_CAPI_EXPORTED void commContextDisableRemarks(MlirContext context);

#ifdef __cplusplus
}
#endif

#endif // COMM_C_REMARKS_H
