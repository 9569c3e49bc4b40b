//===- Contiguity.h - Sections of arrays without gaps -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_FORTRAN_CONTIGUITY_H
#define COMM_PLUGIN_FORTRAN_CONTIGUITY_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class AAResults;
class Function;
class Module;
} // namespace llvm

namespace comm {

/// The function of flang's library that tells whether a section is contiguous.
inline constexpr llvm::StringLiteral kIsContiguous = "_FortranAIsContiguous";

/// Returns true if the module asks flang's library whether sections are contiguous.
bool asksForContiguity(const llvm::Module &module);

/// Folds calls of flang's library that ask whether a section is contiguous, where the function has just stored a
/// descriptor that says so: `a(:, k)` of an argument of assumed shape, once the procedure is inlined. The copies of
/// sections that are not contiguous then go away. Returns true if anything changed.
bool foldContiguity(llvm::Function &function, llvm::AAResults &aliases);

} // namespace comm

#endif // COMM_PLUGIN_FORTRAN_CONTIGUITY_H
