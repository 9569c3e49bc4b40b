//===- CallSite.cpp - Identifying calls in profiles -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/CallSite.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/InlinedAt.h"
#include "Comm/Dialect/Comm/Utils/Naming.h"

using namespace mlir;
using namespace comm;

StringRef comm::getProgramsCall(MPIOpInterface op) {
  Value request = op.isAsync() && !op->hasAttr(kOriginAttrName) ? op.getParam("request") : Value();
  // A pass also puts requests into memory if their waits leave a branch.
  bool isOwn =
      request && llvm::none_of(request.getUsers(), [](Operation *user) { return user->hasAttr(kLeftAttrName); });
  return isOwn ? StringRef(op.getCalledFunction().name) : getDisplayName(op);
}

std::string comm::getInlinedAt(Location loc) {
  std::string text;
  for (auto inlined = loc->findInstanceOf<CallSiteLoc>(); inlined;) {
    Location caller = inlined.getCaller();
    inlined = dyn_cast<CallSiteLoc>(caller);
    Location call = inlined ? inlined.getCallee() : caller;
    if (auto line = dyn_cast<FileLineColLoc>(call))
      appendInlinedAt(text, line.getFilename(), line.getLine(), line.getColumn());
  }
  return text;
}
