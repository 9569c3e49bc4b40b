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

/// Moves variables of the file that hold requests into main where nothing else uses them, most likely since all that
/// did has been inlined there: main runs once. (GlobalOpt does so with numbers and pointers, but not with arrays.)
/// Returns whether anything was changed.
bool moveRequestsToMain(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_REQUESTVARIABLES_H
