//===- Execution.h - C API: modules become code and run -----------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module of the llvm dialect becomes an object file for this machine, which a program can keep, and objects become
// code in this process (LLVM's ORC). Errors are told through callbacks.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_C_EXECUTION_H
#define COMM_C_EXECUTION_H

#include "comm-c/Remarks.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The machine that code is for, and the LLVM that makes it: its triple, processor, features and version.
MLIR_CAPI_EXPORTED void commGetTarget(MlirStringCallback callback, void *userData);

/// How a module is compiled.
typedef struct CommCompileOptions {
  /// 0 to 3, as of clang's -O.
  unsigned level;
  /// A function of MPI that returns an error which the module does not look at calls `void comm_mpi_failed(int error)`,
  /// which does not return. commJITDefine says where it is.
  bool checksErrors;
  /// A promise: the processes make each collective of the module in code that was compiled with it, or none does. So
  /// starts that Comm made of blocking collectives need not ask whether others block (docs/soundness.md).
  bool uniformCollectives;
  /// The functions that get an entry point, `void comm_entry_NAME(uint64_t *words)`: it reads the function's arguments
  /// from one word each, and writes its results to one word each from the first on. Integers of at most 64 bits,
  /// floating-point numbers and pointers can be passed. All other functions of the module are for itself.
  const MlirStringRef *entries;
  intptr_t numEntries;
  /// A pipeline for the functions that call MPI, as text ("comm-overlap{abi=openmpi4}"), or empty for none. It runs on
  /// the llvm dialect, from level 1 on, where LLVM has inlined and simplified, as in the compiler plugin: so loops are
  /// split by iterations, and what may share memory is compared at run time.
  MlirStringRef pipeline;
} CommCompileOptions;

typedef struct CommObjectSink {
  /// Called once, with the object file.
  void (*object)(MlirStringRef bytes, void *userData);
  /// Called for each argument of an entry that is a pointer through which the function does not write; may be null.
  void (*readOnly)(MlirStringRef entry, intptr_t argument, void *userData);
  /// Called with the remarks of the pipeline, on this thread; may be null. Places are those of the module's functions
  /// that have a scope of debug information (ensure-debug-info-scope-on-llvm-func).
  CommRemarkCallback remark;
  void *userData;
} CommObjectSink;

/// Compiles a builtin.module of the llvm dialect. Failure, after error diagnostics, if an operation of another dialect
/// is left, an entry is none that can be called, or the pipeline is none.
MLIR_CAPI_EXPORTED MlirLogicalResult commCompileModule(MlirOperation module, CommCompileOptions options,
                                                       CommObjectSink sink);

/// Code in this process. Symbols that no object defines are those of the libraries that were added, then of the
/// process.
typedef struct CommJIT {
  void *ptr;
} CommJIT;

/// Null after an error.
MLIR_CAPI_EXPORTED CommJIT commJITCreate(MlirStringCallback error, void *userData);

/// Frees the code, which nothing may run or call any more.
MLIR_CAPI_EXPORTED void commJITDestroy(CommJIT jit);

/// Adds an object file, which is copied.
MLIR_CAPI_EXPORTED MlirLogicalResult commJITAddObject(CommJIT jit, MlirStringRef bytes, MlirStringCallback error,
                                                      void *userData);

/// Adds a shared library with what it was linked with, or an archive (by its suffix, .a), of which members are linked
/// as they are needed.
MLIR_CAPI_EXPORTED MlirLogicalResult commJITAddLibrary(CommJIT jit, MlirStringRef path, MlirStringCallback error,
                                                       void *userData);

/// Defines a symbol, before the first lookup.
MLIR_CAPI_EXPORTED MlirLogicalResult commJITDefine(CommJIT jit, MlirStringRef name, void *address,
                                                   MlirStringCallback error, void *userData);

/// The address of a symbol, linked if it was not yet. Null after an error.
MLIR_CAPI_EXPORTED void *commJITLookup(CommJIT jit, MlirStringRef name, MlirStringCallback error, void *userData);

#ifdef __cplusplus
}
#endif

#endif // COMM_C_EXECUTION_H
