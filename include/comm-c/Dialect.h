//===- Dialect.h - C API: the comm dialect -------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_C_DIALECT_H
#define COMM_C_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Comm, comm);

/// bool commTypeIsACommunicator(MlirType); MlirType commCommunicatorTypeGet(MlirContext); MlirTypeID
/// commCommunicatorTypeGetTypeID(void); and the same for each type of Types.def.
#define COMM_TYPE(Name)                                                                                                \
  MLIR_CAPI_EXPORTED bool commTypeIsA##Name(MlirType type);                                                            \
  MLIR_CAPI_EXPORTED MlirType comm##Name##TypeGet(MlirContext context);                                                \
  MLIR_CAPI_EXPORTED MlirTypeID comm##Name##TypeGetTypeID(void);
#include "comm-c/Types.def"

/// When the call of an operation returns.
typedef enum CommMode {
  CommModeBlocking = 0, ///< once the operation is complete
  CommModeAsync = 1,    ///< once it is started: a wait completes it
} CommMode;

/// The attribute `#comm.mode<...>`.
MLIR_CAPI_EXPORTED MlirAttribute commModeAttrGet(MlirContext context, CommMode mode);
MLIR_CAPI_EXPORTED bool commAttributeIsAMode(MlirAttribute attribute);
MLIR_CAPI_EXPORTED CommMode commModeAttrGetValue(MlirAttribute attribute);

/// The operands of one parameter, by the name that the MPI standard gives it ("sendbuf").
typedef struct CommParam {
  MlirStringRef name;
  intptr_t numValues;
  MlirValue const *values;
} CommParam;

/// Builds the operation of a blocking MPI function ("MPI_Send") from its parameters; the caller owns it. `outcomes`
/// names the results that it shall have ("request", "status", "error", or an OUT parameter). What is not named is
/// absent. Returns null, after an error diagnostic, if no operation models the function or if it has no such parameter
/// or outcome, twice the same, or too many values. The result is not verified.
MLIR_CAPI_EXPORTED MlirOperation commOperationCreate(MlirLocation location, MlirStringRef mpiFunction, CommMode mode,
                                                     intptr_t numParams, CommParam const *params, intptr_t numOutcomes,
                                                     MlirStringRef const *outcomes);

/// Verifies one operation without those in its regions; errors are diagnostics. Interfaces may be asked of an
/// operation that passes.
MLIR_CAPI_EXPORTED bool commOperationVerifyItself(MlirOperation op);

/// Builds the body of a named operation of linalg ("linalg.matmul"), which its text does not show, in its empty region.
/// False if it is none, has a body, or has operands of which none can be built; such an operation does not verify.
MLIR_CAPI_EXPORTED bool commFillNamedBody(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // COMM_C_DIALECT_H
