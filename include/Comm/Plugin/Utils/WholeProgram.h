//===- WholeProgram.h - A file that is the whole program ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_WHOLEPROGRAM_H
#define COMM_PLUGIN_UTILS_WHOLEPROGRAM_H

namespace llvm {
class Module;
} // namespace llvm

namespace comm {

/// Gives internal linkage to functions and variables that only other files of the program could use, as if each were
/// `static`. Symbols that libraries may look up by name stay: functions of the C and C++ libraries and of MPI that the
/// program defines itself. Does nothing if the module has no main or has module-level assembly. Returns whether
/// anything changed.
bool makeLocal(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_WHOLEPROGRAM_H
