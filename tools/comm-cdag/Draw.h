// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The communication graph before and after compilation, for Graphviz.
#ifndef COMM_CDAG_DRAW_H
#define COMM_CDAG_DRAW_H

#include "Comm/CDag/Schedule.h"

#include <string>

namespace comm::cdag {

/// Draws the original messages between processes, and the remaining ones with the collectives. Messages between the
/// same two processes are one arrow.
std::string drawGraph(const Graph &graph, const Schedule &schedule);

/// Runs Graphviz's `dot -Tsvg` on the text. On failure, returns false and sets `error`.
bool writeSvg(const std::string &dot, const std::string &path, std::string &error);

} // namespace comm::cdag

#endif
