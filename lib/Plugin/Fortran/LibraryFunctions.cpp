//===- LibraryFunctions.cpp - Attributes of flang's library ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Fortran/LibraryFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool keepsNoAddress(StringRef name) {
  static constexpr StringLiteral prefixes[] = {
#define COMM_KEEPS_NO_ADDRESS(PREFIX) #PREFIX,
#include "LibraryFunctions.def"
  };
  return any_of(prefixes, [&](StringRef prefix) { return name.starts_with(prefix); });
}

/// Whether a type of the module has procedures that the library calls: defined assignments and finalizers. flang emits
/// a table of them for each such type.
static bool hasSpecialProcedures(const Module &module) {
  return any_of(module.globals(), [](const GlobalVariable &variable) { return variable.getName().contains("XsX"); });
}

bool comm::annotateFortranLibrary(Module &module, bool isWholeProgram) {
  bool changed = false, callsNothing = isWholeProgram && !hasSpecialProcedures(module);
  for (Function &function : module) {
    if (!function.isDeclaration() || !keepsNoAddress(function.getName()))
      continue;
    if (callsNothing && !function.hasFnAttribute(Attribute::NoCallback)) {
      function.addFnAttr(Attribute::NoCallback);
      changed = true;
    }
    for (Argument &argument : function.args())
      if (argument.getType()->isPointerTy() && !argument.hasAttribute(Attribute::Captures)) {
        argument.addAttr(Attribute::getWithCaptureInfo(module.getContext(), CaptureInfo::none()));
        changed = true;
      }
  }
  return changed;
}
