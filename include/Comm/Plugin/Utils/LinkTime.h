//===- LinkTime.h - Link-time optimization with the plugin ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_LINKTIME_H
#define COMM_PLUGIN_UTILS_LINKTIME_H

namespace llvm {
class Module;
} // namespace llvm

namespace comm {

/// Removes from a program what the plugin added to each file when compiling it for link-time optimization: the calls
/// that ask, the code that answers, and the notes. When it compiles a file, the plugin cannot know whether it will see
/// the code again; if it does, it decides for the program as a whole. Keeps what the linker also selected for files
/// without bitcode. Returns whether anything was there.
bool takeOutOverlapCode(llvm::Module &module);

/// Makes the inliner inline functions that communicate into their callers. Its cost model does not know that an
/// exchange in a function of its own has nothing to overlap with. The total size of a function and its callees is
/// limited.
void favorWrappers(llvm::Module &module);

/// Does the same for one file before it is optimized: for functions with few callers, and for functions with loops that
/// are called next to communication. A call is one statement, whose iterations cannot be split.
void favorWrappersOfFile(llvm::Module &module);
/// Drops `dereferenceable` from references in functions that communicate or call one that does, so that LLVM does not
/// hoist conditional loads.
void keepLoadsConditional(llvm::Module &module);
/// Removes the marks of favorWrappersOfFile after inlining.
void forgetWrappersOfFile(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_LINKTIME_H
