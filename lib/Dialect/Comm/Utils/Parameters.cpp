//===- Parameters.cpp - MPI parameters of operands ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/Parameters.h"

#include "Comm/Dialect/Comm/IR/CommInterfaces.h"
#include "Comm/Dialect/Comm/Utils/Callee.h"

#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace comm;

std::optional<Parameter> comm::findParameter(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto mpiOp = dyn_cast<MPIOpInterface>(op)) {
    const mpi::Function &function = mpiOp.getCalledFunction();
    for (auto [i, param] : llvm::enumerate(function.params())) {
      OperandRange operands = comm::detail::getParamOperands(op, param.name);
      unsigned first = operands.empty() ? 0 : operands.getBeginOperandIndex();
      if (operands.empty() || use.getOperandNumber() < first || use.getOperandNumber() >= first + operands.size())
        continue;
      return Parameter{&function, static_cast<unsigned>(i)};
    }
    return std::nullopt;
  }
  auto call = dyn_cast<CallOpInterface>(op);
  const mpi::Function *function = mpi::lookupFunction(getCalleeName(op));
  if (!function || call.getArgOperands().empty())
    return std::nullopt;
  unsigned index = use.getOperandNumber() - call.getArgOperands().getBeginOperandIndex();
  return index < function->numParams ? std::optional(Parameter{function, index}) : std::nullopt;
}

std::optional<int64_t> comm::getWrittenSize(const Parameter &parameter) {
  const mpi::Param &param = parameter.get();
  if (!param.writes())
    return 0;
  switch (param.role) {
  case mpi::Role::Buffer: // displacements may be negative
  case mpi::Role::Memory:
  case mpi::Role::Address:
  case mpi::Role::Function:
  case mpi::Role::VarArgs:
    return std::nullopt;
  case mpi::Role::Status:
    return kOpenEnd;
  default:
    // Handles and numbers are at most as large as a pointer or 64 bits. Arrays begin at their address.
    return param.isArray ? kOpenEnd : StringRef(param.cType).split(' ').first == "int" ? 4 : 8;
  }
}
