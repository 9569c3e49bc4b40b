//===- Upstream.h - Passes of MLIR that pipelines name ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PIPELINES_UPSTREAM_H
#define COMM_LIB_PIPELINES_UPSTREAM_H

namespace comm {

/// Registers all of MLIR's conversions. Its header reads those of all dialects: one file includes it.
void registerUpstreamConversions();

} // namespace comm

#endif // COMM_LIB_PIPELINES_UPSTREAM_H
