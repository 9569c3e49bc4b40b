//===- Passes.h - C API: pipelines, and what they report -----------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_C_PASSES_H
#define COMM_C_PASSES_H

#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A pass manager for a pipeline's text, anchored as the text says: "builtin.module(comm-split-blocking,cse)". Text
/// without an anchor is for modules. Null, after the callback got an error, if it is no pipeline.
MLIR_CAPI_EXPORTED MlirPassManager commPassManagerParse(MlirContext context, MlirStringRef pipeline,
                                                        MlirStringCallback error, void *userData);

/// The operation that the pass manager is for: "builtin.module", or "any".
MLIR_CAPI_EXPORTED MlirStringRef commPassManagerGetAnchor(MlirPassManager manager);

/// True if there is a pass or pipeline of that name.
MLIR_CAPI_EXPORTED bool commIsRegisteredPass(MlirStringRef name);
MLIR_CAPI_EXPORTED bool commIsRegisteredPipeline(MlirStringRef name);

/// A pass while it runs, or has run.
typedef struct CommPass {
  void *ptr;
} CommPass;

typedef enum CommPassEvent { CommPassBefore, CommPassAfter, CommPassFailed } CommPassEvent;

/// Called before and after each pass, on the thread that runs it; several threads may call at the same time. Adaptors
/// that run the passes of nested operations are left out.
typedef void (*CommPassObserver)(CommPassEvent event, CommPass pass, MlirOperation op, void *userData);
MLIR_CAPI_EXPORTED void commPassManagerAddObserver(MlirPassManager manager, CommPassObserver observer, void *userData);

/// "comm-split-blocking"; the name of its class where it has no argument.
MLIR_CAPI_EXPORTED MlirStringRef commPassGetName(CommPass pass);

/// A statistic of a pass of Comm and what it has counted so far in this instance of the pass. Upstream's own passes
/// count nothing in release builds of LLVM, and have none here.
typedef void (*CommStatisticCallback)(MlirStringRef name, MlirStringRef description, uint64_t value, void *userData);
MLIR_CAPI_EXPORTED void commPassForEachStatistic(CommPass pass, CommStatisticCallback callback, void *userData);

/// A pass that another language implements. `run` returns failure after an error diagnostic of its own; it must not let
/// exceptions out.
typedef MlirLogicalResult (*CommPassRun)(MlirOperation op, void *userData);

/// Registers a pass by name, so that pipeline texts can name it. `anchor` is the operation that it runs on, empty for
/// any. Registered again, the name stands for the new function from the next pipeline on; `release`, if not null, is
/// called with the old user data once no pipeline holds it. Returns failure if a pass or pipeline that is not of this
/// kind has the name, if the name is not of the form [a-z0-9_-]+, or if the anchor changed.
MLIR_CAPI_EXPORTED MlirLogicalResult commRegisterPass(MlirStringRef name, MlirStringRef description,
                                                      MlirStringRef anchor, CommPassRun run, void *userData,
                                                      void (*release)(void *userData));

/// True if the pipeline contains a pass of commRegisterPass: it must then run on one thread where the other language
/// needs that.
MLIR_CAPI_EXPORTED bool commPassManagerHasForeignPasses(MlirPassManager manager);

#ifdef __cplusplus
}
#endif

#endif // COMM_C_PASSES_H
