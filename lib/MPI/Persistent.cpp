//===- Persistent.cpp - Persistent requests of messages ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/MPI/Persistent.h"

using namespace comm;
using llvm::StringRef;

const mpi::Function *mpi::getStartedFunction(const Function &init) {
  StringRef name = init.name;
  bool isLarge = name.consume_back("_c");
  if (!name.consume_front("MPI_") || !name.consume_back("_init") || name.empty())
    return nullptr;
  std::string started = "MPI_I" + name.lower() + (isLarge ? "_c" : "");
  const Function *function = lookupFunction(started);
  bool isMessage = function && function->numParams == init.numParams && function->findParam("request") >= 0 &&
                   (function->findParam("dest") >= 0 || function->findParam("source") >= 0);
  return isMessage ? function : nullptr;
}

bool mpi::isPersistentStart(const Function &function) {
  return function.name == StringRef("MPI_Start") || function.name == StringRef("MPI_Startall");
}
