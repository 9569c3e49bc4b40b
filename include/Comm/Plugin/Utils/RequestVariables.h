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

/// Moves variables of the file that hold requests into main where nothing else uses them or gets their address, most
/// likely since all that did has been inlined there. (GlobalOpt does so with numbers and pointers, but not with
/// arrays.) main runs once in C++, and in C where the module is the whole program and does not call it: other files
/// may. Returns whether anything was changed.
bool moveRequestsToMain(llvm::Module &module, bool isWholeProgram);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_REQUESTVARIABLES_H
