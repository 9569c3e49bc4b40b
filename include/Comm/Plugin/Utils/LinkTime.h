//===- LinkTime.h - What files were given before link time --------*- C++ -*-===//
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

/// Takes out of a program what the plugin put into each of its files when it compiled them for link-time optimization:
/// the calls that ask, the code that answers, and the notes. A file cannot know whether the plugin will see it again;
/// where it does, all of that is decided for the program as a whole. What the linker chose for files without bitcode as
/// well stays. Returns whether anything was there.
bool takeOutOverlapCode(llvm::Module &module);

/// Lets the inliner bring functions that communicate to their callers: it knows what a call costs, and not that an
/// exchange in a function of its own has nothing to hide. What a function and all that it calls may cost is limited.
void favorWrappers(llvm::Module &module);

/// The same for one file, before it is optimized: of functions that few call, and of those with loops that are called
/// next to communication. A call is one statement, of which no iteration runs before another.
void favorWrappersOfFile(llvm::Module &module);
/// Keeps loads of functions that communicate, or call one that does, where the program executes them, by taking back
/// that what a reference refers to can always be read.
void keepLoadsConditional(llvm::Module &module);
/// Takes the marks away where functions have been inlined.
void forgetWrappersOfFile(llvm::Module &module);

} // namespace comm

#endif // COMM_PLUGIN_UTILS_LINKTIME_H
