//===- FunctionFacts.h - Facts about functions ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// String attributes of functions in LLVM IR, which llvm.func keeps among its passthrough attributes. FunctionSummary
// explains each of them.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_FUNCTIONFACTS_H
#define COMM_DIALECT_COMM_UTILS_FUNCTIONFACTS_H

#include "llvm/ADT/StringRef.h"

namespace comm {

inline constexpr llvm::StringLiteral kNoThrowFact = "comm-no-throw";
inline constexpr llvm::StringLiteral kReturnsFact = "comm-returns";
inline constexpr llvm::StringLiteral kNoSyncFact = "comm-nosync";
inline constexpr llvm::StringLiteral kNoIOFact = "comm-no-io";
inline constexpr llvm::StringLiteral kNoMPIFact = "comm-no-mpi";
inline constexpr llvm::StringLiteral kTeamSyncFact = "comm-team-sync";
inline constexpr llvm::StringLiteral kProcessSyncFact = "comm-process-sync";
inline constexpr llvm::StringLiteral kLooksAtErrnoFact = "comm-looks-at-errno";
inline constexpr llvm::StringLiteral kCLibraryFact = "comm-c-library";

/// For functions that return and that can only be observed through their effects on memory.
inline constexpr llvm::StringRef kUnnoticedFacts[] = {kNoThrowFact, kReturnsFact, kNoSyncFact, kNoIOFact, kNoMPIFact};

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_FUNCTIONFACTS_H
