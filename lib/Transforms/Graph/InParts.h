//===- InParts.h - Loops that run in parts ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_GRAPH_INPARTS_H
#define COMM_LIB_TRANSFORMS_GRAPH_INPARTS_H

#include "Comm/Dialect/Graph/IR/Graph.h"

#include <string>

namespace comm::graph {

/// Returns why the loop cannot run in parts, one of which overlaps an exchange of `what`, whatever it reads and writes;
/// or "".
inline std::string whyNotInParts(ForallOp loop, llvm::StringRef what) {
  if (mlir::isa<FixedPointOp>(loop->getParentOp()) && loop->getParentOp()->hasAttr(kAggregatedAttrName))
    return ("the runtime exchanges the " + what + " of an asynchronous fixed point").str();
  if (loop.getCenter() && !loop.overLevels())
    return "all iterations are of neighbors of one vertex";
  return "";
}

} // namespace comm::graph

#endif // COMM_LIB_TRANSFORMS_GRAPH_INPARTS_H
