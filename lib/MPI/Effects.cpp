//===- Effects.cpp - Effects of MPI functions -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/MPI/Effects.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace comm::mpi;

bool comm::mpi::forgetsAddress(const Function &function, const Param &param) {
  return param.isAddress() && !function.keepsAddress(&param - function.params().data());
}

bool comm::mpi::onlyReads(const Function &function, const Param &param) {
  return param.direction == Direction::In && forgetsAddress(function, param);
}

bool comm::mpi::onlyWrites(const Function &function, const Param &param) {
  if (param.direction != Direction::Out || !forgetsAddress(function, param))
    return false;
  return param.role != Role::Buffer || function.findRole(Role::Buffer, Direction::In) < 0;
}

bool comm::mpi::runsNothing(const Function &function) {
  return !function.returnsErrorCode && !function.mayCallBack && !function.isTool;
}

bool comm::mpi::runsOnlyHandlers(const Function &function) {
  if (function.mayCallBack || function.isTool)
    return false;
  return llvm::none_of(function.params(), [](const Param &param) {
    return param.role == Role::Op || param.role == Role::Request || param.role == Role::File ||
           param.role == Role::Errhandler;
  });
}

bool comm::mpi::isQuery(const Function &function) {
  // The query for the best placement of processes in a topology is collective (MPI-4, 8.5.8).
  if (!function.onlyAsks() || !runsOnlyHandlers(function) || llvm::StringRef(function.name).ends_with("_map"))
    return false;
  return llvm::none_of(function.params(), [](const Param &param) {
    return param.role == Role::Buffer || param.role == Role::Win || param.role == Role::Session ||
           param.role == Role::Message || param.isAsync;
  });
}

bool comm::mpi::communicates(const Function &function) { return !function.isLocal && !isQuery(function); }

bool comm::mpi::isOfExchange(const Function &function) {
  return function.hasNonblocking() ||
         llvm::any_of(function.params(), [](const Param &param) { return param.role == Role::Request; });
}
