//===- Containers.cpp - Containers that do not capture `this` -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As far as LLVM knows, a call to vector::resize that is not inlined may capture the vector, since other files define
// this function too. From then on, every MPI call may change where the elements are, and loops reload their address.
// Restricted to vectors, since strings point into themselves and nodes of lists and maps point to their container.
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Annotate/Annotate.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ModRef.h"

#include <cstdlib>
#include <string>

using namespace llvm;
using namespace comm;

/// Returns whether the function is a member of std::vector with the standard allocator, in libstdc++ or libc++. Vectors
/// with checked iterators have another name.
static bool isVectorMember(StringRef mangled) {
  // Filter out most functions of a C++ program quickly.
  if (!mangled.starts_with("_ZNSt6vectorI") && !mangled.starts_with("_ZNSt3__16vectorI"))
    return false;
  std::string text = mangled.str(); // the demangler points into it
  ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(text.c_str()) || !demangler.isFunction())
    return false;
  // The first argument of static members is not `this`.
  char *base = demangler.getFunctionBaseName(nullptr, nullptr);
  bool isStatic = !base || StringRef(base).starts_with("_S_");
  std::free(base);
  char *context = demangler.getFunctionDeclContextName(nullptr, nullptr);
  StringRef name = context ? context : "";
  bool isVector = name.consume_front("std::vector<") || name.consume_front("std::__1::vector<");
  bool isMember = isVector && !isStatic && name.ends_with(">") && name.contains("allocator<") && !name.contains(">::");
  std::free(context);
  return isMember;
}

bool comm::annotateContainers(Module &module) {
  bool changed = false;
  for (Function &function : module) {
    // The return value may be the container or point to its elements.
    if (function.arg_empty() || function.getReturnType()->isPointerTy() ||
        !function.getArg(0)->getType()->isPointerTy() || function.hasParamAttribute(0, Attribute::StructRet) ||
        function.hasParamAttribute(0, Attribute::Captures) || !isVectorMember(function.getName()))
      continue;
    function.addParamAttr(0, Attribute::getWithCaptureInfo(module.getContext(), CaptureInfo::none()));
    changed = true;
  }
  return changed;
}
