//===- Passes.h - Passes over the graph dialect --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_GRAPH_PASSES_H
#define COMM_TRANSFORMS_GRAPH_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace comm {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Comm/Transforms/Graph/Passes.h.inc"

} // namespace comm

#endif // COMM_TRANSFORMS_GRAPH_PASSES_H
