//===- CrossCheck.h - Proved collectives against executed graphs ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_SYMBOLIC_CROSSCHECK_H
#define COMM_ANALYSIS_SYMBOLIC_CROSSCHECK_H

#include "Comm/Analysis/Symbolic/CollectivePatterns.h"

namespace comm {

/// The least and the greatest number of processes that graphs are executed for.
inline constexpr unsigned minCheckedRanks = 1, maxCheckedRanks = 6;

/// Executes the graph for small numbers of processes, and compares what arrives where, and which collectives the
/// algorithms of runtime/lib/cdag find in it, with the same for the collectives that were proved. Numbers that only the
/// program knows are made up. Returns what differs; "" if nothing does, or if the graph cannot be executed.
/// `numChecked` counts the numbers of processes that could be compared.
std::string findDisagreement(CDagOp op, SymbolicGraph &graph, llvm::ArrayRef<CollectivePlan> plans, const mpi::ABI &abi,
                             unsigned &numChecked);

} // namespace comm

#endif // COMM_ANALYSIS_SYMBOLIC_CROSSCHECK_H
