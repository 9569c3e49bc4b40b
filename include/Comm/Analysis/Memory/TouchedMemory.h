//===- TouchedMemory.h - Memory touched by OpenMP calls ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For LLVM, a function that calls OpenMP's runtime may touch anything. Its loads and stores show more: it touches the
// objects that its arguments point into, global variables, and what is reached through pointers in memory.
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

/// What a call of a function touches, apart from OpenMP's own memory and errno.
struct TouchedMemory {
  struct Param : MemoryUse {
    /// The address may be stored elsewhere when the function returns.
    bool isKept = false;
  };

  /// For each argument, the use of the object that it points into.
  llvm::SmallVector<Param, 4> params;
  llvm::SmallMapVector<const llvm::GlobalVariable *, MemoryUse, 2> variables;
  /// Memory reached through pointers in memory, and anything unknown.
  MemoryUse others;

  static TouchedMemory unknown(const llvm::Function &function);
};

/// The text form "0=r;2=rwk;@name=w;*=r": parameters (k: kept), variables, and others.
std::string toString(const TouchedMemory &touched);
/// Variables that the module lacks count as others.
TouchedMemory parseTouchedMemory(llvm::StringRef text, const llvm::Module &module);

/// Computes this for the functions of a module, which must not change meanwhile.
class TouchedMemoryFinder {
public:
  /// Whether the function calls OpenMP's runtime, directly or indirectly.
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
  /// Whether a call keeps the address passed as this argument; none if only LLVM's attributes are known.
  bool mayKeep(const llvm::Use &argument);
  bool isKept(const llvm::Value &pointer);

  llvm::DenseMap<const llvm::Function *, bool> calling;
  /// Pointers, so that entries do not move. Unknown while the function itself is being analyzed.
  llvm::DenseMap<const llvm::Function *, std::unique_ptr<TouchedMemory>> known;
};

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_TOUCHEDMEMORY_H
