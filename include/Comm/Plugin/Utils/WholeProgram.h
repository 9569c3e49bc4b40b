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

/// Makes functions and variables local that only other files of the program could use, as if each was `static`. What
/// libraries may look for by its name stays: functions of the C and C++ libraries and of MPI that the program defines
/// itself. Nothing happens if the module has no main, or assembly outside of functions.
/// Returns whether anything was changed.
bool makeLocal(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_WHOLEPROGRAM_H
