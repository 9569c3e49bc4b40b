//===- OverlapCode.h - Runtime code linked into modules ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_OVERLAPCODE_H
#define COMM_PLUGIN_UTILS_OVERLAPCODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace comm {

/// How modules get the runtime code. The assembler takes much less time than LLVM needs to translate IR. Passes that
/// change the code or take it out again, as those of link time do, need IR.
enum class OverlapForm { Assembly, IR };

/// Links code of runtime/lib/overlap into a module. The plugin contains it, so programs need no library. Passes declare
/// the functions that they need.
class OverlapCode {
public:
  explicit OverlapCode(llvm::Module &module);
  ~OverlapCode();

  /// Returns the function of that name, or null. Its body is not loaded yet.
  llvm::Function *getFunction(llvm::StringRef name);
  bool hasNote(llvm::StringRef name);

  /// Links what the module declares and uses. Returns whether anything was linked.
  bool link(OverlapForm form);

  /// Returns whether the code is for the module's target, if the module names one.
  static bool isForTargetOf(const llvm::Module &module);

  /// Removes the assembly that was added to the module.
  static void dropAssembly(llvm::Module &module);

private:
  llvm::Module &get();
  /// Adds the assembly of the definitions and of what they use, and declares what is linked as IR.
  void assemble(llvm::ArrayRef<llvm::StringRef> needed);

  llvm::Module &module;
  std::unique_ptr<llvm::Module> code;
  /// Whether the code is that for communicators that are pointers.
  bool hasPointers = true;
};

} // namespace comm

#endif // COMM_PLUGIN_UTILS_OVERLAPCODE_H
