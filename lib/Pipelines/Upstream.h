//===- Upstream.h - MLIR passes named in pipelines --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PIPELINES_UPSTREAM_H
#define COMM_LIB_PIPELINES_UPSTREAM_H

namespace comm {

/// Registers all of MLIR's conversions. Their header includes those of all dialects, so only one file includes it.
void registerUpstreamConversions();

} // namespace comm

#endif // COMM_LIB_PIPELINES_UPSTREAM_H
