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
  /// The functions that get an entry point, `void comm_entry_NAME(uint64_t *words)`: it reads the function's arguments
  /// from one word each, and writes its results to one word each from the first on. Integers of at most 64 bits,
  /// floating-point numbers and pointers can be passed. All other functions of the module are for itself.
  const MlirStringRef *entries;
  intptr_t numEntries;
} CommCompileOptions;

typedef struct CommObjectSink {
  /// Called once, with the object file.
  void (*object)(MlirStringRef bytes, void *userData);
  /// Called for each argument of an entry that is a pointer through which the function does not write; may be null.
  void (*readOnly)(MlirStringRef entry, intptr_t argument, void *userData);
  void *userData;
} CommObjectSink;

/// Compiles a builtin.module of the llvm dialect. Failure, after error diagnostics, if an operation of another dialect
/// is left or an entry is none that can be called.
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
