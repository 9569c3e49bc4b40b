//===- Refresh.h - Ghosts before a loop -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_GRAPHTOCOMM_REFRESH_H
#define COMM_LIB_CONVERSION_GRAPHTOCOMM_REFRESH_H

#include "Comm/Dialect/Graph/IR/Graph.h"

namespace comm::graphlowering {

/// Returns the runtime's function that brings ghosts up to date before the loop, if they are not.
inline llvm::StringRef getRefresh(graph::ForallOp loop) {
  return loop->hasAttr(graph::kChangesAttrName) ? "comm_graph_run_refresh_changed" : "comm_graph_run_refresh";
}

} // namespace comm::graphlowering

#endif
