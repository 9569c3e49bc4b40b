//===- Parameters.h - MPI parameters of operands ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_PARAMETERS_H
#define COMM_DIALECT_COMM_UTILS_PARAMETERS_H

#include "Comm/MPI/Standard.h"

#include "mlir/IR/Value.h"

#include <optional>

namespace comm {

/// The parameter of an MPI function for an operand of an op or call.
struct Parameter {
  const mpi::Function *function;
  unsigned index;

  const mpi::Param &get() const { return function->params()[index]; }
  bool keepsAddress() const { return function->keepsAddress(index); }
};
std::optional<Parameter> findParameter(mlir::OpOperand &use);

/// Returns the bytes that MPI may write during the call: [0, size) from the address, or without an end if size is
/// `kOpenEnd`. None if it may also write before the address.
inline constexpr int64_t kOpenEnd = int64_t(1) << 40;
std::optional<int64_t> getWrittenSize(const Parameter &parameter);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_PARAMETERS_H
