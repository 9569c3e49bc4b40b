//===- FatalErrors.h - Error codes that are always success ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ERRORS_FATALERRORS_H
#define COMM_PLUGIN_ERRORS_FATALERRORS_H

namespace llvm {
class CallBase;
class Function;
class Module;
class User;
} // namespace llvm

namespace comm {

/// Returns a call that installs an error handler (an MPI function that reads an error handler), or null.
const llvm::CallBase *findErrorHandlerCall(const llvm::Module &module);

/// Returns a call, or another use, of an MPI function that creates an error handler from a function of the program, or
/// null. Any MPI call may run that function.
const llvm::User *findOwnErrorHandler(const llvm::Module &module);

/// Returns whether the file may pass functions to MPI: error handlers, operators, attribute callbacks.
bool givesFunctionsToMPI(const llvm::Module &module);

/// Replaces the error codes that MPI functions return by MPI_SUCCESS, which is what they return as long as the error
/// handler is the default, MPI_ERRORS_ARE_FATAL (MPI-4, 9.3). Excludes file functions, whose default differs (14.7).
/// The error handling code is then dead and no longer keeps calls blocking. Returns true if anything changed.
bool assumeErrorsAreFatal(llvm::Module &module);

/// Does the same in one function for codes that are MPI_SUCCESS unless another handler is installed or requests belong
/// to files (`comm.ask_error_codes`), and removes the dead code. Returns true if anything changed.
bool assumeSuccess(llvm::Function &function);

} // namespace comm

#endif // COMM_PLUGIN_ERRORS_FATALERRORS_H
