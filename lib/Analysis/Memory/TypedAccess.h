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

#ifndef COMM_LIB_ANALYSIS_MEMORY_TYPEDACCESS_H
#define COMM_LIB_ANALYSIS_MEMORY_TYPEDACCESS_H

namespace llvm {
class Instruction;
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

/// Whether the instruction, which comes after that was written, accesses none of it because its own type is another
/// one: only said of simple loads and stores whose type strict aliasing tells.
bool isOfOtherType(const llvm::Instruction &later, Written written);

} // namespace comm

#endif // COMM_LIB_ANALYSIS_MEMORY_TYPEDACCESS_H
