//===- Passes.h - Conversions to and from the comm dialect ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_PASSES_H
#define COMM_CONVERSION_PASSES_H

#include "Comm/Conversion/GraphExchange.h"
#include "Comm/Dialect/Comm/Utils/PassStatistic.h"

#include "mlir/Pass/Pass.h"

namespace comm {

#define GEN_PASS_DECL
#include "Comm/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Comm/Conversion/Passes.h.inc"

} // namespace comm

#endif // COMM_CONVERSION_PASSES_H
