//===- Registration.h - C API: what Comm registers -----------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of Comm goes with MLIR's own (mlir-c/*.h): contexts, operations, types and pass managers are MLIR's. Both
// are in one shared library, libCommC.so, which is what other languages load. Strings that callbacks get live as long
// as the call.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_C_REGISTRATION_H
#define COMM_C_REGISTRATION_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The version of Comm, e.g. "0.1.0".
MLIR_CAPI_EXPORTED MlirStringRef commGetVersion(void);

/// Adds Comm's dialects, the upstream dialects that they are mixed with, and the translations from and to LLVM IR.
MLIR_CAPI_EXPORTED void commRegisterAllDialects(MlirDialectRegistry registry);

/// Registers by name the passes and pipelines of Comm, and MLIR's general ones (canonicalize, cse, ...). May be called
/// again, and by several threads.
MLIR_CAPI_EXPORTED void commRegisterAllPasses(void);

/// Calls back with the name of each operation that a loaded dialect of the context has.
MLIR_CAPI_EXPORTED void commContextForEachOperation(MlirContext context, MlirStringCallback callback, void *userData);

/// Loads all dialects that the context's registry knows.
MLIR_CAPI_EXPORTED void commContextLoadAllDialects(MlirContext context);

/// Calls back with the name of each MPI implementation that Comm can lower to.
MLIR_CAPI_EXPORTED void commForEachABI(MlirStringCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif // COMM_C_REGISTRATION_H
