//===- CrossCheck.h - Proved collectives against executed graphs ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_SYMBOLIC_CROSSCHECK_H
#define COMM_ANALYSIS_SYMBOLIC_CROSSCHECK_H

#include "Comm/Analysis/Symbolic/CollectivePatterns.h"

namespace comm {

/// The smallest and the largest number of processes that graphs are executed for.
inline constexpr unsigned minCheckedRanks = 1, maxCheckedRanks = 6;

/// Executes the graph for small numbers of processes. Compares what arrives where, and which collectives the algorithms
/// of runtime/lib/cdag find, with the results for the proved collectives. Invents numbers that only the program knows.
/// Returns a description of the difference; "" if there is none, or if the graph cannot be executed. `numChecked` is
/// the number of sizes that were compared.
std::string findDisagreement(CDagOp op, SymbolicGraph &graph, llvm::ArrayRef<CollectivePlan> plans, const mpi::ABI &abi,
                             unsigned &numChecked);

} // namespace comm

#endif // COMM_ANALYSIS_SYMBOLIC_CROSSCHECK_H
