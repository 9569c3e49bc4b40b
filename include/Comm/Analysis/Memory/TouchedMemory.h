//===- TouchedMemory.h - What calls that OpenMP hides touch --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM says of a function that calls OpenMP's runtime that it may touch anything. Its loads and stores say more: the
// objects that its arguments point into, global variables, and what is reached by pointers in memory.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_TOUCHEDMEMORY_H
#define COMM_ANALYSIS_MEMORY_TOUCHEDMEMORY_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class CallBase;
class Function;
class GlobalVariable;
class Instruction;
class Module;
class Use;
class Value;
} // namespace llvm

namespace comm {

struct MemoryUse {
  bool reads = false, writes = false;

  bool any() const { return reads || writes; }
  void join(MemoryUse other) {
    reads |= other.reads;
    writes |= other.writes;
  }
};

/// What a call of a function touches, OpenMP's own memory and errno aside.
struct TouchedMemory {
  struct Param : MemoryUse {
    /// The address may be somewhere else when the function returns.
    bool isKept = false;
  };

  /// The object that each argument points into.
  llvm::SmallVector<Param, 4> params;
  llvm::SmallMapVector<const llvm::GlobalVariable *, MemoryUse, 2> variables;
  /// What pointers in memory lead to, and what is not known.
  MemoryUse others;

  static TouchedMemory unknown(const llvm::Function &function);
};

/// As text: "0=r;2=rwk;@name=w;*=r", of params (k: kept), variables and others.
std::string toString(const TouchedMemory &touched);
/// Variables that the module does not have are others.
TouchedMemory parseTouchedMemory(llvm::StringRef text, const llvm::Module &module);

/// Finds it for the functions of a module, which must not change meanwhile.
class TouchedMemoryFinder {
public:
  /// Whether the function, or one that it calls, calls OpenMP's runtime.
  bool callsOpenMP(const llvm::Function &function);
  const TouchedMemory &find(const llvm::Function &function);

private:
  struct Keeping;

  void add(TouchedMemory &touched, const llvm::Instruction &instruction);
  void addCall(TouchedMemory &touched, const llvm::CallBase &call);
  void addCallee(TouchedMemory &touched, const llvm::Function &callee,
                 llvm::function_ref<const llvm::Value *(unsigned)> getArgument);
  void addCombiner(TouchedMemory &touched, const llvm::Function &combiner);
  void addPointer(TouchedMemory &touched, const llvm::Value *pointer, MemoryUse use);
  /// Whether a call keeps the address that it gets as that argument; none if nothing more than LLVM's attributes is
  /// known.
  bool mayKeep(const llvm::Use &argument);
  bool isKept(const llvm::Value &pointer);

  llvm::DenseMap<const llvm::Function *, bool> calling;
  /// Where they are stays the same. Unknown while the function itself is being looked at.
  llvm::DenseMap<const llvm::Function *, std::unique_ptr<TouchedMemory>> known;
};

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_TOUCHEDMEMORY_H
