//===- TypedAccess.h - Types in messages and accesses -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If addresses do not tell two accesses apart, their types may: a pointer is not loaded from memory that a receive of
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

/// What an MPI operation writes.
enum class Written {
  Anything,
  /// Handles of requests, which are pointers or integers.
  RequestPointers,
  RequestIntegers,
  /// Structures of integers.
  Statuses,
  /// A message of a predefined floating-point or complex datatype.
  FloatingMessage,
  /// A message of a predefined integer datatype that is smaller than a pointer and not a character type.
  IntegerMessage,
};

/// The types of the loads and stores of one function.
class AccessTypes {
public:
  explicit AccessTypes(llvm::Function &function);

  /// Whether the instruction, which comes after the write, accesses none of the written data because its type differs.
  /// Only true for simple loads and stores whose type follows strict aliasing.
  bool isOfOther(const llvm::Instruction &later, Written written) const;

private:
  /// A structure with an accessed member.
  struct Structure {
    const llvm::Instruction *access;
    const llvm::MDNode *type;
    /// The offset of its beginning from the pointer, in bytes.
    int64_t offset;
  };
  void noteStructure(const llvm::Instruction &access);
  void notePointer(const llvm::Instruction &access);
  bool comesBefore(const llvm::Instruction &access, const llvm::Instruction &later) const;
  std::optional<Structure> findStructure(const llvm::Instruction &access) const;
  bool isNextToPointer(const llvm::Instruction &access) const;

  llvm::Function &function;
  /// Whether any access has a type. None has with strict aliasing off.
  bool areKnown = false;
  llvm::DenseMap<const llvm::Value *, llvm::SmallVector<Structure, 4>> structures;
  /// A pointer that is accessed, and, if it is in an array, the offset of the first element from the base, in bytes.
  struct Pointer {
    const llvm::Instruction *access;
    int64_t offset;
  };
  llvm::DenseMap<const llvm::Value *, llvm::SmallVector<Pointer, 4>> pointers;
  /// Computed on demand.
  mutable std::unique_ptr<llvm::DominatorTree> dominance;
};

/// Whether a load after the write, with this tag of clang's, reads none of the written data.
bool isLoadOfOther(const llvm::MDNode *tag, Written written);

/// Whether it stores a floating-point number, according to its type.
bool storesNumber(const llvm::Instruction &instruction);

/// Whether one of the two stores a floating-point number, according to its type, and the other one loads a file-scope
/// variable that is declared as a pointer. The order does not matter: a declared variable keeps its type. The load
/// itself may have lost its type.
bool areNumberAndPointerVariable(const llvm::Instruction &a, const llvm::Instruction &b);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_TYPEDACCESS_H
