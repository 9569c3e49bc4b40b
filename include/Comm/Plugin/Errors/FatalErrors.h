//===- FatalErrors.h - Error codes that are never seen ------------*- C++ -*-===//
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

/// A call that installs an error handler (a function of MPI with an error handler to read), or null.
const llvm::CallBase *findErrorHandlerCall(const llvm::Module &module);

/// A call that makes an error handler of a function of the program's own, or another use of such a function of MPI;
/// null if the file has none. That function may run in any call of MPI then.
const llvm::User *findOwnErrorHandler(const llvm::Module &module);

/// Whether the file may give MPI functions of the program to call: error handlers, operators, what copies attributes.
bool givesFunctionsToMPI(const llvm::Module &module);

/// Uses MPI_SUCCESS in place of the error codes that MPI's functions return, which is what they return as long as the
/// error handler is MPI_ERRORS_ARE_FATAL, the default (MPI-4, 9.3). Not those of files, whose default is another
/// (14.7). Code that handles errors is dead then, and no longer keeps calls blocking. Returns true if anything changed.
bool assumeErrorsAreFatal(llvm::Module &module);

/// The same in one function, of what MPI's functions return unless somebody installs another handler or has requests of
/// files (`comm_ask_error_codes`), and takes out what is dead then. Returns true if anything changed.
bool assumeSuccess(llvm::Function &function);

} // namespace comm

#endif // COMM_PLUGIN_ERRORS_FATALERRORS_H
