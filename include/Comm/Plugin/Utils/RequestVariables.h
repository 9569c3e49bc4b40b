//===- RequestVariables.h - Requests at file scope ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_REQUESTVARIABLES_H
#define COMM_PLUGIN_UTILS_REQUESTVARIABLES_H

namespace llvm {
class Module;
} // namespace llvm

namespace comm {

/// Moves file-scope variables that hold requests into main if nothing else uses them or takes their address, most
/// likely because all their users were inlined there. (GlobalOpt does so for numbers and pointers, but not for arrays.)
/// main runs once in C++, and in C if the module is the whole program and does not call it; other files may. Returns
/// whether anything changed.
bool moveRequestsToMain(llvm::Module &module, bool isWholeProgram);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_REQUESTVARIABLES_H
