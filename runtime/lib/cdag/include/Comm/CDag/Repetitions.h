// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases that repeat: a graph that is one phase several times over is compiled
// once, and the schedule is run as often.
#ifndef COMM_CDAG_REPETITIONS_H
#define COMM_CDAG_REPETITIONS_H

#include "Comm/CDag/Match.h"

namespace comm::cdag {

/// If the operations of every process are one sequence repeated `times` times
/// (the most possible; tags may differ, partners, buffers and dependencies
/// within a phase may not), makes the graph of one phase. Running it `times`
/// times, one after the other on each process, is running the graph: nothing in
/// a phase depends on a later one. Returns `times`, 1 if nothing repeats (then
/// `phase` is untouched). The phase's operations are those of the graph's first
/// phase, in their order; wildcards are settled. A temporary buffer that a
/// phase reads before it writes it carries a value on: it is not temporary in
/// the phase. Time O(n) for each common divisor of the processes' numbers of
/// operations.
uint32_t foldRepetitions(Graph &graph, const Matching &matching, Graph &phase);

} // namespace comm::cdag

#endif
