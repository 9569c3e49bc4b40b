//===- CallCopies.cpp - Keeping MPI calls unduplicated --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/CallCopies.h"

#include "Comm/MPI/Effects.h"
#include "Comm/Plugin/Utils/CalledFunction.h"

#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

static bool communicates(const Function &function) {
  const mpi::Function *known = getMPIFunction(function);
  return known && mpi::communicates(*known);
}

/// Sets, for all functions that communicate, whether their calls may be copied. Returns true if anything changed.
static bool setCallCopies(Module &module, bool areAllowed) {
  bool changed = false;
  for (Function &function : module) {
    if (!communicates(function) || function.isConvergent() != areAllowed)
      continue;
    areAllowed ? function.setNotConvergent() : function.setConvergent();
    changed = true;
  }
  return changed;
}

bool comm::forbidCallCopies(Module &module) { return setCallCopies(module, false); }

bool comm::allowCallCopies(Module &module) { return setCallCopies(module, true); }
