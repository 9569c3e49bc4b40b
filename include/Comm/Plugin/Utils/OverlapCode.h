//===- OverlapCode.h - What compiled programs bring with them -----*- C++ -*-===//
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

/// The code of runtime/lib/overlap on its way into a module: the plugin holds it as bitcode, so that programs need no
/// library. Passes declare what they need of it.
class OverlapCode {
public:
  explicit OverlapCode(llvm::Module &module);
  ~OverlapCode();

  /// The function of that name, or null. Its body is not read yet.
  llvm::Function *getFunction(llvm::StringRef name);
  bool hasNote(llvm::StringRef name);

  /// What the functions are called that stand for blocking calls, before MPI's name.
  static constexpr llvm::StringLiteral kCallPrefix = "comm_call_";

  /// Whether that is a name of this code: of what compiled code asks for, or of something inside.
  static bool isName(llvm::StringRef name);

  /// Links what the module declares and uses. Returns whether that was anything.
  bool link();

private:
  llvm::Module &get();

  llvm::Module &module;
  std::unique_ptr<llvm::Module> code;
};

} // namespace comm

#endif // COMM_PLUGIN_UTILS_OVERLAPCODE_H
