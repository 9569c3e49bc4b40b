//===- Effects.cpp - What MPI's functions do to their arguments -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/MPI/Effects.h"

#include "llvm/ADT/STLExtras.h"

using namespace comm::mpi;

static bool isToolFunction(const Function &function) { return llvm::StringRef(function.name).starts_with("MPI_T_"); }

/// MPI may use memory of the program after the call returned.
static bool goesOn(const Function &function) {
  return llvm::any_of(function.params(), [](const Param &param) { return param.isAsync; });
}

/// The buffers are messages, which are complete when the call returns. The data marks most buffers of operations that
/// go on as asynchronous, but not those of MPI_Psend_init and MPI_Precv_init, which have a request.
static bool isBlockingTransfer(const Function &function) {
  return !goesOn(function) && !function.isOneSided() && function.findRole(Role::Datatype, Direction::In) >= 0 &&
         function.findRole(Role::Request, Direction::Out) < 0;
}

bool comm::mpi::forgetsAddress(const Function &function, const Param &param) {
  if (!(param.isPointer || param.isArray) || param.isAsync || isToolFunction(function))
    return false;
  switch (param.role) {
  case Role::Buffer:
    return isBlockingTransfer(function);
  case Role::Memory:
  case Role::Address:
  case Role::Function:
  case Role::VarArgs:
    return false;
  case Role::Rank:
  case Role::Tag:
  case Role::Count:
  case Role::Displacement:
  case Role::Logical:
  case Role::Index:
  case Role::Integer:
  case Role::Datatype: // of MPI_Ialltoallw, an array
    return !goesOn(function);
  default:
    return true;
  }
}

bool comm::mpi::onlyReads(const Function &function, const Param &param) {
  return param.direction == Direction::In && forgetsAddress(function, param);
}

bool comm::mpi::onlyWrites(const Function &function, const Param &param) {
  if (param.direction != Direction::Out || !forgetsAddress(function, param))
    return false;
  return param.role != Role::Buffer || function.findRole(Role::Buffer, Direction::In) < 0;
}

bool comm::mpi::onlyAsks(const Function &function) {
  bool isTold = false, answers = false;
  for (const Param &param : function.params()) {
    llvm::StringRef type = param.cType;
    bool isHandle = type.starts_with("MPI_") && type != "MPI_Aint" && type != "MPI_Count" && type != "MPI_Offset";
    if (param.direction == Direction::InOut || (param.direction == Direction::Out && isHandle))
      return false;
    (param.direction == Direction::In ? isTold : answers) = true;
  }
  return isTold && answers;
}

bool comm::mpi::runsNothing(const Function &function) {
  return !function.returnsErrorCode && !function.mayCallBack && !isToolFunction(function);
}

bool comm::mpi::runsOnlyHandlers(const Function &function) {
  if (function.mayCallBack || isToolFunction(function))
    return false;
  return llvm::none_of(function.params(), [](const Param &param) {
    return param.role == Role::Op || param.role == Role::Request || param.role == Role::File ||
           param.role == Role::Errhandler;
  });
}

bool comm::mpi::isQuery(const Function &function) {
  if (!onlyAsks(function) || !runsOnlyHandlers(function))
    return false;
  return llvm::none_of(function.params(), [](const Param &param) {
    return param.role == Role::Buffer || param.role == Role::Win || param.role == Role::Session ||
           param.role == Role::Message || param.isAsync;
  });
}
