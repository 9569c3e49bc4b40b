//===- Markers.cpp - Telling the other files of a program ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Utils/Markers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

bool comm::defineMarker(Module &module, StringRef name) {
  GlobalValue *declared = module.getNamedValue(name);
  if (declared && !declared->isDeclaration())
    return false;
  Type *byte = Type::getInt8Ty(module.getContext());
  auto *defined =
      new GlobalVariable(module, byte, /*isConstant=*/true, GlobalValue::WeakODRLinkage, ConstantInt::get(byte, 1));
  if (declared) {
    defined->takeName(declared);
    declared->replaceAllUsesWith(defined);
    declared->eraseFromParent();
  } else {
    defined->setName(name);
  }
  return true;
}

Constant *comm::getMarker(Module &module, StringRef name) {
  if (GlobalValue *marker = module.getNamedValue(name))
    return marker;
  return new GlobalVariable(module, Type::getInt8Ty(module.getContext()), /*isConstant=*/true,
                            GlobalValue::ExternalWeakLinkage, nullptr, name);
}
