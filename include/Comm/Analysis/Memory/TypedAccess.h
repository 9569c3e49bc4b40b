//===- TypedAccess.h - Types of what MPI writes and programs read -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where no address tells two accesses apart, their types may: a pointer is not loaded from memory that a receive of
// MPI_DOUBLE has written. docs/soundness.md has the argument ("Types").
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_TYPEDACCESS_H
#define COMM_ANALYSIS_MEMORY_TYPEDACCESS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"

#include <memory>
#include <optional>

namespace llvm {
class MDNode;
} // namespace llvm

namespace comm {

/// What an operation of MPI writes somewhere.
enum class Written {
  Anything,
  /// Handles of requests, which are pointers or integers.
  RequestPointers,
  RequestIntegers,
  /// Structures of integers.
  Statuses,
  /// A message of a predefined floating-point or complex datatype.
  FloatingMessage,
  /// A message of a predefined integer datatype that is smaller than a pointer and no character.
  IntegerMessage,
};

/// The types of the loads and stores of one function.
class AccessTypes {
public:
  explicit AccessTypes(llvm::Function &function);

  /// Whether the instruction, which comes after that was written, accesses none of it because its own type is another
  /// one: only said of simple loads and stores whose type strict aliasing tells.
  bool isOfOther(const llvm::Instruction &later, Written written) const;

private:
  /// A structure of which a member is accessed.
  struct Structure {
    const llvm::Instruction *access;
    const llvm::MDNode *type;
    /// Where it begins, in bytes from the pointer.
    int64_t offset;
  };
  void noteStructure(const llvm::Instruction &access);
  void notePointer(const llvm::Instruction &access);
  bool comesBefore(const llvm::Instruction &access, const llvm::Instruction &later) const;
  std::optional<Structure> findStructure(const llvm::Instruction &access) const;
  bool isNextToPointer(const llvm::Instruction &access) const;

  llvm::Function &function;
  /// Whether any access has a type: none has where strict aliasing is off.
  bool areKnown = false;
  llvm::DenseMap<const llvm::Value *, llvm::SmallVector<Structure, 4>> structures;
  /// A pointer that is accessed, and in bytes from which place the first element of its array is, if it is in one.
  struct Pointer {
    const llvm::Instruction *access;
    int64_t offset;
  };
  llvm::DenseMap<const llvm::Value *, llvm::SmallVector<Pointer, 4>> pointers;
  /// Once it is asked for.
  mutable std::unique_ptr<llvm::DominatorTree> dominance;
};

/// Whether a load that comes after that was written, of which this is clang's type, reads none of it.
bool isLoadOfOther(const llvm::MDNode *tag, Written written);

/// Whether it stores a floating-point number, by its type.
bool storesNumber(const llvm::Instruction &instruction);

/// Whether one of the two stores a floating-point number, by its type, and the other one loads a variable at file scope
/// that is declared as a pointer, in whatever order: what is declared keeps its type. The load may have lost its own.
bool areNumberAndPointerVariable(const llvm::Instruction &a, const llvm::Instruction &b);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_TYPEDACCESS_H
