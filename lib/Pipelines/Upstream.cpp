//===- Upstream.cpp - MLIR passes named in pipelines ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Upstream.h"

#include "mlir/Conversion/Passes.h"

void comm::registerUpstreamConversions() { mlir::registerConversionPasses(); }
