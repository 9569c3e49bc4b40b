// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repeating phases: a graph that consists of one phase several times over is compiled once, and the schedule is run
// repeatedly.
#ifndef COMM_CDAG_REPETITIONS_H
#define COMM_CDAG_REPETITIONS_H

#include "Comm/CDag/Match.h"

namespace comm::cdag {

/// Builds the graph of one phase if the operations of every process are one sequence repeated `times` times, for the
/// largest possible `times`. Tags may differ between repetitions; partners, buffers and dependencies within a phase may
/// not. Running the phase `times` times on each process is equivalent to running the graph, because nothing in a phase
/// depends on a later one. Returns `times`, or 1 if nothing repeats (`phase` is then unchanged). The phase's operations
/// are those of the graph's first phase, in their order; wildcards are resolved. A temporary buffer that a phase reads
/// before writing carries a value from one phase to the next, so it is not temporary in the phase. Takes O(n) time for
/// each common divisor of the processes' numbers of operations.
uint32_t foldRepetitions(Graph &graph, const Matching &matching, Graph &phase);

} // namespace comm::cdag

#endif
