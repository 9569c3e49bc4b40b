// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The communication graph before and after compilation, for Graphviz.
#ifndef COMM_CDAG_DRAW_H
#define COMM_CDAG_DRAW_H

#include "Comm/CDag/Schedule.h"

#include <string>

namespace comm::cdag {

/// Messages between processes as they were, and what remains of them next to
/// the collectives. Messages between the same two processes are one arrow.
std::string drawGraph(const Graph &graph, const Schedule &schedule);

/// Runs Graphviz's `dot -Tsvg` on the text. False: `error` says why.
bool writeSvg(const std::string &dot, const std::string &path, std::string &error);

} // namespace comm::cdag

#endif
