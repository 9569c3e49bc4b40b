//===- Parameters.h - Which parameter of MPI an operand is --------*- C++ -*-===//
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

/// A parameter of a function of MPI that an op or a call gets an operand for.
struct Parameter {
  const mpi::Function *function;
  unsigned index;

  const mpi::Param &get() const { return function->params()[index]; }
  bool keepsAddress() const { return function->keepsAddress(index); }
};
std::optional<Parameter> findParameter(mlir::OpOperand &use);

/// Bytes that MPI may write at an address during the call: [0, size) from there, without an end if size is
/// `kOpenEnd`. None if it may write before the address, too.
inline constexpr int64_t kOpenEnd = int64_t(1) << 40;
std::optional<int64_t> getWrittenSize(const Parameter &parameter);

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_PARAMETERS_H
