//===- OverlapCode.h - Runtime code linked into modules ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_OVERLAPCODE_H
#define COMM_PLUGIN_UTILS_OVERLAPCODE_H

#include "llvm/ADT/StringRef.h"

#include <memory>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace comm {

/// Links code of runtime/lib/overlap into a module. The plugin contains it as bitcode, so programs need no library.
/// Passes declare the functions that they need.
class OverlapCode {
public:
  explicit OverlapCode(llvm::Module &module);
  ~OverlapCode();

  /// Returns the function of that name, or null. Its body is not loaded yet.
  llvm::Function *getFunction(llvm::StringRef name);
  bool hasNote(llvm::StringRef name);

  /// Prefix, before MPI's name, of the functions that replace blocking calls.
  static constexpr llvm::StringLiteral kCallPrefix = "comm_call_";

  /// Returns whether this is a name of the runtime code, whether compiled code uses it or it is internal.
  static bool isName(llvm::StringRef name);

  /// Links what the module declares and uses. Returns whether anything was linked.
  bool link();

private:
  llvm::Module &get();

  llvm::Module &module;
  std::unique_ptr<llvm::Module> code;
};

} // namespace comm

#endif // COMM_PLUGIN_UTILS_OVERLAPCODE_H
